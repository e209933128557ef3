"""Shell commands that only look, and how a command is named in one line."""

from __future__ import annotations

import re
from functools import lru_cache

from memtui_core.tools.shell.commands import LONGEST, program_words, simple_commands
from memtui_core.tools.shell.effects import has_side_effects
from memtui_core.tools.shell.program_effects import GIT_VALUES
from memtui_core.tools.shell.programs import BLOCKS, GIT_KEEPS_CONTENT, LOOKS, words

_NO_LOOKS = words("sleep wait source . eval exit bg fg disown open clear curl wget ping xargs kill tee mktemp ulimit")
"""Programs of `LOOKS` that wait, reach other machines or run something."""
_GIT_LOOKS = GIT_KEEPS_CONTENT - {"add"} | words("rev-parse describe ls-tree cat-file shortlog branch remote worktree")
_SEARCHES = words("grep egrep fgrep zgrep rg ag ack test [ [[ which pgrep cmp")
"""Programs whose exit code 1 says that there is none."""
_SHORTEN = words("head tail cat tee")
"""Programs that pass on what they read, or a part of it."""
_LEADS = re.compile(
    r"\s*(?:#[^\n]*(?:\n|\Z)|set [-+][^\n;&|]*(?:\n|;|&&)"
    r"|cd (?:[^\s;&|'\"]+|'[^']*'|\"[^\"]*\")[ \t]*(?:&&|;|\n)\s*+(?=\S))"
)
"""What stands before the command proper: comments, options of the shell, a change of the folder."""


@lru_cache(maxsize=1024)
def only_looks(command: str) -> bool:
    """Whether a command only shows files and what is known of them: each of its programs is known to do no more."""
    if len(command) > LONGEST or has_side_effects(command):
        return False
    simple = [program_words(one.words) for one in simple_commands(command)]
    return any(simple) and all(map(_looks, filter(None, simple))) and "$(" not in command and "`" not in command


def _looks(program: list[str]) -> bool:
    name = program[0].rpartition("/")[2]
    if name == "git":
        return _git_command(program[1:]) in _GIT_LOOKS
    return name in LOOKS and name not in _NO_LOOKS and name not in BLOCKS


def _git_command(arguments: list[str]) -> str:
    """The first word that is no option, nor the value of one."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in GIT_VALUES else 1
    return arguments[at] if at < len(arguments) else ""


def ends_in_search(command: str) -> bool:
    """Whether the last program of a command is one whose exit code 1 says that nothing was found."""
    programs = [program_words(one.words) for one in simple_commands(command) if one.words]
    return bool(programs and programs[-1]) and programs[-1][0].rpartition("/")[2] in _SEARCHES


def hides_outcome(command: str, *, has_output: bool) -> bool:
    """Whether the exit code of a command may be that of another program than those that do something.

    Of a pipe it is that of the last program, which does not matter if it only shortens what was printed, and that was
    nothing.
    """
    acted = False
    for simple in simple_commands(command):
        program = program_words(simple.words)
        if simple.end in {"||", "&"} or (
            simple.piped and (has_output or not program or program[0].rpartition("/")[2] not in _SHORTEN)
        ):
            return True
        if acted and program and not simple.piped:
            return True
        is_act = bool(program) and program[0].rpartition("/")[2] not in LOOKS
        acted = simple.end in {";", "\n"} and (acted or is_act)
    return False


def command_line(command: str) -> str:
    """The first line of a command that says what it does; ` …` stands for further lines, such as a here-document.

    A change of the folder, options of the shell and comments before it are left out.
    """
    start = 0
    while match := _LEADS.match(command, start):
        start = match.end()
    lines = (command[start:].strip() or command.strip()).split("\n")
    return lines[0].rstrip() + (" …" if len(lines) > 1 else "")
