"""Writing the lexicon, in one process at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tantivy import Document, Index, IndexWriter, Query

from memtui_core.errors import IndexerBusy
from memtui_core.store.lexicon.fields import (
    SCHEMA,
    TurnDoc,
    make_batch_document,
    make_document,
    no_panic,
    piece_marker,
    read_batches,
    register,
)
from memtui_core.system.failures import is_of_machine
from memtui_core.system.fault_points import fault_point

_HEAP = 50_000_000
"""Bytes that the writer buffers before it writes a segment."""
LAST_SEGMENT_SIZE = 32_000
PREVIOUS_SEGMENT_SIZE = 1_000_000
"""Most characters of the documents in the last segment and in the one before it."""


class LexiconWriter:
    """Creates or opens the lexicon in a folder; readers see nothing before `commit`.

    A folder that another version wrote, or that cannot be read, is emptied, because its content can be made again from
    the database. Raises IndexerBusy if another process writes it. `batch` is the last batch that is complete in it.

    Each commit makes a segment, and tantivy merges small segments with large ones by their number of documents, so that
    a commit every second would rewrite everything again and again. Therefore each commit writes the documents of the
    last few commits again, in place of their segments, until they are too many.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        try:
            self._index, self.begun, self.batch = _open(folder)
        except ValueError as error:
            if is_of_machine(error):
                raise
            _empty(folder)
            self._index, self.begun, self.batch = _open(folder)
        self.uncommitted = 0
        """The characters of the documents that were put since the last commit."""
        self._writer = _writer(self._index)
        self._new = _Documents()
        self._last, self._previous = _Documents(), _Documents()
        """The documents of the last segment, and of the one before it, which is larger."""
        self._too_many = False
        """Whether the new documents are too many to be written again with the next commit."""

    def put(self, doc: TurnDoc, *, fresh: bool = False) -> None:
        """Add the document of a turn in place of its present documents; with `fresh` there are none.

        A piece replaces only itself.
        """
        self.uncommitted += doc.size
        if not doc.piece:
            self._forget([doc.turn])
            if not fresh:
                self._writer.delete_documents_by_query(Query.term_query(SCHEMA, "turn", doc.turn))
        elif not fresh:
            self._writer.delete_documents_by_term("marker", piece_marker(doc.turn, doc.piece))
        self._new.put(doc)
        if self._too_many or self._new.size > LAST_SEGMENT_SIZE:
            self._too_many = True
            self._new.flush(self._writer)

    def remove(self, turns: Iterable[int]) -> None:
        """Remove turns; unknown ones are ignored."""
        if ids := list(turns):
            self._forget(ids)
            self._writer.delete_documents_by_query(Query.term_set_query(SCHEMA, "turn", ids))

    def clear(self) -> None:
        """Remove everything; the batch is 0 again."""
        # Documents that were added since the last commit are still in the threads of the writer.
        self._writer.rollback()
        self._writer.delete_all_documents()
        self._new, self._last, self._previous, self._too_many = _Documents(), _Documents(), _Documents(), False
        self.batch = self.begun = self.uncommitted = 0

    @property
    def is_partial(self) -> bool:
        """Whether a part of a batch is committed, and the process may have died before the rest was."""
        return self.begun != self.batch

    def commit_part(self, batch: int) -> None:
        """Make the changes until now visible and durable, and wait until they are: nothing of them is in memory then.

        tantivy takes up to 10,000 documents from the caller before it has indexed the first one. The batch is not
        complete before `commit`.
        """
        self._new.flush(self._writer)
        self._too_many = True
        self._commit(make_batch_document(batch, self.batch))
        self.begun = batch
        fault_point("part-of-documents-committed")

    def commit(self, batch: int) -> None:
        """Make all changes visible at once and durable, with the number of a batch."""
        self._write_segment()
        self._commit(make_batch_document(batch))
        fault_point("documents-committed")
        self.batch = self.begun = batch

    def close(self) -> None:
        """Wait for the background threads; uncommitted changes are lost. The writer cannot be used again."""
        self._writer.wait_merging_threads()

    def _commit(self, batch_document: Document) -> None:
        self._writer.delete_documents_by_term("marker", "batch")
        self._writer.add_document(batch_document)
        fault_point("documents-written")
        self._writer.commit()
        self.uncommitted = 0

    def _write_segment(self) -> None:
        """Write the new documents, with those of the segments that they replace, as one segment."""
        if self._too_many:
            self._last, self._previous, self._too_many = _Documents(), _Documents(), False
            return
        self._last.delete(self._writer)
        self._last.add(self._new)
        if self._last.size > LAST_SEGMENT_SIZE:
            self._previous.delete(self._writer)
            self._previous.add(self._last)
            self._previous.write(self._writer)
            self._last = _Documents()
            if self._previous.size > PREVIOUS_SEGMENT_SIZE:
                self._previous = _Documents()
        else:
            self._last.write(self._writer)
        self._new = _Documents()

    def _forget(self, turns: Iterable[int]) -> None:
        for turn in turns:
            for documents in (self._new, self._last, self._previous):
                documents.forget(turn)


class _Documents:
    """Documents by turn and piece, and the characters of their texts."""

    def __init__(self) -> None:
        self._by_turn: dict[int, dict[int, tuple[Document, int]]] = {}
        self.size = 0

    def put(self, doc: TurnDoc) -> None:
        """Add a document in place of the one with its turn and piece."""
        self._put(doc.turn, doc.piece, make_document(doc), doc.size)

    def add(self, others: _Documents) -> None:
        """Add other documents."""
        for turn, pieces in others._by_turn.items():
            for piece, (document, size) in pieces.items():
                self._put(turn, piece, document, size)

    def forget(self, turn: int) -> None:
        """Drop the documents of a turn."""
        self.size -= sum(size for _, size in self._by_turn.pop(turn, {}).values())

    def write(self, writer: IndexWriter) -> None:
        """Write all documents and keep them."""
        for pieces in self._by_turn.values():
            for document, _ in pieces.values():
                writer.add_document(document)

    def flush(self, writer: IndexWriter) -> None:
        """Write all documents and drop them."""
        self.write(writer)
        self._by_turn, self.size = {}, 0

    def delete(self, writer: IndexWriter) -> None:
        """Delete all documents from the index, as far as they were written."""
        turns = [turn for turn, pieces in self._by_turn.items() if 0 in pieces]
        if turns:
            # All pieces of these turns are in the last two segments, or their beginning would not be here.
            writer.delete_documents_by_query(Query.term_set_query(SCHEMA, "turn", turns))
        for turn, pieces in self._by_turn.items():
            for piece in pieces:
                if piece:
                    writer.delete_documents_by_term("marker", piece_marker(turn, piece))

    def _put(self, turn: int, piece: int, document: Document, size: int) -> None:
        pieces = self._by_turn.setdefault(turn, {})
        self.size += size - pieces.get(piece, (None, 0))[1]
        pieces[piece] = (document, size)


def _open(folder: Path) -> tuple[Index, int, int]:
    """The index, and the numbers of `read_batches`. Raises ValueError if the folder cannot be used."""
    with suppress(FileNotFoundError):
        # tantivy reads it later, and then fails.
        json.loads((folder / ".managed.json").read_bytes())
    with no_panic():
        index = Index(SCHEMA, path=str(folder))
        register(index)
        return index, *read_batches(index.searcher())


def _empty(folder: Path) -> None:
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()
            fault_point("lexicon-file-removed")


def _writer(index: Index) -> IndexWriter:
    try:
        return index.writer(heap_size=_HEAP, num_threads=1)
    except ValueError as error:
        if "LockBusy" not in str(error):
            raise
        raise IndexerBusy("Another process is writing the keyword index. Try again when it has finished.") from error
