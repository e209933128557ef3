"""A shape of secrets: the substrings without which it cannot occur, and the pattern of the secret itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

BORDER: Final = "[A-Za-z0-9_-]"
END: Final = f"(?!{BORDER})"


def begins(token: str) -> str:
    r"""A lookbehind after a token: the token does not continue a longer one. In JSON, a `\n` may be before it."""
    return rf"(?:(?<!{BORDER}{token})|(?<=\\[nrtbf]{token}))"


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of secret; the first group of `pattern` is the secret itself.

    `pattern` begins with a literal and uses lookbehind after it, so that the regex engine can skip from literal to
    literal. Its quantifiers are possessive or bounded, and start at the border of a token: every text takes linear
    time. It matches no quote or backslash around the secret.
    """

    kind: str
    markers: tuple[str, ...]
    pattern: str
    is_secret: Callable[[re.Match[str]], bool] | None = None

    def apply(self, text: str) -> str:
        """The text with the secrets of this kind replaced."""
        return _compiled(self.pattern).sub(self._replacement, text)

    def _replacement(self, match: re.Match[str]) -> str:
        if self.is_secret is not None and not self.is_secret(match):
            return match[0]
        before, after = match.start(1) - match.start(), match.end(1) - match.start()
        return f"{match[0][:before]}{placeholder(self.kind)}{match[0][after:]}"


def placeholder(kind: str) -> str:
    """What is stored in the place of a secret."""
    return f"[redacted:{kind}]"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """A pattern when it is first used: most texts need none of them."""
    return re.compile(pattern)
