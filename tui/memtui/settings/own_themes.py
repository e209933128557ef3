"""The user's own themes: one in each TOML file of a folder, with the fields of a theme of Textual."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from rich.errors import StyleSyntaxError
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.css.constants import VALID_STYLE_FLAGS
from textual.theme import BUILTIN_THEMES, Theme

from memtui.settings.legible import legible
from memtui.wording.suggestion import suggestion

_TYPES: Final = {"name": str, "dark": bool, "luminosity_spread": float, "text_alpha": float, "variables": dict}
"""The types of the fields that are no colours."""
_FIELDS: Final = frozenset(field.name for field in dataclasses.fields(Theme)) - {"ansi"}
_SHARE: Final = re.compile(r" +\d+(\.\d+)?%$")
"""The percentage that may follow the colour of a variable."""


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


def no_such_theme(name: str, themes: Iterable[str]) -> str:
    """A sentence for a theme that is not among these, with what was probably meant."""
    return f"There is no theme {name!r}.{suggestion(name, sorted(themes))}"


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
    if "[" in theme.name:
        # The palette would take it for markup.
        raise ThemeError(f"the name of a theme must be without brackets, and is {theme.name!r}.")
    defaults = _generated(theme, {})
    for variable, value in theme.variables.items():
        if variable not in defaults:
            raise ThemeError(f"variables.{variable}: there is no such variable.")
        _check_variable(variable, value, defaults[variable])
        try:
            legible(_generated(theme, {variable: value}), theme.dark)
        except ColorParseError:
            # Others are computed from it.
            raise _no_colour(f"variables.{variable}", value, "a colour without a percentage") from None
    return theme


def _generated(theme: Theme, variables: dict[str, str]) -> dict[str, str]:
    """The variables that an app gets from a theme of which only `variables` are its own."""
    return dataclasses.replace(theme, variables=variables).to_color_system().generate() | variables


def _check(field: str, value: object) -> None:
    """Raise ThemeError for a value that the field cannot have."""
    expected = _TYPES.get(field)
    if expected is None:
        if not _is_colour(value):
            raise _no_colour(field, value)
    elif not isinstance(value, expected) and not (expected is float and type(value) is int):
        kind = {str: "text", bool: "true or false", float: "a number", dict: "a table"}[expected]
        raise ThemeError(f"{field} must be {kind}, and is {value!r}.")
    elif isinstance(value, (int, float)) and not 0 <= value <= 1:
        raise ThemeError(f"{field} must be a number from 0 to 1, and is {value!r}.")


def _check_variable(name: str, value: object, default: str) -> None:
    """Raise ThemeError for a value that the variable cannot have."""
    if "style" in name:
        if not _is_style(value):
            raise ThemeError(f'variables.{name} must be a style, such as "bold underline", and is {value!r}.')
        return
    colour = _SHARE.sub("", value) if isinstance(value, str) else value
    # Only text can have a colour that depends on what is below it.
    if not _is_colour(colour) and not (colour == "auto" and default.startswith("auto")):
        raise _no_colour(f"variables.{name}", value)


def _is_style(value: object) -> bool:
    if not isinstance(value, str) or not value.strip() or not VALID_STYLE_FLAGS.issuperset(value.split()):
        return False
    try:
        Style.parse(value)
    except StyleSyntaxError:
        return False
    return True


def _is_colour(value: object) -> bool:
    try:
        return isinstance(value, str) and Color.parse(value) is not None
    except ColorParseError:
        return False


def _no_colour(field: str, value: object, needed: str = "a colour") -> ThemeError:
    return ThemeError(f'{field} must be {needed}, such as "#88c0d0", and is {value!r}.')
