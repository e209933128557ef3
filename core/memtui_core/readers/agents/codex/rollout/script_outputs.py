r"""The outputs of scripts, which print the results of the tools that they call as JSON: `[{"output": "a\nb", ...}]`.

They are shown as texts: what a tool printed, below the exit code if it failed and what else the script said of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from memtui_core.readers.conversion.content import json_text

_BEGINS: Final = re.compile(r"\s*[\[{]")
_OUTPUT: Final = re.compile(r'"(?:output|stdout|stderr)"\s*:')
_EXIT_CODE: Final = re.compile(r'"exit_code"\s*:\s*(-?\d{1,9})\b')
_ESCAPE: Final = re.compile(r'\\(["\\/nrt])')
_PLAIN: Final = {"n": "\n", "r": "\r", "t": "\t"}
_UNSAID: Final = frozenset({"chunk_id", "exit_code", "original_token_count", "wall_time_seconds"})
"""Fields about the tool that are not shown; the exit code has a line of its own."""
_DEEPEST: Final = 20


def readable(text: str) -> tuple[str, list[int]]:
    """A text that a script printed, with the JSON in it as texts; and the exit codes in it that are not 0.

    A text without the output of a tool stays as it is.
    """
    if not _BEGINS.match(text):
        return text, []
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _of_lines(text)
    if not _OUTPUT.search(text):
        return text, []
    return "\n".join(_lines(value, 0)), list(_exit_codes(value, 0))


def _of_lines(text: str) -> tuple[str, list[int]]:
    """Of a text that is no JSON: several values on lines of their own, or one of which the middle was left out."""
    lines = text.split("\n")
    if len(lines) > 1 and all(_BEGINS.match(line) or not line for line in lines):
        parts = [readable(line) for line in lines if line]
        return "\n".join(part for part, _ in parts), [code for _, codes in parts for code in codes]
    if not _OUTPUT.search(text):
        return text, []
    codes = [int(code) for code in _EXIT_CODE.findall(text)]
    return _ESCAPE.sub(lambda match: _PLAIN.get(match[1], match[1]), text), [code for code in codes if code]


def _exit_codes(value: Any, depth: int) -> Iterator[int]:
    if depth > _DEEPEST:
        return
    if code := _exit_code(value):
        yield code
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _exit_codes(inner, depth + 1)


def _exit_code(value: Any) -> int:
    """The exit code of a tool; 0 for any other value."""
    code = value.get("exit_code") if isinstance(value, Mapping) else 0
    return code if isinstance(code, int) and not isinstance(code, bool) else 0


def _lines(value: Any, depth: int) -> Iterator[str]:
    """The lines of a value: of an object what its fields say, the exit code first and the output last."""
    if isinstance(value, str):
        yield value.rstrip("\n")
    elif isinstance(value, list) and depth < _DEEPEST:
        for inner in value:
            yield from _lines(inner, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        if code := _exit_code(value):
            yield f"Exit code: {code}"
        fields = sorted(value.items(), key=lambda field: field[0] == "output")
        for name, inner in fields:
            if name in _UNSAID:
                continue
            shown = list(_lines(inner, depth + 1))
            is_short = name != "output" and len(shown) == 1 and "\n" not in shown[0]
            yield from [f"{name}: {shown[0]}"] if is_short else shown if name == "output" else [f"{name}:", *shown]
    else:
        yield json_text(value)
