"""What the nodes of the session tree stand for, and the folding of sessions with one title."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from memtui.wording.formatting import agent_full_name, day_and_month
from memtui_core.model import Compaction, Project, Session
from memtui_core.text.controls import stored

THIS_MACHINE: Final = "this machine"
TreeKey = tuple[str, object]
"""Kind and identity of an item."""


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """Several sessions of a project, or subagents of a session, with the same title."""

    sessions: tuple[Session, ...]
    time_format: str
    """Tells the starts of the sessions apart."""
    has_branches: bool
    """Whether the sessions have different branches or worktrees."""

    @property
    def first(self) -> Session:
        """The first one in the order of the list."""
        return self.sessions[0]

    def name(self, session: Session) -> str:
        """What tells a session of the group from the others: when it started, and its branch."""
        start = session.started_at.astimezone() if session.started_at is not None else None
        when = f"{day_and_month(start)} {start.strftime(self.time_format)}" if start is not None else "no time"
        branch = session.branch_or_worktree
        return f"{when} · {branch}" if self.has_branches and branch else when


@dataclass(frozen=True, slots=True)
class ProjectGroup:
    """The projects of one agent, or of one machine."""

    kind: Literal["agent", "machine"]
    id: str
    """The id of the agent, or the name of the machine; empty for this machine."""
    name: str
    projects: tuple[Project, ...]
    """The most recently used first; each has the agent or the machine."""

    @property
    def sessions(self) -> int:
        """The number of sessions in all projects."""
        return sum(project.sessions for project in self.projects)


TreeItem = ProjectGroup | Project | SessionGroup | Session | Compaction


def grouped(projects: Sequence[Project]) -> Sequence[Project | ProjectGroup]:
    """The projects; those of each agent, or of each machine, as a group if they have one, the last used first."""
    agents: dict[str, list[Project]] = {}
    machines: dict[str, list[Project]] = {}
    for project in projects:
        if project.agent:
            agents.setdefault(project.agent, []).append(project)
        elif project.machine is not None:
            machines.setdefault(project.machine, []).append(project)
    by_agent = [ProjectGroup("agent", name, agent_full_name(name), tuple(own)) for name, own in agents.items()]
    by_machine = [ProjectGroup("machine", name, name or THIS_MACHINE, tuple(own)) for name, own in machines.items()]
    return by_agent or by_machine or projects


def fold_titles(sessions: Sequence[Session]) -> list[Session | SessionGroup]:
    """The sessions in their order, those with the same title as one group in the place of the first of them.

    A session that is pinned stands alone, unless all of its title are: so the key that pins a group takes that back.
    """
    mixed = {session.title for session in sessions if not session.pinned}
    by_title: dict[tuple[str, int | None], list[Session]] = {}
    for session in sessions:
        is_alone = session.pinned and session.title in mixed
        by_title.setdefault((session.title, session.key if is_alone else None), []).append(session)
    return [same[0] if len(same) == 1 else _group(same) for same in by_title.values()]


def _group(sessions: Sequence[Session]) -> SessionGroup:
    starts = [session.started_at for session in sessions if session.started_at is not None]
    minutes = {start.replace(second=0, microsecond=0) for start in starts}
    years = {start.astimezone().year for start in starts}
    time_format = f"{'%Y ' if len(years) > 1 else ''}{'%H:%M' if len(minutes) == len(starts) else '%H:%M:%S'}"
    return SessionGroup(tuple(sessions), time_format, len({session.branch_or_worktree for session in sessions}) > 1)


def item_key(item: TreeItem) -> TreeKey:
    """The identity of an item across updates."""
    match item:
        case ProjectGroup():
            return item.kind, item.id
        case Project():
            return project_key(item.root, item.name, item.agent, item.machine)
        case SessionGroup():
            return "group", (item.first.parent, item.first.root, stored(item.first.project), item.first.title)
        case Compaction():
            return "compaction", (item.session, item.line)
        case Session():
            return "session", item.key


def project_key(root: str, name: str, agent: str = "", machine: str | None = None) -> TreeKey:
    """The identity of a project, whose name is shown in another way as soon as there is another of that name."""
    return "project", (agent, machine, root, stored(name))


def can_expand(item: TreeItem) -> bool:
    """Whether an item has children."""
    return isinstance(item, ProjectGroup | Project | SessionGroup) or (
        isinstance(item, Session) and bool(item.children or item.compactions)
    )


def last_activity(item: TreeItem) -> datetime | None:
    """When something was last written to it."""
    match item:
        case ProjectGroup():
            return max(filter(None, (project.last for project in item.projects)), default=None)
        case Project():
            return item.last
        case SessionGroup():
            return max(filter(None, (session.ended_at for session in item.sessions)), default=None)
        case Compaction():
            return item.at
        case Session():
            return item.ended_at


def shown_session(item: ProjectGroup | SessionGroup | Session | Compaction) -> int | None:
    """The key of the session whose transcript is shown for an item, of several sessions the first one listed."""
    match item:
        case ProjectGroup():
            return item.projects[0].newest
        case SessionGroup():
            return item.first.key
        case Compaction():
            return item.session
        case Session():
            return item.key


def started_at(item: SessionGroup | Session | Compaction) -> datetime | None:
    """When a child of a session began."""
    match item:
        case SessionGroup():
            return item.first.started_at
        case Compaction():
            return item.at
        case Session():
            return item.started_at
