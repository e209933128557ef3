"""Results as JSON or as lines for a person."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import click


def print_json(objects: Sequence[dict[str, Any]]) -> None:
    """One JSON document: a list of objects, times as ISO 8601 in UTC."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE
    print_bytes(orjson.dumps(list(objects), option=options))


def print_bytes(data: bytes) -> None:
    """Results as they are. A stdout that was closed before the start takes nothing."""
    if sys.stdout is not None:
        sys.stdout.buffer.write(data)
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
    """Tell the person something that is no result. Work goes on where nobody listens any more."""
    with suppress(OSError):
        click.echo(text, err=True)


def flush_stdout() -> None:
    """Have everything out. Raises BrokenPipeError when its reader has gone away."""
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_stdout() -> None:
    """Let what is still to be printed go nowhere: the interpreter would complain of it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def moment(at: datetime | None) -> str:
    """A local time to the minute, a dash for none."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else "-"
