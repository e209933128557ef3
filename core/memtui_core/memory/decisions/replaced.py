"""Which later decision may have replaced one: it chooses the thing that the other excluded, or the other way round.

Only the same thing counts, by the same one to three words, or another answer to the same question; a thing that is only
similar would be a guess.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_core.compaction.words import word_set

if TYPE_CHECKING:
    from memtui_core.memory.decisions.made import MadeDecision

_MOST_WORDS: Final = 3
"""Words of a thing; what has more is a description."""
_FEWEST_WORDS: Final = 3
"""Words of a question; a shorter one, such as `Shall I proceed?`, is asked about other things each time."""
_THING: Final = r"(?:the |an? |any |plain |just )?(?P<{}>[^.,;:!?()“”\n]+?)"
_END: Final = (
    r"(?=\s*(?:$|[.,;:!?()“”\n])"
    r"|\s+(?:because|since|so|and|but|until|now|then|again|any ?more|yet|please|everywhere|instead)\b)"
)
"""The end of a thing; where it is used, as in `floats for the tax`, belongs to it."""
_VERB: Final = r"(?:use|using|go (?:with|for)|stick (?:to|with)|stay with|switch(?: back)? to|keep|have|add|prefer)"
_RATHER: Final = r"(?:instead of|rather than|,? ?(?:and )?not)"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_VERB} {_THING.format('chosen')}\s*{_RATHER} {_THING.format('excluded')}{_END}",
        rf"\b(?:instead of|rather than) {_THING.format('excluded')},\s.*?\b{_VERB} {_THING.format('chosen')}{_END}",
        rf"\breplace {_THING.format('excluded')} (?:with|by) {_THING.format('chosen')}{_END}",
        rf"\b(?:do not|don['’]?t|never|stop|avoid|must not|won['’]t|shouldn['’]t)(?: ever)? "
        rf"(?:want|need|{_VERB}|adding) {_THING.format('excluded')}{_END}",
        rf"(?:^|[,;] )no {_THING.format('excluded')}{_END}",
        rf"\b{_VERB} {_THING.format('chosen')}{_END}",
    )
)
"""Where a sentence names what it chooses and what it excludes: the first that is found counts."""
_RECOMMENDED: Final = re.compile(r"\s*\((?:recommended|current[^)]*)\)", re.IGNORECASE)
"""What agents write behind an option."""


class _Things(NamedTuple):
    """What a decision chooses and excludes; two that are equal are the same thing."""

    chosen: tuple[Hashable, ...] = ()
    excluded: tuple[Hashable, ...] = ()


def later_decisions(in_order: Sequence[MadeDecision]) -> Iterator[tuple[int, int]]:
    """The numbers of decisions by time, and of the first one of the same project that may have replaced each."""
    open_chosen, open_excluded = defaultdict[Hashable, set[int]](set), defaultdict[Hashable, set[int]](set)
    for number, one in enumerate(in_order):
        things = _things(one)
        replaced = set[int]()
        for thing in things.excluded:
            replaced |= open_chosen.pop(thing, set())
        for thing in things.chosen:
            replaced |= open_excluded.pop(thing, set())
        for earlier in sorted(replaced):
            if _is_before(in_order[earlier], one):
                yield earlier, number
            for waiting in (*open_chosen.values(), *open_excluded.values()):
                waiting.discard(earlier)
        for thing in things.chosen:
            open_chosen[thing].add(number)
        for thing in things.excluded:
            open_excluded[thing].add(number)


def _is_before(earlier: MadeDecision, one: MadeDecision) -> bool:
    """Whether a decision is certainly of an earlier turn: those without a time only within their session."""
    if earlier.session == one.session:
        return earlier.turn < one.turn
    return earlier.at is not None and one.at is not None and earlier.at < one.at


def _things(one: MadeDecision) -> _Things:
    """The things of a decision, each with its project."""
    if one.way == "answer":
        question = word_set(one.about)
        options = [(one.project, question, _RECOMMENDED.sub("", option)) for option in (one.quote, *one.others)]
        is_telling = len(question) >= _FEWEST_WORDS and one.others
        return _Things(tuple(options[:1]), tuple(options[1:])) if is_telling else _Things()
    if one.way != "said":
        return _Things()
    found = next((match for pattern in _PATTERNS if (match := pattern.search(one.quote))), None)
    named = {name: word_set(thing) for name, thing in found.groupdict().items() if thing} if found is not None else {}
    chosen, excluded = (
        ((one.project, words),) if 1 <= len(words := named.get(name, frozenset())) <= _MOST_WORDS else ()
        for name in ("chosen", "excluded")
    )
    return _Things(chosen, excluded)
