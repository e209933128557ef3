"""The labels of the session tree, which tell projects of the same name apart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memtui.formatting import number, time_of_day
from memtui.path_text import distinct_folders
from memtui.views.sessions.items import SessionGroup, TreeItem
from memtui_core.model import Compaction, Project, Session

_RUNNING_SECONDS = 120
"""A session whose last entry is not older is marked as running."""


class Labels:
    """Compares the names of projects, and makes the labels."""

    def __init__(self) -> None:
        self._folders: dict[tuple[str, str], str] = {}
        """What tells a project from those of the same name, by its root and name."""

    def take_projects(self, projects: Sequence[Project]) -> bool:
        """Compare the names of all projects; True if labels may have changed."""
        before, self._folders = self._folders, {}
        by_name: dict[str, list[str]] = {}
        for project in projects:
            by_name.setdefault(project.name, []).append(project.root)
        for name, roots in by_name.items():
            if len(roots) > 1:
                self._folders |= zip(((root, name) for root in roots), distinct_folders(roots), strict=True)
        return before != self._folders

    def parts(self, item: TreeItem, parent: TreeItem | None, now: datetime) -> tuple[str, str, str]:
        """The mark of a row, its title, and what stays when the title is cut."""
        match item:
            case Project():
                folder = self._folders.get((item.root, item.name))
                return "", item.name, f" · {folder}" if folder else ""
            case SessionGroup():
                is_running = any(_is_running(session, now) for session in item.sessions)
                return _mark(item.first, is_running), item.first.title, f" ×{number(len(item.sessions))}"
            case Compaction():
                return "⧉ ", f"compacted {time_of_day(item.at)}", ""
            case Session():
                mark = _mark(item, _is_running(item, now))
                return mark, parent.name(item) if isinstance(parent, SessionGroup) else item.title, ""


def _mark(session: Session, is_running: bool) -> str:
    return "◌ " if session.parent is not None else "◉ " if is_running else "● "


def _is_running(session: Session, now: datetime) -> bool:
    return session.ended_at is not None and (now - session.ended_at).total_seconds() < _RUNNING_SECONDS
