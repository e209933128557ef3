"""The tool calls in a script: newer agents run them by a program that calls `tools.<name>(...)`.

Only arguments that are written out in the script are found; what it computes is not known. The script is split into
tokens once, from left to right, and never executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

LONGEST: Final = 200_000
"""The most characters of a script that are parsed."""
_TOKEN: Final = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"
    # A quote that is not closed takes the rest: it would otherwise be searched for again at each character.
    r"|(?P<open>\"(?:[^\"\\\n]|\\.)*+|'(?:[^'\\\n]|\\.)*+|`(?:[^`\\]|\\.)*+)"
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\d[\w.]*)"
    r"|(?P<mark>[^\s\w])",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|.)", re.DOTALL)
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_MOST_STEPS: Final = 200_000
"""The most tokens that are looked at as arguments, because calls in arguments are looked at several times."""
_MOST_MADE: Final = 2_000_000
"""The most characters that are made by joining texts: each constant can be twice as long as the one before."""
_OPENS: Final = {"(": ")", "[": "]", "{": "}"}


class ScriptCall(NamedTuple):
    """A call of a tool in a script."""

    name: str
    fields: Mapping[str, Any]
    """The arguments that are written out; a single text is the `input`."""


class _Token(NamedTuple):
    kind: str
    text: str


def script_calls(script: str) -> list[ScriptCall]:
    """The tool calls in a script, in order. Never raises."""
    if "tools." not in script:
        return []
    return list(_Script(script[:LONGEST]).calls())


class _Script:
    def __init__(self, script: str) -> None:
        self._tokens = [
            _Token(match.lastgroup, match[0]) for match in _TOKEN.finditer(script) if match.lastgroup is not None
        ]
        self._constants: dict[str, str] = {}
        self._steps = self._made = 0

    def calls(self) -> Iterator[ScriptCall]:
        for at, token in enumerate(self._tokens):
            if token.kind != "name":
                continue
            if token.text in {"const", "let", "var"} and self._mark(at + 2) == "=":
                value, _ = self._text(at + 3)
                if value is not None and self._tokens[at + 1].kind == "name":
                    self._constants[self._tokens[at + 1].text] = value
            elif token.text == "tools" and self._mark(at + 1) == "." and self._mark(at + 3) == "(":
                yield ScriptCall(self._tokens[at + 2].text, self._arguments(at + 4))

    def _mark(self, at: int) -> str:
        """The mark at a position; empty if there is none."""
        return self._tokens[at].text if at < len(self._tokens) and self._tokens[at].kind == "mark" else ""

    def _arguments(self, at: int) -> dict[str, Any]:
        if self._mark(at) != "{":
            text, _ = self._text(at)
            return {} if text is None else {"input": text}
        fields: dict[str, Any] = {}
        at += 1
        while at < len(self._tokens) and self._mark(at) != "}" and self._steps < _MOST_STEPS:
            token = self._tokens[at]
            name = _unescaped(token.text) if token.kind == "text" else token.text
            if token.kind in {"text", "name"} and self._mark(at + 1) == ":":
                text, _ = self._text(at + 2)
                if text is not None:
                    fields[name] = text
                elif at + 2 < len(self._tokens) and self._tokens[at + 2].kind == "number":
                    fields[name] = self._tokens[at + 2].text
            elif token.kind == "name" and self._mark(at + 1) in {",", "}"} and name in self._constants:
                fields[name] = self._constants[name]
            at = self._after_value(at)
        return fields

    def _after_value(self, at: int) -> int:
        """The position after the next comma of an object, or of the bracket that closes it."""
        closing: list[str] = []
        while at < len(self._tokens) and self._steps < _MOST_STEPS:
            self._steps += 1
            mark = self._mark(at)
            if mark in _OPENS:
                closing.append(_OPENS[mark])
            elif closing and mark == closing[-1]:
                closing.pop()
            elif not closing and mark == ",":
                return at + 1
            elif not closing and mark == "}":
                return at
            at += 1
        return at

    def _text(self, at: int) -> tuple[str | None, int]:
        """A text that is written out, and the position after it: quoted, joined by `+`, or a list that is joined."""
        piece, at = self._piece(at)
        pieces: list[str] = []
        while piece is not None:
            pieces.append(piece)
            if self._mark(at) != "+":
                return self._made_of(pieces), at
            piece, at = self._piece(at + 1)
        return None, at

    def _made_of(self, pieces: list[str], separator: str = "") -> str | None:
        """The pieces as one text; None if the script makes too long texts."""
        if len(pieces) == 1:
            return pieces[0]
        self._made += sum(map(len, pieces)) + len(separator) * len(pieces)
        return separator.join(pieces) if self._made <= _MOST_MADE else None

    def _piece(self, at: int) -> tuple[str | None, int]:
        if at >= len(self._tokens):
            return None, at
        token = self._tokens[at]
        if token.kind == "text":
            return _unescaped(token.text), at + 1
        if token.text == "String" and self._mark(at + 1) == "." and at + 3 < len(self._tokens):
            raw = self._tokens[at + 3]
            return (raw.text[1:-1], at + 4) if raw.kind == "text" else (None, at)
        if token.text == "[":
            return self._joined(at + 1)
        if token.kind == "name" and token.text in self._constants and self._mark(at + 1) not in {".", "(", "["}:
            return self._constants[token.text], at + 1
        return None, at

    def _joined(self, at: int) -> tuple[str | None, int]:
        """The texts of a list that is joined: `["a", "b"].join(" ")`."""
        texts: list[str] = []
        while at < len(self._tokens) and self._tokens[at].kind == "text":
            texts.append(_unescaped(self._tokens[at].text))
            at += 2 if self._mark(at + 1) == "," else 1
        names = [token.text for token in self._tokens[at + 1 : at + 4]]
        if self._mark(at) != "]" or names != [".", "join", "("] or at + 4 >= len(self._tokens):
            return None, at
        separator = self._tokens[at + 4]
        if separator.kind != "text":
            return None, at
        return self._made_of(texts, _unescaped(separator.text)), at + 6


def _unescaped(quoted: str) -> str:
    """A quoted text without its quotes and escapes."""
    text = quoted[1:-1]
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 1 and code[0] in "ux":
        number = int(code.strip("ux{}"), 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return "" if code.endswith("\n") else _SIMPLE.get(code, code)
