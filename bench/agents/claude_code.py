"""What the files of Claude Code contain, every entry once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench import coverage
from bench.agents._counts import count_tokens, no_counts
from bench.agents._reasons import HOOKS, INSTRUCTIONS, TITLES, WHOLE_FILES
from bench.coverage import Counts

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
    """The texts of the assistant, and the ids of tool calls and results."""
    found = no_counts() | coverage.expected(folder)
    usages: dict[str, dict[str, Any]] = {}
    seen: set[str] = set()
    for path in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(path.read_bytes().splitlines()):
            for entry in coverage.entries(line):
                key = f"{entry.get('uuid') or f'{path} {number}'} {entry.get('timestamp')}"
                if isinstance(message := entry.get("message"), dict) and key not in seen:
                    seen.add(key)
                    _count(message, found)
                    if entry.get("type") == "assistant" and isinstance(usage := message.get("usage"), dict):
                        usages[message.get("id") or key] = usage
    for usage in usages.values():
        count_tokens(found, usage.get("input_tokens"), usage.get("output_tokens"))
    return found


def _count(message: dict[str, Any], found: Counts) -> None:
    parts = message.get("content")
    for part in parts if isinstance(parts, list) else []:
        kind = str(part.get("type")) if isinstance(part, dict) else ""
        if kind == "tool_use":
            found["edit"][str(part.get("id"))] += part.get("name") in _EDITORS
        elif kind == "tool_result":
            found["error"][str(part.get("tool_use_id"))] += bool(part.get("is_error"))
        elif kind.endswith("_tool_use"):
            found["tool_call"][str(part.get("id"))] += 1
        elif kind.endswith("_tool_result"):
            found["tool_result"][str(part.get("tool_use_id"))] += 1
