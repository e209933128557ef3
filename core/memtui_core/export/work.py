"""A tool call and its result as one line and what stands under it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from memtui_core.model import Block
from memtui_core.text.controls import one_line, plain
from memtui_core.tools import diffs
from memtui_core.tools.call import ToolCall
from memtui_core.tools.families import COMMANDS, PATHS
from memtui_core.tools.summary import LONGEST_HEADLINE, headline

_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,12}")
_OF_COMMANDS = frozenset({*COMMANDS, "description", "timeout", "run_in_background"})


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


def work(call: ToolCall, root: str) -> Work:
    """A call; `root` is left out of the paths in its line."""
    if call.is_orphan:
        return _orphan(call.block)
    diff = "" if call.is_error else diffs.diff_of(call)
    sections = [Section("Changes", plain(diff).rstrip("\n"), "diff")] if diff else _given(call)
    if call.result is not None and (call.is_error or not diff):
        sections.append(_came_back(call.result))
    return Work(headline(call, root), _outcome(call, diff), call.is_error, tuple(sections))


def _orphan(result: Block) -> Work:
    name = one_line(result.tool or "tool", LONGEST_HEADLINE)
    outcome = "error, call not in the transcript" if result.is_error else "call not in the transcript"
    return Work(name, outcome, result.is_error, (_came_back(result),))


def _outcome(call: ToolCall, diff: str) -> str:
    if call.result is None:
        return "no result"
    if call.is_error:
        return "error" if call.exit_code is None else f"exit {call.exit_code}"
    added, removed = diffs.counts(diff)
    return " ".join([f"+{added}"] * (added > 0) + [f"−{removed}"] * (removed > 0))


def _given(call: ToolCall) -> list[Section]:
    """The input: a command, a file's content, or JSON; nothing where the line says it all."""
    fields, text = call.fields, call.block.text
    if call.command and set(fields) <= _OF_COMMANDS:
        label = one_line(str(fields.get("description") or "Command"), LONGEST_HEADLINE)
        return [Section(label, plain(call.command).rstrip("\n"), "bash")]
    if call.family == "write" and call.edits[0].kind == "write":
        ending = PurePosixPath(call.path).suffix[1:]
        content = plain(call.edits[0].new).rstrip("\n")
        return [Section("Content", content, ending if _LANGUAGE.fullmatch(ending) else "")]
    if fields and not set(fields) <= set(PATHS):
        return [Section("Input", plain(json.dumps(fields, ensure_ascii=False, indent=2)), "json")]
    return [] if fields or text in {"", "{}"} else [Section("Input", plain(text).rstrip("\n"))]


def _came_back(result: Block) -> Section:
    return Section("Error" if result.is_error else "Result", plain(result.text).rstrip("\n") or "(no output)")
