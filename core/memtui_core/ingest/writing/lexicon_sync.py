"""Update the lexicon with what has changed in the work database since the last batch that the lexicon has.

The same code handles a normal batch, the recovery after a crash, and a lexicon that is empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from memtui_core.store.lexicon import LexiconWriter, TurnDoc
from memtui_core.store.lexicon.fields import turn_document
from memtui_core.store.tables import INT, key_condition, key_ranges
from memtui_core.store.work.connection import arrow_table
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.machine import release_memory

Row = tuple[Any, ...]

_TURN_IDS = (
    "SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE t.batch > ? AND NOT s.hidden"
    " AND t.id NOT IN (SELECT id FROM added) ORDER BY t.id"
)
_TURN_ROWS = (
    "SELECT t.id, t.session, coalesce(epoch(t.started_at)::BIGINT, 0), t.kind, t.user_text,"
    " CASE WHEN t.number = 1 THEN s.title ELSE '' END, t.provisional"
    " FROM turns t JOIN sessions s ON s.key = t.session WHERE {}"
)
_BLOCKS = "SELECT turn, seq, kind, text, tool FROM blocks WHERE {} AND seq >= {}"
_PATHS = "SELECT DISTINCT turn, path FROM file_mentions WHERE {} ORDER BY turn, path"
_TITLES = (
    "SELECT t.id, CASE WHEN t.number = 1 THEN s.title ELSE '' END FROM turns t JOIN sessions s ON s.key = t.session"
)
_TURNS = 64
"""The number of turns whose text is in memory at once."""
MOST_HELD = 8_000_000
"""The most characters of documents that are held until the title of their session is known."""
_MEMORY_OF_DOCUMENT = 500
"""Bytes of a held document without its texts, which count as characters of it."""
MOST_UNCOMMITTED = 32_000_000
"""The most characters of documents that are put between two commits: until then they are in memory."""
PIECE = 32_000
"""Characters of a document from which on new text of its turn gets another one, until the turn is complete."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """One of several documents of an incomplete turn: the one that gets its new text."""

    number: int
    first: int
    """`Block.seq` of the first block in it."""
    title: str


class LexiconSync:
    """Brings a lexicon to the state of a work database; the only code that writes the lexicon.

    `add` adds documents that were made while their turns were stored; `catch_up` makes all others from stored rows.
    """

    def __init__(self, work: WorkDatabase, lexicon: LexiconWriter) -> None:
        self._work = work
        self._lexicon = lexicon
        self._open: dict[int, _Piece] = {}
        """The last piece of each incomplete turn."""
        self._added: set[int] = set()
        """The turns of this batch whose documents were passed to `add`."""
        self._outdated: set[int] = set()
        """Turns whose documents are in the lexicon already and must be written again."""
        self._held: dict[int, TurnDoc] = {}
        """Added documents that are not in the lexicon yet: they contain a title, which may still change."""
        self._held_size = 0
        self._changed: set[int] = set()
        """Turns of held documents whose title or paths have changed."""
        self._repeats = lexicon.is_partial
        """Whether documents of this batch may be in the lexicon from an attempt that failed."""

    def add(self, document: TurnDoc) -> None:
        """Add the document of a new turn, so that `catch_up` need not make it from rows."""
        size = document.size + _MEMORY_OF_DOCUMENT
        if "title" in document.texts and self._held_size + size <= MOST_HELD:
            self._held[document.turn] = document
            self._held_size += size
        else:
            # tantivy keeps 1.5 kB for each turn to delete until it commits, and looks for it in all segments.
            self._lexicon.put(document, fresh=not self._repeats)
        self._added.add(document.turn)

    def update(self, turns: Collection[int]) -> None:
        """Mark added documents as out of date, because the titles or paths of their turns have changed."""
        outdated = self._added.intersection(turns)
        held = self._held.keys() & outdated
        self._changed |= held
        self._added -= outdated - held
        self._outdated |= outdated - held

    def clear(self) -> None:
        """Empty the lexicon; `catch_up` will fill it again."""
        self._lexicon.clear()
        self._begin()

    def catch_up(self) -> int:
        """Bring the lexicon to the batch of the work database, and return the number of documents written.

        A removed turn leaves the lexicon one batch later: until the next snapshot is published, readers of the previous
        one still search for it, and all readers skip turns that their snapshot does not have. A lexicon with a later
        batch contains what the work database has lost, so it is emptied and filled again.
        """
        work, lexicon = self._work, self._lexicon
        if lexicon.begun > work.batch or (self._repeats and not lexicon.batch):
            self.clear()
        if lexicon.batch == work.batch:
            return 0
        since = lexicon.batch
        if since == 0:
            self._open.clear()
        elif removed := [turn for (turn,) in self._rows("SELECT turn FROM dropped_turns WHERE batch <= ?", [since])]:
            lexicon.remove(removed)
            # A new turn may have got the id of a removed one.
            self.update(removed)
            for turn in removed:
                self._open.pop(turn, None)
            work.connection.execute("DELETE FROM dropped_turns WHERE batch <= ?", [since])
        if self._added and (gone := self._added_and_gone()):
            lexicon.remove(gone)
            self._added -= gone
            self._held = {turn: document for turn, document in self._held.items() if turn not in gone}
        written = len(self._added)
        repeats, self._repeats = self._repeats, True
        for doc in self._held_documents():
            lexicon.put(doc, fresh=not repeats)
        for doc in self._documents(since):
            lexicon.put(doc, fresh=since == 0 and doc.turn not in self._outdated)
            written += 1
            if self.holds_much:
                self.commit_part()
                work.drop_cached()
                release_memory()
        lexicon.commit(work.batch)
        self._begin()
        return written

    @property
    def holds_much(self) -> bool:
        """Whether so much is in memory that a part of the batch should be committed."""
        return self._lexicon.uncommitted >= MOST_UNCOMMITTED

    def commit_part(self) -> None:
        """Commit what was put of this batch; the work database must have committed all of it.

        A process that dies then has written documents of a batch that the lexicon does not have: the next one puts them
        again, in place of these.
        """
        self._lexicon.commit_part(self._work.batch)

    def _begin(self) -> None:
        """Start a new batch: nothing was added to it yet."""
        self._repeats = False
        self._added.clear()
        self._outdated.clear()
        self._held.clear()
        self._changed.clear()
        self._held_size = 0

    def _held_documents(self) -> Iterator[TurnDoc]:
        """The held documents with the titles and paths that are stored now."""
        changed = self._held.keys() & self._changed
        titles: dict[int, str] = {}
        paths: dict[int, list[Row]] = {}
        if changed:
            titles = dict(self._rows(f"{_TITLES} WHERE {key_condition('t.id', changed)}", []))
            paths = self._by_turn(_PATHS.format(key_condition("turn", changed)))
        for turn, document in self._held.items():
            if turn in changed:
                words = " ".join(path for (path,) in paths.get(turn, []))
                document = document.with_texts(title=titles[turn], paths=words)
            yield document

    def _added_and_gone(self) -> set[int]:
        """The added turns that were removed in the same batch, so that no reader knows them."""
        rows = self._rows("SELECT turn FROM dropped_turns WHERE batch = ?", [self._work.batch])
        return self._added.intersection(turn for (turn,) in rows)

    def _documents(self, since: int) -> Iterator[TurnDoc]:
        """The documents of the turns written after a batch; that of a session's first turn contains the title."""
        with self._work.cursor() as cursor:
            cursor.register("added", arrow_table({"id": INT}, [sorted(self._added)]))
            # Their texts would be sorted in memory.
            ids = cursor.execute(_TURN_IDS, [since])
            while chunk := ids.fetchmany(_TURNS):
                statement = " UNION ALL ".join(map(_TURN_ROWS.format, key_ranges("t.id", [turn for (turn,) in chunk])))
                yield from self._documents_of(self._rows(f"{statement} ORDER BY 1", []))

    def _documents_of(self, turn_rows: Sequence[Row]) -> Iterator[TurnDoc]:
        pieces = {row[0]: piece for row in turn_rows if (piece := self._open_piece(row)) is not None}
        whole = [row[0] for row in turn_rows if row[0] not in pieces]
        ranges = [(condition, 0) for condition in key_ranges("turn", whole)]
        ranges += [(key_condition("turn", [turn]), piece.first) for turn, piece in pieces.items()]
        # A statement of its own for each range takes twice as long.
        statement = " UNION ALL ".join(_BLOCKS.format(condition, first) for condition, first in ranges)
        blocks = self._by_turn(f"{statement} ORDER BY turn, seq")
        turns = key_condition("turn", [row[0] for row in turn_rows])
        paths = self._by_turn(_PATHS.format(turns)) if self._work.may_have("file_mentions") else {}
        for *columns, provisional in turn_rows:
            turn, title = columns[0], columns[5]
            turn_blocks, piece = blocks.get(turn, []), pieces.get(turn)
            doc = turn_document(columns, [row[1:] for row in turn_blocks], [path for (path,) in paths.get(turn, [])])
            if piece is not None and piece.number:
                doc = doc.with_texts(user="", title="")._replace(piece=piece.number, is_summary=False)
            yield doc
            if not provisional:
                self._open.pop(turn, None)
            elif turn_blocks and doc.size - len(doc.texts.get("paths", "")) > PIECE:
                self._open[turn] = _Piece(doc.piece + 1, turn_blocks[-1][0] + 1, title)
            else:
                self._open[turn] = piece or _Piece(0, 0, title)

    def _open_piece(self, turn_row: Row) -> _Piece | None:
        """The piece that gets the new text of a growing turn; None if the whole turn must be written."""
        piece = self._open.get(turn_row[0])
        return piece if piece is not None and turn_row[-1] and piece.title == turn_row[5] else None

    def _by_turn(self, sql: str) -> dict[int, list[Row]]:
        groups = groupby(self._rows(sql, []), key=itemgetter(0))
        return {turn: [row[1:] for row in rows] for turn, rows in groups}

    def _rows(self, sql: str, parameters: Sequence[int]) -> list[Row]:
        return self._work.connection.execute(sql, list(parameters)).fetchall()
