"""What is shared with the team, for the list of sessions; nothing of it is imported before a team was joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.model import Session
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_team.sharing import Choice


@dataclass(frozen=True)
class SharedMarks:
    """Which sessions are shared, and what the user chose."""

    keys: frozenset[int]
    """The keys of the sessions that are shared."""
    choices: Mapping[tuple[str, str], Choice]

    def choice(self, session: Session) -> Choice | None:
        """What the user chose for a session; None if it is treated as its project."""
        return self.choices.get(_identity(session))

    def sign(self, sessions: Sequence[Session]) -> str:
        """The sign in a row: `↑` if all of its sessions are shared, `⊘` if all are private."""
        if all(session.key in self.keys for session in sessions):
            return "↑ "
        return "⊘ " if all(self.choice(session) == "private" for session in sessions) else ""


@dataclass(frozen=True)
class SharingService:
    """Reads and changes what is shared, in threads of its callers."""

    data_dir: Path
    share: Sequence[str] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    exclusions: Exclusions = NOTHING

    def marks(self, index: Index) -> SharedMarks | None:
        """The marks of all sessions; None if no team was joined. Raises TeamError."""
        if not (self.data_dir / "team").is_dir():
            return None
        from memtui_team.address import TeamAddress
        from memtui_team.sharing import Sharing

        if TeamAddress.load(self.data_dir) is None:
            return None
        sharing = Sharing.of(self.data_dir, self.share, self.groups, self.exclusions)
        shared = frozenset(session.key for session in sharing.sessions(index.snapshot))
        return SharedMarks(shared, sharing.choices)

    def choose(self, sessions: Sequence[Session], choice: Choice | None) -> None:
        """Share sessions, keep them private, or treat them as their projects. Raises TeamError and OSError."""
        from memtui_team.sharing import SessionChoices

        choices = SessionChoices(self.data_dir)
        for session in sessions:
            choices.choose(*_identity(session), choice)


NEXT: Mapping[Choice | None, Choice | None] = {None: "shared", "shared": "private", "private": None}
"""What the key chooses next."""


def said(choice: Choice | None, *, is_shared: bool) -> str:
    """A choice in words."""
    if choice == "private":
        return "Private: it does not leave this machine."
    if choice == "shared":
        return "Shared with the team." if is_shared else "It stays here: it is excluded, forgotten or without turns."
    return f"As its project: {'shared with the team' if is_shared else 'not shared'}."


def _identity(session: Session) -> tuple[str, str]:
    return stored(session.agent), stored(session.session_id)
