"""What the turns of a search hold of its query: their blocks are read once, and the passages found in them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from threading import Lock
from typing import Any

from memtui_core.lexicon.block_text import searched_text, source_of
from memtui_core.search.fusion import FARTHEST, Candidate
from memtui_core.search.passages import Evidence, Near, PassageFinder, Touch
from memtui_core.search.turn_texts import BlockText, TurnTexts
from memtui_core.store.conversation_text import block_ranges, conversation_texts
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import key_condition

_LONGEST = 20_000
"""Characters of one tool result that are searched for passages, unless nothing is found in so many."""
_KEPT = 6_000_000
"""Characters of texts that are kept: with each key of a query many of its hits are the same."""
_SAME = 0.35
"""Cosine distance of a text that says the same as the query in other words."""
_BEGINNING = 200
"""Characters by which a chunk is recognised that an older memtui kept as a text, without its place."""


def evidence_of(
    snapshot: Snapshot,
    candidates: Sequence[Candidate],
    lengths: Mapping[int, int],
    finder: PassageFinder,
    for_paths: float = 1.0,
) -> dict[int, Evidence]:
    """The evidence of each candidate by its turn.

    `lengths` are the characters of the turns' `user_text`; `for_paths` is `Touch.worth` of the path hits.
    """
    if not candidates:
        return {}
    texts = snapshot.cached("texts", _Texts).of(snapshot, [candidate.turn for candidate in candidates])
    near = _nearest_chunks(snapshot, candidates, texts, lengths)
    tools = _tools(snapshot, candidates)
    evidence: dict[int, Evidence] = {}
    for candidate in candidates:
        turn, path = candidate.turn, candidate.path
        touch = Touch(path.path, tools.get(turn, frozenset()), for_paths) if path is not None else None
        evidence[turn] = finder.find(texts[turn], near.get(turn), touch)
        if candidate.lexical is not None and texts[turn].cut and not evidence[turn].clauses:
            evidence[turn] = finder.find(_read(snapshot, [turn])[turn], near.get(turn), touch)
    return evidence


class _Texts:
    """The texts of turns that were read last; every thread may ask for them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[int, TurnTexts] = OrderedDict()
        self._size = 0

    def of(self, snapshot: Snapshot, turns: Sequence[int]) -> dict[int, TurnTexts]:
        """The texts of some turns, long tool results cut."""
        with self._lock:
            texts = {turn: self._kept[turn] for turn in turns if turn in self._kept}
        read = _read(snapshot, [turn for turn in turns if turn not in texts], _LONGEST)
        with self._lock:
            for turn in turns:
                if turn in self._kept:
                    self._kept.move_to_end(turn)
                else:
                    self._kept[turn] = read[turn] if turn in read else texts[turn]
                    self._size += self._kept[turn].size
            while self._size > _KEPT and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= dropped.size
        return texts | read


def _read(snapshot: Snapshot, turns: Sequence[int], longest: int | None = None) -> dict[int, TurnTexts]:
    if not turns:
        return {}
    text = "text" if longest is None else f"CASE WHEN kind = 'tool_result' THEN left(text, {longest}) ELSE text END"
    rows = snapshot.rows(
        f"SELECT turn, seq, kind, tool, {text} FROM blocks WHERE {key_condition('turn', turns)} AND kind <> 'image'"
        " ORDER BY turn, seq"
    )
    by_turn = {turn: list(own) for turn, own in groupby(rows, key=itemgetter(0))}
    return {turn: _texts(by_turn.get(turn, ()), longest) for turn in turns}


def _texts(rows: Sequence[tuple[Any, ...]], longest: int | None) -> TurnTexts:
    cut = longest is not None and any(kind == "tool_result" and len(text) >= longest for _, _, kind, _, text in rows)
    return TurnTexts(_blocks(rows), cut=cut)


def _blocks(rows: Iterable[tuple[Any, ...]]) -> Iterator[BlockText]:
    for _, seq, kind, tool, text in rows:
        source = source_of(kind, tool)
        if source is not None:
            yield BlockText(seq, source, searched_text(kind, tool, text))


def _nearest_chunks(
    snapshot: Snapshot, candidates: Sequence[Candidate], texts: Mapping[int, TurnTexts], lengths: Mapping[int, int]
) -> dict[int, Near]:
    meant = {candidate.turn: candidate.meaning for candidate in candidates if candidate.meaning is not None}
    if not meant:
        return {}
    places = ", ".join(f"({turn}, {hit.chunk})" for turn, hit in meant.items())
    columns = "first, last" if snapshot.version > 2 else "NULL, NULL"
    chunks = snapshot.rows(f"SELECT turn, text, {columns} FROM chunks WHERE (turn, seq) IN ({places})")
    whole = conversation_texts(snapshot.rows, [turn for turn, text, *_ in chunks if text is not None])
    found: dict[int, Near] = {}
    for turn, text, first, last in chunks:
        if text is not None:
            first = max(0, whole.get(turn, "").find(text[:_BEGINNING]))
            last = first + len(text)
        blocks = texts[turn].blocks
        asked = [(one.block, one.text) for one in blocks if one.source == "user"]
        said = [(one.block, one.text) for one in blocks if one.source == "assistant"]
        ranges = block_ranges(lengths[turn], asked, said, first, last)
        closeness = (FARTHEST - meant[turn].distance) / (FARTHEST - _SAME)
        found[turn] = Near(min(1.0, max(0.0, closeness)), tuple(ranges))
    return found


def _tools(snapshot: Snapshot, candidates: Sequence[Candidate]) -> dict[int, frozenset[str]]:
    """The tools that did what a path hit says of its file, by turn."""
    touched = {candidate.turn: candidate.path for candidate in candidates if candidate.path is not None}
    if not touched:
        return {}
    found: dict[int, set[str]] = {}
    sql = f"SELECT turn, path, kind, tool FROM file_mentions WHERE {key_condition('turn', list(touched))}"
    for turn, path, kind, tool in snapshot.rows(sql):
        if (path, kind) == (touched[turn].path, touched[turn].kind):
            found.setdefault(turn, set()).add(tool)
    return {turn: frozenset(names) for turn, names in found.items()}
