"""The labels of the session tree, which tell projects of the same name and sessions of the same title apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from memtui.formatting import age, day, time_of_day
from memtui_core.model import Compaction, Project, Session

TreeItem = Project | Session | Compaction
_RUNNING_SECONDS = 120
"""A session whose last entry is not older is marked as running."""


class Labels:
    """Counts the names of projects and the titles of sessions, and makes the labels."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()
        self._titles: dict[tuple[str, str], Counter[str]] = {}

    def take_projects(self, projects: Sequence[Project]) -> bool:
        """Count the names of all projects; True if labels may have changed."""
        before, self._names = self._names, Counter(project.name for project in projects)
        return before != self._names

    def take_sessions(self, project: Project, sessions: Sequence[Session]) -> bool:
        """Count the titles of the sessions of a project; True if labels may have changed."""
        key = project.root, project.name
        before = self._titles.get(key)
        self._titles[key] = Counter(session.title for session in sessions)
        return before is not None and before != self._titles[key]

    def parts(self, item: TreeItem, now: datetime) -> tuple[str, str, str]:
        """The mark, the title, and the text at the right."""
        if isinstance(item, Project):
            folder = item.root.rstrip("/").rpartition("/")[0].rpartition("/")[2]
            suffix = f" · {folder}" if self._names[item.name] > 1 and folder else ""
            return "", f"{item.name}{suffix}", f"{item.sessions}  {age(item.last, now):>5}"
        if isinstance(item, Compaction):
            return "⧉ ", f"compacted {time_of_day(item.at)}", ""
        is_running = item.ended_at is not None and (now - item.ended_at).total_seconds() < _RUNNING_SECONDS
        mark = "◌ " if item.parent is not None else "◉ " if is_running else "● "
        titles = self._titles.get((item.root, item.project), Counter())
        if item.parent is None and titles[item.title] > 1 and item.started_at is not None:
            when = f"{day(item.started_at).rpartition(' ')[0]} {time_of_day(item.started_at)}"
        else:
            when = f"{age(item.ended_at, now):>5}"
        return mark, item.title, f"{item.turns}  {when}"
