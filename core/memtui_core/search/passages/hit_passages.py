"""The passages of the candidates of a search: reads the blocks of their turns once and caches their texts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from threading import Lock
from typing import Any

from memtui_core.search.fusion import UNRELATED, Candidate
from memtui_core.search.passages.ranking import NearestChunk, PassageFinder, TouchedFile, TurnPassages
from memtui_core.search.passages.searched_turn import SearchedBlock, SearchedTurn
from memtui_core.store.conversation_text import block_ranges, conversation_texts
from memtui_core.store.lexicon.fields import searched_text, source_of
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges, near_keys
from memtui_core.text.controls import stored

_MAX_RESULT = 20_000
"""Characters of one tool result that are searched for passages; all of them only if nothing matches in these."""
_CACHE_SIZE = 6_000_000
"""Characters of texts that are cached: while a query is typed, many hits stay the same."""
_SAME_MEANING = 0.35
"""Cosine distance of a text that says the same as the query in other words."""
_CHUNK_START = 200
"""Characters by which a chunk is found in its turn that an older version stored as a text, without its range."""


def find_passages(
    snapshot: Snapshot,
    candidates: Sequence[Candidate],
    finder: PassageFinder,
    path_weight: float = 1.0,
    check_cancelled: Callable[[], object] = lambda: None,
    quotes: Collection[str] = (),
) -> dict[int, TurnPassages]:
    """The passages of each candidate by its turn; `path_weight` is `TouchedFile.weight` of path hits.

    What the facts of the kinds in `quotes` quote is a passage, too.
    `check_cancelled` is called for each turn whose text is read; what was read before it raises stays cached.
    """
    if not candidates:
        return {}
    cache = snapshot.cached("searched turns", _TurnCache)
    turns = cache.get(snapshot, [candidate.turn for candidate in candidates], check_cancelled)
    chunks = _nearest_chunks(snapshot, candidates, turns)
    tools = _tools_on_files(snapshot, candidates)
    quoted = _quoted(snapshot, candidates, quotes)
    passages: dict[int, TurnPassages] = {}
    for candidate in candidates:
        turn, path = candidate.turn, candidate.path
        file = TouchedFile(stored(path.path), tools.get(turn, frozenset()), path_weight) if path is not None else None
        passages[turn] = finder.find(turns[turn], chunks.get(turn), file, quoted.get(turn, ()))
        if (
            (candidate.lexical is not None or finder.has_expressions)
            and turns[turn].is_cut
            and not passages[turn].clauses
        ):
            whole = _read_turns(snapshot, [turn])[turn]
            passages[turn] = finder.find(whole, chunks.get(turn), file, quoted.get(turn, ()))
    return passages


class _TurnCache:
    """The texts of the turns that were used last; any thread may call it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._cache: OrderedDict[int, SearchedTurn] = OrderedDict()
        self._size = 0

    def get(
        self, snapshot: Snapshot, turns: Sequence[int], check_cancelled: Callable[[], object]
    ) -> dict[int, SearchedTurn]:
        """The texts of some turns, with long tool results cut."""
        with self._lock:
            texts = {turn: self._cache[turn] for turn in turns if turn in self._cache}
        read = dict[int, SearchedTurn]()
        try:
            # One by one: a statement for several takes as long as one for each, unless they are close together.
            for near in near_keys([turn for turn in turns if turn not in texts]):
                check_cancelled()
                read |= _read_turns(snapshot, near, _MAX_RESULT)
        finally:
            texts |= read
            self._keep({turn: texts[turn] for turn in turns if turn in texts})
        return texts

    def _keep(self, texts: Mapping[int, SearchedTurn]) -> None:
        """Keep texts that were used now, and no longer those that were used first."""
        with self._lock:
            for turn, text in texts.items():
                if turn in self._cache:
                    self._cache.move_to_end(turn)
                else:
                    self._cache[turn] = text
                    self._size += text.size
            while self._size > _CACHE_SIZE and len(self._cache) > 1:
                _, evicted = self._cache.popitem(last=False)
                self._size -= evicted.size


def _read_turns(snapshot: Snapshot, turns: Sequence[int], max_result: int | None = None) -> dict[int, SearchedTurn]:
    if not turns:
        return {}
    text = (
        "text" if max_result is None else f"CASE WHEN kind = 'tool_result' THEN left(text, {max_result}) ELSE text END"
    )
    rest = " AND kind <> 'image' ORDER BY turn, seq"
    rows = _rows_of(snapshot, "blocks", f"turn, seq, kind, tool, {text}", "turn", turns, rest)
    rows_by_turn = {turn: list(own) for turn, own in groupby(rows, key=itemgetter(0))}
    return {turn: _searched_turn(rows_by_turn.get(turn, ()), max_result) for turn in turns}


def _searched_turn(rows: Sequence[tuple[Any, ...]], max_result: int | None) -> SearchedTurn:
    is_cut = max_result is not None and any(
        kind == "tool_result" and len(text) >= max_result for _turn, _seq, kind, _tool, text in rows
    )
    return SearchedTurn(_searched_blocks(rows), is_cut=is_cut)


def _searched_blocks(rows: Iterable[tuple[Any, ...]]) -> Iterator[SearchedBlock]:
    for _turn, seq, kind, tool, text in rows:
        source = source_of(kind, tool)
        if source is not None:
            yield SearchedBlock(seq, source, searched_text(kind, tool, text))


def _nearest_chunks(
    snapshot: Snapshot, candidates: Sequence[Candidate], turns: Mapping[int, SearchedTurn]
) -> dict[int, NearestChunk]:
    hits = {candidate.turn: candidate.semantic for candidate in candidates if candidate.semantic is not None}
    if not hits:
        return {}
    columns = "first, last" if snapshot.version > 2 else "NULL, NULL"
    rows = [
        (turn, text, first, last)
        for turn, seq, text, first, last in _rows_of(snapshot, "chunks", f"turn, seq, text, {columns}", "turn", hits)
        if seq == hits[turn].chunk
    ]
    user_lengths = dict(_rows_of(snapshot, "turns", "id, coalesce(length(user_text), 0)", "id", hits))
    copied = [turn for turn, text, *_ in rows if text is not None]
    turn_texts = conversation_texts(snapshot.rows, copied) if copied else {}
    chunks: dict[int, NearestChunk] = {}
    for turn, text, first, last in rows:
        if text is not None:
            first = max(0, turn_texts.get(turn, "").find(text[:_CHUNK_START]))
            last = first + len(text)
        blocks = turns[turn].blocks
        user_blocks = [(block.seq, block.text) for block in blocks if block.source == "user"]
        assistant_blocks = [(block.seq, block.text) for block in blocks if block.source == "assistant"]
        ranges = block_ranges(user_lengths[turn], user_blocks, assistant_blocks, first, last)
        closeness = (UNRELATED - hits[turn].distance) / (UNRELATED - _SAME_MEANING)
        chunks[turn] = NearestChunk(min(1.0, max(0.0, closeness)), tuple(ranges))
    return chunks


def _rows_of(
    snapshot: Snapshot, table: str, columns: str, key: str, turns: Collection[int], rest: str = ""
) -> list[tuple[Any, ...]]:
    """The rows of some turns, in the order of these."""
    return [
        row
        for condition in key_ranges(key, turns)
        for row in snapshot.rows(f"SELECT {columns} FROM {table} WHERE {condition}{rest}")
    ]


def _tools_on_files(snapshot: Snapshot, candidates: Sequence[Candidate]) -> dict[int, frozenset[str]]:
    """The tools that touched the file of a path hit as the hit states, by turn."""
    hits = {candidate.turn: candidate.path for candidate in candidates if candidate.path is not None}
    if not hits:
        return {}
    tools: dict[int, set[str]] = {}
    sql = f"SELECT turn, path, kind, tool FROM file_mentions WHERE {key_condition('turn', list(hits))}"
    for turn, path, kind, tool in snapshot.rows(sql):
        if (path, kind) == (stored(hits[turn].path), hits[turn].kind):
            tools.setdefault(turn, set()).add(tool)
    return {turn: frozenset(names) for turn, names in tools.items()}


def _quoted(
    snapshot: Snapshot, candidates: Sequence[Candidate], kinds: Collection[str]
) -> dict[int, list[tuple[int, str]]]:
    """What facts of these kinds quote, by turn: `Block.seq` and the quote, without what it excludes beside another."""
    quotes: dict[int, list[tuple[int, str]]] = {}
    if not kinds:
        return quotes
    turns = key_condition("turn", [candidate.turn for candidate in candidates])
    for turn, seq, kind, name, text in snapshot.rows(
        f"SELECT turn, seq, kind, name, text FROM facts WHERE {turns} ORDER BY turn, seq"
    ):
        if kind in kinds and name != "option":
            quotes.setdefault(turn, []).append((seq, text.partition("\n")[0]))
    return quotes
