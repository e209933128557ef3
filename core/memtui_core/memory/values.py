"""What an observation is: something that an agent or a person wrote down to be remembered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

TYPES = ("decision", "bugfix", "feature", "refactor", "discovery", "change")
"""What an observation can be (docs/spec.md S3.2)."""
TITLE = 80
"""Most characters of a title (docs/spec.md S3.10)."""
NARRATIVE = 20_000
"""Most characters of a narrative: what is longer is a document, and belongs into a file."""
ENTRIES = 100
"""Most concepts, files or facts."""
ENTRY = 1000
"""Most characters of one of them."""


@dataclass(frozen=True, slots=True)
class Content:
    """What can be edited; made by `drafts.draft`, which bounds and redacts it."""

    type: str
    title: str
    narrative: str
    subtitle: str = ""
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    """As they were written; they are matched relative to `Observation.root`."""
    files_read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """An observation as it is now."""

    id: str
    session_id: str
    """The agent's own id of the session in which it was written."""
    root: str
    """Folder of the project; the empty string for none."""
    created_at: datetime
    content: Content
    tool_name: str = "mem-save"
    revision: int = 1
    """One more with each edit; the id stays."""
    edited_at: datetime | None = None
    forgotten_at: datetime | None = None
    """It is found no more, and can be restored."""

    @property
    def project(self) -> str:
        """Name of the project: the last folder of its root."""
        return self.root.rstrip("/").rpartition("/")[2]

    @property
    def raw_tool_output(self) -> str:
        """What the tool that saved it would have said."""
        return f"[Manual save] {self.content.narrative}"

    @property
    def token_count(self) -> int:
        """About how many tokens title and narrative are: four characters are one (docs/spec.md S3.8)."""
        return -(-len(self.content.title + self.content.narrative) // 4)
