"""Split a shell command into the simple commands that it runs, in sequence or by pipes, and find their programs.

This is the only module that splits shell text. It splits as a shell does, but never fails: an unclosed quote is text.
The bodies of here-documents and comments are left out, because they contain prose and code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memtui_core.tools.shell.programs import KEYWORDS, RUNNERS, SHELLS, WRAPPERS

LONGEST = 20_000
"""The most characters of a command that are parsed."""
DEEPEST = 4
"""The deepest nesting of shells that is parsed: `bash -c "bash -c '...'"`."""

_HEREDOC = re.compile(
    r"(?<!<)<<(?P<indented>-?)[ \t]*"
    r"(?:(?P<bare>\\?[A-Za-z_]\w*)|'(?P<single>[^'\n]+)'|\"(?P<double>[^\"\n]+)\")(?P<rest>[^\n]*)\n"
)
_ARITHMETIC = re.compile(r"\(\([^()]*\)\)")
_TOKEN = re.compile(
    r"(?P<comment>(?:^|(?<=[\s;&|()]))#[^\n]*)"
    r"|(?P<redirect>(?:\d+|&)?>>?\|?(?:&(?:\d+|-)?)?|\d*(?:<<<|<>|<<?)(?:&(?:\d+|-))?)"
    r"|(?P<operator>&&|\|\|?&?|[;&()`\n])"
    r"|(?P<word>(?:(?<![^\s;&|()<>`])[A-Za-z]:\\[^\s'\";|&()<>`]*"
    r"|'[^']*'|\"(?:[^\"\\]|\\.)*+\"|\\.|[^\s'\"\\;|&()<>`]|['\"\\])++)",
    re.DOTALL,
)
_PIECE = re.compile(r"\A[A-Za-z]:\\[^'\"]*|'([^']*)'|\"((?:[^\"\\]|\\.)*+)\"|(?<=.)\\(?=\w)|\\(.)", re.DOTALL)
"""A quoted piece or an escaped character. A backslash after a drive or within a name separates the parts of a path."""
_ASSIGNED = re.compile(r"[A-Za-z_]\w*\+?=")
_RUNS_NEXT = re.compile(r"-[a-z]*c")
_Kind = Literal["word", "operator", "output", "input", "text"]
"""output and input: the file after `>` or `<`; text: the word after `<<<`."""
_REDIRECTED: dict[str, _Kind] = {"<<<": "text"}
_SUBSTITUTED = re.compile(r"`([^`]*)`|\$\(")


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command."""

    raw: tuple[str, ...]
    """The words with their quotes."""
    outputs: tuple[str, ...] = ()
    """The targets of `>` and `>>`, without quotes; file descriptors such as `&1` are left out."""
    inputs: tuple[str, ...] = ()
    """The files after `<`, without quotes."""
    piped: bool = False
    """Whether its input is the output of the previous command."""
    end: str = ""
    """The operator after the command; empty at the end of the text."""

    @property
    def words(self) -> tuple[str, ...]:
        """The words as the program receives them, with unexpanded variables."""
        return tuple(map(unquoted, self.raw))

    @property
    def inner(self) -> tuple[str, ...]:
        """The commands whose output is inserted into quoted words: `"$(date)"`."""
        quoted = (piece for word in self.raw for piece in _double_quoted(word))
        return tuple(command for text in quoted for command in _substituted(text))


@dataclass(frozen=True, slots=True)
class HereDocument:
    """A text in a command that a program reads."""

    until: str
    """The command until the line before the text."""
    text: str
    is_literal: bool
    """Whether the shell leaves the text as it is, because its word is quoted."""


def simple_commands(text: str, *, keep_open: bool = False) -> Iterator[SimpleCommand]:
    """The simple commands of a text in order, including those in an unquoted `$(...)`. Never raises.

    A here-document that is not closed extends to the end of the text, as in a shell; with `keep_open`, its lines are
    commands, because it may not be a here-document at all.
    """
    raw: list[str] = []
    files: dict[_Kind, list[str]] = {"output": [], "input": []}
    piped = False
    for kind, token in _tokens(_without_heredocs(text, keep_open=keep_open)[:LONGEST]):
        if kind == "word":
            raw.append(token)
        elif kind in files:
            files[kind].append(unquoted(token))
        elif kind == "operator":
            yield SimpleCommand(tuple(raw), tuple(files["output"]), tuple(files["input"]), piped, token)
            raw, files, piped = [], {"output": [], "input": []}, token in {"|", "|&"}
    yield SimpleCommand(tuple(raw), tuple(files["output"]), tuple(files["input"]), piped)


def programs_run(text: str, depth: int = 0) -> Iterator[list[str]]:
    """The words of each program that a command runs, from the program on, in order. Never raises.

    A program that only filters the output of another one is left out; the scripts of `bash -c` are taken apart.
    """
    for simple in simple_commands(text):
        words = program_words(simple.words)
        if simple.piped or not words:
            continue
        script = script_of(words)
        if script is None:
            yield words
        elif depth < DEEPEST:
            yield from programs_run(script, depth + 1)


def program_start(words: Sequence[str]) -> int:
    """The index of the program in the words of a simple command, without quotes; the number of words if there is none.

    Before the program there can be keywords, assignments, and programs that run another one: `sudo`, `npx`, `uv run`.
    The argument of `command -v` is not run.
    """
    at = 0
    while at < len(words):
        name = words[at].rpartition("/")[2]
        if words[at] in KEYWORDS or _ASSIGNED.match(words[at]):
            at += 1
        elif tuple(words[at : at + 2]) in RUNNERS:
            at = _skip_options(words, at + 2, frozenset())
        elif name == "command" and "".join(words[at + 1 : at + 2]) in {"-v", "-V"}:
            return len(words)
        elif name in WRAPPERS:
            at = _skip_options(words, at + 1, WRAPPERS[name]) + (name == "timeout")
        else:
            break
    return min(at, len(words))


def program_words(words: Sequence[str]) -> list[str]:
    """The words of a simple command from its program on."""
    return list(words[program_start(words) :])


def script_of(words: Sequence[str]) -> str | None:
    """The script that is passed to `bash -c` or `eval`; None if there is none."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "eval":
        return " ".join(words[1:])
    if name in SHELLS:
        for at, word in enumerate(words[1:], 1):
            if _RUNS_NEXT.fullmatch(word):
                return words[at + 1] if at + 1 < len(words) else ""
            if not word.startswith("-"):
                break
    return None


def _skip_options(words: Sequence[str], at: int, valued: frozenset[str]) -> int:
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return at


def unquoted(word: str) -> str:
    """A word as the program receives it, with unexpanded variables."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _PIECE.sub(_unquoted_piece, word)


def _unquoted_piece(match: re.Match[str]) -> str:
    if match[0][0] in "'\"":
        return match[1] or match[2] or ""
    return match[3] or match[0]


def _tokens(text: str) -> Iterator[tuple[_Kind, str]]:
    """The tokens of a text without here-documents, comments left out; words with their quotes."""
    redirect = ""
    for match in _TOKEN.finditer(_ARITHMETIC.sub(" ", text).replace("\\\n", " ")):
        kind, token = match.lastgroup, match[0]
        if kind == "redirect":
            redirect = token if token[-1] in "<>|" or token.endswith(">&") else ""
        elif kind == "operator":
            redirect = ""
            yield "operator", token
        elif kind == "word":
            yield (_REDIRECTED.get(redirect, "output" if ">" in redirect else "input") if redirect else "word"), token
            redirect = ""


def here_documents(text: str) -> Iterator[HereDocument]:
    """The here-documents of a text that are closed, in order. Never raises."""
    at = 0
    while "<<" in text and (match := _HEREDOC.search(text, at)) is not None:
        end = _end_of_heredoc(text, match)
        if end is None:
            return
        body = text[match.end() : end.start()]
        if match["indented"]:
            body = re.sub(r"^\t+", "", body, flags=re.MULTILINE)
        bare = match["bare"] or "\\"
        yield HereDocument(text[: match.end()], body, bare.startswith("\\"))
        at = end.end()


def _end_of_heredoc(text: str, match: re.Match[str]) -> re.Match[str] | None:
    """The line that closes a here-document."""
    word = re.escape((match["bare"] or "").removeprefix("\\") or match["single"] or match["double"])
    return re.compile(rf"^[ \t]*{word}[ \t\r]*$", re.MULTILINE).search(text, match.end())


def _without_heredocs(text: str, *, keep_open: bool = False) -> str:
    """The text without the bodies of here-documents, see `simple_commands`."""
    if "<<" not in text:
        return text
    kept: list[str] = []
    at = 0
    while (match := _HEREDOC.search(text, at)) is not None:
        kept += [text[at : match.start()], match["rest"], "\n"]
        end = _end_of_heredoc(text, match)
        if end is None:
            return "".join([*kept, text[match.end() :] if keep_open else ""])
        at = end.end()
    return "".join([*kept, text[at:]])


def _double_quoted(word: str) -> Iterator[str]:
    for match in _PIECE.finditer(word):
        if match[2] and ("$(" in match[2] or "`" in match[2]):
            yield match[2]


def _substituted(text: str) -> Iterator[str]:
    """The commands in `$(...)` and backticks."""
    at = 0
    while (match := _SUBSTITUTED.search(text, at)) is not None:
        at = match.end()
        if match[1] is not None:
            yield match[1]
            continue
        depth, start = 1, at
        while at < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield text[start : at - 1 if depth == 0 else at]
