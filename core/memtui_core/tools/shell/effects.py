"""Whether a shell command has side effects, so that running it twice differs from running it once.

Lists of programs and their subcommands decide. A command that is in none of the lists counts as read-only: of two
identical ones only the later is kept, which shows the newer state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memtui_core.tools.shell.commands import (
    DEEPEST,
    LONGEST,
    SimpleCommand,
    program_words,
    script_of,
    simple_commands,
)
from memtui_core.tools.shell.files import NOWHERE, writes_in_place
from memtui_core.tools.shell.program_effects import (
    ALWAYS,
    curl,
    docker,
    find_acts,
    gh,
    git,
    installs,
    is_installer,
    make,
    wget,
)

_VERSION = re.compile(r"(?<=[a-z])\d[\d.]*$")

_CHECKS: dict[str, Callable[[Sequence[str]], bool]] = {
    "git": git, "curl": curl, "wget": wget, "docker": docker, "podman": docker,
    "docker-compose": lambda arguments: docker(["compose", *arguments]), "gh": gh, "make": make, "gmake": make,
}  # fmt: skip


def has_side_effects(command: str) -> bool:
    """Whether a command changes files, a repository or another system; True if it is too long. Never raises."""
    return _acts(command, 0)


def _acts(text: str, depth: int) -> bool:
    if len(text) > LONGEST or depth > DEEPEST:
        return True
    return any(_changes(simple, depth) for simple in simple_commands(text, keep_open=True))


def _changes(simple: SimpleCommand, depth: int) -> bool:
    words = simple.words
    # Inside [[ ]], > is a comparison.
    if words[:1] != ("[[",) and any(target not in NOWHERE for target in simple.outputs):
        return True
    return _program_changes(words, depth) or any(_acts(inner, depth + 1) for inner in simple.inner)


def _program_changes(words: Sequence[str], depth: int) -> bool:
    """Whether the program in the words of a command changes something."""
    words = program_words(words)
    if not words or depth > DEEPEST:
        return bool(words)
    program, arguments = _VERSION.sub("", words[0].rpartition("/")[2]), words[1:]
    if (script := script_of(words)) is not None:
        return _acts(script, depth + 1)
    if program == "find":
        return find_acts(arguments, lambda inner: _program_changes(inner, depth + 1))
    if program == "python" and list(arguments[:2]) == ["-m", "pip"]:
        program, arguments = "pip", arguments[2:]
    if is_installer(program):
        return installs(program, arguments)
    if program in ALWAYS or writes_in_place(program, arguments):
        return True
    return program in _CHECKS and _CHECKS[program](arguments)
