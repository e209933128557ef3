"""What the sessions of Auggie hold."""

from __future__ import annotations

import json
from pathlib import Path

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from memtui_core.text.redaction import redact

AGENT = "augment"
_EDITORS = {"str-replace-editor", "save-file", "apply_patch"}


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results."""
    found = no_counts()
    for path in folder.rglob("*.json"):
        for entry in json.loads(path.read_bytes())["chatHistory"]:
            exchange = entry["exchange"]
            if exchange.get("response_text"):
                found["text"][redact(exchange["response_text"])] += 1
            for node in exchange.get("response_nodes", []):
                usage = node.get("token_usage", {})
                count_tokens(found, usage.get("input_tokens"), usage.get("output_tokens"))
                if "tool_use" in node:
                    count_call(found, node["tool_use"]["tool_use_id"], node["tool_use"]["tool_name"], _EDITORS)
            for node in exchange.get("request_nodes", []):
                if "tool_result_node" in node:
                    result = node["tool_result_node"]
                    count_result(found, result["tool_use_id"], result.get("is_error"))
    return found
