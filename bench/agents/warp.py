"""What the databases of Warp contain, decoded by the numbers of the fields."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, no_counts
from bench.agents._leaves import varint
from memtui_core.text.redaction import redact

AGENT = "warp"
REASONS = {
    "*.model_id": "the name of a model for which Warp counts its own kind of tokens",
    "warp.sqlite:agent_tasks.task.2": "the name of a task of a subagent, whose prompt is shown",
    "warp.sqlite:agent_conversations.*": "the name of the agent, and a title that the task has, too",
    "warp.sqlite:ai_queries.input": "the list of prompts repeats those of the tasks",
}
_MESSAGES, _OUTPUT, _CALL, _RESULT = 5, 3, 4, 5
_SHELL, _EDITS, _FINISHED, _OLD_CODE, _CODE, _ERROR, _DENIED, _CANCEL = 2, 6, 5, 2, 2, 2, 6, 14
_CONTENTS = {_OUTPUT, _CALL, _RESULT}
_ID, _TODOS, _SEARCH, _FETCH = 1, 10, 19, 20


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results; those of the server have the id of the message."""
    found = no_counts()
    for path in folder.rglob("warp.sqlite"):
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            for (task,) in connection.execute("SELECT task FROM agent_tasks"):
                for number, message in _fields(task):
                    if number == _MESSAGES:
                        _count(message, found)
    return found


def _count(raw: bytes, found: Counts) -> None:
    """Count a message; of several contents, which one message cannot have, the last counts."""
    message = dict(_fields(raw))
    contents = [number for number, _ in _fields(raw) if number in _CONTENTS]
    message = {number: value for number, value in message.items() if number not in contents[:-1]}
    if _OUTPUT in message and (text := dict(_fields(message[_OUTPUT])).get(1, b"").decode()).strip():
        found["text"][redact(text)] += 1
    if message.get(_CALL):
        call = dict(_fields(message[_CALL]))
        count_call(found, call.get(_ID, b"").decode(), max(call, default=0), {_EDITS})
    if _RESULT in message:
        result = dict(_fields(message[_RESULT]))
        count_result(found, result.get(_ID, b"").decode(), _failed(result))
    if {_TODOS, _SEARCH, _FETCH} & message.keys():
        count_call(found, message[_ID].decode(), "", ())
        count_result(found, message[_ID].decode(), failed=False)


def _failed(result: dict[int, bytes]) -> bool:
    """Whether a call was cancelled, its result is an error, or the exit code of its command is not 0."""
    if _SHELL not in result:
        return _CANCEL in result or any(_ERROR in dict(_fields(one)) for number, one in result.items() if number != _ID)
    outcome = dict(_fields(result[_SHELL]))
    finished = dict(_fields(outcome[_FINISHED])) if _FINISHED in outcome else {}
    return _DENIED in outcome or finished.get(_CODE, b"") != b"" or outcome.get(_OLD_CODE, b"") != b""


def _fields(raw: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message; of a number the bytes, without those of 0."""
    at = 0
    while at < len(raw):
        tag, at = varint(raw, at)
        size, after = (8, at) if tag & 7 == 1 else (4, at) if tag & 7 == 5 else varint(raw, at)
        yield tag >> 3, raw[after : after + size] if tag & 7 else raw[at:after].strip(b"\0")
        at = after + size if tag & 7 else after
