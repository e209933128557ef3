"""A shell command as its tokens, and as the simple commands that it runs, one after another or by pipes.

It is split as a shell would split it, but never judged: what is not closed is text. The bodies of here-documents and
comments are left out, for they hold prose and code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

LONGEST = 20_000
"""Characters of a command that are worth looking at."""

_HEREDOC = re.compile(r"(?<!<)<<-?[ \t]*(?:\\?([A-Za-z_]\w*)|'([^'\n]+)'|\"([^\"\n]+)\")([^\n]*)\n")
_ARITHMETIC = re.compile(r"\(\([^()]*\)\)")
_TOKEN = re.compile(
    r"(?P<comment>(?:^|(?<=[\s;&|()]))#[^\n]*)"
    r"|(?P<redirect>(?:\d+|&)?>>?\|?(?:&(?:\d+|-)?)?|\d*(?:<<<|<>|<<?)(?:&(?:\d+|-))?)"
    r"|(?P<operator>&&|\|\|?&?|[;&()`\n])"
    r"|(?P<word>(?:'[^']*'|\"(?:[^\"\\]|\\.)*+\"|\\.|[^\s'\"\\;|&()<>`]|['\"\\])++)",
    re.DOTALL,
)
_PIECE = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*+)\"|\\(.)", re.DOTALL)
Kind = Literal["word", "operator", "output", "input", "text"]
"""output and input: the file after `>` or `<`; text: the word after `<<<`."""
_LED: dict[str, Kind] = {"<<<": "text"}
_SUBSTITUTED = re.compile(r"`([^`]*)`|\$\(")


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command, its words without quotes."""

    words: tuple[str, ...]
    outputs: tuple[str, ...]
    """Where `>` and `>>` lead; `&1` and its like are left out."""
    inner: tuple[str, ...]
    """The commands whose output stands in its quoted words: `"$(date)"`."""


def simple_commands(text: str) -> Iterator[Simple]:
    """The simple commands of a text in order; those of an unquoted `$(...)` are among them. Never raises."""
    words: list[str] = []
    outputs: list[str] = []
    for kind, token in tokens(_ARITHMETIC.sub(" ", without_heredocs(text, keep_open=True))):
        if kind == "word":
            words.append(token)
        elif kind == "output":
            outputs.append(unquoted(token))
        elif kind == "operator":
            yield _simple(words, outputs)
            words, outputs = [], []
    yield _simple(words, outputs)


def tokens(text: str) -> Iterator[tuple[Kind, str]]:
    """The tokens of a text without here-documents, comments left out; words with their quotes. Never raises."""
    leads = ""
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "redirect":
            leads = token if token[-1] in "<>|" or token.endswith(">&") else ""
        elif kind == "operator":
            leads = ""
            yield "operator", token
        elif kind == "word":
            yield _LED.get(leads, "output" if ">" in leads else "input") if leads else "word", token
            leads = ""


def unquoted(word: str) -> str:
    """A word as the program gets it, its variables as they are written."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return _PIECE.sub(lambda match: match[1] or match[2] or match[3] or "", word)


def without_heredocs(text: str, *, keep_open: bool = False) -> str:
    """The text without the bodies of here-documents.

    One that is not closed runs to the end, as in a shell; with `keep_open` it may only look like one, and stays.
    """
    if "<<" not in text:
        return text
    kept: list[str] = []
    at = 0
    while (match := _HEREDOC.search(text, at)) is not None:
        kept += [text[at : match.start()], match[4], "\n"]
        word = re.escape(match[1] or match[2] or match[3])
        end = re.compile(rf"^[ \t]*{word}[ \t\r]*$", re.MULTILINE).search(text, match.end())
        if end is None:
            return "".join([*kept, text[match.end() :] if keep_open else ""])
        at = end.end()
    return "".join([*kept, text[at:]])


def _simple(words: list[str], outputs: list[str]) -> Simple:
    quoted = (piece for word in words for piece in _double_quoted(word))
    inner = tuple(command for text in quoted for command in _substituted(text))
    return Simple(tuple(map(unquoted, words)), tuple(outputs), inner)


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
