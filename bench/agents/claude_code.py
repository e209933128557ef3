"""What the files of Claude Code contain, every entry once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from bench.agents._counts import Counts, count_call, count_result, count_tokens, no_counts
from bench.agents._reasons import HOOKS, INSTRUCTIONS, TITLES, WHOLE_FILES
from memtui_core.text.redaction import redact

AGENT = "claude-code"
REASONS = {
    "input": "an answer counts in each turn and session in which it is written, the raw count takes its id once",
    "output": "as for the input",
    "*<progress>.data*": "progress is superseded by the result, and repeats the transcripts of subagents",
    "*.toolUseResult*": "the result that the model got is shown, and of an edit the lines that changed",
    "*.attachment<hook_success>*": HOOKS,
    "*.attachment<hook_additional_context>*": HOOKS,
    "*.attachment<async_hook_response>*": HOOKS,
    "*.hookInfos.*": HOOKS,
    "*.attachment<total_tokens_reminder>*": INSTRUCTIONS,
    "*.attachment<*_delta>*": INSTRUCTIONS,
    "*.attachment<skill_listing>*": INSTRUCTIONS,
    "*.attachment<nested_memory>*": INSTRUCTIONS,
    "*.attachment<edited_text_file>*": WHOLE_FILES,
    "*.attachment<file>*": "a file that was added to a prompt is shown by its name",
    "*:<ai-title>.*": TITLES,
    "*:<summary>.*": TITLES,
    "*:<last-prompt>.*": "it repeats a prompt, cut",
    "*:<system>.content": "a compaction is shown as one, and the choice of a model as the model of the answers",
    "*:<system>.apiRefusalExplanation": "the answer that was refused says so",
    "*:<user>.message<user>.content* | *<command-message>*": "the name of a command is shown, not that it runs",
    "*:<user>.message<user>.content | *\x1b[[]*": "the output of a command is shown without its colours",
    "*:": "a line that is a list",
}
_EDITORS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}


def expected(folder: Path) -> Counts:
    """The texts of the assistant, the ids of tool calls and results, and the tokens of answers."""
    found = no_counts()
    usages: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for path in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().splitlines()):
            for entry in _entries(line):
                key = f"{entry.get('uuid') or f'{path} {number}'} {entry.get('timestamp')}"
                if isinstance(message := entry.get("message"), dict) and key not in seen:
                    seen.add(key)
                    is_answer = entry.get("type") == "assistant"
                    _count(message, found, is_answer=is_answer)
                    if is_answer and isinstance(usage := message.get("usage"), dict):
                        usages[message.get("id") or key] = usage
    for usage in usages.values():
        count_tokens(found, usage.get("input_tokens"), usage.get("output_tokens"))
    return found


def _entries(line: bytes) -> list[dict[str, Any]]:
    """The objects of a line: an agent that was stopped may have written two into one."""
    try:
        value = orjson.loads(line)
        return [value] if isinstance(value, dict) else []
    except orjson.JSONDecodeError:
        cut = line.find(b"}{")
        return [] if cut < 0 else [*_entries(line[: cut + 1]), *_entries(line[cut + 1 :])]


def _count(message: dict[str, Any], found: Counts, *, is_answer: bool) -> None:
    parts = message.get("content")
    if is_answer and isinstance(parts, str) and parts.strip():
        found["text"][redact(parts)] += 1
    for part in parts if isinstance(parts, list) else []:
        kind = str(part.get("type")) if isinstance(part, dict) else ""
        if kind == "text" and is_answer and part.get("text"):
            found["text"][redact(part["text"])] += 1
        elif kind.endswith("tool_use"):
            count_call(found, str(part.get("id")), part.get("name"), _EDITORS)
        elif kind.endswith("tool_result"):
            count_result(found, str(part.get("tool_use_id")), part.get("is_error"))
