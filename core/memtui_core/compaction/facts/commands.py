"""The programs that a shell command ran, each with its verbs, options and arguments, but without pipes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memtui_core.compaction.words import is_compound
from memtui_core.tools.call import ToolCall
from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.effects import has_side_effects
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
    words,
)

_MOST_ARGUMENTS = 4
"""Arguments of a program that are shown, and options."""
_BARE_WORD = re.compile(r"[a-z][a-z0-9]*(?:[-:_.][a-z0-9]+)*")
_OPTION = re.compile(r"--?[A-Za-z][\w-]{0,40}(?:=[\w./:-]{1,30})?")
_PROGRAM = re.compile(r"[\w.+@~-]*[A-Za-z][\w.+@-]*")
_ABOUT = words("--help --version -h -V")
"""Options with which a program only tells about itself."""
_PYTHON = re.compile(r"python[\d.]*")
_NAME_OF_FOLDER = re.compile(r"[^/\\~.][^/\\]*(?=[/\\]*\Z)")
_SHOWN_OTHERWISE = words(
    """
    --verbose --quiet --silent --color --no-color --colors --tb --maxfail --failed-first --last-failed --exitfirst
    --no-header --no-cov --reporter --reporters --trace --stacktrace --nocapture --no-capture --seed --no-progress
    --progress --bail --no-fail-fast --fail-fast --durations --no-audit --no-fund --yes
    """
)
"""Options that change neither what is run nor on what."""


@dataclass(frozen=True, slots=True)
class CommandPart:
    """One program of a command line."""

    program: str
    verbs: tuple[str, ...]
    """The subcommands: `test`; `run`, `build`. Empty for a program that only takes files."""
    arguments: tuple[str, ...]
    """The files and names among the arguments; neither options nor plain words."""
    options: tuple[str, ...] = field(default=(), compare=False)
    """The options that take no value, as far as one can tell."""

    @property
    def name(self) -> str:
        """The program with its verbs and first arguments, which identifies it: two runs may differ in options."""
        return " ".join((self.program, *self.verbs, *self._shown))

    @property
    def text(self) -> str:
        """The program with its verbs, options and first arguments, as it would be typed."""
        return " ".join((self.program, *self.verbs, *self.options[:_MOST_ARGUMENTS], *self._shown))

    @property
    def _shown(self) -> tuple[str, ...]:
        more = ("…",) if len(self.arguments) > _MOST_ARGUMENTS else ()
        return (*self.arguments[:_MOST_ARGUMENTS], *more)


def parts_of(programs: Iterable[Sequence[str]]) -> tuple[CommandPart, ...]:
    """Those programs of a command that have an effect, in order, each once. Never raises."""
    return tuple(dict.fromkeys(part for words in programs if (part := _part(words)) is not None))


def command_key(call: ToolCall) -> str:
    """What two runs of the same command share: the folder, the programs with an effect, and what they are run on.

    Empty for other tools, and for a command that only looks. `cd web && npm test -- cart.test.ts`
    """
    programs = [_as_program(words) for words in call.programs]
    if not any(programs):
        return ""
    shown = [part.name + "".join(f" {option}" for option in _telling(part.options)) for part in parts_of(programs)]
    folder = next((words[1] for words in programs_run(call.located_command) if words[0] == "cd" and words[1:]), "")
    name = _NAME_OF_FOLDER.search(folder)
    return " && ".join([*([f"cd {name[0]}"] if name else []), *shown]) if shown else ""


def only_shows(call: ToolCall) -> bool:
    """Whether a command only shows something: files, or what its programs know."""
    programs = call.programs
    if programs and all(map(_is_looking, programs)):
        return True
    return bool(programs) and not has_side_effects(call.command) and all(map(shows, programs))


def shows(words: Sequence[str]) -> bool:
    """Whether a program only shows something, or belongs to the shell and starts nothing: `cat`, `git status`, `cd`."""
    return words[0].rpartition("/")[2] in LOOKS | BLOCKS or _is_looking(words)


def _is_looking(words: Sequence[str]) -> bool:
    """Whether a program has a subcommand with which it only shows something: `git status`."""
    program = words[0].rpartition("/")[2]
    if program in LOOKS:
        return False
    if any(word in _ABOUT for word in words[1:]):
        return True
    verbs, rest = _verbs(program, _without_options(words[1:]))
    return list(rest[:1]) == ["list"] or any(
        verb in LOOKING and not (verb == "add" and program in CHANGING_ADD) for verb in verbs[:2]
    )


def _as_program(words: list[str]) -> list[str]:
    """`python -m pytest` as `pytest`, `python3.12` as `python`, and `cargo +nightly test` as `cargo test`."""
    if words[0] == "cargo" and words[1:] and words[1].startswith("+"):
        return [words[0], *words[2:]]
    if not _PYTHON.fullmatch(words[0].rpartition("/")[2]):
        return words
    return words[2:] if words[1:2] == ["-m"] and len(words) > 2 else ["python", *words[1:]]


def _telling(options: Iterable[str]) -> Iterator[str]:
    """The options that say what is done, rather than how much of it is shown."""
    return (word for word in options if word.startswith("--") and word.partition("=")[0] not in _SHOWN_OTHERWISE)


def _part(words: Sequence[str]) -> CommandPart | None:
    program = words[0].rpartition("/")[2]
    if program in LOOKS or program in BLOCKS or not _PROGRAM.fullmatch(program) or "$" in words[0]:
        return None
    if _is_looking(words):
        return None
    verbs, operands = _verbs(program, _without_options(words[1:]))
    arguments = tuple(dict.fromkeys(word for word in operands if _is_name(word, program)))
    options = tuple(dict.fromkeys(_flags(words[1:])))
    if program in RUN_FILES or program in ON_FILES:
        arguments = arguments[:1] if program in RUN_FILES else arguments
        return CommandPart(program, (), arguments, options) if arguments and not verbs else None
    return CommandPart(program, verbs, arguments, options)


def _without_options(words: Sequence[str]) -> list[str]:
    """The words that are neither options nor values of options known to take one."""
    operands, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in VALUED
        else:
            operands.append(word)
    return operands


def _flags(words: Sequence[str]) -> Iterator[str]:
    """The options without a value; an option of one letter before a plain word may have one, so it is left out."""
    for at, word in enumerate(words):
        is_last = at + 1 == len(words) or words[at + 1].startswith("-")
        if _OPTION.fullmatch(word) and word not in VALUED and (is_last or word.startswith("--")):
            yield word


def _verbs(program: str, words: Sequence[str]) -> tuple[tuple[str, ...], Sequence[str]]:
    if program in RUN_FILES | ON_FILES | COMPILERS or not words or not _is_verb(words[0]):
        return (), words
    deep = words[0] in DEEP or program in TWO_LEVELS
    count = 2 if deep and len(words) > 1 and _is_verb(words[1]) else 1
    return tuple(words[:count]), words[count:]


def _is_verb(word: str) -> bool:
    return (
        _BARE_WORD.fullmatch(word) is not None
        and "." not in word
        and not any(c.isdigit() for c in word)
        and len(word) < 30
    )


def _is_name(word: str, program: str) -> bool:
    """Whether an argument names a file or an identifier: a plain word or a number does not."""
    if word in NO_ARGUMENTS or not 2 < len(word) <= 120 or re.search(r"[\s$`*{}=<>\"'|;!]", word):
        return False
    if program in ON_FILES:
        return "/" in word.strip("/") or "." in word
    return any(c.isalpha() for c in word) and is_compound(word)
