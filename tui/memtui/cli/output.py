"""Results as JSON or as lines for a person."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import click
import orjson


def print_json(objects: Sequence[dict[str, Any]]) -> None:
    """One JSON document: a list of objects, times as ISO 8601 in UTC."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE
    sys.stdout.buffer.write(orjson.dumps(list(objects), option=options))
    sys.stdout.buffer.flush()


def print_table(rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Columns padded to their widest value; those in `right` are right-aligned."""
    table = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    for row in table:
        cells = [
            value.rjust(w) if i in right else value.ljust(w)
            for i, (value, w) in enumerate(zip(row, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())


def say(text: str) -> None:
    """Tell the person something that is no result."""
    click.echo(text, err=True)


def moment(at: datetime | None) -> str:
    """A local time to the minute, a dash for none."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else "-"
