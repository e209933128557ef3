"""What completes a word in a shell: read from a generated table of commands and from the small file of the indexer.

A person waits for it after each `tab`, so it imports next to nothing and opens no index, unless that file is missing or
the user has archived or tagged something since. It never fails: then nothing is completed.
"""

from __future__ import annotations

import json
import os

from memtui.agents.hooks.process import end_with
from memtui.cli.shell.command_table import COMMANDS, FILTERS
from memtui.cli.shell.words import bash_line, bash_quoted
from memtui_core.system.own_folders import COMPLETION, annotations_stamp, data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, NamedTuple, NoReturn

    class Candidate(NamedTuple):
        """What a word can be completed to."""

        value: str
        about: str = ""
        """What is said of it."""
        is_open: bool = False
        """Whether more of the same word follows."""
else:
    from collections import namedtuple

    # `typing` takes as long to import as all else.
    Candidate = namedtuple("Candidate", ("value", "about", "is_open"), defaults=("", False))

FILES, FOLDERS = "files", "folders"
"""The answers that leave it to the shell to complete names on the disk."""
LISTING = ("33", "63", "64")
"""The values of COMP_TYPE in bash with which candidates are listed, and not inserted."""


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer on standard output, and end the process with code 0.

    In bash the arguments are `bash`, the line up to the cursor, COMP_WORDBREAKS and COMP_TYPE; in zsh and fish the name
    of the shell, the words before the cursor without quotes, the first of which is the command, and the word at it.

    The first line says what follows: `words`, or that the shell completes `files` or `folders` itself. Each other line
    is a candidate: in bash as it is inserted, after a sign: `+` if a blank follows, otherwise `-`; in the others a
    value, a tab and what is said of it.
    """
    try:
        lines = list(answer(arguments))
    except Exception:
        # Nothing is completed, and nothing disturbs the line that is typed.
        lines = []
    end_with("".join(f"{line}\n" for line in lines))


def answer(arguments: Sequence[str]) -> Iterable[str]:
    """The lines of an answer."""
    shell, *rest = arguments
    if shell != "bash":
        *before, typed = rest
        found = candidates(before[1:], typed)
        if isinstance(found, str):
            return [found]
        return ["words", *(f"{'-' if one.is_open else '+'}{one.value}\t{one.about}" for one in found)]
    line, breaks, kind = rest
    words, at = bash_line(line, breaks)
    found = candidates(words[1:], at.text)
    if isinstance(found, str):
        return [found]
    shows = kind in LISTING and len(found) > 1
    return [
        "words",
        *(
            f"{'-' if one.is_open else '+'}{quoted}{f'  ({one.about})' if shows and one.about else ''}"
            for one in found
            if (quoted := bash_quoted(one.value[at.kept :], at.quote)) is not None
        ),
    ]


def candidates(before: Sequence[str], typed: str) -> list[Candidate] | str:
    """What completes a word after others, the command itself left out; or FILES or FOLDERS."""
    command, expected, takes_options = "", None, True
    options, arguments, folder = COMMANDS[""]["options"], 0, ""
    for word in before:
        if expected is not None:
            folder, expected = word if expected == "data-dir" else folder, None
        elif takes_options and word == "--":
            takes_options = False
        elif takes_options and word.startswith("-") and len(word) > 1:
            name, equals, value = word.partition("=")
            kind = options.get(name, ("",))[0]
            if kind and equals:
                folder = value if kind == "data-dir" else folder
            elif kind:
                expected = kind
        elif (longer := f"{command} {word}".strip()) in COMMANDS and not arguments:
            command, options = longer, COMMANDS[longer]["options"]
        else:
            arguments += 1
    known = _Known(folder)
    if expected is not None:
        return _values(known, expected, typed)
    if takes_options and typed.startswith("-") and "=" in typed:
        name, _, value = typed.partition("=")
        kind = options.get(name, ("",))[0]
        found = _values(known, kind, value) if kind else []
        return found if isinstance(found, str) else [one._replace(value=f"{name}={one.value}") for one in found]
    if takes_options and typed.startswith("-"):
        named = _matching([Candidate(name, about) for name, (_, about) in options.items()], typed)
        # What is excluded from a query begins as an option does.
        if named or typed.startswith("--"):
            return named
    return _arguments(known, COMMANDS[command], arguments, typed)


def _arguments(known: _Known, command: Any, number: int, typed: str) -> list[Candidate] | str:
    if command["commands"]:
        return _matching([Candidate(name, about) for name, about in command["commands"].items()], typed)
    kinds = command["arguments"]
    if not kinds or (number >= len(kinds) and not command["repeats"]):
        return []
    return _values(known, kinds[min(number, len(kinds) - 1)], typed)


def _values(known: _Known, kind: str, typed: str) -> list[Candidate] | str:
    """What completes a value of a kind; `a|b` is either of two, `=a b` one of a fixed list."""
    if kind.startswith("="):
        return _matching([Candidate(value) for value in kind[1:].split()], typed)
    if kind in {"path", "data-dir"}:
        return FILES
    if kind == "folder":
        return FOLDERS
    if kind == "query":
        return _query(known, typed)
    return [one for each in kind.split("|") for one in _matching(known.of(each), typed)]


def _query(known: _Known, typed: str) -> list[Candidate]:
    """What completes a word of a query: the name of a filter, or its value."""
    minus = "-" if typed.startswith("-") else ""
    name, colon, value = typed[len(minus) :].partition(":")
    if not colon:
        return _matching([Candidate(f"{minus}{each}:", about, True) for each, about in FILTERS.items()], typed)
    if name not in FILTERS:
        return []
    quote = '"' if value.startswith('"') else ""
    found = _matching(known.of(name), value[len(quote) :])
    return [one._replace(value=f"{minus}{name}:{_in_query(one.value, quote)}") for one in found if '"' not in one.value]


def _in_query(value: str, quote: str) -> str:
    quote = quote or ('"' if any(map(str.isspace, value)) else "")
    return f"{quote}{value}{quote}"


def _matching(found: Iterable[Candidate], typed: str) -> list[Candidate]:
    """Those that begin as typed; in another case only if none does."""
    listed = list(found)
    exact = [one for one in listed if one.value.startswith(typed)]
    lower = typed.lower()
    return exact or [one for one in listed if one.value.lower().startswith(lower)]


class _Known:
    """What the file of the indexer says, which is read when it is asked for."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.expanduser(folder) if folder else data_folder()  # noqa: PTH111
        self._content: dict[str, Any] | None = None

    def of(self, kind: str) -> list[Candidate]:
        """The sessions, or the values of a filter; nothing if there is no index."""
        if self._content is None:
            self._content = self._read() or self._written_anew() or {}
        if kind == "session":
            return [Candidate(session_id, about) for session_id, about in self._content.get("sessions", ())]
        return [Candidate(value) for value in self._content.get("values", {}).get(kind, ())]

    def _read(self) -> dict[str, Any] | None:
        """The content of the file; None if there is none, or if the user has added something since."""
        try:
            with open(f"{self._folder}/{COMPLETION}", "rb") as file:  # noqa: PTH123
                content: dict[str, Any] = json.load(file)
            is_new = content["annotations"] == annotations_stamp(self._folder)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return content if is_new else None

    def _written_anew(self) -> dict[str, Any] | None:
        if not os.path.exists(f"{self._folder}/snapshots/CURRENT"):  # noqa: PTH110
            return None
        from pathlib import Path

        from memtui_core.ingest.writing.completion_file import write_completions
        from memtui_core.store.data_folder import DataDir
        from memtui_core.system.private_files import make_private

        make_private()
        write_completions(DataDir(Path(self._folder)))
        return self._read()
