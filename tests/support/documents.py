"""The documents of a keyword index, which does not store their texts: the words in each field."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tantivy import Index, Query

from memtui_core.store.lexicon.fields import SCHEMA, WEIGHTS, register


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for a keyword index, for a test that needs several of them.

    A thread of tantivy creates a lock file some time after an index was opened, also while the folder is removed.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        yield Path(name)


def documents(folder: Path) -> list[tuple[int, dict[str, list[str]]]]:
    """The turn of each document, and its words in each text field that has some."""
    index = Index.open(str(folder))
    register(index)
    searcher = index.searcher()
    most = max(1, searcher.num_docs)
    words: dict[tuple[int, int], dict[str, list[str]]] = {}
    for name in WEIGHTS:
        for word, _ in searcher.terms_with_prefix(name, "", limit=10_000_000):
            for _, address in searcher.search(Query.term_query(SCHEMA, name, word), most).hits:
                place = (address.segment_ord, address.doc)
                words.setdefault(place, {}).setdefault(name, []).append(word)
    addresses = [address for _, address in searcher.search(Query.all_query(), most).hits]
    turns = [int(turn or 0) for turn in searcher.fast_field_values("turn", addresses)]
    return [
        (turn, {name: sorted(own) for name, own in words.get((address.segment_ord, address.doc), {}).items()})
        for address, turn in zip(addresses, turns, strict=True)
        if turn
    ]
