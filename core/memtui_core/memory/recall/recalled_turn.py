"""The result of recall, in a module that imports nothing slow: a hook loads it while an agent waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class RecalledTurn(NamedTuple):
    """An earlier turn that belongs to a prompt or to a file."""

    session_id: str
    turn: int
    line: int
    """Line of its prompt in the transcript."""
    started_at: datetime | None
    title: str
    """Title of the session."""
    text: str
    """The conversation of the turn: the prompt and what the agent answered."""
    distance: float | None = None
    """Cosine distance to the prompt; None if it was found by its file alone."""
    files: tuple[str, ...] = ()
    """The file by which it was found."""
    kind: str = ""
    """How the turn touched the file: edited, read or mentioned; empty if that was not looked up."""

    @property
    def reference(self) -> str:
        """`SESSION:TURN`."""
        return f"{self.session_id}:{self.turn}"
