"""Merge prepared transcripts into the batch: replace their ids by ids of the index, and settle shared entries."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.ingest.discover import KnownSource, Pending
from memtui_core.ingest.sources.batch import Batch
from memtui_core.ingest.sources.claims import claim_of_transcript
from memtui_core.ingest.sources.shared_entries import displace_owners, owned_by_others, remove_source
from memtui_core.ingest.sources.source_ingest import Outcome
from memtui_core.ingest.turns.sessions import SessionRow
from memtui_core.ingest.workers.pool import Preparation
from memtui_core.ingest.workers.prepared_transcript import PreparedSource
from memtui_core.readers.base import START
from memtui_core.readers.records import TitleRank
from memtui_core.store.lexicon import TurnDoc
from memtui_core.store.tables import COLUMNS, TableRows

_NEW_SOURCE: Final = -1
MOST_KEPT_ENTRIES: Final = 2_000_000
"""The most keys of entries that are kept (32 MB), in case a source is displaced and must be prepared again."""


@dataclass(frozen=True, slots=True)
class _IdsInIndex:
    """The ids in the index for what a prepared transcript has numbered by itself."""

    source: int
    first_turn: int
    """The id of turn 0."""
    sessions: dict[int | None, int | None]
    of_source: int | None
    """The session of the source."""
    turns_before: dict[int, int]
    """The number of turns that each session had before, by the key in the prepared transcript."""


class Merging:
    """Adds those transcripts of one update to a batch that other processes can prepare."""

    def __init__(self, batch: Batch, preparation: Preparation) -> None:
        self._batch = batch
        self._preparation = preparation
        self._entries: dict[int, array[int]] = {}
        """Hash and time of all entries of each added source, also of those that belong to other sources."""
        self._kept = 0

    def add(self, item: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> list[TurnDoc] | None:
        """Add a transcript of which nothing is stored, and return the documents of its turns. Raises Stopped.

        Returns None if this process must read it by `SourceIngest`; it may have displaced other sources before.
        """
        batch, known = self._batch, item.known
        if known is None:
            prepared = self._preparation.take(item.transcript, stopped)
            if prepared is None or any(batch.forgets(*row.unique) for row in prepared.sessions):
                return None
            batch.begin(own_transaction=False)
            entries, source = prepared.entries, _NEW_SOURCE
            foreign = owned_by_others(batch, entries, source)
            if foreign:
                outcome.displaced = displace_owners(batch, prepared.claim, foreign.values())
                foreign = owned_by_others(batch, entries, source)
        else:
            kept = self._entries.pop(known.id, None)
            if kept is None or item.cursor != START:
                return None
            prepared, entries, source = None, list(zip(kept[::2], kept[1::2], strict=True)), known.id
            foreign = owned_by_others(batch, entries, source)
            if not item.is_displaced:
                # No source has begun: all rows are of finished ones.
                batch.commit()
                with suppress(SourceUnreadable):
                    outcome.displaced = displace_owners(batch, claim_of_transcript(item.transcript), foreign.values())
                remove_source(batch, source)
                foreign = owned_by_others(batch, entries, source)
        if prepared is None or foreign:
            sessions = {key: owner.session for key, owner in foreign.items()}
            prepared = self._preparation.prepare_without(item.transcript, sessions, stopped)
            # The transcript may have grown since, by entries that belong to others.
            if prepared is None or owned_by_others(batch, prepared.entries, source) != foreign:
                return None
        if known is not None:
            # Its turns are removed already, so that it needs no transaction of its own.
            batch.begin(own_transaction=False)
            batch.drop("sources", known.id)
        source, documents = _merge(batch, prepared, known, outcome)
        if self._kept < MOST_KEPT_ENTRIES:
            self._entries[source] = array("q", chain.from_iterable(prepared.entries))
            self._kept += len(prepared.entries)
        return documents


def _merge(
    batch: Batch, prepared: PreparedSource, known: KnownSource | None, outcome: Outcome
) -> tuple[int, list[TurnDoc]]:
    """Add the rows of a transcript to the batch; returns its source and the documents of its turns."""
    ids = _reserve(batch, prepared, known, outcome)
    files = batch.project_files
    files.merge({row.root for row in prepared.sessions}, prepared.files, first_turn=ids.first_turn)
    for turn, words in prepared.possible.items():
        files.add_possible(ids.first_turn + turn, words)
    for table, rows in prepared.tables.items():
        _renumber(table, rows, ids, batch.number)
        batch.put_all(table, rows)
    for key, entries in groupby(prepared.owned, key=itemgetter(1)):
        batch.add_entries((entry for entry, _ in entries), ids.source, _required(ids.sessions[key]))
    if prepared.main is not None:
        session = batch.sessions[_required(ids.sessions[prepared.main])]
        if prepared.origin is not None:
            batch.fork(session, prepared.origin, prepared.until)
        elif known is not None:
            batch.end_fork(session)
        session.forked_from = prepared.claim.forked_from or session.forked_from
    batch.add_named_origin(prepared.claim.agent, prepared.claim.session_id, prepared.claim.forked_from)
    batch.characters += prepared.characters
    outcome.turns, outcome.blocks = prepared.turns, prepared.blocks
    outcome.to_link = prepared.to_link
    outcome.changed = [ids.first_turn + turn for turn in range(len(prepared.tables.get("turns", ())))]
    return ids.source, list(_documents(batch, prepared, ids))


def _reserve(batch: Batch, prepared: PreparedSource, known: KnownSource | None, outcome: Outcome) -> _IdsInIndex:
    """Find or create the sessions, and reserve ids and numbers of the turns."""
    source = batch.next_id("sources") if known is None else known.id
    sessions: dict[int | None, int | None] = {None: None}
    for row in prepared.sessions:
        sessions[row.key] = _merged_session(batch, row, outcome, is_main=row.key == prepared.main)
    turns = prepared.tables.get("turns", TableRows())
    turns_before = {}
    if turns:
        of_turns = turns.columns[list(COLUMNS["turns"]).index("session")]
        for key in dict.fromkeys(of_turns):
            reserved = batch.sessions.reserve_numbers(_required(sessions[key]), of_turns.count(key), source)
            turns_before[key] = reserved - 1
    if prepared.main is not None:
        of_source = sessions[prepared.main]
    else:
        of_source = known.session if prepared.origin is None and known is not None else prepared.origin
    return _IdsInIndex(source, batch.reserve_ids("turns", len(turns)), sessions, of_source, turns_before)


def _merged_session(batch: Batch, row: SessionRow, outcome: Outcome, *, is_main: bool) -> int:
    """The key of the session in the index, created or completed by what the new transcript says of it."""
    known = batch.sessions.find(row.unique)
    if known is None:
        return batch.sessions.add(replace(row)).key
    if row.cwd and not known.cwd:
        known.project, known.root, known.worktree, known.cwd = row.project, row.root, row.worktree, row.cwd
    if is_main:
        known.branch = row.branch or known.branch
        known.version = row.version or known.version
        known.forked_from = row.forked_from or known.forked_from
    if row.title_rank and known.rename(TitleRank(row.title_rank), row.title):
        outcome.retitled.add(known.key)
    return known.key


def _renumber(table: str, rows: TableRows, ids: _IdsInIndex, batch: int) -> None:
    """Replace the ids in the rows of a table."""
    names = list(COLUMNS[table])
    if table == "turns":
        own_sessions = rows.columns[names.index("session")]
        numbers = zip(own_sessions, rows.columns[names.index("number")], strict=True)
        rows.columns[names.index("number")] = [ids.turns_before[session] + number for session, number in numbers]
        rows.columns[names.index("batch")] = [batch] * len(rows)
    for place, name in enumerate(names):
        meaning = {"turns": "turn", "sources": "source"}.get(table) if name == "id" else name
        values: list[Any] = rows.columns[place]
        if meaning == "turn":
            rows.columns[place] = [ids.first_turn + turn for turn in values]
        elif meaning == "source":
            rows.columns[place] = [ids.source] * len(values)
        elif meaning == "session":
            rows.columns[place] = (
                [ids.of_source] * len(values) if table == "sources" else [ids.sessions[session] for session in values]
            )


def _documents(batch: Batch, prepared: PreparedSource, ids: _IdsInIndex) -> Iterator[TurnDoc]:
    """The documents with ids of the index; that of a session's first turn gets the title that the session has now."""
    numbers = prepared.tables["turns"].columns[list(COLUMNS["turns"]).index("number")] if prepared.documents else []
    for document in prepared.documents:
        session = _required(ids.sessions[document.session])
        title = batch.sessions.rows[session].title if numbers[document.turn] == 1 else ""
        if title != document.texts.get("title", ""):
            document = document.with_texts(title=title)
        yield document._replace(turn=ids.first_turn + document.turn, session=session)


def _required(session: int | None) -> int:
    """The key of a session; turns always have one."""
    if session is None:
        raise ValueError("a turn without a session")
    return session
