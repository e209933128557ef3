"""Files that repeat the entries of others: copies of a session, and forks of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from memtui_core.ingest import identity
from memtui_core.ingest.batch import Batch
from memtui_core.ingest.identity import Claim
from memtui_core.ingest.sessions import identify
from memtui_core.readers.claude_code import ClaudeCodeReader
from memtui_core.readers.records import Message
from memtui_core.store.work import Work


def repeated(batch: Batch, messages: Sequence[Message], source: int) -> dict[int, identity.Owner]:
    """The messages that other sources hold already, by the Python id of the message."""
    keys = {id(message): key for message in messages if (key := identity.entry_key(message)) is not None}
    suspects = batch.may_hold(keys.values())
    if not suspects:
        return {}
    held = identity.owners(batch.work, suspects, source)
    found = {}
    for number, key in keys.items():
        owner = held.get(key) or batch.waiting(key)
        if owner is not None and owner.source != source:
            found[number] = owner
    return found


def displaced(work: Work, path: Path, rivals: Iterable[int]) -> list[int]:
    """Those rival sources whose shared entries belong to this file; reads the whole file once more."""
    reader = ClaudeCodeReader(path)
    keys = {key for r in reader if isinstance(r, Message) and r.blocks and (key := identity.entry_key(r)) is not None}
    own_id = identify(path, reader.facts)[0]
    losers = []
    for rival in sorted(rivals):
        [(rival_id, rival_path)] = work.connection.execute(
            "SELECT coalesce(n.session_id, ''), s.path FROM sources s LEFT JOIN sessions n ON n.key = s.session"
            " WHERE s.id = ?",
            [rival],
        ).fetchall()
        new, held = Claim(own_id, str(path), keys), Claim(rival_id, rival_path, identity.held_by(work, rival))
        if identity.newcomer_owns(new, held):
            losers.append(rival)
    return losers
