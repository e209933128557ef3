"""Reading a settings file by what is declared of the settings: their values, and everything that is wrong."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from memtui.settings.config import Config
from memtui.settings.declared import BY_KEYS, SETTINGS, TABLES, Setting
from memtui.settings.kinds import Fault, Keys, must_be

_LINE: Final = re.compile(r"\(at line (\d+), column \d+\)$")
"""Where the parser says that it stopped."""


class Mistake(NamedTuple):
    """What is wrong in a settings file, and where."""

    line: int | None
    """From 1; None if it cannot be told."""
    text: str
    """A sentence that names the setting."""
    is_ignored: bool = False
    """Whether the rest of the file counts all the same."""

    def at(self, path: Path) -> str:
        """The sentence after the place."""
        return f"{path}:{self.line}: {self.text}" if self.line is not None else f"{path}: {self.text}"


class ReadSettings(NamedTuple):
    """The content of a settings file."""

    given: Mapping[Setting, Any]
    """The values of the settings that are right, as TOML has them."""
    mistakes: tuple[Mistake, ...] = ()
    lines: Mapping[Keys, int] = {}
    """The lines of all keys, if they were asked for or something is wrong."""


def read_settings(text: str, *, with_lines: bool = False) -> ReadSettings:
    """The settings in the text of a file, with everything that is wrong in it."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _LINE.search(str(error))
        return ReadSettings({}, (Mistake(int(place[1]) if place else None, str(error)),))
    given: dict[Setting, Any] = {}
    faults = list(_faults(data, (), given))
    if not faults and not with_lines:
        return ReadSettings(given)
    from memtui.settings.lines import line_of, lines_of_keys

    lines = lines_of_keys(text)
    mistakes = (Mistake(line_of(lines, fault.keys), fault.text, fault.is_ignored) for fault in faults)
    return ReadSettings(given, tuple(mistakes), lines)


def config_of(given: Mapping[Setting, Any], warnings: tuple[str, ...] = ()) -> Config:
    """The settings with these values, and the defaults of all others."""
    fields: dict[str, Any] = {}
    for setting, value in given.items():
        name = setting.field or setting.name
        if name == setting.keys[0] != setting.name:
            # A part of a mapping, such as `handoff`.
            fields.setdefault(name, {})[setting.keys[-1]] = value
        else:
            fields[name] = setting.make(value)
    return Config(**fields, warnings=warnings)


def _faults(data: Mapping[str, Any], before: Keys, given: dict[Setting, Any]) -> Iterator[Fault]:
    """What is wrong in a table; what is right is added to `given`."""
    for key, value in data.items():
        keys = (*before, key)
        setting = BY_KEYS.get(keys)
        if setting is not None:
            faults = [_told_its_place(fault) for fault in setting.kind.faults(keys, value)]
            yield from faults
            if not faults:
                given[setting] = value
        elif keys not in TABLES:
            yield _unknown(keys)
        elif isinstance(value, dict):
            yield from _faults(value, keys, given)
        else:
            yield must_be(keys, f"a table: [{key}]", value)


def _told_its_place(fault: Fault) -> Fault:
    """The fault of an entry that has the name of a setting of its own, with the place where that belongs."""
    *table, name = fault.keys
    if not table or ((name,) not in BY_KEYS and (name,) not in TABLES):
        return fault
    return fault._replace(text=f"{name} stands in [{'.'.join(table)}]: write it above the first line in brackets.")


def _unknown(keys: Keys) -> Fault:
    """The fault of a setting that does not exist, with similar ones that do, and those of this name in other tables."""
    from memtui.wording.suggestion import suggestion

    beside = dict.fromkeys(known[len(keys) - 1] for known in BY_KEYS if known[: len(keys) - 1] == keys[:-1])
    table = "".join(f"{key}." for key in keys[:-1])
    elsewhere = [setting.name for setting in SETTINGS if setting.keys[-1] == keys[-1]]
    meant = suggestion(keys[-1], beside, table) or (f" Did you mean {' or '.join(elsewhere)}?" if elsewhere else "")
    return Fault(keys, f"there is no setting {'.'.join(keys)!r}; it is ignored.{meant}", is_ignored=True)
