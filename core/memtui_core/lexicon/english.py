"""The little that the lexicon knows of English: words that say nothing, and the endings of those that do."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a about again all also am an and any are as at be because been before being but by can could d did didn do does
    doesn doing don for from get got had has have having he her here hers him his how i if in into is isn it its just
    let ll m me might more most my no nor not now of off on once only or other our out over own please re s same she
    should so some such t than that the their them then there these they this those to too us ve very was wasn we were
    what when where which while who whom why will with won would you your
    """.split()  # noqa: SIM905
)

_SHORTEST_STEM = 3
_ENDINGS = ("ing", "ed", "es", "s", "e")


def forms(word: str) -> tuple[str, ...]:
    """Other forms of a word that may stand in a text: decide also decides, decided, deciding; retry also retries."""
    if len(word) <= _SHORTEST_STEM or not word.isascii() or not word.isalpha():
        return ()
    stem = _stem(word)
    found = {stem + ending for ending in ("", "e", "s", "es", "ed", "ing")}
    if stem.endswith("y"):
        found |= {stem[:-1] + "ies", stem[:-1] + "ied"}
    elif stem[-1] not in "aeiouwx" and stem[-2] in "aeiou" and stem[-1] != stem[-2]:
        found |= {stem + stem[-1] + "ed", stem + stem[-1] + "ing"}
    return tuple(sorted(found - {word}))


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ied", "y")):
        if word.endswith(ending) and len(word) > _SHORTEST_STEM + len(ending) - 1:
            return word[: -len(ending)] + instead
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST_STEM and not (ending == "s" and word.endswith("ss")):
            doubled = ending in {"ing", "ed"} and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return word
