"""What a shell command did, without its plumbing: each program with what it was told to do and to what."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memtui_core.compaction.programs import (
    BLOCKS,
    CHANGING_ADD,
    COMPILERS,
    DEEP,
    LEADS,
    LOOKING,
    LOOKS,
    NO_ARGUMENTS,
    ON_FILES,
    RUN_FILES,
    RUN_NEXT,
    RUNNERS,
    TWO_LEVELS,
    VALUED,
)
from memtui_core.compaction.words import is_compound

_LONGEST = 20_000
_DEEPEST = 2
_MOST_ARGUMENTS = 4

_HEREDOC = re.compile(r"<<-?[ \t]*['\"]?(\w+)['\"]?([^\n]*)\n(?:.*?\n)??[ \t]*\1[ \t]*(?=\n|\Z)", re.DOTALL)
_OPEN_HEREDOC = re.compile(r"<<-?[ \t]*['\"]?\w+['\"]?([^\n]*)\n.*", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<comment>(?:^|(?<=[\s;&|()]))#[^\n]*)"
    r"|(?P<redirect>\d?&?(?:>>|>\||>|<<<|<)(?:&[\d-])?)"
    r"|(?P<operator>\|\||&&|\|&?|[;&\n()])"
    r"|(?P<word>(?:'[^']*'|\"(?:[^\"\\]|\\.)*+\"|\\.|[^\s'\"\\;|&()<>]|['\"\\])++)",
    re.DOTALL,
)
_QUOTES = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*+)\"|\\(.)", re.DOTALL)
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
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
    """The programs of a command that did something, in order, each once. Never raises."""
    return tuple(dict.fromkeys(_parts(command[:_LONGEST], 0)))


def viewers(command: str) -> Iterator[str]:
    """The pieces of a command that show files: `cat`, `head`, `tail`, `less`, `nl`, `bat` and `sed -n`."""
    for words in _simple(command[:_LONGEST]):
        if words and (words[0] in {"cat", "head", "tail", "less", "nl", "bat"} or words[:2] == ["sed", "-n"]):
            yield " ".join(words)


def _parts(command: str, depth: int) -> Iterator[Part]:
    for words in _simple(command):
        if not words:
            continue
        inner = _inner(words)
        if inner is not None:
            if depth < _DEEPEST:
                yield from _parts(inner, depth + 1)
        elif (part := _part(words)) is not None:
            yield part


def _simple(command: str) -> Iterator[list[str]]:
    """The words of each program; what only filters the output of another is left out."""
    text = _OPEN_HEREDOC.sub(r"\1", _HEREDOC.sub(r"\2", command)) if "<<" in command else command
    words: list[str] = []
    piped = skip = False
    for match in _TOKEN.finditer(text.replace("\\\n", " ")):
        if match.lastgroup == "word":
            if not skip:
                words.append(match[0])
            skip = False
        elif match.lastgroup == "redirect":
            skip = not match[0][-1].isdigit() and match[0][-1] != "-"
        elif match.lastgroup == "operator":
            if not piped:
                yield _program_first(words)
            words, skip, piped = [], False, match[0] in {"|", "|&"}
    if not piped:
        yield _program_first(words)


def _program_first(words: list[str]) -> list[str]:
    """The words from the program on, without quotes, and without what runs it."""
    words = [_unquoted(word) for word in words]
    while words:
        if words[0] in LEADS or _ASSIGNED.match(words[0]):
            is_timeout = words[0] == "timeout"
            words = words[1:]
            while is_timeout and words and (words[0][:1] == "-" or words[0][:1].isdigit()):
                words = words[1:]
        elif tuple(words[:2]) in RUNNERS:
            words = _skip_options(words[2:])
        elif words[0] in RUN_NEXT and len(words) > 1:
            words = _skip_options(words[1:])
        else:
            break
    return words


def _skip_options(words: list[str]) -> list[str]:
    while words and words[0].startswith("-"):
        words = words[1:]
    return words


def _inner(words: Sequence[str]) -> str | None:
    """The command that a shell was given as text."""
    if words[0].rpartition("/")[2] in {"bash", "sh", "zsh"}:
        for flag, text in itertools.pairwise(words[1:]):
            if re.fullmatch(r"-[a-z]*c", flag):
                return text
    return None


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


def _unquoted(word: str) -> str:
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _QUOTES.sub(lambda match: match[1] or match[2] or match[3] or "", word)
