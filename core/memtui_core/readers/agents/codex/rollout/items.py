"""Convert the tool calls and results of a rollout, which are items for the model, to parts of messages."""

from __future__ import annotations

from typing import Any, Final

import orjson

from memtui_core.readers.agents.codex.rollout.outputs import Output, output_of
from memtui_core.readers.conversion.content import json_text
from memtui_core.readers.conversion.json_values import items, mapping, object_from, string
from memtui_core.readers.conversion.messages import add_attachment, add_call, add_result
from memtui_core.readers.records import AgentCall, Message

CALLS: Final = frozenset(
    {
        *("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"),
        "image_generation_call",
    }
)
OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
WITHOUT_TEXT: Final = frozenset(
    {"ghost_snapshot", "compaction_trigger", "additional_tools", "other", "encrypted_content"}
)
"""Types of items that contain nothing to read."""
_STARTS_AGENT: Final = "spawn_agent"


def add_call_item(message: Message, kind: str, payload: dict[str, Any]) -> None:
    """Add a call; one that has its result in the same item is complete."""
    tool_id = string(payload.get("call_id")) or string(payload.get("id"))
    name = string(payload.get("name"))
    if kind == "function_call":
        arguments = _arguments(payload.get("arguments"))
        space = string(payload.get("namespace")) or ""
        full = f"{space.rstrip('_')}__{name}" if name and space.startswith("mcp__") else name
        add_call(message, full, arguments, tool_id)
        if name == _STARTS_AGENT and tool_id is not None:
            message.agent_calls.append(_agent_call(tool_id, mapping(arguments)))
    elif kind == "custom_tool_call":
        # The input is a text: a patch, a script, or the arguments as JSON.
        text = payload.get("input")
        fields = _arguments(text) if isinstance(text, str) and text.startswith("{") else None
        add_call(
            message,
            name,
            fields if isinstance(fields, dict) and fields != {"arguments": text} else {"input": text},
            tool_id,
        )
    elif kind == "local_shell_call":
        action = mapping(payload.get("action"))
        fields = {"command": action.get("command"), "workdir": action.get("working_directory")}
        add_call(message, "local_shell", {key: value for key, value in fields.items() if value is not None}, tool_id)
    elif kind == "tool_search_call":
        add_call(message, "tool_search", payload.get("arguments"), tool_id)
    elif kind == "web_search_call":
        add_call(message, "web_search", payload.get("action"), tool_id)
        _add_done(message, payload, tool_id)
    else:
        add_call(message, "image_generation", {"prompt": payload.get("revised_prompt")}, tool_id)
        if (image := string(payload.get("result"))) is not None:
            add_attachment(message, "image/png", image)
        _add_done(message, payload, tool_id)


def add_output_item(
    message: Message, payload: dict[str, Any], *, failed: bool = False, patch: list[dict[str, Any]] | None = None
) -> None:
    """Add a result; `failed` and `patch` are what an event said about the call before."""
    tool_id = string(payload.get("call_id"))
    if "output" not in payload and "tools" in payload:
        names = [string(mapping(tool).get("name")) or json_text(tool) for tool in items(payload.get("tools"))]
        output = Output("\n".join(names), False)
    else:
        output = output_of(payload)
    is_error = output.is_error or failed
    detail = {"patch": patch} if patch and not is_error else None
    add_result(message, output.text, tool_id, is_error=is_error, detail=detail)
    if tool_id is not None and '"agent_id"' in output.text[:2000] and (agent := _agent_in(output.text)) is not None:
        message.agent_calls.append(AgentCall(tool_id, agent))


def reasoning_sections(payload: dict[str, Any]) -> list[str]:
    """The texts of a `reasoning` item: the sections of its summary and, rarely, the reasoning itself."""
    parts = [*items(payload.get("summary")), *items(payload.get("content"))]
    return [text for part in parts if (text := string(mapping(part).get("text")))]


def message_text(payload: dict[str, Any]) -> str:
    """The text of a message of the assistant, or between agents."""
    content = payload.get("content")
    if isinstance(content, str):
        return content
    texts = (part if isinstance(part, str) else string(mapping(part).get("text")) for part in items(content))
    return "".join(text for text in texts if text)


def _agent_call(tool_id: str, arguments: dict[str, Any]) -> AgentCall:
    return AgentCall(
        tool_id,
        None,
        string(arguments.get("agent_type")),
        string(arguments.get("task_name")),
        string(arguments.get("message")) or string(arguments.get("prompt")),
    )


def _agent_in(text: str) -> str | None:
    return string(object_from(text).get("agent_id"))


def _arguments(value: Any) -> Any:
    """The arguments of a function, which are JSON in a string."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return {"arguments": value} if value else None


def _add_done(message: Message, payload: dict[str, Any], tool_id: str | None) -> None:
    status = string(payload.get("status"))
    if status in {"completed", "failed"}:
        add_result(message, "", tool_id, is_error=status == "failed")
