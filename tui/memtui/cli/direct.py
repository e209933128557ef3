"""Plain calls of the app and of the commands that agents run most, without click: importing it takes longer than they.

Only what needs no thought is read here: known options in their long form, and words. Everything else, such as help, a
wrong value or an unknown option, is left to click, whose commands call the same functions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from memtui.cli.errors import reporting
from memtui.cli.output import say

Values = dict[str, Any]


class Option(NamedTuple):
    """An option: the name of its parameter, how its value is read, None for a flag, and whether it may be repeated."""

    parameter: str
    read: Callable[[str], Any] | None = None
    repeats: bool = False


class _Left(Exception):
    """Raised for arguments that click must read."""


def _between(least: int, most: int | None = None) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise _Left
        number = int(text)
        if number < least or (most is not None and number > most):
            raise _Left
        return number

    return read


def _readable(text: str) -> Path:
    if not os.access(text, os.R_OK):
        raise _Left
    return Path(text)


APP: Final = ""
"""The name of no command: the app."""
_SHARED: Final = {"--data-dir": Option("data_dir", Path), "--json": Option("as_json")}
OPTIONS: Final[Mapping[str, Mapping[str, Option]]] = {
    APP: {
        "--data-dir": Option("data_dir", Path),
        "--source": Option("sources", _readable, repeats=True),
        "--or-demo": Option("or_demo"),
    },
    "search": {"--limit": Option("limit", _between(1, 1000)), **_SHARED},
    "show": {"--no-tools": Option("no_tools"), "--no-thinking": Option("no_thinking"), **_SHARED},
    "files": {"--sessions": Option("by_turn"), **_SHARED},
    "recall": {
        "--file": Option("file", str),
        "--session": Option("session", str),
        "--boundary": Option("boundary", _between(0)),
        "--everywhere": Option("everywhere"),
        "--limit": Option("limit", _between(1, 100)),
        **_SHARED,
    },
}
"""The options of each command."""
_DEFAULTS: Final[Mapping[str, Values]] = {
    APP: {"sources": ()},
    "search": {"limit": 20},
    "show": {},
    "files": {},
    "recall": {"limit": 5, "file": None, "session": None, "boundary": None},
}


def values_of(arguments: Sequence[str]) -> Values | None:
    """The values of the parameters of a command, as click reads them; None if click has to."""
    command, rest = _command(arguments)
    if command not in OPTIONS or sys.platform == "win32" or "_MEMTUI_COMPLETE" in os.environ:
        return None
    options = OPTIONS[command]
    flags = {option.parameter: False for option in options.values() if option.read is None}
    values: Values = {**flags, "data_dir": None, **_DEFAULTS[command]}
    try:
        words = _read(rest, options, values)
    except _Left:
        return None
    if command in {"search", "recall"}:
        values["query"] = tuple(words)
        is_complete = bool(words) if command == "search" else bool(words) != bool(values["file"])
    elif command == APP:
        is_complete = not words
    else:
        values["session" if command == "show" else "pattern"] = words[0] if words else ""
        is_complete = len(words) == 1 if command == "show" else len(words) < 2
    return values if is_complete else None


def _command(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The command, and its arguments."""
    return (arguments[0], arguments[1:]) if arguments and arguments[0][:1] not in {"-", ""} else (APP, arguments)


def _read(arguments: Sequence[str], options: Mapping[str, Option], values: Values) -> list[str]:
    """The words among some arguments; the values of the options are added to `values`."""
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument[:1] not in {"-", ""}:
            words.append(argument)
            continue
        name, equals, value = argument.partition("=")
        option = options.get(name)
        if option is None or (equals and option.read is None):
            raise _Left
        if option.read is None:
            values[option.parameter] = True
            continue
        if not equals:
            value = next(rest, "-")
        if value[:1] in {"-", ""}:
            raise _Left
        read = option.read(value)
        values[option.parameter] = (*values[option.parameter], read) if option.repeats else read
    return words


def run_directly(arguments: Sequence[str]) -> bool:
    """Run a command; False, with nothing printed, if click has to."""
    values = values_of(arguments)
    if values is None:
        return False
    command, _ = _command(arguments)
    try:
        with reporting(values["data_dir"], (_Left,)):
            try:
                _function(command)(**values)
            except Exception as error:
                # A mistake in an argument: click prints it with the usage of the command.
                if "click" in sys.modules and _is_of_click(error):
                    raise _Left from error
                raise
    except _Left:
        return False
    except KeyboardInterrupt:
        say("\nAborted!")
        sys.exit(1)
    return True


def _function(command: str) -> Callable[..., None]:
    if command == APP:
        from memtui.cli.launch import open_app

        return open_app
    if command == "search":
        from memtui.cli.search_output import print_hits

        return print_hits
    if command == "show":
        from memtui.cli.show_output import print_session

        return print_session
    if command == "files":
        from memtui.cli.files_output import print_files

        return print_files
    from memtui.cli.recall_output import print_recalled

    return print_recalled


def _is_of_click(error: Exception) -> bool:
    import click

    return isinstance(error, click.ClickException)
