"""A tool call with its result, whatever agent made it: which family of tool, on what, with what outcome."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from memtui.render import diff
from memtui.render.clean import LONGEST_TEXT, lines_of
from memtui_core.model import Block

Family = Literal["read", "edit", "write", "patch", "bash", "grep", "glob", "web", "task", "todo", "other"]

_FAMILIES: dict[str, Family] = {
    **dict.fromkeys(("read", "read_file", "view", "notebookread", "cat"), "read"),
    **dict.fromkeys(("edit", "multiedit", "notebookedit", "replace", "str_replace", "edit_file"), "edit"),
    **dict.fromkeys(("write", "write_file", "create", "create_file"), "write"),
    "apply_patch": "patch",
    **dict.fromkeys(("bash", "shell", "exec_command", "run_shell_command", "local_shell"), "bash"),
    **dict.fromkeys(("grep", "search_file_content", "rg", "search", "codesearch"), "grep"),
    **dict.fromkeys(("glob", "list", "ls", "list_directory"), "glob"),
    **dict.fromkeys(("webfetch", "websearch", "web_fetch", "google_web_search", "web_search"), "web"),
    **dict.fromkeys(("task", "agent"), "task"),
    **dict.fromkeys(("todowrite", "update_plan", "write_todos"), "todo"),
}
EDITS: Final[frozenset[Family]] = frozenset({"edit", "write", "patch"})
"""Change files."""
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "filename")
_OLD, _NEW = ("old_string", "oldString", "old_str", "old_text"), ("new_string", "newString", "new_str", "new_source")
_EXIT = re.compile(r"(?:Exit code|exit code|exit status|\"exit_code\":)\s*(-?\d+)")


def family_of(tool: str) -> Family:
    """What kind of tool a name means."""
    return _FAMILIES.get(tool.lower(), "other")


@dataclass(frozen=True)
class Call:
    """A tool call and its result; `result` is None while it runs or when it was interrupted."""

    block: Block
    result: Block | None = None
    root: str = ""
    """Folder that is left out of paths."""

    @property
    def seq(self) -> int:
        """`Block.seq` of the call; of the result where the transcript has no call."""
        return self.block.seq

    @property
    def name(self) -> str:
        """The tool's name; `tool` when the transcript does not say."""
        return self.block.tool or "tool"

    @cached_property
    def family(self) -> Family:
        """What kind of tool it is."""
        return family_of(self.name)

    @property
    def failed(self) -> bool:
        """The result has the error flag."""
        return self.result is not None and self.result.is_error

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The input; empty when it is not an object."""
        if self.block.kind != "tool_call":
            return {}
        try:
            value = json.loads(self.block.text)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @cached_property
    def detail(self) -> dict[str, Any]:
        """What the transcript tells besides the text."""
        for block in (self.result, self.block):
            if block is not None and block.detail:
                try:
                    value = json.loads(block.detail)
                except (ValueError, RecursionError):
                    continue
                if isinstance(value, dict):
                    return value
        return {}

    @cached_property
    def output(self) -> list[str]:
        """The lines of the result, cleaned."""
        return lines_of(self.result.text) if self.result is not None else []

    @cached_property
    def changes(self) -> list[diff.Change]:
        """What an edit, a write or a patch changed; empty for other tools and for edits that failed."""
        if self.family not in EDITS:
            return []
        if patch := diff.from_patch(self.detail.get("patch")):
            return patch
        if self.family == "write":
            return diff.written(self.text("content", "file_text", "contents")[:LONGEST_TEXT])
        if self.family == "patch":
            return diff.from_unified(self.text("patchText", "input", "patch")[:LONGEST_TEXT])
        return self._edits()

    def _edits(self) -> list[diff.Change]:
        edits = self.arguments.get("edits")
        parts = [part for part in edits if isinstance(part, dict)] if isinstance(edits, list) else [self.arguments]
        changes: list[diff.Change] = []
        for part in parts:
            found = diff.between(_text(part, *_OLD)[:LONGEST_TEXT], _text(part, *_NEW)[:LONGEST_TEXT])
            changes += [diff.Change("@", "⋯"), *found] if changes and found else found
        return changes

    @property
    def line(self) -> int | None:
        """The 1-based line of its file at which there is something to see; None when the transcript does not say."""
        if self.family == "read":
            offset = self.arguments.get("offset")
            return offset if isinstance(offset, int) and offset > 0 else None
        return next((change.number for change in self.changes if change.sign in "+-"), None)

    @property
    def written_path(self) -> str:
        """The file or folder that it works on, as the agent wrote it; the empty string when there is none."""
        return self.text(*_PATHS)

    @property
    def path(self) -> str:
        """The same with forward slashes, from the root on."""
        path = self.written_path.replace("\\", "/")
        return path.removeprefix(self.root.rstrip("/") + "/") if self.root else path

    @cached_property
    def command(self) -> str:
        """The shell command; a list of words is joined."""
        value = self.arguments.get("command", self.arguments.get("cmd", ""))
        if isinstance(value, list):
            words = [word for word in value if isinstance(word, str)]
            return words[2] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)
        return value if isinstance(value, str) else ""

    @cached_property
    def exit_code(self) -> int | None:
        """The exit code that a failed command's output names."""
        match = _EXIT.search(self.result.text[:400]) if self.result is not None else None
        return int(match[1]) if match else None

    def text(self, *names: str) -> str:
        """The first of the named arguments that is a text."""
        return _text(self.arguments, *names)


def _text(values: dict[str, Any], *names: str) -> str:
    return next((value for name in names if isinstance(value := values.get(name), str)), "")


def pair(blocks: Sequence[Block], root: str = "") -> tuple[dict[int, Call], set[int]]:
    """Calls with their results by the call's `seq`, and the `seq` of every result that has a call.

    Parallel calls are answered in any order, so results are found by their id.
    """
    results: dict[str, Block] = {}
    for block in blocks:
        if block.kind == "tool_result" and block.tool_id:
            results.setdefault(block.tool_id, block)
    calls: dict[int, Call] = {}
    taken: set[int] = set()
    for block in blocks:
        if block.kind == "tool_call":
            result = results.pop(block.tool_id, None) if block.tool_id else None
            calls[block.seq] = Call(block, result, root)
            if result is not None:
                taken.add(result.seq)
    return calls, taken
