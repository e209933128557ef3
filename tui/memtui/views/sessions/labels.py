"""What a row of the session tree says, so that no two rows of a list look alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from memtui.formatting import age, clock, day
from memtui_core.model import Compaction, Project, Session

Item = Project | Session | Compaction
_LIVE_SECONDS = 120
"""A session written to in this time is marked as running."""


class Labels:
    """Knows which projects have the same name, and which sessions of a project the same title."""

    def __init__(self) -> None:
        self._names: Counter[str] = Counter()
        self._titles: dict[tuple[str, str], Counter[str]] = {}

    def take_projects(self, projects: Sequence[Project]) -> bool:
        """Take all projects; True when labels may have changed."""
        before, self._names = self._names, Counter(project.name for project in projects)
        return before != self._names

    def take_sessions(self, project: Project, sessions: Sequence[Session]) -> bool:
        """Take the sessions of a project; True when labels may have changed."""
        key = project.root, project.name
        before = self._titles.get(key)
        self._titles[key] = Counter(session.title for session in sessions)
        return before is not None and before != self._titles[key]

    def parts(self, item: Item, now: datetime) -> tuple[str, str, str]:
        """A mark, a title, and what stands at the right."""
        if isinstance(item, Project):
            folder = item.root.rstrip("/").rpartition("/")[0].rpartition("/")[2]
            where = f" · {folder}" if self._names[item.name] > 1 and folder else ""
            return "", f"{item.name}{where}", f"{item.sessions}  {age(item.last, now):>5}"
        if isinstance(item, Compaction):
            return "⧉ ", f"compacted {clock(item.at)}", ""
        live = item.ended_at is not None and (now - item.ended_at).total_seconds() < _LIVE_SECONDS
        mark = "◌ " if item.parent is not None else "◉ " if live else "● "
        alike = item.parent is None and self._titles.get((item.root, item.project), Counter())[item.title] > 1
        if alike and item.started_at is not None:
            when = f"{day(item.started_at).rpartition(' ')[0]} {clock(item.started_at)}"
        else:
            when = f"{age(item.ended_at, now):>5}"
        return mark, item.title, f"{item.turns}  {when}"
