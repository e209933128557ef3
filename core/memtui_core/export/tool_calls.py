"""A tool call and its result as one line with sections below it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Literal

from memtui_core.export.contents import Contents
from memtui_core.model import Block
from memtui_core.text.controls import one_line, plain
from memtui_core.tools import diffs
from memtui_core.tools.call import ToolCall
from memtui_core.tools.summary import LONGEST_HEADLINE, headline
from memtui_core.tools.vocabulary import vocabulary

_LANGUAGE = re.compile(r"[A-Za-z0-9]{1,12}")
_BESIDE_COMMANDS = ("description", "timeout", "run_in_background")
"""Arguments that say nothing that a command does not."""


@dataclass(frozen=True, slots=True)
class ToolCallSection:
    """A text below a call: its input, its changes, or its result."""

    kind: Literal["input", "diff", "result"]
    """diff: what an edit changed, or the content of a file that was written."""
    label: str
    text: str
    """Without control characters, without blank lines at its end."""
    language: str = ""
    """`diff`, `json`, or a file extension."""

    def cut_to(self, most: int) -> ToolCallSection:
        """The section with at most about `most` characters, if that is not 0; its middle is left out."""
        return replace(self, text=middle_left_out(self.text, most)) if most and len(self.text) > most else self


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A tool call with its result."""

    line: str
    """The headline of the call: `Edit src/upload.py`."""
    outcome: str
    """`+12 −3`, `error`, `exit 1`, `no result`, or the empty string."""
    failed: bool
    sections: tuple[ToolCallSection, ...]

    def limited_to(self, contents: Contents) -> ToolCallPart:
        """The part with what a document contains of it."""
        is_in = {"input": contents.inputs, "result": contents.results, "diff": contents.diffs}
        if all(is_in.values()) and not contents.most:
            return self
        kept = (section.cut_to(contents.most) for section in self.sections if is_in[section.kind])
        return replace(self, sections=tuple(kept))


def middle_left_out(text: str, most: int) -> str:
    """The text with at most about `most` characters; a line in its middle says how many are left out."""
    if len(text) <= most:
        return text
    start, end = text[: most // 2], text[len(text) - most // 2 :]
    start, end = start[: start.rfind("\n") + 1] or start, end[end.find("\n") + 1 :]
    out = len(text) - len(start) - len(end)
    return f"{start.rstrip(chr(10))}\n… {out:,} characters left out …\n{end}"


def tool_call_part(call: ToolCall, root: str) -> ToolCallPart:
    """Describe a call; `root` is removed from the paths in its line."""
    if call.is_orphan:
        return _orphan(call.block)
    diff = "" if call.is_error else diffs.diff_of(call)
    sections = [ToolCallSection("diff", "Changes", plain(diff).rstrip("\n"), "diff")] if diff else _input_sections(call)
    if call.result is not None and (call.is_error or not diff):
        sections.append(_result_section(call.result))
    return ToolCallPart(headline(call, root), _outcome(call, diff), call.is_error, tuple(sections))


def _orphan(result: Block) -> ToolCallPart:
    name = one_line(result.tool or "tool", LONGEST_HEADLINE)
    outcome = "error, call not in the transcript" if result.is_error else "call not in the transcript"
    return ToolCallPart(name, outcome, result.is_error, (_result_section(result),))


def _outcome(call: ToolCall, diff: str) -> str:
    if call.result is None:
        return "no result"
    if call.is_error:
        return "error" if call.exit_code is None else f"exit {call.exit_code}"
    added, removed = diffs.counts(diff)
    return " ".join([f"+{added}"] * (added > 0) + [f"−{removed}"] * (removed > 0))


def _input_sections(call: ToolCall) -> list[ToolCallSection]:
    """The input: a command, a file's content, or JSON; none if the line contains the whole input."""
    fields, text, names = call.fields, call.block.text, vocabulary().names
    if call.command and set(fields) <= {*names.commands, *_BESIDE_COMMANDS}:
        label = one_line(str(fields.get("description") or "Command"), LONGEST_HEADLINE)
        return [ToolCallSection("input", label, plain(call.command).rstrip("\n"), "bash")]
    if call.family == "write" and call.edits[0].kind == "write":
        extension = PurePosixPath(call.path).suffix[1:]
        content = plain(call.edits[0].new).rstrip("\n")
        return [ToolCallSection("diff", "Content", content, extension if _LANGUAGE.fullmatch(extension) else "")]
    if fields and not set(fields) <= set(names.paths):
        return [ToolCallSection("input", "Input", plain(json.dumps(fields, ensure_ascii=False, indent=2)), "json")]
    return [] if fields or text in {"", "{}"} else [ToolCallSection("input", "Input", plain(text).rstrip("\n"))]


def _result_section(result: Block) -> ToolCallSection:
    return ToolCallSection(
        "result", "Error" if result.is_error else "Result", plain(result.text).rstrip("\n") or "(no output)"
    )
