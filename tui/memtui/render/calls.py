"""A tool call as it is drawn: what came back and what changed as cleaned lines, its paths from the project's folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from memtui.render import diff
from memtui.render.clean import LONGEST_TEXT, lines_of
from memtui_core.model import Block
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import calls_by_seq


@dataclass(frozen=True)
class Call:
    """A tool call, and the folder that is left out of its paths."""

    tool: ToolCall
    root: str = ""

    @property
    def seq(self) -> int:
        """`Block.seq` of the call; of the result where the transcript has no call."""
        return self.tool.seq

    @property
    def name(self) -> str:
        """The tool's name; `tool` when the transcript does not say."""
        return self.tool.name

    @property
    def block(self) -> Block:
        """The call; the result where the transcript has no call."""
        return self.tool.block

    @property
    def result(self) -> Block | None:
        """The result; None while it runs or when it was interrupted."""
        return self.tool.result

    @property
    def is_edit(self) -> bool:
        """Whether it changes files."""
        return bool(self.tool.edits)

    @cached_property
    def output(self) -> list[str]:
        """The lines of the result, cleaned."""
        result = self.tool.block if self.tool.is_orphan else self.tool.result
        return lines_of(result.text) if result is not None else []

    @cached_property
    def changes(self) -> list[diff.Change]:
        """What an edit changed, line by line; empty where the call does not tell, as that of a shell command."""
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
            lines = diff.written(new) if edit.kind == "write" else diff.between(old, new)
            changes += [diff.Change("@", "⋯"), *lines] if changes and lines else lines
        return changes

    @property
    def line(self) -> int | None:
        """The 1-based line of its file at which there is something to see; None when the transcript does not say."""
        if self.tool.family == "read":
            offset = self.tool.fields.get("offset")
            return offset if isinstance(offset, int) and offset > 0 else None
        return next((change.number for change in self.changes if change.sign in "+-"), None)

    @property
    def written_path(self) -> str:
        """The file or folder that it works on, as the agent wrote it; the empty string when there is none."""
        return next(iter(self.tool.paths), "")

    @property
    def path(self) -> str:
        """The same with forward slashes, from the root on."""
        return self._short(self.written_path)

    @property
    def paths(self) -> tuple[str, ...]:
        """Of a call that changes several files all of them, in the same form."""
        return tuple(map(self._short, self.tool.paths))

    def _short(self, path: str) -> str:
        path = path.replace("\\", "/")
        return path.removeprefix(self.root.rstrip("/") + "/") if self.root else path


def calls_in(blocks: Iterable[Block], root: str = "") -> dict[int, Call]:
    """The calls of a turn by the `Block.seq` where they stand, see `calls_by_seq`."""
    return {seq: Call(call, root) for seq, call in calls_by_seq(blocks).items()}
