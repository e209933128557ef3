"""Printing for the command line: results to stdout, everything else to stderr, and no control characters.

Commands print only with these functions, because most of the printed text was written by others.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

from memtui_core.text.controls import label, plain

if TYPE_CHECKING:
    from memtui_core.model import Span

_redirected: ContextVar[tuple[TextIO, TextIO] | None] = ContextVar("redirected", default=None)
"""What takes the place of stdout and stderr in this thread."""


@contextmanager
def redirected(out: TextIO, error: TextIO) -> Iterator[None]:
    """Print to other streams, in this thread."""
    before = _redirected.set((out, error))
    try:
        yield
    finally:
        _redirected.reset(before)


class RecordedStream(io.TextIOWrapper):
    """A stream as of another process: what is printed is added to `chunks` with its number, in order."""

    def __init__(self, chunks: list[tuple[int, bytes]], number: int, errors: str, *, is_terminal: bool) -> None:
        super().__init__(_Recorder(chunks, number), encoding="utf-8", errors=errors, write_through=True)
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        """Whether the stream of that process is a terminal."""
        return self._is_terminal


class _Recorder(io.BytesIO):
    def __init__(self, chunks: list[tuple[int, bytes]], number: int) -> None:
        super().__init__()
        self._chunks = chunks
        self._number = number

    def write(self, data: Any, /) -> int:
        """Keep the bytes."""
        self._chunks.append((self._number, bytes(data)))
        return len(data)


def show(text: str = "") -> None:
    """Print lines of a result."""
    _echo(plain(text), _stdout())


def show_marked(before: str, text: str, spans: Iterable[Span]) -> None:
    """Print a line with the `spans` of `text` in bold, if stdout is a terminal."""
    out = _stdout()
    stream = out or sys.stdout
    bold, normal = ("\x1b[1m", "\x1b[0m") if stream is not None and stream.isatty() else ("", "")
    line, end = before, 0
    for span in spans:
        line += f"{plain(text[end : span.start])}{bold}{plain(text[span.start : span.end])}{normal}"
        end = span.end
    _echo(line + plain(text[end:]), out)


def show_paged(parts: Iterable[str]) -> None:
    """Print a long result in the user's pager, or directly if stdout is not a terminal."""
    out = _stdout()
    if out is not None and out.isatty():
        raise RuntimeError("a pager needs the terminal of the command itself")
    if out is None and sys.stdout is not None and sys.stdout.isatty():
        import click

        click.echo_via_pager(plain(part) for part in parts)
        return
    for part in parts:
        _echo(plain(part), out, end="")
    # As click ends what it pages.
    _echo("", out)


def write(text: str) -> None:
    """Print a document as UTF-8, without adding a newline. Does nothing if stdout was closed before the start."""
    out = _stdout() or sys.stdout
    if out is not None:
        out.buffer.write(plain(text).encode())
        out.buffer.flush()


def print_json(objects: Sequence[dict[str, Any]]) -> None:
    """Print a JSON list of objects, with times as ISO 8601 in UTC."""
    from memtui_core.text.json_text import json_text

    write(json_text(list(objects)))


def print_table(rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Print columns padded to their widest value; those in `right` are right-aligned."""
    table = [[label(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    for row in table:
        cells = [
            value.rjust(w) if i in right else value.ljust(w)
            for i, (value, w) in enumerate(zip(row, widths, strict=True))
        ]
        show("  ".join(cells).rstrip())


def say(text: str) -> None:
    """Print a message to stderr. A closed stderr is ignored."""
    with suppress(OSError):
        _echo(plain(text), _stderr(), is_error=True)


def say_uncaught(error: BaseException) -> None:
    """Print the traceback of an unhandled exception."""
    import traceback

    say("".join(traceback.format_exception(error)).rstrip("\n"))


def flush_stdout() -> None:
    """Flush stdout. Raises BrokenPipeError if its reader has closed it."""
    if sys.stdout is not None and _stdout() is None:
        sys.stdout.flush()


def drop_stdout() -> None:
    """Discard what is still buffered for stdout: flushing it at exit would print an error."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_progress(text: str = "") -> None:
    """Replace the last line on stderr, which must be a terminal; an empty text clears it."""
    with suppress(OSError):
        _echo(f"\r\x1b[K{label(text)}", None, is_error=True, end="")


def _echo(text: str, redirected_to: TextIO | None, *, is_error: bool = False, end: str = "\n") -> None:
    """Print to a stream that takes the place of stdout or stderr, or to these."""
    stream = redirected_to or (sys.stderr if is_error else sys.stdout)
    if stream is None:
        return
    if sys.platform == "win32" or (stream.encoding or "").lower() != "utf-8":
        # click knows what such streams need; to import it takes longer than most commands run.
        import click

        click.echo(text, file=redirected_to, nl=bool(end), err=is_error)
        return
    stream.write(f"{text}{end}")
    stream.flush()


def _stdout() -> TextIO | None:
    streams = _redirected.get()
    return streams[0] if streams else None


def _stderr() -> TextIO | None:
    streams = _redirected.get()
    return streams[1] if streams else None


def short_time(at: datetime | None) -> str:
    """A local time to the minute; a dash for None."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else "-"
