"""What the sessions of Continue hold."""

from __future__ import annotations

import json
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "continue"
REASONS = {
    "*.toolCallStates.#.output.#.*": "headings that the editor gives to results",
    "*.editorState*": "the prompt as the editor keeps it, which the message repeats",
    "*.promptLogs.*": "the log of requests repeats the conversation",
}
_EDITORS = {
    "Edit",
    "Write",
    "MultiEdit",
    "single_find_and_replace",
    "edit_existing_file",
    "create_new_file",
    "multi_edit",
}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and of those with an output."""
    found = no_counts()
    for path in folder.rglob("*.json"):
        if path.name == "sessions.json":
            continue
        for item in json.loads(path.read_bytes())["history"]:
            message = item["message"]
            usage = message.get("usage", {})
            count_tokens(found, usage.get("prompt_tokens"), usage.get("completion_tokens"))
            if message["role"] == "assistant" and message["content"]:
                found["text"][redact(message["content"])] += 1
            for call in message.get("toolCalls", []):
                count_call(found, call["id"], call["function"]["name"], _EDITORS)
            for state in item.get("toolCallStates", []):
                if state.get("output"):
                    count_result(found, state["toolCallId"], state["status"] != "done")
    return found
