"""What a lexicon has, for a check."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tantivy import Index, Query

from memtui_core.store.lexicon.fields import SCHEMA, no_panic, register


class LexiconState(NamedTuple):
    """The last commit of a lexicon."""

    batch: int
    documents: int
    """The number of documents of turns."""


def lexicon_state(folder: Path) -> LexiconState | None:
    """The state of the lexicon in a folder; None if there is none or it cannot be opened."""
    try:
        with no_panic():
            if not Index.exists(str(folder)):
                return None
            index = Index(SCHEMA, path=str(folder))
            register(index)
            searcher = index.searcher()
            hits = searcher.search(Query.term_query(SCHEMA, "marker", "batch"), 1).hits
            batch = int(searcher.doc(hits[0][1])["batch"][0]) if hits else 0
            return LexiconState(batch, searcher.num_docs - len(hits))
    except (ValueError, OSError):
        return None
