"""The results of tools of Hermes Agent, which are JSON in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.conversion.unified_diff import patch_detail
from memtui_core.readers.formats.jsonl import decode

_SHOWN: Final = {"terminal": "output", "read_file": "content"}
"""The field with the text to read, by the tool; other results are read as they are."""
_HARMLESS: Final = "not an error"
"""In what an exit code means if the command only found nothing."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a result says."""

    text: str
    is_error: bool = False
    detail: dict[str, Any] | None = None
    """As in `Block.detail`."""


def result_of(text: str, tool: str) -> ToolResult:
    """The result in a text; a text that is no JSON object is a result as it is."""
    entries, reason = decode(text.encode("utf-8", "replace")) if text.lstrip().startswith("{") else ([], None)
    if len(entries) != 1 or reason is not None:
        return ToolResult(text)
    fields = mapping(entries[0])
    error, code = string(fields.get("error")), fields.get("exit_code")
    failed = isinstance(code, int) and not isinstance(code, bool) and code != 0
    if _HARMLESS in (string(fields.get("exit_code_meaning")) or ""):
        failed = False
    shown = fields.get(_SHOWN.get(tool, ""))
    if isinstance(shown, str):
        parts = [shown, error or "", f"exit code: {code}" if failed else ""]
        text = "\n".join(part for part in parts if part)
    is_error = failed or error is not None or fields.get("success") is False
    return ToolResult(text, is_error, patch_detail(fields.get("diff")))
