"""What an agent gave a tool, read with errors that it can act on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui_core.errors import MemtuiError

TOKENS = 2000
"""Tokens of an answer where nothing else is asked for."""
FEWEST, MOST = 100, 50_000
_REFERENCE = re.compile(r"([^\s:]+)(?::(\d{1,9})(?:-(\d{1,9}))?)?")
_SHOWN = 60


class BadArgument(MemtuiError):
    """What was given is not what the tool takes; the text says what is wrong."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call."""

    given: Mapping[str, Any]

    def only(self, names: Mapping[str, Any]) -> None:
        """Raise BadArgument for an argument that is none of these."""
        unknown = sorted(set(self.given) - set(names))
        if unknown:
            raise BadArgument(f"There is no argument {_shown(unknown[0])}; there are {', '.join(names)}.")

    def text(self, name: str, *, required: bool = False) -> str:
        """A text; empty when it was not given."""
        value = self.given.get(name)
        if value is None and required:
            raise BadArgument(f"The argument {name} is missing.")
        if value is not None and not isinstance(value, str):
            raise BadArgument(f"The argument {name} must be a text, not {_shown(value)}.")
        return value or ""

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self.given.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise BadArgument(f"The argument {name} must be true or false, not {_shown(value)}.")
        return value

    def number(self, name: str, default: int, most: int, least: int = 1) -> int:
        """A whole number in a range."""
        value = self.given.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadArgument(
                f"The argument {name} must be a whole number from {least} to {most}, not {_shown(value)}."
            )
        return value

    @property
    def tokens(self) -> int:
        """The most tokens of the answer."""
        return self.number("max_tokens", TOKENS, MOST, FEWEST)

    def without(self, *names: str) -> dict[str, Any]:
        """The arguments but some."""
        return {name: value for name, value in self.given.items() if name not in names}


@dataclass(frozen=True, slots=True)
class Reference:
    """`session`, `session:turn` or `session:first-last`."""

    session: str
    first: int | None = None
    last: int | None = None


def reference(text: str) -> Reference:
    """The turns that a text names. Raises BadArgument."""
    found = _REFERENCE.fullmatch(text.strip())
    if found is None:
        raise BadArgument(f"{_shown(text)} names no turns; write SESSION:3 or SESSION:3-7.")
    first = int(found[2]) if found[2] else None
    last = int(found[3]) if found[3] else first
    if first is not None and last is not None and not 1 <= first <= last:
        raise BadArgument(f"{_shown(text)} names no turns; they count from 1, the first one first.")
    return Reference(found[1], first, last)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
