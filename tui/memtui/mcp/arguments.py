"""The arguments of a tool call, validated with error messages that an agent can act on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtui_core.errors import MemtuiError
from memtui_core.text.turn_range import TurnRange, parse_turn_range

DEFAULT_MAX_TOKENS = 2000
"""Default of `max_tokens`, the maximum tokens of an answer."""
LEAST_MAX_TOKENS, GREATEST_MAX_TOKENS = 100, 50_000
"""The range of `max_tokens`."""
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


def parse_turns(text: str) -> TurnRange:
    """Parse a turn range. Raises BadArgument."""
    try:
        return parse_turn_range(text)
    except ValueError as error:
        raise BadArgument(str(error)) from error


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_VALUE else f"{text[:_MAX_VALUE]}…"
