"""`memtui sql`: what the index knows, asked by SQL over documented views."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import print_json, print_table, say, show, stdout_width, write
from memtui.cli.shell.line_format import cell

if TYPE_CHECKING:
    from memtui_core.store.snapshot.sql_views import SqlRows

_PLAN: Final = ("explain_key", "explain_value")
"""The columns of a plan, which has many lines."""
_WHOLE: Final = 36
"""Characters of a column that is never cut: those of an id."""
_CELL: Final = 300
"""Characters of a cell on a terminal."""


@click.command()
@click.argument("statement", required=False)
@click.option("--schema", is_flag=True, help="Print the views with their columns.")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values with a head.")
@click.option(
    "--timeout",
    metavar="SECONDS",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0.1, max=86_400),
    help="End a statement that takes longer.",
)
@data_dir_option
@json_option
@reports_errors
def sql(
    statement: str | None, schema: bool, as_csv: bool, timeout: float, data_dir: Path | None, as_json: bool
) -> None:
    """Ask the index by SQL (DuckDB): one statement that reads; - takes it from standard input.

    It sees views of sessions, turns, texts, tool_calls, touches, files, compactions, commits, pull_requests, usage and
    annotations: --schema prints them. It can read no file, load nothing and write nothing. Times are in UTC.
    """
    if schema:
        from memtui_core.store.snapshot.sql_views import schema_lines

        show("\n".join(schema_lines()))
        return
    if as_csv and as_json:
        raise click.UsageError("--csv and --json exclude each other.")
    if statement == "-":
        statement = sys.stdin.buffer.read().decode(errors="surrogateescape")
    if not (statement or "").strip():
        raise click.UsageError("Missing argument 'STATEMENT'.")
    from memtui.cli.opened import open_index

    # Some functions of DuckDB end only when they are done: ctrl+c and the limit end the process.
    with _ended_by_interrupt():
        index, end = open_index(data_dir), partial(_end, timeout)
        if as_csv:
            _print_csv(index.sql_parts(statement or "", timeout, end))
            return
        found = index.sql(statement or "", timeout, end)
    if as_json:
        print_json([dict(zip(found.columns, row, strict=True)) for row in found.rows])
    elif found.columns == _PLAN:
        for row in found.rows:
            show(str(row[1]))
    else:
        _print(found)


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let ctrl+c end the process at once."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _end(seconds: float) -> None:
    """Say that a statement took too long, and end the process."""
    from memtui_core.store.snapshot.sql_views import too_long

    say(f"memtui: {too_long(seconds)}")
    os._exit(1)


def _print_csv(parts: Iterable[SqlRows]) -> None:
    import csv
    import io

    for number, part in enumerate(parts):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if number == 0:
            writer.writerow(part.columns)
        writer.writerows([_text(value) for value in row] for row in part.rows)
        write(text.getvalue())


def _print(found: SqlRows) -> None:
    """Print a table: on a terminal as much of it as fits, otherwise each row on a line with its whole values."""
    from memtui.wording.formatting import plural
    from memtui_core.text.controls import one_line

    longest = 0 if stdout_width() is None else _CELL
    rows = [[one_line(_text(value), longest) for value in row] for row in found.rows]
    columns = range(len(found.columns))
    numbers = [i for i in columns if found.rows and all(_is_number(row[i]) for row in found.rows)]
    left_out = print_table(
        [found.columns, *rows],
        right=numbers,
        head=True,
        shrinks={i: "end" for i in columns if any(len(row[i]) > _WHOLE for row in rows)},
        drops=tuple(reversed(columns[1:])),
    )
    if left_out:
        say(f"{plural(len(left_out), 'column')} did not fit: {', '.join(found.columns[i] for i in left_out)}.")
    if not rows:
        say("No rows.")


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _text(value: Any) -> str:
    """A value as a cell, a text as it is; empty for NULL."""
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds").removesuffix("+00:00")
    return value if isinstance(value, str) else cell(value)
