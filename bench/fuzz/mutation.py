"""Changes of bytes, texts and JSON values that a program, another version, a damaged disk or an attacker could make."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

_LONG: Final = "x" * 300
_LARGE: Final = 20_000
"""Bytes of JSON of a list that is not made longer any more."""
DEEP: Final = "<nested deeply>"
"""Is written as a list that is nested as deeply as decoders read."""
_NESTED: Final = "[" * 900 + "]" * 900
TEXTS: Final = (
    "", " ", "\0", "\n", "\r\n", "\t", "-", "#", "/", "../" * 40, "~", "~/x", "C:\\x", "\\\\host\\x",
    "/" + _LONG, _LONG,
    "half \ud83d", "\udce9.py", "İŉﬁǅΣς", "👨‍👩‍👧", "漢字", "e\u0301", "\u202e\u2066", "\ufeff", "\uf7e9",
    "\x1b]0;t\x07", "\x1b[31m",
    "```", "```py\n", "| a | b |\n|---|---|\n| c |", "[a](b", "![", "> " * 50, "* " * 50, "    x", "<b>",
    "&#x202e;",
    "*** Begin Patch\n*** Update File: a\n@@\n-\n+", "@@ -1,99999999 +1,9 @@", "diff --git a/x b/y",
    "--- a\n+++ b\n",
    "2026-11-05T09:12:40Z", "9999-12-31T23:59:59.999999999Z", "0000-00-00", "-1", "1e400", "NaN", "{",
    "[1,2", "null",
    "sk-ant-" + "aB3" * 20, "ghp_" + "a1B2" * 9, "password=hunter2", "file:///a%20b", "http://[",
    "$(rm)", "cd /tmp && cat x",
    "<command-name>", "<system-reminder>", "project:",
    'file:"', "-has:error", "since:yesterday", "(", "OR", "*", "?*",
)  # fmt: skip
NUMBERS: Final = (
    0, -1, 1, 2**31 - 1, 2**31, 2**32, -(2**31) - 1, 2**53, 2**63 - 1, 2**63, 2**70, -(2**63), 0.5, 1e300, -1e18,
)  # fmt: skip
VALUES: Final[tuple[Any, ...]] = (
    None, True, False, [], {}, [[]], [None], {"": None}, {"type": "z"}, [{"type": "text", "text": 5}], DEEP,
)  # fmt: skip


def mutated_bytes(chance: Random, data: bytes) -> bytes:
    """The bytes with one change: cut, flipped, doubled, removed, or something put in between."""
    if not data:
        return chance.randbytes(chance.randint(0, 64))
    first = chance.randrange(len(data))
    last = min(len(data), first + chance.choice((1, 2, 8, 64, 1024)))
    kind = chance.randrange(7)
    if kind == 0:
        return data[:first]
    if kind == 1:
        return data[:first] + bytes([data[first] ^ 1 << chance.randrange(8)]) + data[first + 1 :]
    if kind == 2:
        return data[:last] + data[first:]
    if kind == 3:
        return data[:first] + data[last:]
    if kind == 4:
        return data[:first] + chance.choice(TEXTS).encode("utf-8", "surrogatepass") + data[first:]
    if kind == 5:
        return data[:first] + bytes(last - first) + data[last:]
    return data[:first] + chance.randbytes(last - first) + data[last:]


def mutated_text(chance: Random, text: str) -> str:
    """The text with some changes."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randint(0, len(text))
        end = min(len(text), at + chance.choice((0, 1, 3, 20)))
        piece = chance.choice(
            (chance.choice(TEXTS), text[at:end] * 3, text[end:at:-1], chr(chance.randrange(0x11_0000)))
        )
        text = text[:at] + piece + text[end:]
    return text[:20_000]


def mutated_value(chance: Random, value: Any) -> Any:
    """A copy of a JSON value with some changes of any depth."""
    copied = json.loads(json.dumps(value))
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        copied = _changed(chance, copied)
    return copied


def any_value(chance: Random, value: Any = None) -> Any:
    """A value of any type; mostly of another one than `value`."""
    kind = chance.randrange(6)
    if kind == 0 and isinstance(value, str):
        return mutated_text(chance, value)
    if kind <= 1:
        return chance.choice(TEXTS)
    if kind == 2:
        return chance.choice(NUMBERS)
    if kind == 3 and value is not None:
        return [value] if chance.random() < 0.5 else {"text": value, "type": "text"}
    return chance.choice(VALUES)


def encoded(value: Any) -> str:
    """A value as JSON; bytes of a database become a text."""
    return json.dumps(value, separators=(",", ":"), default=repr).replace(json.dumps(DEEP), _NESTED)


def _changed(chance: Random, value: Any) -> Any:
    inside, key = _place(chance, value)
    if inside is None:
        return any_value(chance, value)
    kind = chance.randrange(6)
    if kind == 0:
        del inside[key]
    elif kind == 1 and isinstance(inside, dict):
        inside[f"{key}_x"] = inside.pop(key)
    elif kind == 2:
        if isinstance(inside, list) and len(json.dumps(inside)) < _LARGE:
            inside.extend(json.loads(json.dumps(inside[: chance.randint(1, 50)])))
        else:
            inside.clear()
    else:
        inside[key] = json.loads(json.dumps(any_value(chance, inside[key])))
    return value


def _place(chance: Random, value: Any) -> tuple[Any, Any]:
    """A place in a value, the deeper the less likely."""
    inside, key = None, None
    while isinstance(value, dict | list) and value and (inside is None or chance.random() < 0.8):
        inside, key = value, chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        value = inside[key]
    return inside, key
