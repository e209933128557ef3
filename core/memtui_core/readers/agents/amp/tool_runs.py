"""The runs of Amp's tools: a status, and what the tool returned, of which the form depends on the tool."""

from __future__ import annotations

from typing import Any, Final

from memtui_core.readers.conversion.content import json_text, placeholder
from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.conversion.messages import add_result
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.records import Message

_REASONS: Final = {"cancelled": "cancelled", "rejected-by-user": "rejected by user"}
"""Statuses of runs that did not come to an end, and what is shown if they have no reason."""
_TEXTS: Final = ("output", "content", "diff")
"""Where the text is in what a shell, a reader of files and an editor return."""


def add_run(message: Message, run: dict[str, Any], tool_id: str | None) -> None:
    """Add the result of a run; nothing if it has not ended yet."""
    status = string(run.get("status"))
    if status == "error":
        add_result(message, _error(run.get("error")), tool_id, is_error=True)
    elif status in _REASONS:
        add_result(message, string(run.get("reason")) or _REASONS[status], tool_id, is_error=True)
    elif status == "done" or "result" in run:
        fields = mapping(run.get("result"))
        code = fields.get("exitCode")
        code = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else None
        detail = patch_detail(fields.get("diff")) or ({"exit": code} if code is not None else None)
        failed = bool(code) or fields.get("success") is False
        add_result(message, _returned(run.get("result")), tool_id, is_error=failed, detail=detail)


def _error(error: Any) -> str:
    return string(error) or string(mapping(error).get("message")) or (json_text(error) if error else "")


def _returned(value: Any) -> str:
    """The text of what a tool returned; anything without one as JSON."""
    if value is None or value == []:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        if all(isinstance(line, str) for line in value):
            return "\n".join(value)
        if all(mapping(part).get("type") == "image" for part in value):
            return "\n".join(placeholder(string(part.get("mimeType")) or "image", part.get("data")) for part in value)
    for name in _TEXTS if isinstance(value, dict) else ():
        if isinstance(text := value.get(name), str):
            return text
    return json_text(value)
