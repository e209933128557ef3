"""A tool call and its result as one line and what stands under it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from memtui_core.model import Block
from memtui_core.text.controls import one_line, plain
from memtui_core.tools import diffs
from memtui_core.tools.summary import summarize

_LONGEST_LINE = 160
_EDITS = frozenset({"edit", "multiedit", "notebookedit", "replace", "str_replace", "edit_file", "write", "apply_patch"})
_PATHS = ("file_path", "filePath", "path", "notebook_path")
_SUBJECTS = ("subject", "title", "description", "pattern", "url", "query", "skill", "notebook_path", "prompt")
"""Arguments that tell what a tool was called for, where its line has only its name."""
_EXIT = re.compile(r"exit code:? (-?\d+)", re.IGNORECASE)
_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Section:
    """A text under a call: what it was given, what it changed, or what came back."""

    label: str
    text: str
    """Without control characters, without blank lines at its end."""
    language: str = ""
    """`diff`, `json`, or the ending of a file's name."""


@dataclass(frozen=True, slots=True)
class Work:
    """A tool call with its result."""

    line: str
    """What was done to what: `Edit src/upload.py`."""
    outcome: str
    """`+12 −3`, `error`, `exit 1`, `no result`, or the empty string."""
    failed: bool
    sections: tuple[Section, ...]


def work(call: Block, result: Block | None, root: str) -> Work:
    """A call, and its result if it has one; `root` is left out of the paths in the line."""
    arguments = _object(call.text)
    failed = result is not None and result.is_error
    diff = "" if failed else _diff(call, result, arguments)
    sections = [Section("Changes", plain(diff), "diff")] if diff else _given(call, arguments)
    if result is not None and (failed or not diff):
        sections.append(_came_back(result))
    return Work(_line(call, arguments, root), _outcome(result, diff), failed, tuple(sections))


def orphan(result: Block) -> Work:
    """A result whose call is not in the turn."""
    name = one_line(result.tool or "tool", _LONGEST_LINE)
    outcome = "error, call not in the transcript" if result.is_error else "call not in the transcript"
    return Work(name, outcome, result.is_error, (_came_back(result),))


def results_of(blocks: Sequence[Block]) -> tuple[dict[int, Block], set[int]]:
    """The results of calls by the `seq` of the call, and the `seq` of all of them.

    Parallel calls are answered in any order: the id tells which result belongs to which.
    """
    waiting: dict[str, Block] = {}
    for block in blocks:
        if block.kind == "tool_result" and block.tool_id:
            waiting.setdefault(block.tool_id, block)
    found: dict[int, Block] = {}
    for block in blocks:
        if block.kind == "tool_call" and block.tool_id and block.tool_id in waiting:
            found[block.seq] = waiting.pop(block.tool_id)
    return found, {result.seq for result in found.values()}


def _line(call: Block, arguments: dict[str, Any], root: str) -> str:
    base = root.rstrip("/") + "/" if root else ""
    shown = {
        name: value.removeprefix(base) if name in _PATHS and isinstance(value, str) else value
        for name, value in arguments.items()
    }
    line = summarize(call.tool, shown) or "tool"
    if line == call.tool and (subject := next((s for s in (shown.get(name) for name in _SUBJECTS) if s), None)):
        line = f"{line}: {subject}" if isinstance(subject, str) else line
    return one_line(line, _LONGEST_LINE)


def _outcome(result: Block | None, diff: str) -> str:
    if result is None:
        return "no result"
    if result.is_error:
        code = _EXIT.search(result.text[:400])
        return f"exit {code[1]}" if code else "error"
    added, removed = diffs.counts(diff)
    return " ".join([f"+{added}"] * (added > 0) + [f"−{removed}"] * (removed > 0))


def _diff(call: Block, result: Block | None, arguments: dict[str, Any]) -> str:
    if (call.tool or "").lower() not in _EDITS:
        return ""
    patch = _object(result.detail if result else None).get("patch")
    return diffs.from_patch(patch) or diffs.from_input(arguments)


def _given(call: Block, arguments: dict[str, Any]) -> list[Section]:
    """The input: a command, a file's content, or JSON; nothing where the line says it all."""
    command, content = arguments.get("command"), arguments.get("content")
    if isinstance(command, str) and set(arguments) <= {"command", "description", "timeout", "run_in_background"}:
        label = arguments.get("description")
        return [Section(one_line(str(label or "Command"), _LONGEST_LINE), plain(command).rstrip("\n"), "bash")]
    if isinstance(content, str) and (call.tool or "").lower() == "write":
        ending = PurePosixPath(str(arguments.get("file_path", ""))).suffix[1:]
        return [Section("Content", plain(content).rstrip("\n"), ending if _LANGUAGE.fullmatch(ending) else "")]
    if arguments and not set(arguments) <= set(_PATHS):
        return [Section("Input", plain(json.dumps(arguments, ensure_ascii=False, indent=2)), "json")]
    return [] if arguments or call.text in {"", "{}"} else [Section("Input", plain(call.text).rstrip("\n"))]


def _came_back(result: Block) -> Section:
    return Section("Error" if result.is_error else "Result", plain(result.text).rstrip("\n") or "(no output)")


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
