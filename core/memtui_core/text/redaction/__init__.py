"""Remove secrets from texts, by their shape, their place or their name, before anything is stored.

A secret becomes `[redacted:<kind>]`; the text around it (the name of the variable, the user of a URL) is kept. A text
may be JSON: no match includes a quote or a backslash around the secret, so that JSON stays valid.

Every kind of secret has markers, substrings without which it cannot occur, and is looked for only in texts with a
marker. One automaton looks for all markers at once, which takes a third of the time of a search for each.

`tokens` has what is known by a prefix, `places` what is known by its place, `names` what a name tells; `values` judges
what stands there.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from ahocorasick_rs import AhoCorasick, Implementation

from memtui_core.text import own_patterns
from memtui_core.text.redaction.names import NAMES
from memtui_core.text.redaction.places import PLACES, PRIVATE_KEYS
from memtui_core.text.redaction.shape import Shape, placeholder
from memtui_core.text.redaction.tokens import TOKENS

RULES: Final = 2
"""The number of these rules: when it changes, what was stored by earlier ones is redacted once more."""
MARK: Final = "[redacted:"
"""What every placeholder begins with."""
_MOST_PASSES: Final = 5
_SHAPES: Final[tuple[Shape, ...]] = (*PRIVATE_KEYS, *TOKENS, *PLACES)
_NUMBERED = [(number, marker) for number, shape in enumerate(_SHAPES) for marker in shape.markers]
_SHAPE_OF_MARKER: Final = [number for number, _ in _NUMBERED]
_FIRST_NAME: Final = len(_NUMBERED)
_MARKERS: Final = AhoCorasick(
    [*(marker for _, marker in _NUMBERED), *(marker.text for marker in NAMES)], implementation=Implementation.DFA
)


def redact(text: str) -> str:
    """The text with its secrets replaced, by the rules and by the user's own patterns. By the rules idempotent."""
    text = _by_rules(text)
    return own_patterns.replaced(text) if own_patterns.used_patterns() else text


def rules_in_use() -> str:
    """What tells these rules and the user's own patterns from others: what was stored by others is redacted again."""
    if not (patterns := own_patterns.used_patterns()):
        return str(RULES)
    return f"{RULES}:{blake2b(chr(0).join(patterns).encode(), digest_size=8).hexdigest()}"


def _by_rules(text: str) -> str:
    """Replaced until nothing more is found: in place of a secret there is another border for what is beside it."""
    for _ in range(_MOST_PASSES):
        before, text = text, _replaced_once(text)
        if text == before:
            break
    return text


def _replaced_once(text: str) -> str:
    found = _found(text)
    if not found:
        return text
    if shapes := {_SHAPE_OF_MARKER[marker] for marker, _, _ in found if marker < _FIRST_NAME}:
        before = text
        for number in sorted(shapes):
            text = _SHAPES[number].apply(text)
        if text != before:
            found = _found(text)
    names = sorted((start, marker - _FIRST_NAME) for marker, start, _ in found if marker >= _FIRST_NAME)
    return _without_named(text, names) if names else text


def _found(text: str) -> list[tuple[int, int, int]]:
    """The markers in a text: their numbers, where they begin and where they end."""
    try:
        return _MARKERS.find_matches_as_indexes(text, overlapping=True)
    except UnicodeEncodeError:
        # Half a character, as in a name that is not UTF-8.
        return _MARKERS.find_matches_as_indexes(text.encode("utf-8", "replace").decode(), overlapping=True)


def _without_named(text: str, names: list[tuple[int, int]]) -> str:
    """The text without the secrets behind names, given by where they begin and their numbers."""
    parts: list[str] = []
    end = 0
    for start, number in names:
        if start >= end and (secret := NAMES[number].secret(text, start)) is not None:
            first, last, kind = secret
            if first >= end:
                parts += text[end:first], placeholder(kind)
                end = last
    return "".join((*parts, text[end:])) if parts else text
