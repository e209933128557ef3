"""Whether the first passage of a hit is the place that answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memtui_core.index.index import Index
from memtui_core.model import Hit
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon import Matcher
from memtui_core.store.lexicon.fields import searched_text, source_of
from memtui_core.store.lexicon.matcher import Match
from memtui_core.store.lexicon.query import read_clauses

_SAID = frozenset({"user", "assistant", "thinking"})
_PLACE = 240
"""Characters within which words stand in one place: as many as a snippet has."""
_ALL = 1 << 30


def shows_answer(index: Index, hit: Hit, query: str) -> bool:
    """Whether the first passage was said, and holds half as many of the query's content words as any place that was."""
    if not hit.passages or hit.passages[0].source not in _SAID:
        return False
    matcher = Matcher(read_clauses(parse(query)).clauses)
    blocks = index.sessions.blocks(hit.session, hit.turn, hit.turn)[hit.turn]
    said = [block for block in blocks if source_of(block.kind, block.tool) in _SAID]
    most = max((_together(matcher, searched_text(one.kind, one.tool, one.text)) for one in said), default=0)
    return 2 * len(matcher.clauses_in(hit.passages[0].text)) >= most


def _together(matcher: Matcher, text: str) -> int:
    """The most content words that stand in one place of a text."""
    matches: Sequence[Match] = [match for _, some in matcher.scan(text, _ALL) for match in some]
    inside: Counter[int] = Counter()
    most = last = 0
    for match in matches:
        while last < len(matches) and matches[last].end - match.start <= _PLACE:
            inside[matches[last].clause] += 1
            last += 1
        most = max(most, sum(count > 0 for count in inside.values()))
        inside[match.clause] -= 1
    return most
