"""What a setting may be: whether a value is right, what is said of one that is not, and the JSON schema of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from memtui.settings.toml_text import toml_text

Keys = tuple[str, ...]
"""The keys that lead to a value: `("team", "groups", "shop")`."""


class Fault(NamedTuple):
    """What is wrong in a settings file."""

    keys: Keys
    """Where it is."""
    text: str
    """A sentence that names the setting."""
    is_ignored: bool = False
    """Whether the rest of the file counts all the same."""


class Kind(Protocol):
    """The values of a setting."""

    @property
    def values(self) -> str:
        """What they are, in words that follow "must be"."""

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """What is wrong with a value that stands at some keys."""

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the values."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that is not empty."""

    values: str

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """Anything else."""
        if not isinstance(value, str) or not value:
            yield must_be(keys, self.values, value)

    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few texts."""

    names: Sequence[str]

    @property
    def values(self) -> str:
        """The texts in quotes."""
        *first, last = (f'"{name}"' for name in self.names)
        return f"{', '.join(first)} or {last}"

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """Anything else, with what was probably meant."""
        if value in self.names:
            return
        from memtui.wording.suggestion import suggestion

        meant = suggestion(value, self.names) if isinstance(value, str) else ""
        yield must_be(keys, self.values, value, meant)

    def schema(self) -> dict[str, Any]:
        """The texts."""
        return {"enum": list(self.names)}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    values: str = "true or false"

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """Anything else."""
        if not isinstance(value, bool):
            yield must_be(keys, self.values, value)

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number that is not negative."""

    values: str

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """Anything else."""
        if type(value) is not int or value < 0:
            yield must_be(keys, self.values, value)

    def schema(self) -> dict[str, Any]:
        """An integer."""
        return {"type": "integer", "minimum": 0}


def unknown_home(text: str) -> str:
    """Why a path cannot be used; empty if it can."""
    try:
        Path(text).expanduser()
    except RuntimeError:
        return f"the home folder in {text!r} is not known."
    return ""


@dataclass(frozen=True, slots=True)
class Texts:
    """A list of texts; `problem` says why one cannot be used, as a sentence that may begin in the middle."""

    example: str
    problem: Callable[[str], str] = unknown_home
    lacking: str = ""
    """What an empty list lacks, as the end of a sentence; empty if it lacks nothing."""

    @property
    def values(self) -> str:
        """What they are, with an example."""
        return f"a list of texts, such as {self.example}"

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """Anything else, and each text that cannot be used."""
        if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
            yield must_be(keys, self.values, value)
            return
        if self.lacking and not value:
            yield Fault(keys, f"{'.'.join(keys)} {self.lacking}")
        for text in value:
            if reason := self.problem(text):
                yield Fault(keys, f"{'.'.join(keys)}: {reason}")

    def schema(self) -> dict[str, Any]:
        """An array of strings."""
        return {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            **({"minItems": 1} if self.lacking else {}),
        }


@dataclass(frozen=True, slots=True)
class Table:
    """Values of one kind by names that the user chooses; `names` says what these are."""

    of: Kind
    names: str
    header: str
    problem: Callable[[str], str] = unknown_home

    @property
    def values(self) -> str:
        """How it begins."""
        return f"a table: [{self.header}]"

    def faults(self, keys: Keys, value: object) -> Iterator[Fault]:
        """What is no table, each name that cannot be used, and what is wrong with the values."""
        if not isinstance(value, dict):
            yield must_be(keys, self.values, value)
            return
        for name, own in value.items():
            if not name:
                yield Fault((*keys, name), f"{'.'.join(keys)} has a key without a name: write {self.names}.")
            elif reason := self.problem(name):
                yield Fault((*keys, name), f"{'.'.join(keys)}: {reason}")
            elif isinstance(own, dict) and own:
                # `tree.down = "j"` is a table in TOML.
                dotted = ".".join((name, *_first_keys(own)))
                yield must_be((*keys, name), self.of.values, own, f' Write a name with a dot in quotes: "{dotted}".')
            else:
                yield from self.of.faults((*keys, name), own)

    def schema(self) -> dict[str, Any]:
        """An object."""
        return {"type": "object", "propertyNames": {"minLength": 1}, "additionalProperties": self.of.schema()}


def must_be(keys: Keys, expected: str, value: object, more: str = "") -> Fault:
    """The fault of a value of a wrong kind."""
    return Fault(keys, f"{'.'.join(keys)} must be {expected}, and is {_in_short(value)}.{more}")


def _first_keys(table: dict[str, Any]) -> Iterator[str]:
    """The first key of a table, the first one of the table there, and so on."""
    value: object = table
    while isinstance(value, dict) and value:
        key, value = next(iter(value.items()))
        yield key


def _in_short(value: object) -> str:
    """A value as TOML has it; of a list or a table only what it is."""
    return "a list" if isinstance(value, list) else "a table" if isinstance(value, dict) else toml_text(value)
