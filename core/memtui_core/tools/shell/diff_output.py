"""The lines of a diff in a text: in the output of `git diff`, `git show`, `git log -p` or `diff -u`, or pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import Literal

from memtui_core.tools.shell.commands import program_words, simple_commands
from memtui_core.tools.shell.program_effects import GIT_VALUES, from_subcommand

DiffLineKind = Literal["", " ", "+", "-", "@", "file"]
"""Nothing of a diff; context, an added or a removed line; the head of a hunk; a head that names files or a commit."""

_HUNK = re.compile(r"(@@+) -\d+(?:,(\d+))? (?:-\S+ )*\+\d+(?:,(\d+))? \1(?: |$)")
_ANY = 1 << 30
_FILE = re.compile(
    r"diff --(?:git|cc|combined) |Binary files .* differ$"
    r"|(?:index|similarity index|rename (?:from|to)|(?:new|deleted) file mode|old mode|new mode) \S"
)
_COMMIT = re.compile(r"commit [0-9a-f]{7,40}\b")
_OLD_FILE, _NEW_FILE = "--- ", "+++ "
_HUNK_KINDS = frozenset({" ", "+", "-", "@"})
_NO_NEWLINE = "\\ No newline"
_FILTERS = frozenset({"head", "tail", "grep", "egrep", "sed", "cat", "less", "tee"})
"""Programs that pass on lines of their input."""
_SILENT = frozenset({"cd", "set", "export", "true", "pushd", "popd"})
_SHORT = re.compile(
    r"--(?:stat|shortstat|numstat|dirstat|summary|name-only|name-status|check|raw|no-patch|word-diff|color-words)|-s$"
)
"""Options with which git names what has changed, and prints no diff."""


def prints_diff(command: str) -> bool:
    """Whether all that a command prints is a diff, or a part of one."""
    is_diff = False
    for simple in simple_commands(command):
        words = program_words(simple.words)
        if not words or words[0] in _SILENT or (simple.piped and words[0] in _FILTERS):
            continue
        if not _is_diff(words):
            return False
        is_diff = True
    return is_diff


def _is_diff(words: Sequence[str]) -> bool:
    """Whether the program in the words of a simple command prints a diff."""
    program, arguments = words[0].rpartition("/")[2], list(words[1:])
    if program in {"diff", "colordiff"}:
        return any(re.fullmatch(r"-[a-zA-Z]*[uU]\d*\w*|--unified.*", word) for word in arguments)
    if program == "gh":
        return arguments[:2] == ["pr", "diff"] and "--name-only" not in arguments
    if program != "git" or any(_SHORT.match(word) for word in arguments):
        return False
    action, *options = from_subcommand(arguments, GIT_VALUES) or [""]
    if action in {"log", "stash"}:
        return any(option in {"-p", "-u", "--patch"} for option in options)
    if action == "show":
        return not any(map(_names_file_in_commit, takewhile(lambda option: option != "--", options)))
    return action in {"diff", "diff-tree", "format-patch"}


def _names_file_in_commit(argument: str) -> bool:
    """Whether an argument of `git show` prints a file as it is in a commit, as `HEAD:README.md` does."""
    return ":" in argument and not argument.startswith(("-", ":/"))


def diff_lines(lines: Sequence[str], is_diff: bool = False) -> list[DiffLineKind]:
    """What each line of a text is in the diffs that the text contains.

    A hunk is recognized by its head, which says how many lines follow. `is_diff` says that all is a diff, so that it
    may also begin or go on in the middle of a hunk whose head is not there.
    """
    if not is_diff and not any(line.startswith("@@") for line in lines):
        return [""] * len(lines)
    result: list[DiffLineKind] = []
    # Columns with signs: one for each parent of a merge.
    columns = 1
    # Lines of either file that are left of the hunk.
    old = new = 0
    # Whether a sign counts although no head says how many lines follow.
    is_open = is_diff
    for index, line in enumerate(lines):
        signs = line[:columns]
        if head := _HUNK.match(line):
            columns = len(head[1]) - 1
            # The hunk of a merge has no simple count: it ends with the first line without signs.
            old, new = (int(size or 1) for size in head.groups()[1:]) if columns == 1 else (_ANY, _ANY)
            result.append("@")
        elif (old > 0 or new > 0) and not signs.strip("+- \\"):
            old -= not signs.startswith(("+", "\\"))
            new -= not signs.startswith(("-", "\\"))
            result.append("+" if "+" in signs else "-" if "-" in signs else " ")
        elif line.startswith(_NO_NEWLINE) and result and result[-1] in _HUNK_KINDS:
            # The hunk is complete: its head does not count this line.
            result.append(" ")
        else:
            is_open = is_open or (is_diff and (old > 0 or new > 0))
            old = new = 0
            kind = _outside(lines, index, is_open)
            is_open = is_open and kind != "file"
            result.append(kind)
    return result


def written_diff_lines(lines: Sequence[str], is_diff: bool = True) -> list[DiffLineKind]:
    """As `diff_lines`, for what people or models wrote: the head of a hunk may count too few lines."""
    kinds = diff_lines(lines, is_diff)
    for index, line in enumerate(lines):
        if index and not kinds[index] and kinds[index - 1] in _HUNK_KINDS and line.startswith(("+", "-")):
            kinds[index] = "+" if line[0] == "+" else "-"
    return kinds


def diff_ranges(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The first line and the end of each unified diff in what somebody wrote; file heads without a hunk are none."""
    kinds = written_diff_lines(lines, is_diff=False)
    for is_diff, group in groupby(range(len(lines)), lambda index: kinds[index] != ""):
        run = tuple(group)
        if is_diff and "@" in kinds[run[0] : run[-1] + 1]:
            # The head of a hunk may also count too many lines: blank ones follow the diff.
            yield run[0], max(index for index in run if lines[index].strip()) + 1


def _outside(lines: Sequence[str], index: int, is_open: bool) -> DiffLineKind:
    """What a line is that belongs to no hunk with a head."""
    line = lines[index]
    if _FILE.match(line) or _COMMIT.match(line):
        return "file"
    following = lines[index + 1] if index + 1 < len(lines) else ""
    before = lines[index - 1] if index else ""
    if line.startswith(_OLD_FILE) and following.startswith(_NEW_FILE):
        return "file"
    if line.startswith(_NEW_FILE) and before.startswith(_OLD_FILE):
        return "file"
    if is_open and line[:1] in {"+", "-"}:
        return "+" if line[0] == "+" else "-"
    return ""
