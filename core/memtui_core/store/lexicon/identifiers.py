"""Names from code in a text, and their parts, split at capitals, underscores and digits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from memtui_core.store.lexicon.tokens import CJK_CHARACTER

_COMPOUND = r"(?:[A-Z]++[a-z]*+|[a-z]++)(?:[A-Z0-9_]\w*+|\+\+|#(?!\w))|[A-Z]{2,}+[a-z]\w*+|_++[A-Za-z]\w*+"
"""`retryUpload`, `api_key`, `HTTPServer`, `__init__`, `utf8`; also the languages `C++` and `C#`."""
_PLAIN = r"(?:[A-Z]?[a-z]++|[0-9]++|[A-Z]++)(?![\w+#])"
"""`upload`, `Upload`, `8080`, `HTTP`."""
_NEXT_COMPOUND = re.compile(rf"(?a)(?:\W*+{_PLAIN})*+\W*+(?:({_COMPOUND})|\w*+)")
"""The next name and everything before it, or any other word: one match for many plain words takes half the time of a
search for a name at each character."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_BESIDE_CJK = re.compile(f"(?:(?<={CJK_CHARACTER})|(?<![A-Za-z0-9])(?=[A-Za-z0-9]++{CJK_CHARACTER}))[A-Za-z0-9]++")
_MAX_LENGTH = 80
_MAX_PARTS = 12


def compounds(text: str) -> list[str]:
    """The names of more than one part in a text, in order."""
    return [name for name in _NEXT_COMPOUND.findall(text) if name]


@lru_cache(maxsize=65536)
def parts(name: str) -> tuple[str, ...]:
    """The parts of a name in lower case: parse, http, header, v and 2 for `parseHTTPHeader_v2`."""
    return tuple(part.lower() for part in _PART.findall(name))


@lru_cache(maxsize=65536)
def _tokens(name: str) -> tuple[str, ...]:
    """The tokens of a name: the name itself if the text fields split it, and its parts, which they do not split."""
    if len(name) > _MAX_LENGTH:
        return ()
    name_parts = parts(name)
    whole = (name.lower(),) if not name.isalnum() else ()
    if len(name_parts) > _MAX_PARTS:
        return whole
    return (*whole, *(part for part in name_parts if len(part) > 1 and not part.isdigit()))


def part_tokens(texts: Iterable[str]) -> str:
    """The text of the field `parts` for a turn: the tokens of all names, each once, separated by spaces."""
    names: set[str] = set()
    tokens: set[str] = set()
    for text in texts:
        names.update(_NEXT_COMPOUND.findall(text))
    names.discard("")
    for name in names:
        tokens.update(_tokens(name))
    return " ".join(sorted(tokens))


def beside_cjk(text: str) -> list[str]:
    """The words next to a script without spaces, as in `DuckDBを`, which the text fields do not split from it."""
    return [word.lower() for word in _BESIDE_CJK.findall(text)]
