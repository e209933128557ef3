"""Keep the keyword index in step with the store: what changed since its last batch is taken over from DuckDB.

The same code serves the ordinary batch, the replay after a crash and the rebuild from nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from memtui_core.lexicon import LexiconWriter, TurnDoc
from memtui_core.lexicon.block_text import searched_text, source_of
from memtui_core.store.work_database import WorkDatabase

Row = tuple[Any, ...]

_HEADS = (
    "SELECT t.id, t.session, coalesce(epoch(t.started_at)::BIGINT, 0), t.kind, t.user_text,"
    " CASE WHEN t.number = 1 THEN s.title ELSE '' END, t.provisional"
    " FROM turns t JOIN sessions s ON s.key = t.session WHERE t.batch > ? AND NOT s.hidden ORDER BY t.id"
)
_BLOCKS = "SELECT turn, kind, text, tool, seq FROM blocks WHERE turn BETWEEN ? AND ? AND seq >= ? ORDER BY turn, seq"
_PATHS = "SELECT DISTINCT turn, path FROM file_mentions WHERE turn BETWEEN ? AND ? ORDER BY turn, path"
_TURNS = 64
"""Turns whose text is in memory at once."""
_NEAR = 256
"""Turns whose ids are no farther apart are read by one query."""
PIECE = 32_000
"""Characters of an incomplete turn from which on what comes to it is a document of its own, until it is complete."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The document that an incomplete turn grows in."""

    number: int
    first: int
    """The first of its blocks."""
    title: str


class LexiconSync:
    """Brings a lexicon to the state of a store; it is the only one that writes it."""

    def __init__(self, work: WorkDatabase, lexicon: LexiconWriter) -> None:
        self._work = work
        self._lexicon = lexicon
        self._open: dict[int, _Piece] = {}
        """Of each incomplete turn the piece that grows."""

    def catch_up(self) -> int:
        """Bring the lexicon to the store's batch and commit; the number of documents written.

        A turn that was taken out leaves the lexicon one batch later: until the next snapshot is out, readers of the
        last one still look for it, and all readers pass over turns that their snapshot does not know. A lexicon that
        is ahead saw batches that the store has lost: it is built anew.
        """
        work, lexicon = self._work, self._lexicon
        if lexicon.batch > work.batch:
            lexicon.clear()
        if lexicon.batch == work.batch:
            return 0
        since = lexicon.batch
        if since == 0:
            self._open.clear()
        elif gone := [turn for (turn,) in self._rows("SELECT turn FROM dropped_turns WHERE batch <= ?", [since])]:
            lexicon.remove(gone)
            for turn in gone:
                self._open.pop(turn, None)
            work.connection.execute("DELETE FROM dropped_turns WHERE batch <= ?", [since])
        written = 0
        for doc in self._documents(since):
            lexicon.put(doc, fresh=since == 0)
            written += 1
        lexicon.commit(work.batch)
        return written

    def _documents(self, since: int) -> Iterator[TurnDoc]:
        """The documents of the turns written after a batch; a session's title stands in its first turn."""
        heads = self._work.connection.cursor().execute(_HEADS, [since])
        while chunk := heads.fetchmany(_TURNS):
            for group in _near(chunk):
                yield from self._group(group)

    def _group(self, heads: Sequence[Row]) -> Iterator[TurnDoc]:
        first, last = heads[0][0], heads[-1][0]
        piece = self._piece(heads[0]) if len(heads) == 1 else None
        blocks = self._by_turn(_BLOCKS, [first, last, piece.first if piece else 0])
        paths = self._by_turn(_PATHS, [first, last])
        for *head, provisional in heads:
            turn, title = head[0], head[5]
            own = blocks.get(turn, [])
            doc = _document(head, own, [path for (path,) in paths.get(turn, [])])
            if piece is not None and piece.number:
                doc = replace(doc, piece=piece.number, user="", title="", is_summary=False)
            yield doc
            if not provisional:
                self._open.pop(turn, None)
            elif own and doc.size - len(doc.paths) > PIECE:
                self._open[turn] = _Piece(doc.piece + 1, own[-1][3] + 1, title)
            else:
                self._open[turn] = piece or _Piece(0, 0, title)

    def _piece(self, head: Row) -> _Piece | None:
        """The piece that grows of a turn; None when all of the turn must be written."""
        piece = self._open.get(head[0])
        return piece if piece is not None and head[-1] and piece.title == head[5] else None

    def _by_turn(self, sql: str, parameters: Sequence[int]) -> dict[int, list[Row]]:
        rows = groupby(self._rows(sql, parameters), key=itemgetter(0))
        return {turn: [row[1:] for row in found] for turn, found in rows}

    def _rows(self, sql: str, parameters: Sequence[int]) -> list[Row]:
        return self._work.connection.execute(sql, list(parameters)).fetchall()


def _near(heads: Sequence[Row]) -> Iterator[list[Row]]:
    """Turns in the order of their ids, those together that lie near each other and are complete."""
    group: list[Row] = []
    for head in heads:
        if group and (head[0] - group[-1][0] > _NEAR or head[-1] or group[-1][-1]):
            yield group
            group = []
        group.append(head)
    if group:
        yield group


def _document(head: Sequence[Any], blocks: list[Row], paths: list[str]) -> TurnDoc:
    turn, session, at, kind, user_text, title = head
    fields: dict[str, list[str]] = {"text": [], "thinking": [], "tool_call": [], "tool_result": [], "note": []}
    for block_kind, text, tool, _ in blocks:
        if block_kind in fields and source_of(block_kind, tool) is not None:
            fields[block_kind].append(searched_text(block_kind, tool, text))
    return TurnDoc(
        turn=turn,
        session=session,
        at=at,
        user=user_text or "",
        assistant="\n\n".join(fields["text"]),
        thinking="\n\n".join(fields["thinking"]),
        call="\n".join(fields["tool_call"]),
        output="\n".join(fields["tool_result"]),
        title=title,
        paths=" ".join(paths),
        notes="\n".join(fields["note"]),
        is_summary=kind == "compaction",
    )
