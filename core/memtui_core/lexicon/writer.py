"""The one process that writes the keyword index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tantivy import Document, Index, IndexWriter, Query

from memtui_core.errors import IndexerBusy
from memtui_core.lexicon.fields import SCHEMA, TurnDoc, document, marker, no_panic, piece_mark, register
from memtui_core.system.failures import is_of_machine

_HEAP = 50_000_000
"""Bytes that the writer fills before it writes a segment."""
LAST_ROOM = 32_000
BEFORE_ROOM = 1_000_000
"""Characters of the documents in the last segment and in the one before it."""


class LexiconWriter:
    """Creates or opens the index of a folder; nothing is visible to readers before `commit`.

    A folder that another version wrote or that cannot be read is emptied, for everything in it can be made again from
    the store: then `rebuilt` is True. Raises IndexerBusy when another process writes it.

    Each commit makes a segment, and tantivy merges small segments with large ones by the number of their documents: a
    commit a second would write everything again and again. So the documents of the last commits are written once more
    with each commit, in place of their own segments, until they are many.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.rebuilt = False
        try:
            self._index, self.batch = _open(folder)
        except ValueError as error:
            if is_of_machine(error):
                raise
            _empty(folder)
            self.rebuilt = True
            self._index, self.batch = _open(folder)
        self._writer = _writer(self._index)
        self._new = _Documents()
        self._last, self._before = _Documents(), _Documents()
        """Those of the last segment, and of the one before it, which is larger."""
        self._many = False

    def put(self, doc: TurnDoc, *, fresh: bool = False) -> None:
        """Add the document of a turn; it replaces what is there of the turn, unless `fresh` says that nothing is.

        A piece replaces only itself.
        """
        if not doc.piece:
            self._forget([doc.turn])
            if not fresh:
                self._writer.delete_documents_by_query(Query.term_query(SCHEMA, "turn", doc.turn))
        elif not fresh:
            self._writer.delete_documents_by_term("marker", piece_mark(doc.turn, doc.piece))
        self._new.put(doc)
        if self._many or self._new.size > LAST_ROOM:
            # Too many to be written again.
            self._many = True
            self._new.give(self._writer)

    def remove(self, turns: Iterable[int]) -> None:
        """Take turns out; those that are not there do no harm."""
        if gone := list(turns):
            self._forget(gone)
            self._writer.delete_documents_by_query(Query.term_set_query(SCHEMA, "turn", gone))

    def clear(self) -> None:
        """Take everything out; the batch is 0 again."""
        # What was added and not committed is on its way in another thread.
        self._writer.rollback()
        self._writer.delete_all_documents()
        self._new, self._last, self._before, self._many = _Documents(), _Documents(), _Documents(), False
        self.batch = 0

    def commit(self, batch: int) -> None:
        """Make all changes visible at once and safe on disk, under the number of a batch."""
        self._write_again()
        self._writer.delete_documents_by_term("marker", "batch")
        self._writer.add_document(marker(batch))
        self._writer.commit()
        self.batch = batch

    def close(self) -> None:
        """Wait for what runs in the background; what was not committed is lost. The writer cannot be used again."""
        self._writer.wait_merging_threads()

    def _write_again(self) -> None:
        """Put what is new, and what it joins, into one segment."""
        if self._many:
            self._last, self._before, self._many = _Documents(), _Documents(), False
            return
        self._last.delete(self._writer)
        self._last.add(self._new)
        if self._last.size > LAST_ROOM:
            self._before.delete(self._writer)
            self._before.add(self._last)
            self._before.write(self._writer)
            self._last = _Documents()
            if self._before.size > BEFORE_ROOM:
                self._before = _Documents()
        else:
            self._last.write(self._writer)
        self._new = _Documents()

    def _forget(self, turns: Iterable[int]) -> None:
        for turn in turns:
            for documents in (self._new, self._last, self._before):
                documents.forget(turn)


class _Documents:
    """Documents by turn and piece, with the size of their texts."""

    def __init__(self) -> None:
        self._held: dict[int, dict[int, tuple[Document, int]]] = {}
        self.size = 0

    def put(self, doc: TurnDoc) -> None:
        """Hold a document in place of the one that has its turn and piece."""
        self._put(doc.turn, doc.piece, document(doc), doc.size)

    def add(self, others: _Documents) -> None:
        """Hold those, too."""
        for turn, pieces in others._held.items():
            for piece, (made, size) in pieces.items():
                self._put(turn, piece, made, size)

    def forget(self, turn: int) -> None:
        """Hold nothing of a turn."""
        self.size -= sum(size for _, size in self._held.pop(turn, {}).values())

    def write(self, writer: IndexWriter) -> None:
        """Write them; they are held on."""
        for pieces in self._held.values():
            for made, _ in pieces.values():
                writer.add_document(made)

    def give(self, writer: IndexWriter) -> None:
        """Write them and hold nothing."""
        self.write(writer)
        self._held, self.size = {}, 0

    def delete(self, writer: IndexWriter) -> None:
        """Delete what was written of them."""
        whole = [turn for turn, pieces in self._held.items() if 0 in pieces]
        if whole:
            # Pieces of these turns are in the last two segments, too, or the turn would not be held with its beginning.
            writer.delete_documents_by_query(Query.term_set_query(SCHEMA, "turn", whole))
        for turn, pieces in self._held.items():
            for piece in pieces:
                if piece:
                    writer.delete_documents_by_term("marker", piece_mark(turn, piece))

    def _put(self, turn: int, piece: int, made: Document, size: int) -> None:
        pieces = self._held.setdefault(turn, {})
        self.size += size - pieces.get(piece, (None, 0))[1]
        pieces[piece] = (made, size)


def _open(folder: Path) -> tuple[Index, int]:
    """The index and the number of its last batch. Raises ValueError when the folder cannot be used."""
    with no_panic():
        index = Index(SCHEMA, path=str(folder))
        register(index)
        searcher = index.searcher()
        found = searcher.search(Query.term_query(SCHEMA, "marker", "batch"), 1).hits
        batch = int(searcher.doc(found[0][1])["batch"][0]) if found else 0
        return index, batch


def _empty(folder: Path) -> None:
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()


def _writer(index: Index) -> IndexWriter:
    try:
        return index.writer(heap_size=_HEAP, num_threads=1)
    except ValueError as error:
        if "LockBusy" not in str(error):
            raise
        raise IndexerBusy("Another process is writing the keyword index. Try again when it has finished.") from error
