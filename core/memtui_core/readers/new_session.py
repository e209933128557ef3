"""A session that memtui writes for an agent, so that the agent can resume it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A text of the user or of the assistant."""

    role: Literal["user", "assistant"]
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class NewSession:
    """A conversation without tool calls."""

    session_id: str
    """A new UUID."""
    title: str
    cwd: str
    branch: str | None
    messages: tuple[NewMessage, ...]
    """At least one; the first is of the user."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """The file in which an agent finds a session."""

    path: Path
    content: bytes
