"""What a shell command did, without its plumbing: each program with what it was told to do and to what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtui_core.compaction.words import is_compound
from memtui_core.tools.shell.commands import DEEPEST, program_words, script_of, simple_commands
from memtui_core.tools.shell.programs import (
    BLOCKS,
    CHANGING_ADD,
    COMPILERS,
    DEEP,
    LOOKING,
    LOOKS,
    NO_ARGUMENTS,
    ON_FILES,
    RUN_FILES,
    TWO_LEVELS,
    VALUED,
)

_MOST_ARGUMENTS = 4

_BARE = re.compile(r"[a-z][a-z0-9]*(?:[-:_.][a-z0-9]+)*")
_PROGRAM = re.compile(r"[\w.+@~-]*[A-Za-z][\w.+@-]*")


@dataclass(frozen=True, slots=True)
class Part:
    """One program of a command line."""

    program: str
    verbs: tuple[str, ...]
    """What it was told to do: `test`; `run`, `build`. Empty for one that only takes files."""
    arguments: tuple[str, ...]
    """The files and names that it was given; neither options nor words."""

    @property
    def text(self) -> str:
        """The program with what matters of its arguments, as it would be typed."""
        more = ("…",) if len(self.arguments) > _MOST_ARGUMENTS else ()
        return " ".join((self.program, *self.verbs, *self.arguments[:_MOST_ARGUMENTS], *more))


def parts_of(command: str) -> tuple[Part, ...]:
    """The programs of a command that did something, in order, each once. Never raises.

    A program that only filters the output of another one is left out.
    """
    return tuple(dict.fromkeys(_parts(command, 0)))


def _parts(command: str, depth: int) -> Iterator[Part]:
    for simple in simple_commands(command):
        words = program_words(simple.words)
        if simple.piped or not words:
            continue
        script = script_of(words)
        if script is not None:
            if depth < DEEPEST:
                yield from _parts(script, depth + 1)
        elif (part := _part(words)) is not None:
            yield part


def _part(words: Sequence[str]) -> Part | None:
    program = words[0].rpartition("/")[2]
    if program in LOOKS or program in BLOCKS or not _PROGRAM.fullmatch(program) or "$" in words[0]:
        return None
    if any(word in {"--help", "--version", "-h", "-V"} for word in words[1:]):
        return None
    verbs, rest = _verbs(program, _plain(words[1:]))
    if any(verb in LOOKING and not (verb == "add" and program in CHANGING_ADD) for verb in verbs[:2]):
        return None
    arguments = tuple(dict.fromkeys(word for word in rest if _is_telling(word, program)))
    if program in RUN_FILES or program in ON_FILES:
        arguments = arguments[:1] if program in RUN_FILES else arguments
        return Part(program, (), arguments) if arguments and not verbs else None
    return Part(program, verbs, arguments)


def _plain(words: Sequence[str]) -> list[str]:
    """The words that are no options and no values of those known to take one; a lone option that runs text ends it."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in VALUED
        else:
            kept.append(word)
    return kept


def _verbs(program: str, words: Sequence[str]) -> tuple[tuple[str, ...], Sequence[str]]:
    if program in RUN_FILES | ON_FILES | COMPILERS or not words or not _is_verb(words[0]):
        return (), words
    deep = words[0] in DEEP or program in TWO_LEVELS
    count = 2 if deep and len(words) > 1 and _is_verb(words[1]) else 1
    return tuple(words[:count]), words[count:]


def _is_verb(word: str) -> bool:
    return (
        _BARE.fullmatch(word) is not None and "." not in word and not any(c.isdigit() for c in word) and len(word) < 30
    )


def _is_telling(word: str, program: str) -> bool:
    """Whether an argument names a file or a thing: a plain word or a number does not."""
    if word in NO_ARGUMENTS or not 2 < len(word) <= 120 or re.search(r"[\s$`*{}=<>\"'|;!]", word):
        return False
    if program in ON_FILES:
        return "/" in word.strip("/") or "." in word
    return any(c.isalpha() for c in word) and is_compound(word)
