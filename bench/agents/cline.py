"""What the tasks and sessions of Cline hold. Calls in texts are no texts, and have no ids."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import SCREEN
from memtui_core.text.redaction import redact

AGENT = "cline"
REASONS = {
    "*<user>.content.#<text>.text | [[]*] Result:": "the heading of the result of a call in a text",
    "ui_messages.json:*": SCREEN,
    "context_history.json:*": "what was cut from the context is in the history of the task",
    "taskHistory.json:*": "the title of a task that has no files any more",
}
_EDITORS = {
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "editor",
    "apply_patch",
    "insert_content",
    "search_and_replace",
}
_HISTORIES = ("api_conversation_history.json", "claude_messages.json", "*.messages.json")

_ANSWER = re.compile(r"<attempt_completion>\s*<result>(.*?)</result>.*?</attempt_completion>", re.DOTALL)
_ELEMENT = re.compile(r"<(thinking|[a-z]+(?:_[a-z]+)+)>.*?</\1>", re.DOTALL)
"""Thinking, and calls of tools as older versions wrote them into the text."""
_CALL = re.compile(r"^<([a-z]+(?:_[a-z]+)+)>.*?</\1>", re.DOTALL | re.MULTILINE)
_RESULT = re.compile(r"\[[a-z_]+(?: for '.*')?\] Result:(\s*(?:The tool execution failed|Error).*)?", re.DOTALL)


def expected(folder: Path) -> Counts:
    """The texts of the assistant and the ids of calls and results, in all sessions below a folder."""
    found = no_counts()
    for pattern in _HISTORIES:
        for path in sorted(folder.rglob(pattern)):
            content = orjson.loads(path.read_bytes())
            for message in content["messages"] if isinstance(content, dict) else content:
                _count(message, found)
    for path in folder.rglob("ui_messages.json"):
        for shown in orjson.loads(path.read_bytes()):
            if shown.get("say") == "api_req_started":
                request = orjson.loads(shown["text"])
                count_tokens(found, request.get("tokensIn"), request.get("tokensOut"))
    return found


def _count(message: dict[str, Any], found: Counts) -> None:
    metrics = message.get("metrics", {})
    count_tokens(found, metrics.get("inputTokens"), metrics.get("outputTokens"))
    content = message["content"]
    parts: list[dict[str, Any]] = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for part in parts:
        if part["type"] == "text" and message["role"] == "assistant":
            found["text"].update(redact(text) for text in _texts(part["text"]))
            for name in _CALL.findall(part["text"]):
                count_call(found, None, name, _EDITORS)
        elif part["type"] == "text" and (begin := _RESULT.match(part["text"])):
            count_result(found, None, begin[1])
        elif part["type"] == "tool_use":
            count_call(found, str(part["id"]), part["name"], _EDITORS)
            answer = part["input"].get("result") if part["name"] == "attempt_completion" else None
            if answer:
                found["text"][redact(answer)] += 1
        elif part["type"] == "tool_result":
            of = part.get("content")
            answers = [one for one in of if isinstance(one, dict)] if isinstance(of, list) else []
            failed = any(one.get("success") is False for one in answers)
            count_result(found, str(part["tool_use_id"]), failed or part.get("is_error"))


def _texts(text: str) -> list[str]:
    """A text without the elements in it, and the answers that are in elements."""
    parts = [_ELEMENT.sub("", _ANSWER.sub("", text)), *_ANSWER.findall(text)]
    return [part.strip() for part in parts if part.strip()]
