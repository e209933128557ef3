"""Convert the tool results of Warp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memtui_core.readers.conversion import messages
from memtui_core.readers.conversion.content import json_text, placeholder
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.records import Message

_ABOUT: Final = frozenset({"tool_call_id", "context"})


def add_result(message: Message, content: Entry) -> None:
    """Add a tool result: the last result that is set counts."""
    tool_id = string(content.get("tool_call_id"))
    name = next((key for key in reversed(content) if key not in _ABOUT), "")
    result = content.get(name)
    outcome = mapping(result)
    finished = mapping(outcome.get("command_finished"))
    detail: Entry | None = None
    if "command_finished" in outcome or "exit_code" in outcome:
        code = (finished if "command_finished" in outcome else outcome).get("exit_code", 0)
        detail = {"exit": code}
    # Of the outcomes, of which there is one, the last counts.
    last = next(reversed(outcome), "")
    failed = name == "cancel" or last in {"error", "permission_denied", "rejected"}
    text = "cancelled" if name == "cancel" else _text(name, result)
    is_error = failed or bool(detail and detail["exit"])
    messages.add_result(message, text, tool_id, is_error=is_error, detail=detail)


def shell_text(command: Entry) -> str:
    """A command of the user with its output."""
    output = string(command.get("output")) or ""
    return f"! {string(command.get('command')) or ''}\n{output}".strip()


def _text(name: str, result: Any) -> str:
    """The text of a result: what it says in its fields, or all of it as JSON."""
    outcome = mapping(result)
    if not outcome:
        return json_text(result) if result else ""
    last = next(reversed(outcome))
    if last == "error":
        return string(mapping(outcome[last]).get("message")) or "error"
    for key in ("command_finished", "snapshot"):
        if key in outcome:
            return string(mapping(outcome[key]).get("output")) or ""
    if "permission_denied" in outcome:
        return "permission denied"
    texts = list(_texts(outcome))
    return "\n".join(texts) if texts or name == "run_shell_command" else json_text(result)


def _texts(outcome: Entry) -> Iterator[str]:
    """The texts of a success."""
    for key in ("output", "payload", "text"):
        if text := string(outcome.get(key)):
            yield text
    success = mapping(outcome.get("success"))
    files = [mapping(file) for file in items(success.get("files"))]
    for file in map(mapping, items(mapping(outcome.get("any_files")).get("files"))):
        files += [mapping(file.get(key)) for key in ("text", "binary") if key in file]
    if "file" in success:
        files.append(mapping(success["file"]))
    for file in files:
        yield from _file(file, with_path=len(files) > 1)
    updated = items(success.get("updated_files_v2")) or [{"file": file} for file in items(success.get("updated_files"))]
    for one in map(mapping, updated):
        path = string(mapping(one.get("file")).get("file_path")) or ""
        yield f"updated {path}" + (", with changes by the user" if one.get("was_edited_by_user") else "")
    for file in map(mapping, items(success.get("deleted_files"))):
        yield f"deleted {string(file.get('file_path')) or ''}"
    for document in map(mapping, items(success.get("documents"))):
        yield string(document.get("content")) or string(document.get("document_id")) or ""
    for part in map(mapping, items(success.get("contents"))):
        yield from _content(part)
    for key in ("text", "warnings", "directory_path", "id"):
        if text := string(success.get(key)):
            yield text
    if plan := string(mapping(outcome.get("user_edited_plan")).get("text")):
        yield plan


def _file(file: Entry, *, with_path: bool) -> Iterator[str]:
    """The content of a file, the lines that were found in it, or only its path."""
    path, content = string(file.get("file_path")) or "", string(file.get("content"))
    numbers = [mapping(line).get("number") for line in items(file.get("lines"))]
    if numbers:
        yield from (f"{path}:{number}" for number in numbers)
    elif content is None or with_path:
        yield path
    if content is not None:
        yield content


def _content(part: Entry) -> Iterator[str]:
    """A part of the result of an MCP server."""
    part = mapping(part.get("resource")) or part
    if text := string(mapping(part.get("text")).get("text")):
        yield text
    for key in ("image", "binary"):
        if key in part:
            yield placeholder(string(mapping(part[key]).get("mime_type")) or "")
