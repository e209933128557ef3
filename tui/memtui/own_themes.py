"""The user's own themes: one in each TOML file of a folder, with the fields of a theme of Textual."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

FOLDER: Final = "themes"
"""Name of the folder beside the settings."""
_TYPES: Final = {"name": str, "dark": bool, "luminosity_spread": float, "text_alpha": float, "variables": dict}
"""The types of the fields that are no colours."""
_FIELDS: Final = frozenset(field.name for field in dataclasses.fields(Theme)) - {"ansi"}
_STYLES: Final = frozenset({"none", "bold", "dim", "italic", "underline", "reverse", "strike"})


class ThemeError(ValueError):
    """A file holds no theme; the message says why."""


def load_themes(folder: Path) -> tuple[list[Theme], list[str]]:
    """The themes of the files in a folder by their names, and a sentence for each file that holds none."""
    themes: list[Theme] = []
    failures: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            themes.append(_theme(path.stem, tomllib.loads(path.read_text(encoding="utf-8"))))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ThemeError) as error:
            failures.append(f"{path}: {error}")
    return themes, failures


def _theme(name: str, data: Mapping[str, Any]) -> Theme:
    """The theme of a file; its name is that of the file unless it has another."""
    for field, value in data.items():
        if field not in _FIELDS:
            raise ThemeError(f"a theme has no field {field!r}.")
        _check(field, value)
    if "primary" not in data:
        raise ThemeError("primary is missing: the colour from which the others are made.")
    theme = Theme(**{"name": name, **data})
    if theme.name in BUILTIN_THEMES:
        raise ThemeError(f"{theme.name!r} is the name of a theme that comes with memtui.")
    known = theme.to_color_system().generate()
    for variable, value in theme.variables.items():
        if variable not in known:
            raise ThemeError(f"variables.{variable}: there is no such variable.")
        _check_variable(variable, value)
    return theme


def _check(field: str, value: object) -> None:
    """Raise ThemeError for a value that the field cannot have."""
    expected = _TYPES.get(field)
    if expected is None:
        _check_colour(field, value)
    elif not isinstance(value, expected) and not (expected is float and type(value) is int):
        kind = {str: "text", bool: "true or false", float: "a number", dict: "a table"}[expected]
        raise ThemeError(f"{field} must be {kind}, and is {value!r}.")


def _check_variable(name: str, value: object) -> None:
    if name.endswith("style"):
        if not isinstance(value, str) or not value or not _STYLES.issuperset(value.split()):
            raise ThemeError(f'variables.{name} must be a style, such as "bold underline", and is {value!r}.')
    else:
        _check_colour(f"variables.{name}", value)


def _check_colour(field: str, value: object) -> None:
    """Raise ThemeError for what is no colour; a percentage may follow it."""
    colour, _, share = value.partition(" ") if isinstance(value, str) else ("", "", "")
    try:
        if colour != "auto":
            Color.parse(colour)
        if share:
            float(share.removesuffix("%"))
    except (ColorParseError, ValueError):
        raise ThemeError(f'{field} must be a colour, such as "#88c0d0", and is {value!r}.') from None
