"""What the user has chosen for a redacted copy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from memtui_core.export.contents import Contents
from memtui_core.export.redacted.copy import CopyOptions, PartPlace

SWITCHES: Final = {
    "thinking": "Thinking",
    "tools": "Tool calls",
    "results": "Results of tool calls",
    "diffs": "Changes and contents of files",
    "paths": "Folders of absolute paths",
}
"""What can be left out of all turns, with its name."""


@dataclass(frozen=True, slots=True)
class ShareChoices:
    """What is left out, what is replaced besides what the rules find, and what is not."""

    without: frozenset[str] = frozenset()
    """Keys of `SWITCHES`."""
    left_out: frozenset[PartPlace] = frozenset()
    words: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()

    def switched(self, name: str) -> ShareChoices:
        """With one of `SWITCHES` the other way round."""
        return replace(self, without=self.without ^ {name})

    def with_place(self, place: PartPlace) -> ShareChoices:
        """With a turn or a part left out, or not."""
        return replace(self, left_out=self.left_out ^ {place})

    def with_kept(self, text: str) -> ShareChoices:
        """With a text that is not replaced, or is again."""
        return replace(self, kept=self.kept ^ {text.lower()})

    def options(self) -> CopyOptions:
        """The same for the copy."""
        has = {name: name not in self.without for name in SWITCHES}
        contents = Contents(thinking=has["thinking"], tools=has["tools"], results=has["results"], diffs=has["diffs"])
        return CopyOptions(contents, has["paths"], self.left_out, self.words, self.kept)
