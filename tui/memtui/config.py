"""The person's settings: a frozen value from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtui_core.embed import DEFAULT_MODEL
from memtui_core.errors import MemtuiError

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
    """Fields of `HandoffOptions` by their names (SPEC S1.12, S1.17, S1.18)."""
    model: str = DEFAULT_MODEL
    """Name of the embedding model: the one that comes with memtui, or one that fastembed lists."""


def load_config(path: Path) -> Config:
    """The settings of a file; the defaults when there is none. Raises ConfigError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    unknown = sorted(data.keys() - {"theme", "keymap", "model", "handoff"})
    if unknown:
        raise ConfigError(f"{path}: unknown key {unknown[0]!r}; known are theme, keymap, model and handoff")
    theme, keymap = data.get("theme"), data.get("keymap", {})
    if theme is not None and not isinstance(theme, str):
        raise ConfigError(f"{path}: theme must be a text")
    model = data.get("model", DEFAULT_MODEL)
    if not isinstance(model, str) or not model:
        raise ConfigError(f"{path}: model must be the name of an embedding model")
    return Config(theme, _keymap(path, keymap), _handoff(path, data.get("handoff", {})), model)


def _handoff(path: Path, value: Any) -> Mapping[str, int | bool]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: handoff must be a table")
    for name, setting in value.items():
        if name not in _HANDOFF:
            raise ConfigError(f"{path}: unknown key 'handoff.{name}'; known are {', '.join(_HANDOFF)}")
        if _HANDOFF[name] is bool and not isinstance(setting, bool):
            raise ConfigError(f"{path}: handoff.{name} must be true or false")
        if _HANDOFF[name] is int and (type(setting) is not int or setting < 0):
            raise ConfigError(f"{path}: handoff.{name} must be a number of characters")
    return value


def _keymap(path: Path, value: Any) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: keymap must be a table")
    for name, keys in value.items():
        if not isinstance(keys, str) or not keys:
            raise ConfigError(f"{path}: keymap.{name} must be a text such as 'ctrl+f,slash'")
    return value
