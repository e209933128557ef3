"""Merge a prepared transcript into the batch: give its rows their ids, and connect them with other transcripts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from memtui_core.ingest.batch import Batch
from memtui_core.ingest.prepared import PreparedSource
from memtui_core.ingest.sessions import SessionRow
from memtui_core.ingest.shared_entries import owned_by_others
from memtui_core.ingest.source import Outcome
from memtui_core.lexicon import TurnDoc
from memtui_core.readers.records import TitleRank
from memtui_core.store.columns import Columns
from memtui_core.store.tables import COLUMNS

_NO_SOURCE: Final = -1


@dataclass(frozen=True, slots=True)
class _Ids:
    """The ids in the index of what a prepared transcript numbers for itself."""

    source: int
    first_turn: int
    """The id of turn 0."""
    sessions: dict[int | None, int | None]
    turns_before: dict[int, int]
    """The number of turns that each session has already."""


def merge(batch: Batch, prepared: PreparedSource, outcome: Outcome) -> list[TurnDoc] | None:
    """Add the rows of a new transcript to the batch; the documents of its turns.

    Returns None, and changes nothing, if other transcripts have some of its entries: then it must be read by
    `SourceIngest`, which leaves these out.
    """
    batch.begin(alone=False)
    if owned_by_others(batch, prepared.entries, _NO_SOURCE):
        return None
    ids = _reserve(batch, prepared, outcome)
    batch.project_files.merge({row.root for row in prepared.sessions}, prepared.files, first_turn=ids.first_turn)
    for table, rows in prepared.tables.items():
        _renumber(table, rows, ids, batch.number)
        batch.put_all(table, rows)
    for key, session in prepared.owned:
        batch.add_entry(key, ids.source, _known(ids.sessions[session]))
    batch.characters += prepared.characters
    outcome.turns, outcome.blocks = prepared.turns, prepared.blocks
    outcome.to_link = prepared.to_link
    outcome.changed = [ids.first_turn + turn for turn in range(len(prepared.tables.get("turns", ())))]
    return [_document(batch, document, ids) for document in prepared.documents]


def _reserve(batch: Batch, prepared: PreparedSource, outcome: Outcome) -> _Ids:
    """Find or create the sessions, and reserve ids and numbers of the turns."""
    source = batch.next_id("sources")
    sessions: dict[int | None, int | None] = {None: None}
    for row in prepared.sessions:
        sessions[row.key] = _merged_session(batch, row, outcome, is_main=row.key == prepared.main)
    turns = prepared.tables.get("turns", Columns())
    turns_before = {}
    if turns:
        of_turns = turns.columns[list(COLUMNS["turns"]).index("session")]
        for key in dict.fromkeys(of_turns):
            reserved = batch.sessions.reserve_numbers(_known(sessions[key]), of_turns.count(key))
            turns_before[key] = reserved - 1
    return _Ids(source, batch.reserve_ids("turns", len(turns)), sessions, turns_before)


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
            rows.columns[place] = [ids.sessions[session] for session in values]


def _document(batch: Batch, document: TurnDoc, ids: _Ids) -> TurnDoc:
    """The document under its ids; analyzed again if its session has another title by now."""
    session = _known(ids.sessions[document.session])
    title, analysis = document.title, document.analysis
    if title and ids.turns_before[document.session]:
        title = ""
    elif title:
        title = batch.sessions.rows[session].title
    if title != document.title:
        analysis = None
    return replace(document, turn=ids.first_turn + document.turn, session=session, title=title, analysis=analysis)


def _known(session: int | None) -> int:
    """The key of a session that turns refer to."""
    if session is None:
        raise ValueError("a turn without a session")
    return session
