"""Merge prepared transcripts into the batch: give their rows ids, and connect them with other transcripts."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, Final

from memtui_core.ingest.batch import Batch
from memtui_core.ingest.discover import KnownSource, Pending
from memtui_core.ingest.preparation import Preparation
from memtui_core.ingest.prepared import PreparedSource
from memtui_core.ingest.sessions import SessionRow
from memtui_core.ingest.shared_entries import owned_by_others, take_over
from memtui_core.ingest.source import Outcome
from memtui_core.lexicon import TurnDoc
from memtui_core.readers.records import TitleRank
from memtui_core.store.columns import Columns
from memtui_core.store.tables import COLUMNS
from memtui_core.values import dataclass, replace

_NO_SOURCE: Final = -1
MOST_KEPT: Final = 2_000_000
"""The most keys of entries that are kept in case that other transcripts take some of them over, 32 MB."""


@dataclass(frozen=True, slots=True)
class _Ids:
    """The ids in the index of what a prepared transcript numbers for itself."""

    source: int
    first_turn: int
    """The id of turn 0."""
    sessions: dict[int | None, int | None]
    of_source: int | None
    """The session of the source."""
    turns_before: dict[int, int]
    """The number of turns that each session has already."""


class Merging:
    """Adds the transcripts of one update to a batch, as far as other processes can prepare them."""

    def __init__(self, batch: Batch, preparation: Preparation) -> None:
        self._batch = batch
        self._preparation = preparation
        self._entries: dict[int, array[int]] = {}
        """Hash and time of all entries of each source that was added, also of those that belong to others."""
        self._kept = 0

    def add(self, item: Pending, outcome: Outcome, stopped: Callable[[], bool]) -> list[TurnDoc] | None:
        """Add a transcript of which nothing is stored, and return the documents of its turns. Raises Stopped.

        Returns None if it must be read by `SourceIngest`; it may have taken entries over from others before that.
        """
        batch, known = self._batch, item.known
        if known is None:
            prepared = self._preparation.take(item.transcript, stopped)
            if prepared is None:
                return None
            batch.begin(alone=False)
            entries, source = prepared.entries, _NO_SOURCE
            foreign = owned_by_others(batch, entries, source)
            if rivals := [foreign[key] for key in entries[: prepared.first] if key in foreign]:
                outcome.displaced = take_over(batch, prepared.claim, rivals)
                foreign = owned_by_others(batch, entries, source)
        else:
            kept = self._entries.pop(known.id, None)
            if kept is None or not item.settled:
                return None
            prepared, entries, source = None, list(zip(kept[::2], kept[1::2], strict=True)), known.id
            foreign = owned_by_others(batch, entries, source)
        if prepared is None or foreign:
            sessions = {key: owner.session for key, owner in foreign.items()}
            prepared = self._preparation.prepare_without(item.transcript, sessions, stopped)
            # A transcript that has grown since may have more entries of others.
            if prepared is None or owned_by_others(batch, prepared.entries, source) != foreign:
                return None
        if known is not None:
            # Its turns are removed already, so that it needs no transaction of its own.
            batch.begin(alone=False)
            batch.drop("sources", known.id)
        source, documents = _merge(batch, prepared, known, outcome)
        if self._kept < MOST_KEPT:
            self._entries[source] = array("q", chain.from_iterable(prepared.entries))
            self._kept += len(prepared.entries)
        return documents


def _merge(
    batch: Batch, prepared: PreparedSource, known: KnownSource | None, outcome: Outcome
) -> tuple[int, list[TurnDoc]]:
    """Add the rows of a transcript to the batch; its source and the documents of its turns."""
    ids = _reserve(batch, prepared, known, outcome)
    files = batch.project_files
    files.merge({row.root for row in prepared.sessions}, prepared.files, first_turn=ids.first_turn)
    for turn, words in prepared.possible.items():
        files.add_possible(ids.first_turn + turn, words)
    for table, rows in prepared.tables.items():
        _renumber(table, rows, ids, batch.number)
        batch.put_all(table, rows)
    for key, entries in groupby(prepared.owned, key=itemgetter(1)):
        batch.add_entries((entry for entry, _ in entries), ids.source, _known(ids.sessions[key]))
    if prepared.main is not None and prepared.origin is not None:
        session = batch.sessions[_known(ids.sessions[prepared.main])]
        batch.fork(session, prepared.origin, prepared.until)
    batch.characters += prepared.characters
    outcome.turns, outcome.blocks = prepared.turns, prepared.blocks
    outcome.to_link = prepared.to_link
    outcome.changed = [ids.first_turn + turn for turn in range(len(prepared.tables.get("turns", ())))]
    return ids.source, list(_documents(batch, prepared, ids))


def _reserve(batch: Batch, prepared: PreparedSource, known: KnownSource | None, outcome: Outcome) -> _Ids:
    """Find or create the sessions, and reserve ids and numbers of the turns."""
    source = batch.next_id("sources") if known is None else known.id
    sessions: dict[int | None, int | None] = {None: None}
    for row in prepared.sessions:
        sessions[row.key] = _merged_session(batch, row, outcome, is_main=row.key == prepared.main)
    turns = prepared.tables.get("turns", Columns())
    turns_before = {}
    if turns:
        of_turns = turns.columns[list(COLUMNS["turns"]).index("session")]
        for key in dict.fromkeys(of_turns):
            reserved = batch.sessions.reserve_numbers(_known(sessions[key]), of_turns.count(key), source)
            turns_before[key] = reserved - 1
    if prepared.main is not None:
        of_source = sessions[prepared.main]
    else:
        of_source = known.session if prepared.origin is None and known is not None else prepared.origin
    return _Ids(source, batch.reserve_ids("turns", len(turns)), sessions, of_source, turns_before)


def _merged_session(batch: Batch, row: SessionRow, outcome: Outcome, *, is_main: bool) -> int:
    """The key of a session in the index, which gets what its new transcript says of it."""
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


def _renumber(table: str, rows: Columns, ids: _Ids, batch: int) -> None:
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


def _documents(batch: Batch, prepared: PreparedSource, ids: _Ids) -> Iterator[TurnDoc]:
    """The documents under their ids; that of a session's first turn has the title that the session has by now."""
    numbers = prepared.tables["turns"].columns[list(COLUMNS["turns"]).index("number")] if prepared.documents else []
    for document in prepared.documents:
        session = _known(ids.sessions[document.session])
        title = batch.sessions.rows[session].title if numbers[document.turn] == 1 else ""
        analysis = document.analysis if title == document.title else None
        yield replace(document, turn=ids.first_turn + document.turn, session=session, title=title, analysis=analysis)


def _known(session: int | None) -> int:
    """The key of a session that turns refer to."""
    if session is None:
        raise ValueError("a turn without a session")
    return session
