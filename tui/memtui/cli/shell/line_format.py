r"""The option `--format` of lists: a line for each row, for `fzf` and other programs: `{id}\t{project}\t{title}`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import click

from memtui.cli.output import show

Command = TypeVar("Command", bound=Callable[..., Any])
_PART: Final = re.compile(r"\{\{|\}\}|\\[t\\]|\{([^{}]*)\}|[{}]")
_SIGNS: Final = {"{{": "{", "}}": "}", "\\t": "\t", "\\\\": "\\"}
ID: Final = "id"
"""The field that names a row for other commands, besides those of --json."""


class LineFormat:
    """A format whose fields are known."""

    def __init__(self, text: str, fields: Sequence[str]) -> None:
        """Raises click.BadParameter for a field that is unknown, and for a brace that is none of a field."""
        self._parts: list[tuple[str, str]] = []
        """A text and the field after it; empty for none."""
        end, before = 0, ""
        for part in _PART.finditer(text):
            before += text[end : part.start()]
            end = part.end()
            if part[0] in _SIGNS:
                before += _SIGNS[part[0]]
                continue
            name = part[1]
            if name is None:
                raise click.BadParameter(f"a single {part[0]} is written {part[0]}{part[0]}.")
            if name not in fields:
                raise click.BadParameter(_unknown(name, fields))
            self._parts.append((before, name))
            before = ""
        self._parts.append((before + text[end:], ""))

    def line(self, row: Mapping[str, Any]) -> str:
        """The line of a row."""
        return "".join(f"{before}{cell(row[name]) if name else ''}" for before, name in self._parts)


def format_option(fields: Sequence[str]) -> Callable[[Command], Command]:
    """The option, for a list whose rows have these fields."""

    def made(context: click.Context, parameter: click.Parameter, value: str | None) -> LineFormat | None:
        return None if value is None else LineFormat(value, (ID, *fields))

    return click.option(
        "--format",
        "line_format",
        metavar="FORMAT",
        callback=made,
        help=r"Print a line for each: fields of --json, and {id}, in braces: '{id}\t{project}\t{title}'.",
    )


def print_lines(line_format: LineFormat, rows: Iterable[Mapping[str, Any]]) -> None:
    """Print a line for each row."""
    for row in rows:
        show(line_format.line(row))


def cell(value: Any) -> str:
    """A value of a row on one line, without tabs and control characters; empty for None."""
    from memtui_core.text.controls import one_line
    from memtui_core.text.json_text import json_text

    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, list | tuple) and not any(isinstance(one, dict | list | tuple) for one in value):
        return ", ".join(map(cell, value))
    if isinstance(value, list | tuple | dict):
        return json_text(value, indent=False).rstrip("\n")
    return str(value)


def _unknown(name: str, fields: Sequence[str]) -> str:
    from memtui.wording.suggestion import suggestion

    meant = suggestion(name, fields)
    return (
        f"There is no field {name!r}.{meant}"
        if meant
        else f"There is no field {name!r}; there are: {', '.join(fields)}."
    )
