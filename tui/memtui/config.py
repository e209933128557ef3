"""The person's settings: a frozen value from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui_core.embed import DEFAULT_MODEL
from memtui_core.errors import MemtuiError

_KEYS = ("theme", "keymap", "model", "handoff")
_HANDOFF = {
    "tool_context": bool,
    "max_result_chars": int,
    "max_tool_context_chars": int,
    "include_interrupted": bool,
}


class ConfigError(MemtuiError):
    """The settings cannot be read: names the file and the key or the line."""


@dataclass(frozen=True, slots=True)
class Config:
    """What a person may set."""

    theme: str | None = None
    """Name of a theme; None keeps the one last chosen in the app."""
    keymap: Mapping[str, str] = field(default_factory=dict)
    """Keys by the id of an action, several separated by commas."""
    handoff: Mapping[str, int | bool] = field(default_factory=dict)
    """Fields of `HandoffOptions` by their names."""
    model: str = DEFAULT_MODEL
    """Name of the embedding model: the one that comes with memtui, or one that fastembed lists."""
    warnings: tuple[str, ...] = ()
    """A sentence for each key that memtui does not know; they have no effect."""


def load_config(path: Path) -> Config:
    """The settings of a file; the defaults when there is none.

    A key that memtui does not know has no effect but a warning. Raises ConfigError for a value of the wrong type.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    theme, keymap = data.get("theme"), data.get("keymap", {})
    if theme is not None and not isinstance(theme, str):
        raise _wrong(path, "theme", 'text, such as "nord"', theme)
    model = data.get("model", DEFAULT_MODEL)
    if not isinstance(model, str) or not model:
        raise _wrong(path, "model", "text, the name of an embedding model", model)
    handoff, warnings = _handoff(path, data.get("handoff", {}))
    unknown = [_unknown(path, name, _KEYS) for name in sorted(data.keys() - set(_KEYS))]
    return Config(theme, _keymap(path, keymap), handoff, model, (*unknown, *warnings))


def _handoff(path: Path, value: Any) -> tuple[Mapping[str, int | bool], list[str]]:
    if not isinstance(value, dict):
        raise _wrong(path, "handoff", "a table: [handoff]", value)
    warnings = [_unknown(path, f"handoff.{name}", _HANDOFF) for name in value if name not in _HANDOFF]
    known = {name: setting for name, setting in value.items() if name in _HANDOFF}
    for name, setting in known.items():
        if _HANDOFF[name] is bool and not isinstance(setting, bool):
            raise _wrong(path, f"handoff.{name}", "true or false", setting)
        if _HANDOFF[name] is int and (type(setting) is not int or setting < 0):
            raise _wrong(path, f"handoff.{name}", "a number of characters, such as 2000", setting)
    return known, warnings


def _keymap(path: Path, value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise _wrong(path, "keymap", "a table: [keymap]", value)
    for name, keys in value.items():
        if not isinstance(keys, str) or not keys:
            raise _wrong(path, f"keymap.{name}", 'text, such as "ctrl+f,slash"', keys)
    return value


def _wrong(path: Path, name: str, expected: str, value: object) -> ConfigError:
    return ConfigError(f"{path}: {name} must be {expected}, and is {_written(value)}.")


def _written(value: object) -> str:
    """A value as TOML has it, by and large."""
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, dict) else f'"{value}"' if isinstance(value, str) else str(value)


def _unknown(path: Path, name: str, known: Iterable[str]) -> str:
    """The warning for a key, with the one that may be meant."""
    table, _, last = name.rpartition(".")
    near = difflib.get_close_matches(last, list(known), 1)
    meant = f" Did you mean {f'{table}.' if table else ''}{near[0]}?" if near else ""
    return f"{path}: there is no setting {name!r}; it is ignored.{meant}"
