"""Everything that the command line prints: results to stdout, the rest to stderr, and nothing that a terminal obeys.

Commands print by these functions alone: what they print is mostly text that others wrote.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from memtui_core.text.controls import label, plain
from memtui_core.text.json_text import json_text

if TYPE_CHECKING:
    from memtui_core.model import Span


def show(text: str = "") -> None:
    """Print lines of a result."""
    click.echo(plain(text))


def show_marked(before: str, text: str, spans: Iterable[Span]) -> None:
    """Print a line with parts of `text` in bold; on no terminal they are not marked."""
    line, end = before, 0
    for span in spans:
        line += plain(text[end : span.start]) + click.style(plain(text[span.start : span.end]), bold=True)
        end = span.end
    click.echo(line + plain(text[end:]))


def show_paged(parts: Iterable[str]) -> None:
    """Print a long result in the person's pager, or at once where stdout is no terminal."""
    click.echo_via_pager(plain(part) for part in parts)


def write(text: str) -> None:
    """Print a document as UTF-8, without a newline of ours. A stdout that was closed before the start takes nothing."""
    if sys.stdout is not None:
        sys.stdout.buffer.write(plain(text).encode())
        sys.stdout.buffer.flush()


def print_json(objects: Sequence[dict[str, Any]]) -> None:
    """One JSON document: a list of objects, times as ISO 8601 in UTC."""
    write(json_text(list(objects)))


def print_table(rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Columns padded to their widest value; those in `right` are right-aligned."""
    table = [[label(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    for row in table:
        cells = [
            value.rjust(w) if i in right else value.ljust(w)
            for i, (value, w) in enumerate(zip(row, widths, strict=True))
        ]
        show("  ".join(cells).rstrip())


def say(text: str) -> None:
    """Tell the person something that is no result. Work goes on where nobody listens any more."""
    with suppress(OSError):
        click.echo(plain(text), err=True)


def say_uncaught(error: BaseException) -> None:
    """Print what Python prints of an exception that nothing handled."""
    say("".join(traceback.format_exception(error)).rstrip("\n"))


def flush_stdout() -> None:
    """Have everything out. Raises BrokenPipeError when its reader has gone away."""
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_stdout() -> None:
    """Let what is still to be printed go nowhere: the interpreter would complain of it at its end."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_progress(text: str = "") -> None:
    """Replace the last line on stderr, which is a terminal; nothing clears it."""
    with suppress(OSError):
        click.echo(f"\r\x1b[K{label(text)}", nl=False, err=True)


def moment(at: datetime | None) -> str:
    """A local time to the minute, a dash for none."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else "-"
