"""What became of the edits of an answer, as Aider prints it: applied, skipped, or not found in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

from memtui_core.tools.edits import edits_of_patch
from memtui_core.tools.search_replace import replacements

_APPLIED: Final = re.compile(r"Applied edit to (.+)")
_REFUSED: Final = re.compile(
    r"Did not apply edit to (.+) \(--dry-run\)|Skipping edits to (.+?)(?: that matches gitignore spec\.)?"
    r"|Unable to create (.+), skipping edits\."
)
_MALFORMED: Final = "The LLM did not conform to the edit format."
_BROKEN: Final = "Exception while updating files:"
_ADDRESS: Final = re.compile(r"https?://\S+")
_SECTION: Final = re.compile(r"^(?=## )", re.MULTILINE)
_OTHERS_APPLIED: Final = re.compile(r"^# The other \d+ SEARCH/REPLACE blocks? (?:was|were) applied.*$", re.MULTILINE)
_SOME_APPLIED: Final = "Note: some hunks did apply successfully."


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """An edit of which nothing is known yet."""

    tool_id: str
    arguments: dict[str, Any]

    @property
    def paths(self) -> Sequence[str]:
        """The files that it changes."""
        path = self.arguments.get("path")
        return (path,) if path else [edit.path for edit in edits_of_patch(self.arguments.get("patch", ""))]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an edit; without an id, an edit of a file that no call names, or a text that is no result."""

    tool_id: str
    text: str
    is_error: bool = False
    path: str = ""
    """The file of an edit that no call names."""


class Outcomes:
    """Finds the results of the open edits in what Aider prints."""

    def __init__(self) -> None:
        self.open: list[PendingEdit] = []
        self._explains = False
        """Whether the next text says why edits failed."""

    def of(self, text: str) -> Iterator[Outcome]:
        """The results in a text, or else the text itself."""
        if self._explains and self.open and not _ADDRESS.fullmatch(text):
            self._explains = False
            yield from self._failed(text)
        elif applied := _APPLIED.fullmatch(text):
            yield from self._close(applied[1], text)
        elif refused := _REFUSED.fullmatch(text):
            yield from self._close(next(filter(None, refused.groups())), text, is_error=True)
        else:
            self._explains = self._explains or text in {_MALFORMED, _BROKEN}
            yield Outcome("", text)

    def _close(self, path: str, text: str, *, is_error: bool = False) -> Iterator[Outcome]:
        closed = [edit for edit in self.open if path in edit.paths]
        if not closed:
            # Aider completes a path that the model has shortened.
            name = PurePosixPath(path).name
            closed = [edit for edit in self.open if name in {PurePosixPath(one).name for one in edit.paths}]
        self.open = [edit for edit in self.open if edit not in closed]
        without_call = Outcome("", text, path="" if is_error else path)
        yield from [Outcome(edit.tool_id, text, is_error) for edit in closed] or [without_call]

    def _failed(self, text: str) -> Iterator[Outcome]:
        """The results of all open edits: some of them were applied if the text says so."""
        sections = [section.strip() for section in _SECTION.split(text) if "SEARCH" in section]
        blocks = {block: section for section in sections for block in replacements(section)}
        others = _OTHERS_APPLIED.search(text)
        left = dict.fromkeys(section for section in sections if list(replacements(section)))
        """The sections about no edit of the answer."""
        for edit in self.open:
            own = _section_of(edit, blocks)
            left.pop(own, None)
            if own or not blocks:
                # A text about hunks names the files of those that failed.
                applied = not own and _SOME_APPLIED in text and not any(path in text for path in edit.paths)
                yield Outcome(edit.tool_id, own or text, not applied)
            elif others is not None:
                yield Outcome(edit.tool_id, others[0])
        self.open = []
        yield from (Outcome("", section) for section in left)


def _section_of(edit: PendingEdit, blocks: Mapping[tuple[str, str], str]) -> str:
    """The section that says why an edit failed; empty if there is none."""
    for block in replacements(edit.arguments.get("diff", "")):
        if block in blocks:
            return blocks[block]
    searched = [part["search"] for part in edit.arguments.get("edits", ())]
    return next((section for section in blocks.values() if any(text and text in section for text in searched)), "")
