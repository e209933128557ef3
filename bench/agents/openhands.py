"""What the events of OpenHands contain: those of the agent SDK, and those of version 0."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import DIFFS, INSTRUCTIONS
from memtui_core.text.redaction import redact

AGENT = "openhands"
REASONS = {
    "*.system_prompt*": INSTRUCTIONS,
    "*.metadata.suffix": "the end of the output as text: the exit code is read as a number",
    "*:message": "what the screen shows of an event: its arguments and its content are shown",
    "search": DIFFS,
}
_EDITORS = {"str_replace", "create", "insert", "undo_edit"}
_OWN_TEXTS = {"finish": "message"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted = no_counts()
    for path in sorted(folder.rglob("events/*.json")):
        event = json.loads(path.read_text("utf-8"))
        texts, call, result = _of_sdk(event) if "kind" in event else _of_server(event)
        arguments = event.get("action") if "kind" in event else event.get("args")
        command = arguments.get("command") if isinstance(arguments, dict) else None
        counted["text"].update(redact(text) for text in texts if text.strip())
        if call:
            count_call(counted, call, command, _EDITORS)
        if result:
            count_result(counted, result, _failed(event))
        usage = event.get("tool_call_metadata", {}).get("model_response", {}).get("usage")
        if usage and "cause" not in event:
            _count_tokens(counted, usage)
    for path in folder.rglob("base_state.json"):
        for metrics in json.loads(path.read_bytes())["stats"]["usage_to_metrics"].values():
            for usage in metrics["token_usages"]:
                _count_tokens(counted, usage)
    return counted


def _count_tokens(counted: Counts, usage: dict[str, Any]) -> None:
    cached = usage.get("cache_read_tokens", 0) + usage.get("cache_write_tokens", 0)
    cached += (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    count_tokens(counted, usage["prompt_tokens"] - cached, usage["completion_tokens"])


def _failed(event: dict[str, Any]) -> bool:
    found = event.get("observation")
    if isinstance(found, dict):
        return bool(found.get("is_error") or found.get("exit_code"))
    return found == "error" or event.get("success") is False or event.get("kind") == "AgentErrorEvent"


def _of_sdk(event: dict[str, Any]) -> tuple[list[str], str, str]:
    kind, name = event["kind"], event.get("tool_name")
    if kind == "MessageEvent" and event["source"] == "agent":
        return ["\n".join(part["text"] for part in event["llm_message"]["content"])], "", ""
    if kind == "ActionEvent":
        texts = ["\n".join(part["text"] for part in event["thought"])]
        if name in _OWN_TEXTS:
            return [*texts, event["action"][_OWN_TEXTS[name]]], "", ""
        return texts, event["tool_call_id"], ""
    is_result = kind in {"ObservationEvent", "AgentErrorEvent"} and name not in _OWN_TEXTS
    return [], "", event["tool_call_id"] if is_result else ""


def _of_server(event: dict[str, Any]) -> tuple[list[str], str, str]:
    if event["source"] != "agent":
        return [], "", ""
    if "observation" in event:
        return [], "", str(event["cause"])
    arguments = event["args"]
    if event["action"] in {"message", "finish"}:
        return [arguments.get("content") or arguments.get("final_thought") or ""], "", ""
    return [arguments.get("thought", "")], "" if event["action"] == "system" else str(event["id"]), ""
