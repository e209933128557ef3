"""What the databases of Warp contain, decoded by the numbers of the fields."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from memtui_core.text.redaction import redact

AGENT = "warp"
_MESSAGES, _OUTPUT, _CALL, _RESULT = 5, 3, 4, 5
_ID, _TODOS, _SEARCH, _FETCH = 1, 10, 19, 20


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results; those of the server have the id of the message."""
    found: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in folder.rglob("warp.sqlite"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for (task,) in connection.execute("SELECT task FROM agent_tasks"):
                for number, message in _fields(task):
                    if number == _MESSAGES:
                        _count(dict(_fields(message)), found)
    return found


def _count(message: dict[int, bytes], found: dict[str, Counter[str]]) -> None:
    if _OUTPUT in message and (text := dict(_fields(message[_OUTPUT])).get(1, b"").decode()).strip():
        found["text"][redact(text)] += 1
    for number, kind in ((_CALL, "tool_call"), (_RESULT, "tool_result")):
        if number in message:
            found[kind][dict(_fields(message[number]))[_ID].decode()] += 1
    if {_TODOS, _SEARCH, _FETCH} & message.keys():
        found["tool_call"][message[_ID].decode()] += 1
        found["tool_result"][message[_ID].decode()] += 1


def _fields(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message; numbers are empty."""
    at = 0
    while at < len(raw):
        tag, at = _number(raw, at)
        size, after = (8, at) if tag & 7 == 1 else (4, at) if tag & 7 == 5 else _number(raw, at)
        yield tag >> 3, raw[after : after + size] if tag & 7 else b""
        at = after + size if tag & 7 else after


def _number(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while raw[at] > 0x7F:
        value |= (raw[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return value | raw[at] << shift, at + 1
