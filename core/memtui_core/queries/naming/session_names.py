"""What names, titles and projects need of all sessions, read from a snapshot with one query."""

from __future__ import annotations

from typing import NamedTuple

from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.names.title_rank import TitleRank

_SQL = (
    "SELECT key, root, project, title, cwd, worktree, hidden,"
    f" NOT hidden AND title_rank = {int(TitleRank.FIRST_PROMPT)} FROM sessions"
)


class SessionName(NamedTuple):
    """The names of a session as they are stored."""

    key: int
    root: str
    project: str
    title: str
    cwd: str
    worktree: str | None
    hidden: bool
    is_prompt: bool
    """Whether the title is the first prompt of a session that is shown."""


def session_names(snapshot: Snapshot) -> list[SessionName]:
    """The names of all sessions."""
    return snapshot.cached("session names", lambda: [SessionName(*row) for row in snapshot.rows(_SQL)])


def session_folders(snapshot: Snapshot) -> set[tuple[str, str, str | None]]:
    """The different roots, folders and worktrees of the sessions that are shown, as `project_at` reads them."""
    return {(name.root, name.cwd, name.worktree) for name in session_names(snapshot) if name.root and not name.hidden}
