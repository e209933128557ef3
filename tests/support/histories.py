"""The turns before a compaction, told step by step as values, as `history_before` reads them from an index."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from memtui_core.model import Block, Turn, TurnKind

ROOT = "/home/ana/code/shop"


class History:
    """Collects turns; the line of each block counts up."""

    def __init__(self) -> None:
        self._told: list[tuple[Turn, list[Block]]] = []
        self._line = 0
        self._calls = 0
        self._segment = 0

    @property
    def turns(self) -> list[Turn]:
        """The turns so far, with their blocks."""
        return [replace(turn, blocks=tuple(blocks)) for turn, blocks in self._told]

    @property
    def next_segment(self) -> int:
        """The number of the segment that a compaction at this place begins."""
        return self._segment + 1

    def asks(self, text: str, kind: TurnKind = "human") -> None:
        """A turn begins with a text of the user."""
        number, line = len(self._told) + 1, self._line + 1
        self._told.append((Turn(number, 1, number, line, line, kind, self._segment, text, (), None, None), []))
        self._block("user", text)

    def says(self, text: str) -> None:
        """The agent says something."""
        self._block("text", text)

    def thinks(self, text: str) -> None:
        """The agent thinks."""
        self._block("thinking", text)

    def compacts(self, summary: str) -> None:
        """A compaction with this summary begins a segment."""
        self._segment += 1
        self.asks(summary, "compaction")

    def calls(self, tool: str, result: str | None = "done", *, error: bool = False, **arguments: Any) -> None:
        """The agent calls a tool; without a result the call was interrupted."""
        self._calls += 1
        tool_id = f"t{self._calls}"
        self._block("tool_call", json.dumps(arguments), tool, tool_id)
        if result is not None:
            self._block("tool_result", result, tool, tool_id, error)

    def runs(self, command: str, result: str | None = "done", *, error: bool = False) -> None:
        """The agent runs a command of the shell."""
        self.calls("Bash", result, error=error, command=command)

    def edits(self, path: str, new: str = "b", *, error: bool = False) -> None:
        """The agent edits a file of the project."""
        self.calls("Edit", error=error, file_path=f"{ROOT}/{path}", old_string="a", new_string=new)

    def writes(self, path: str, content: str) -> None:
        """The agent writes a file of the project."""
        self.calls("Write", file_path=f"{ROOT}/{path}", content=content)

    def reads(self, path: str, content: str, **arguments: Any) -> None:
        """The agent reads a file of the project."""
        self.calls("Read", content, file_path=f"{ROOT}/{path}", **arguments)

    def _block(
        self, kind: str, text: str, tool: str | None = None, tool_id: str | None = None, is_error: bool = False
    ) -> None:
        self._line += 1
        blocks = self._told[-1][1]
        blocks.append(Block(len(blocks), self._line, kind, text, tool, tool_id, is_error))  # type: ignore[arg-type]
