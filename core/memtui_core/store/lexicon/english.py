"""English in the lexicon: stop words, and the inflected forms of all others."""

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

_MIN_STEM = 3
_ENDINGS = ("ing", "ed", "es", "s", "e")


def forms(word: str) -> tuple[str, ...]:
    """The other forms of a word: decides, decided and deciding for decide, retries for retry."""
    if len(word) <= _MIN_STEM or not word.isascii() or not word.isalpha():
        return ()
    stem = _stem(word)
    variants = {stem + ending for ending in ("", "e", "s", "es", "ed", "ing")}
    if stem.endswith("y"):
        variants |= {stem[:-1] + "ies", stem[:-1] + "ied"}
    elif stem[-1] not in "aeiouwx" and stem[-2] in "aeiou" and stem[-1] != stem[-2]:
        variants |= {stem + stem[-1] + "ed", stem + stem[-1] + "ing"}
    return tuple(sorted(variants - {word}))


def _stem(word: str) -> str:
    if word.endswith(("ies", "ied")) and len(word) > _MIN_STEM + 2:
        return word[:-3] + "y"
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _MIN_STEM and not (ending == "s" and word.endswith("ss")):
            doubled = ending in {"ing", "ed"} and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return word
