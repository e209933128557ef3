"""What the events of OpenHands contain: those of the agent SDK, and those of version 0."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from memtui_core.text.redaction import redact

AGENT = "openhands"
_OWN_TEXTS = {"finish": "message"}


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The texts of the assistant, and the ids of tool calls and results."""
    counted: dict[str, Counter[str]] = {"text": Counter(), "tool_call": Counter(), "tool_result": Counter()}
    for path in sorted(folder.rglob("events/*.json")):
        event = json.loads(path.read_text("utf-8"))
        texts, call, result = _of_sdk(event) if "kind" in event else _of_server(event)
        counted["text"].update(redact(text) for text in texts if text.strip())
        counted["tool_call"].update([call] if call else [])
        counted["tool_result"].update([result] if result else [])
    return counted


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
