"""A session that memtui writes for an agent, so that the agent can resume it."""

from __future__ import annotations

from collections.abc import Iterable
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
class Rewinding:
    """A new session that repeats another one up to a place. Lines count from 0."""

    session_id: str
    """A new UUID."""
    title: str
    cwd: str
    """The folder in which it will be resumed."""
    at: datetime
    """When it is made."""
    transcript: Path
    """Where the other session is, or was; on another machine if its folder is not `cwd`."""
    lines: Iterable[bytes]
    """The lines of that transcript without their newlines."""
    first: int
    """The line at which the chosen turn begins."""
    last: int
    """The line at which it ends."""
    before: bool
    """Whether to end before that turn, and not after it."""


@dataclass(frozen=True, slots=True)
class SessionFile:
    """The file in which an agent finds a session."""

    path: Path
    content: bytes
