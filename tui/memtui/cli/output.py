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
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from memtui_core.text.controls import label, plain

if TYPE_CHECKING:
    from memtui_core.model import Span

Styled = tuple[str, str]
"""A text and the names of its styles, see `colours`."""
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


def show_styled(*texts: Styled) -> None:
    """Print a line of a result, in colours if stdout is a terminal that shows them."""
    out = _stdout()
    _echo(_styled(texts, shows_colours(out or sys.stdout)), out)


def show_paged(parts: Iterable[Iterable[Sequence[Styled]]]) -> None:
    """Print a long result, part by part and line by line, in the user's pager; directly if stdout is no terminal."""
    out = _stdout()
    if out is not None and out.isatty():
        raise RuntimeError("a pager needs the terminal of the command itself")
    is_coloured = shows_colours(out or sys.stdout)
    texts = ("".join(f"{_styled(line, is_coloured)}\n" for line in part) for part in parts)
    if out is None and sys.stdout is not None and sys.stdout.isatty():
        import click

        click.echo_via_pager(texts, color=None if is_coloured and _pager_is_less() else is_coloured)
        return
    for text in texts:
        _echo(text, out, end="")


def _pager_is_less() -> bool:
    """Whether click will page with `less`, and then knows whether that was asked to show colours."""
    import shlex
    import shutil

    if sys.stdin is None or not sys.stdin.isatty():
        return False
    program = next(iter(shlex.split(os.environ.get("PAGER", ""))), "less")
    return Path(program).stem == "less" and shutil.which(program) is not None


def shows_colours(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that shows colours, and the user wants them."""
    is_terminal = stream is not None and stream.isatty()
    return is_terminal and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def stdout_width() -> int | None:
    """The columns of the terminal that stdout is; None if it is none."""
    out = _stdout() or sys.stdout
    if out is None or not out.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


def matches_in(text: str, spans: Iterable[Span]) -> Iterator[Styled]:
    """A text in which spans have the style of matches."""
    end = 0
    for span in spans:
        yield text[end : span.start], ""
        yield text[span.start : span.end], "match"
        end = span.end
    yield text[end:], ""


def _styled(texts: Iterable[Styled], is_coloured: bool) -> str:
    if not is_coloured:
        return "".join(plain(text) for text, _ in texts)
    from memtui.cli.colours import coloured

    return "".join(coloured(plain(text), names) for text, names in texts)


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


def print_table(
    rows: Iterable[Sequence[str]], right: Sequence[int] = (), styles: Sequence[str] = (), *, head: bool = False
) -> None:
    """Print columns padded to their widest value; those in `right` are right-aligned.

    `styles` are the styles of the columns; with `head` the first row is the head of the table.
    """
    table = [[label(value) for value in row] for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    for number, row in enumerate(table):
        cells = [
            value.rjust(w) if i in right else value.ljust(w)
            for i, (value, w) in enumerate(zip(row, widths, strict=True))
        ]
        filled = len("  ".join(cells).rstrip())
        texts: list[Styled] = []
        for i, cell in enumerate(cells):
            style = "strong" if head and not number else styles[i] if i < len(styles) else ""
            gap = "  " if i else ""
            texts.append((f"{gap}{cell}"[:filled], style))
            filled -= len(texts[-1][0])
        show_styled(*texts)


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
