"""A tool call for rendering: its output and changes as cleaned lines, its paths relative to the project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from memtui.render.clean import LONGEST_TEXT, clean, lines_of, omission
from memtui.render.tools import diff
from memtui_core.model import Block, Session
from memtui_core.text.line_numbers import split_number
from memtui_core.text.machine_folders import folder_of
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import calls_by_seq
from memtui_core.tools.results.todos import Todo, todos_after
from memtui_core.tools.vocabulary import vocabulary


@dataclass(frozen=True)
class RenderedCall:
    """A tool call; `root` is the folder that is removed from its paths, with a mark if another machine has it."""

    tool: ToolCall
    root: str = ""
    subagent: Session | None = None
    """The session of the subagent that the call started."""
    plans_before: tuple[ToolCall, ...] = ()
    """The calls of the same turn before it that changed the agent's list of to-dos, if it may change it, too."""

    @property
    def seq(self) -> int:
        """`Block.seq` of the call, or of the result if the transcript has no call."""
        return self.tool.seq

    @property
    def name(self) -> str:
        """The tool's name; `tool` if the transcript has none."""
        return self.tool.name

    @property
    def block(self) -> Block:
        """The call, or the result if the transcript has no call."""
        return self.tool.block

    @property
    def result(self) -> Block | None:
        """The result; None if the call is running or was interrupted."""
        return self.tool.result

    @property
    def is_edit(self) -> bool:
        """Whether the call changes files."""
        return bool(self.tool.edits)

    @cached_property
    def output(self) -> list[str]:
        """The lines of the result, cleaned, without what the agent's program wrote before the output of a command."""
        return lines_of(self.tool.output)

    @cached_property
    def lines_read(self) -> list[tuple[int | None, str]]:
        """The lines of the result, cleaned, with the numbers that the agent put before them."""
        text = self.tool.result.text.strip("\n") if self.tool.result is not None else ""
        if not text:
            return []
        # Cleaning replaces tabs, also those between number and line.
        split = map(split_number, text[:LONGEST_TEXT].split("\n"))
        lines = [(number, clean(line).rstrip()) for number, line in split]
        return [*lines, *((None, line) for line in omission(text))]

    @cached_property
    def changes(self) -> list[diff.Change]:
        """The changed lines of an edit; empty if the call does not contain them, as for a shell command."""
        tool = self.tool
        if not tool.edits or tool.family == "shell":
            return []
        if patch := diff.from_patch(tool.detail.get("patch")):
            return patch
        if tool.patch:
            return diff.from_unified(tool.patch[:LONGEST_TEXT])
        changes: list[diff.Change] = []
        for edit in tool.edits:
            old, new = edit.old[:LONGEST_TEXT], edit.new[:LONGEST_TEXT]
            lines = diff.added_lines(new) if edit.kind == "write" else diff.changes_between(old, new)
            changes += [diff.Change("@", "⋯"), *lines] if changes and lines else lines
        return changes

    @cached_property
    def todos_before(self) -> dict[str, Todo]:
        """The agent's list of to-dos before the call, as far as the calls of this turn tell it, see `todos_after`."""
        return todos_after(self.plans_before)

    @cached_property
    def todos(self) -> dict[str, Todo]:
        """The list after the call, in the same form."""
        return todos_after((*self.plans_before, self.tool))

    @property
    def line(self) -> int | None:
        """The 1-based line of the file to open: the first that was read or changed; None if unknown."""
        if self.tool.family == "read":
            offset = self.tool.fields.get("offset")
            return offset if isinstance(offset, int) and offset > 0 else None
        return next((change.number for change in self.changes if change.sign in "+-"), None)

    @property
    def written_path(self) -> str:
        """The first file or folder of the call, as the agent wrote it; empty if there is none."""
        return next(iter(self.tool.paths), "")

    @property
    def path(self) -> str:
        """The same with forward slashes, relative to the root."""
        return self._relative(self.written_path)

    @property
    def paths(self) -> tuple[str, ...]:
        """All files of the call, in the same form."""
        return tuple(map(self._relative, self.tool.paths))

    def _relative(self, path: str) -> str:
        path = path.replace("\\", "/")
        root = folder_of(self.root)
        return path.removeprefix(root.rstrip("/") + "/") if root else path


_NONE: Mapping[str, Session] = {}


def rendered_calls(
    blocks: Iterable[Block], root: str = "", subagents: Mapping[str, Session] = _NONE
) -> dict[int, RenderedCall]:
    """The calls of a turn by their `Block.seq`, see `calls_by_seq`; `subagents` are the sessions that some started."""
    calls: dict[int, RenderedCall] = {}
    plans: list[ToolCall] = []
    for seq, call in calls_by_seq(blocks).items():
        is_plan = vocabulary().family_of(call.name) == "plan"
        calls[seq] = RenderedCall(
            call, root, subagents.get(call.block.tool_id or ""), tuple(plans) if is_plan and plans else ()
        )
        if is_plan:
            plans.append(call)
    return calls
