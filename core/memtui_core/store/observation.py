"""The observation: a note that an agent or the user saved to be remembered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memtui_core.text.token_estimate import estimated_tokens

MAX_TITLE = 80
"""Maximum characters of a title: it is one line of a list."""
MAX_NARRATIVE = 20_000
"""Maximum characters of a narrative: a longer text is a document and belongs in a file."""
MAX_ENTRIES = 100
"""Maximum number of concepts, of files and of facts."""
MAX_ENTRY = 1000
"""Maximum characters of one concept, file or fact, and of the subtitle."""


@dataclass(frozen=True, slots=True)
class ObservationContent:
    """The editable fields; made by `validation.validated_content`, which limits and redacts them."""

    type: str
    title: str
    narrative: str
    subtitle: str = ""
    facts: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    """Paths as they were given; filters match them relative to `Observation.root`."""
    files_read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """An observation in its current revision."""

    id: str
    session_id: str
    """The agent's id of the session in which it was saved."""
    root: str
    """Root folder of the project; empty if it belongs to none."""
    created_at: datetime
    content: ObservationContent
    tool_name: str = "mem-save"
    revision: int = 1
    """Number of the revision, from 1; the id stays the same."""
    edited_at: datetime | None = None
    forgotten_at: datetime | None = None
    """When it was forgotten: searches omit it until it is restored. None if it is not forgotten."""

    @property
    def project(self) -> str:
        """Name of the project: the last folder of its root."""
        return self.root.rstrip("/").rpartition("/")[2]

    @property
    def raw_tool_output(self) -> str:
        """The output of the tool call that saved it."""
        return f"[Manual save] {self.content.narrative}"

    @property
    def token_count(self) -> int:
        """An estimate of the tokens of title and narrative."""
        return estimated_tokens(len(self.content.title + self.content.narrative))
