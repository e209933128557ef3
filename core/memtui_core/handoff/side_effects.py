"""Which shell commands change something, so that running one twice is not the same as once (docs/spec.md S1.4, S1.5).

A list of programs and of their sub-commands decides. A command that is on none of the lists counts as one that only
looks: of two that are the same the later is kept, which shows the newer state.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memtui_core.handoff.programs import (
    ALWAYS,
    curl,
    docker,
    find_acts,
    gh,
    git,
    installs,
    is_installer,
    make,
    perl,
    sed,
    wget,
)
from memtui_core.tools.shell import LONGEST, Simple, simple_commands

_DEEPEST = 4
"""Shells within shells."""
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "1", "2"})
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
_BEFORE: dict[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C", "-D"}),
    "env": frozenset({"-u", "-C"}),
    "time": frozenset({"-f", "-o"}),
    "nohup": frozenset(),
    "exec": frozenset({"-a"}),
    "command": frozenset(),
    "nice": frozenset({"-n"}),
    "timeout": frozenset({"-s", "-k"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "xargs": frozenset({"-I", "-n", "-P", "-L", "-d", "-s", "-a", "-E"}),
}
"""Programs that run the command behind them, with those of their options that take the next word."""
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_RUNS_WORD = re.compile(r"-[a-z]*c")
_VERSION = re.compile(r"(?<=[a-z])\d[\d.]*$")

_CHECKS: dict[str, Callable[[Sequence[str]], bool]] = {
    "git": git, "sed": sed, "gsed": sed, "perl": perl, "curl": curl, "wget": wget, "docker": docker, "podman": docker,
    "docker-compose": lambda arguments: docker(["compose", *arguments]), "gh": gh, "make": make, "gmake": make,
}  # fmt: skip


def has_side_effects(command: str) -> bool:
    """Whether a command changes files, a repository or another system; one too long to look at does. Never raises."""
    return _acts(command, 0)


def _acts(text: str, depth: int) -> bool:
    if len(text) > LONGEST or depth > _DEEPEST:
        return True
    return any(_changes(simple, depth) for simple in simple_commands(text))


def _changes(simple: Simple, depth: int) -> bool:
    words = list(simple.words)
    # Inside [[ ]] a > compares.
    if words[:1] != ["[["] and any(target not in _NOWHERE for target in simple.outputs):
        return True
    return _does(words, depth) or any(_acts(inner, depth + 1) for inner in simple.inner)


def _does(words: Sequence[str], depth: int) -> bool:
    """Whether the program that some words run changes something."""
    words = _without_prefixes(words)
    if not words or depth > _DEEPEST:
        return bool(words)
    program, arguments = _VERSION.sub("", words[0].rpartition("/")[2]), words[1:]
    if program in _SHELLS or program == "eval":
        return _acts(_script(program, arguments), depth + 1)
    if program == "find":
        return find_acts(arguments, lambda inner: _does(inner, depth + 1))
    if program == "python" and list(arguments[:2]) == ["-m", "pip"]:
        program, arguments = "pip", arguments[2:]
    if is_installer(program):
        return installs(program, arguments)
    return program in ALWAYS or (program in _CHECKS and _CHECKS[program](arguments))


def _without_prefixes(words: Sequence[str]) -> Sequence[str]:
    """The words from the program on: without keywords, assignments, and programs that only run another."""
    while words:
        first = words[0].rpartition("/")[2]
        if words[0] in _KEYWORDS or _ASSIGNED.match(words[0]):
            words = words[1:]
        elif first in _BEFORE:
            words = _behind(first, words[1:])
        else:
            break
    return words


def _behind(program: str, words: Sequence[str]) -> Sequence[str]:
    """What a program like sudo runs; nothing for `command -v`, which only tells where a program lies."""
    while words and words[0].startswith("-"):
        if program == "command" and words[0] in {"-v", "-V"}:
            return ()
        words = words[2:] if words[0] in _BEFORE[program] else words[1:]
    return words[1:] if program == "timeout" else words


def _script(program: str, arguments: Sequence[str]) -> str:
    """The commands that a shell is given as a word: `bash -lc "make"`; empty where it runs a file."""
    if program == "eval":
        return " ".join(arguments)
    for place, word in enumerate(arguments):
        if _RUNS_WORD.fullmatch(word):
            return arguments[place + 1] if place + 1 < len(arguments) else ""
        if not word.startswith("-"):
            break
    return ""
