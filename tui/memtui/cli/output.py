"""Printing and asking for the command line: results to stdout, everything else to stderr, and no control characters.

Commands print only with these functions, because most of the printed text was written by others.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

import click

from memtui.system.terminals import is_closed
from memtui_core.text.controls import label, plain
from memtui_core.text.turn_range import short_session as short_session
from memtui_core.text.turn_range import short_turn as short_turn

if TYPE_CHECKING:
    from memtui_core.model import Span

Styled = tuple[str, str]
"""A text and the names of its styles, which are those of the app's style sheet (`memtui.render.rows`)."""
_LEGIBLE: Final = 24
"""Characters of a column that is cut, with less of which other columns are left out,"""
_LEAST_COLUMN: Final = 12
"""and those that are left at least."""
_TITLE: Final = 72
"""Characters of a title for which other columns are left out: git and GitHub cut longer ones."""
_MUTED: Final = "2"
_ACCENT: Final = "1;32"
_PRIMARY: Final = "36"
_SECONDARY: Final = "35"
_CODES: Final = {
    **dict.fromkeys(("muted", "number", "gutter", "note", "comment", "rule"), _MUTED),
    "thinking": "2;3",
    **dict.fromkeys(("you", "prompt"), _ACCENT),
    **dict.fromkeys(("agent", "heading"), f"1;{_PRIMARY}"),
    **dict.fromkeys(("parent", "compaction"), f"1;{_SECONDARY}"),
    **dict.fromkeys(("tool", "key", "bullet", "bar", "code", "literal", "builtin"), _SECONDARY),
    "keyword": _PRIMARY,
    "link": f"4;{_PRIMARY}",
    **dict.fromkeys(("added", "string"), "32"),
    **dict.fromkeys(("removed", "error"), "31"),
    **dict.fromkeys(("strong", "defined"), "1"),
    "top": "4",
    "em": "3",
    "struck": "9",
    "match": "1;33",
}
"""The parameters of the sequence that sets each style (SGR), in the colours of the terminal; other styles look like
plain text."""


def show(text: str = "") -> None:
    """Print lines of a result."""
    click.echo(plain(text))


def show_styled(*texts: Styled) -> None:
    """Print a line of a result, in colours if stdout is a terminal that shows them."""
    click.echo(_styled(texts, shows_colours(sys.stdout)))


def show_paged(parts: Iterable[Iterable[Sequence[Styled]]]) -> None:
    """Print a long result, part by part and line by line, in the user's pager; directly if stdout is no terminal."""
    is_coloured = shows_colours(sys.stdout)
    texts = ("".join(f"{_styled(line, is_coloured)}\n" for line in part) for part in parts)
    if sys.stdout is not None and sys.stdout.isatty():
        click.echo_via_pager(texts, color=None if is_coloured and _pager_is_less() else is_coloured)
        return
    for text in texts:
        click.echo(text, nl=False)


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
    if sys.stdout is None or not sys.stdout.isatty():
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
    return "".join(coloured(plain(text), names) for text, names in texts)


def coloured(text: str, names: str) -> str:
    """A text between the sequences that set its styles, whose names are joined by blanks, and reset them."""
    codes = ";".join(filter(None, map(_CODES.get, names.split())))
    return f"\x1b[{codes}m{text}\x1b[0m" if codes and text else text


def write(text: str) -> None:
    """Print a document as UTF-8, without adding a newline. Does nothing if stdout was closed before the start."""
    if sys.stdout is not None:
        sys.stdout.buffer.write(plain(text).encode())
        sys.stdout.buffer.flush()


def write_content(text: str) -> None:
    """Print the content of a file: as it is, but without control characters if stdout is a terminal."""
    if sys.stdout is None or sys.stdout.isatty():
        write(text)
        return
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()


def show_parts(lines: Iterable[tuple[int, str, bool]]) -> None:
    """Print lines with their numbers; one that is not certain has a question mark."""
    for number, text, is_certain in lines:
        show(f"{number:>6}{' ' if is_certain else '?'} {text}")


def print_json(objects: Sequence[dict[str, Any]]) -> None:
    """Print a JSON list of objects, with times as ISO 8601 in UTC."""
    from memtui_core.text.json_text import json_text

    write(json_text(list(objects)))


def fields_of(value: object, *names: str) -> dict[str, Any]:
    """Some attributes of a value by their names, for JSON."""
    return {name: getattr(value, name) for name in names}


def print_table(
    rows: Iterable[Sequence[str]],
    right: Sequence[int] = (),
    styles: Sequence[str] = (),
    *,
    head: bool = False,
    shrinks: Mapping[int, Literal["end", "start"]] = MappingProxyType({}),
    drops: Sequence[int] = (),
    title: int | None = None,
) -> list[int]:
    """Print columns padded to their widest value, those in `right` right-aligned; the columns that were left out.

    `styles` are the styles of the columns; with `head` the first row is the head of the table. On a terminal that is
    too narrow, the columns in `drops` are left out one by one, and those in `shrinks` are cut at their end or start:
    the column `title` last, and only where all of `drops` are left out.
    """
    table = [[label(value) for value in row] for row in rows]
    widths = _fitting(
        [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else [], shrinks, drops, title
    )
    for number, row in enumerate(table):
        cells = {
            i: row[i].rjust(w) if i in right else _cut(row[i], w, shrinks.get(i)).ljust(w) for i, w in widths.items()
        }
        filled = len("  ".join(cells.values()).rstrip())
        texts: list[Styled] = []
        for i, cell in cells.items():
            style = "strong" if head and not number else styles[i] if i < len(styles) else ""
            gap = "  " if texts else ""
            texts.append((f"{gap}{cell}"[:filled], style))
            filled -= len(texts[-1][0])
        show_styled(*texts)
    return [i for i in range(len(table[0]) if table else 0) if i not in widths]


def _fitting(longest: Sequence[int], shrinks: Iterable[int], drops: Iterable[int], title: int | None) -> dict[int, int]:
    """The width of each column that is printed on this terminal, by its index."""
    widths = dict(enumerate(longest))
    room = stdout_width() or sys.maxsize
    legible = {i: _TITLE if i == title else _LEGIBLE for i in shrinks}
    for column in drops:
        if sum(min(width, legible.get(i, width)) for i, width in widths.items()) + 2 * (len(widths) - 1) > room:
            del widths[column]
    over = sum(widths.values()) + 2 * (len(widths) - 1) - room
    for cut in (legible.keys() & widths.keys() - {title}, legible.keys() & {title}):
        while over > 0 and cut and widths[widest := max(cut, key=widths.__getitem__)] > _LEAST_COLUMN:
            widths[widest] -= 1
            over -= 1
    return widths


def _cut(value: str, width: int, where: Literal["end", "start"] | None) -> str:
    if len(value) <= width:
        return value
    return f"{value[: width - 1].rstrip()}…" if where == "end" else f"…{value[1 - width :]}"


def say(text: str) -> None:
    """Print a message to stderr. A closed stderr is ignored."""
    with suppress(OSError):
        click.echo(plain(text), err=True)


def ask(question: str, refused: str, look: str = "--dry-run") -> None:
    """Ask a question, and exit unless the answer is yes: with code 1 if it is no, with 2 if nobody can answer.

    `look` is the option that only shows what would be done.
    """
    if not sys.stdin.isatty():
        say(f"Cannot ask: standard input is not a terminal. Use --yes to write the changes, or {look} to see them.")
        sys.exit(2)
    if not click.confirm(question, err=True):
        say(refused)
        sys.exit(1)


def confirmed(question: str) -> bool:
    """Whether the answer to a question on the terminal is yes, which is what the enter key means."""
    return click.confirm(question, default=True, err=True)


def ask_secret(question: str) -> str:
    """A text that is not shown while it is typed; the first line of standard input if that is not a terminal."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    return str(click.prompt(question, hide_input=True, err=True)).strip()


def say_uncaught(error: BaseException) -> None:
    """Print the traceback of an unhandled exception."""
    import traceback

    say("".join(traceback.format_exception(error)).rstrip("\n"))


def is_stdout_closed() -> bool:
    """Whether the reader of stdout has closed it, where that can be known before something is written."""
    return is_closed(sys.stdout)


def flush_stdout() -> None:
    """Flush stdout. Raises BrokenPipeError if its reader has closed it."""
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_stdout() -> None:
    """Discard what is still buffered for stdout: flushing it at exit would print an error."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_progress(text: str = "") -> None:
    """Replace the last line on stderr, which must be a terminal; an empty text clears it."""
    with suppress(OSError):
        click.echo(f"\r\x1b[K{label(text)}", nl=False, err=True)


@contextmanager
def percent_reporter(what: str) -> Iterator[Callable[[int, int], object]]:
    """A function that shows how much of some work is done, if stderr is a terminal; the line is cleared at the end."""
    shown = -1

    def report(done: int, total: int) -> None:
        nonlocal shown
        percent = 100 * done // total if total else 100
        if percent != shown:
            shown = percent
            say_progress(f"{what} … {percent} %")

    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    try:
        yield report
    finally:
        say_progress()


def short_time(at: datetime | None) -> str:
    """A local time to the minute; a dash for None."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else "-"
