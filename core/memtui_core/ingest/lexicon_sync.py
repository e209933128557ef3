"""Keep the keyword index in step with the store: what changed since its last batch is taken over from DuckDB.

The same code serves the ordinary batch, the replay after a crash and the rebuild from nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import orjson

from memtui_core.lexicon import LexiconWriter, TurnDoc
from memtui_core.store.work import Work

Row = tuple[Any, ...]

_BLOCKS = "SELECT turn, kind, text, tool FROM blocks WHERE turn BETWEEN ? AND ? ORDER BY turn, seq"
_PATHS = "SELECT DISTINCT turn, path FROM file_mentions WHERE turn BETWEEN ? AND ? ORDER BY turn, path"
_TURNS = 64
"""Turns whose text is in memory at once."""


def catch_up(work: Work, lexicon: LexiconWriter) -> int:
    """Bring the lexicon to the store's batch and commit; the number of documents written.

    A turn that was taken out leaves the lexicon one batch later: until the next snapshot is out, readers of the last
    one still look for it, and all readers pass over turns that their snapshot does not know. A lexicon that is ahead
    saw batches that the store has lost: it is built anew.
    """
    if lexicon.batch > work.batch:
        lexicon.clear()
    if lexicon.batch == work.batch:
        return 0
    since = lexicon.batch
    fresh = since == 0
    if not fresh:
        dropped = work.connection.execute("SELECT turn FROM dropped_turns WHERE batch <= ?", [since]).fetchall()
        lexicon.remove(turn for (turn,) in dropped)
    written = 0
    for doc in _documents(work, since):
        lexicon.put(doc, fresh=fresh)
        written += 1
    lexicon.commit(work.batch)
    work.connection.execute("DELETE FROM dropped_turns WHERE batch <= ?", [since])
    return written


def _documents(work: Work, since: int) -> Iterator[TurnDoc]:
    """The documents of the turns written after a batch; a session's title stands in its first turn."""
    cursor = work.connection.cursor()
    heads = cursor.execute(
        "SELECT t.id, t.session, coalesce(epoch(t.started_at)::BIGINT, 0), t.kind, t.user_text,"
        " CASE WHEN t.number = 1 THEN s.title ELSE '' END"
        " FROM turns t JOIN sessions s ON s.key = t.session WHERE t.batch > ? AND NOT s.hidden ORDER BY t.id",
        [since],
    )
    while chunk := heads.fetchmany(_TURNS):
        first, last = chunk[0][0], chunk[-1][0]
        blocks = _by_turn(work, _BLOCKS, first, last)
        paths = _by_turn(work, _PATHS, first, last)
        for head in chunk:
            yield _document(head, blocks.get(head[0], []), [path for (path,) in paths.get(head[0], [])])


def _by_turn(work: Work, sql: str, first: int, last: int) -> dict[int, list[Row]]:
    rows = work.connection.execute(sql, [first, last]).fetchall()
    return {turn: [row[1:] for row in found] for turn, found in groupby(rows, key=itemgetter(0))}


def _document(head: Row, blocks: list[Row], paths: list[str]) -> TurnDoc:
    turn, session, at, kind, user_text, title = head
    fields: dict[str, list[str]] = {"text": [], "thinking": [], "tool_call": [], "tool_result": [], "note": []}
    for block_kind, text, tool in blocks:
        if block_kind == "note" and tool in {"meta", "reminder"}:
            continue
        if block_kind == "tool_call":
            text = f"{tool or ''} {readable(text)}"
        if block_kind in fields:
            fields[block_kind].append(text)
    said = user_text or ""
    return TurnDoc(
        turn=turn,
        session=session,
        at=at,
        user="" if kind == "compaction" else said,
        assistant="\n\n".join([said, *fields["text"]] if kind == "compaction" else fields["text"]),
        thinking="\n\n".join(fields["thinking"]),
        call="\n".join(fields["tool_call"]),
        output="\n".join(fields["tool_result"]),
        title=title,
        paths=" ".join(paths),
        notes="\n".join(fields["note"]),
    )


def readable(arguments: str) -> str:
    """The values of a tool call's input without the JSON around them."""
    try:
        value = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments
    return "\n".join(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value
    elif value is not None and not isinstance(value, bool):
        yield str(value)
