"""The one process that writes the keyword index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tantivy import Index, IndexWriter, Query

from memtui_core.errors import IndexerBusy
from memtui_core.lexicon.fields import SCHEMA, TurnDoc, document, marker, no_panic, register

_HEAP = 50_000_000
"""Bytes that the writer fills before it writes a segment."""


class LexiconWriter:
    """Creates or opens the index of a folder; nothing is visible to readers before `commit`.

    A folder that another version wrote or that cannot be read is emptied, for everything in it can be made again from
    the store: then `rebuilt` is True. Raises IndexerBusy when another process writes it.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.rebuilt = False
        try:
            self._index, self.batch = _open(folder)
        except ValueError:
            _empty(folder)
            self.rebuilt = True
            self._index, self.batch = _open(folder)
        self._writer = _writer(self._index)

    def put(self, doc: TurnDoc, *, fresh: bool = False) -> None:
        """Add the document of a turn; it replaces the one that is there, unless `fresh` says that there is none."""
        if not fresh:
            self._writer.delete_documents_by_query(Query.term_query(SCHEMA, "turn", doc.turn))
        self._writer.add_document(document(doc))

    def remove(self, turns: Iterable[int]) -> None:
        """Take turns out; those that are not there do no harm."""
        if gone := list(turns):
            self._writer.delete_documents_by_query(Query.term_set_query(SCHEMA, "turn", gone))

    def clear(self) -> None:
        """Take everything out; the batch is 0 again."""
        self._writer.delete_all_documents()
        self.batch = 0

    def commit(self, batch: int) -> None:
        """Make all changes visible at once and safe on disk, under the number of a batch."""
        self._writer.delete_documents_by_term("marker", "batch")
        self._writer.add_document(marker(batch))
        self._writer.commit()
        self.batch = batch

    def close(self) -> None:
        """Wait for what runs in the background; what was not committed is lost. The writer cannot be used again."""
        self._writer.wait_merging_threads()


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
