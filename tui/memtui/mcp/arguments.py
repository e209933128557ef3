"""The arguments of a tool call, validated with error messages that an agent can act on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui_core.errors import MemtuiError

DEFAULT_MAX_TOKENS = 2000
"""Default of `max_tokens`, the maximum tokens of an answer."""
LEAST_MAX_TOKENS, GREATEST_MAX_TOKENS = 100, 50_000
"""The range of `max_tokens`."""
_TURN_RANGE = re.compile(r"([^\s:]+)(?::(\d{1,9})(?:-(\d{1,9}))?)?")
_MAX_VALUE = 60
"""Maximum characters of an argument in an error message."""


class BadArgument(MemtuiError):
    """An argument is not valid; the text names it and the reason."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one call."""

    values: Mapping[str, Any]

    def allow_only(self, names: Mapping[str, Any]) -> None:
        """Raise BadArgument for an argument with another name."""
        unknown = sorted(set(self.values) - set(names))
        if unknown:
            raise BadArgument(f"There is no argument {_shown(unknown[0])}; there are {', '.join(names)}.")

    def text(self, name: str, *, required: bool = False) -> str:
        """A string argument; empty if it is missing. Raises BadArgument."""
        value = self.values.get(name)
        if value is None and required:
            raise BadArgument(f"The argument {name} is missing.")
        if value is not None and not isinstance(value, str):
            raise BadArgument(f"The argument {name} must be a text, not {_shown(value)}.")
        return value or ""

    def flag(self, name: str, default: bool) -> bool:
        """A boolean argument. Raises BadArgument."""
        value = self.values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise BadArgument(f"The argument {name} must be true or false, not {_shown(value)}.")
        return value

    def number(self, name: str, default: int, most: int, least: int = 1) -> int:
        """An integer argument from `least` to `most`. Raises BadArgument."""
        value = self.values.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadArgument(
                f"The argument {name} must be a whole number from {least} to {most}, not {_shown(value)}."
            )
        return value

    @property
    def max_tokens(self) -> int:
        """Maximum tokens of the answer. Raises BadArgument."""
        return self.number("max_tokens", DEFAULT_MAX_TOKENS, GREATEST_MAX_TOKENS, LEAST_MAX_TOKENS)

    def without(self, *names: str) -> dict[str, Any]:
        """All arguments except some."""
        return {name: value for name, value in self.values.items() if name not in names}


@dataclass(frozen=True, slots=True)
class TurnRange:
    """`SESSION`, `SESSION:TURN` or `SESSION:FIRST-LAST`."""

    session: str
    first: int | None = None
    last: int | None = None


def parse_turn_range(text: str) -> TurnRange:
    """Parse a turn range. Raises BadArgument."""
    match = _TURN_RANGE.fullmatch(text.strip())
    if match is None:
        raise BadArgument(f"{_shown(text)} names no turns; write SESSION:3 or SESSION:3-7.")
    first = int(match[2]) if match[2] else None
    last = int(match[3]) if match[3] else first
    if first is not None and last is not None and not 1 <= first <= last:
        raise BadArgument(f"{_shown(text)} names no turns; they count from 1, the first one first.")
    return TurnRange(match[1], first, last)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}…"
