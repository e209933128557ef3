"""The commits that a shell command made, as far as git's own output tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memtui_core.text.controls import one_line, plain
from memtui_core.tools.shell.commands import programs_run, simple_commands
from memtui_core.tools.shell.program_effects import GIT_VALUES, from_subcommand

COMMITS: Final = ("git", "commit")
"""Words that stand in every command that makes one."""
COMMIT_LINE: Final = re.compile(r"^\[[^\]\n]+ (?P<id>[0-9a-f]{7,40})\] (?P<subject>[^\n]*)", re.MULTILINE)
"""The line in which `git commit` names branch, commit and subject."""
_LONGEST_OUTPUT: Final = 60_000
"""Characters at the start and at the end of an output that are read."""
_QUIET: Final = re.compile(r"--quiet|-[a-z]*q[a-z]*")
_MESSAGE: Final = re.compile(r"-[a-z]*m(?P<short>.*)|--message(?:=(?P<long>.*))?", re.DOTALL)
_MAKES_NONE: Final = frozenset({"--dry-run", "--help", "-h", "--short", "--porcelain"})


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that a command made."""

    subject: str
    """The first line of its message; empty if it is not known."""
    amends: bool = False
    """Whether it replaced the commit before it."""
    id: str = ""
    """The beginning of its id as git's output names it, 7 characters or more; empty if it does not."""


def commits_made(command: str, output: str, *, failed: bool) -> list[Commit]:
    """The commits of a shell command with its output, in order; `failed` says that the command ended with an error.

    git names each commit in its output. One that was asked to be quiet counts if a log after it names it, or if the
    command cannot have succeeded without it: everything after it is joined by `&&`, and nothing before it by `||`.
    Of 65 commands with `git commit` in real sessions, the 46 that were taken for commits were commits; 7 commits were
    missed, of which git's output was replaced by that of another program, or the message came from a file.
    """
    asked = list(_asked(command))
    if not asked:
        return []
    text = _read(output)
    if named := [*COMMIT_LINE.finditer(text)][: len(asked)]:
        return [
            Commit(one_line(line["subject"]), "--amend" in arguments, line["id"])
            for line, arguments in zip(named, asked, strict=False)
        ]
    if len(asked) > 1 or not _is_quiet(asked[0]):
        return []
    subject = _subject(asked[0])
    logged = re.search(rf"^([0-9a-f]{{7,40}}) {re.escape(subject)}$", text, re.MULTILINE) if subject else None
    is_certain = not failed and _tells_outcome(command)
    if logged is None and not is_certain:
        return []
    # A log after a commit that failed can name an earlier one of the same subject.
    return [Commit(subject, "--amend" in asked[0], logged[1] if logged and is_certain else "")]


def commits_quietly(command: str) -> bool:
    """Whether a command has a `git commit` that was asked to print nothing."""
    return any(map(_is_quiet, _asked(command)))


def _is_quiet(arguments: Sequence[str]) -> bool:
    return any(map(_QUIET.fullmatch, arguments))


def _read(output: str) -> str:
    """The part of an output that is read, without escape sequences."""
    return plain((output[:_LONGEST_OUTPUT] + "\n" + output[_LONGEST_OUTPUT:][-_LONGEST_OUTPUT:]).replace("\\n", "\n"))


def _asked(command: str) -> Iterator[Sequence[str]]:
    """The arguments of each `git commit` in a command."""
    for program, *arguments in programs_run(command):
        if program.rpartition("/")[2] == "git":
            subcommand, *options = from_subcommand(arguments, GIT_VALUES) or [""]
            if subcommand == "commit" and _MAKES_NONE.isdisjoint(options):
                yield options


def _tells_outcome(command: str) -> bool:
    """Whether a command with one `git commit` fails if that fails."""
    simple = [one for one in simple_commands(command) if one.raw]
    place = next((index for index, one in enumerate(simple) if one.words[:1] == ("git",) and "commit" in one.words), 0)
    is_sure = all(one.end not in {"||", "|"} for one in simple[:place])
    return is_sure and all(one.end == "&&" for one in simple[place:-1]) and simple[-1].end in {"", "\n", ";"}


def _subject(arguments: Sequence[str]) -> str:
    """The first line of the message among the arguments of a commit; empty if a file or another command has it."""
    for index, argument in enumerate(arguments):
        if match := _MESSAGE.fullmatch(argument):
            message = match["short"] or match["long"] or "".join(arguments[index + 1 : index + 2])
            first = message.strip().partition("\n")[0]
            return "" if "$" in first or "`" in first else one_line(first)
    return ""
