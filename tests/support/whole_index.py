"""Everything that an index holds, without its ids, so that two indexes can be compared row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tantivy import Index, Query

from memtui_core.store.data_folder import DataDir
from memtui_core.store.lexicon.fields import register
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import COLUMNS, stored_columns
from memtui_core.store.vectors.access import vectors_of

Rows = Counter[tuple[Any, ...]]
WholeIndex = dict[str, Rows]
WORDS = 150
"""Words of the texts for which the turns that the lexicon finds are compared."""
_SOURCES, _SESSIONS, _TURNS = "sources", "sessions", "turns"
_NAMED = {
    "source": _SOURCES, "session": _SESSIONS, "turn": _TURNS, "parent": _SESSIONS,
    "sources.id": _SOURCES, "sessions.key": _SESSIONS, "turns.id": _TURNS,
}  # fmt: skip
"""The columns with an id, and the table that it is of."""
_LEFT_OUT = {"sources.indexed_at", "sources.gone_at", "turns.batch"}
"""When something was read, and with which snapshot it was published."""


def whole_index(data_dir: Path) -> WholeIndex:
    """The newest snapshot with its lexicon and vectors; ids are replaced by what has them."""
    snapshot = Snapshot(DataDir(data_dir))
    try:
        names = _names(snapshot.rows)
        found = {table: _rows(snapshot.rows, table, names) for table in COLUMNS}
        turns = names[_TURNS]
        texts = [text for (text,) in snapshot.rows("SELECT text FROM blocks WHERE text <> '' ORDER BY text")]
        found["lexicon"] = _of_lexicon(DataDir(data_dir).lexicon, turns, texts)
        found["vectors"] = _of_vectors(snapshot)
        return found
    finally:
        snapshot.close()


def differences(left: WholeIndex, right: WholeIndex, most: int = 4) -> list[str]:
    """What only one of two indexes has; a few rows of each table."""
    found = []
    for table in left.keys() | right.keys():
        for sign, rows in (("-", left[table] - right[table]), ("+", right[table] - left[table])):
            shown = [f"{sign} {table} {count} × {str(row)[:400]}" for row, count in list(rows.items())[:most]]
            found += [*shown, f"{sign} {table}: {rows.total()} rows"] if rows else []
    return sorted(found)


def _names(rows: Callable[[str], list[tuple[Any, ...]]]) -> Mapping[str, Mapping[int, Any]]:
    """What has an id: the path of a source, the ids of a session, the session and number of a turn."""
    sessions: dict[int, Any] = {
        key: (agent, session_id, parent) for key, agent, session_id, parent in rows(
            "SELECT key, agent, session_id, parent_id FROM sessions"
        )
    }  # fmt: skip
    turns = rows("SELECT id, session, number, source, line, kind FROM turns")
    sources = dict(rows("SELECT id, path FROM sources"))
    named = {key: (sessions[session], number, sources[source], *rest) for key, session, number, source, *rest in turns}
    return {_SOURCES: sources, _SESSIONS: sessions, _TURNS: named}


def _rows(rows: Callable[[str], list[tuple[Any, ...]]], table: str, names: Mapping[str, Mapping[int, Any]]) -> Rows:
    columns = list(COLUMNS[table])
    found: Rows = Counter()
    for row in rows(f"SELECT {stored_columns(table)} FROM {table}"):
        found[tuple(_values(table, columns, row, names))] += 1
    return found


def _values(
    table: str, columns: list[str], row: tuple[Any, ...], names: Mapping[str, Mapping[int, Any]]
) -> Iterator[Any]:
    for column, value in zip(columns, row, strict=True):
        if f"{table}.{column}" in _LEFT_OUT:
            continue
        named = _NAMED.get(f"{table}.{column}") or _NAMED.get(column)
        yield names[named].get(value, ("nothing has this id", value)) if named and value is not None else value


def _of_lexicon(folder: Path, turns: Mapping[int, Any], texts: list[str]) -> Rows:
    """The turns that have a document, and those that each of some words finds."""
    index = Index.open(str(folder))
    register(index)
    searcher = index.searcher()

    def found(query: Query) -> list[Any]:
        hits = searcher.search(query, max(1, searcher.num_docs)).hits
        ids = searcher.fast_field_values("turn", [address for _, address in hits])
        return sorted({turns[int(turn)] for turn in ids if turn is not None and int(turn) in turns}, key=repr)

    rows: Rows = Counter(("a document", turn) for turn in found(Query.all_query()))
    for word in _some_words(texts):
        for field in ("user", "assistant", "output", "call"):
            rows.update((field, word, turn) for turn in found(Query.term_query(index.schema, field, word)))
    return rows


def _some_words(texts: list[str]) -> list[str]:
    """Words of some texts, always the same of the same texts."""
    chosen = Random(1).sample(texts, min(len(texts), WORDS))
    words = sorted({word for text in chosen for word in text.lower().split()[:40] if word.isascii() and word.isalpha()})
    return Random(2).sample(words, min(len(words), WORDS))


def _of_vectors(snapshot: Snapshot) -> Rows:
    """The vectors of the texts that turns contain, by the hash of the text."""
    stored = vectors_of(snapshot)
    used = sorted(key for (key,) in snapshot.rows("SELECT DISTINCT hash FROM chunks WHERE hash IS NOT NULL"))
    if stored is None or not used:
        return Counter({(key, "no vector"): 1 for key in used})
    places = stored.rows_of(np.array(used, np.int64))
    floats = stored.floats(np.maximum(places, 0))
    entry = snapshot.manifest.vectors
    assert entry is not None
    return Counter(
        (key, entry.model, floats[number].tobytes() if places[number] >= 0 else "no vector")
        for number, key in enumerate(used)
    )
