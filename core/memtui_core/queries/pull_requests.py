"""Pull requests and the sessions that worked on them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memtui_core.model import PrLink, Project
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.names import project_name, session_title
from memtui_core.queries.sessions import in_project
from memtui_core.store.snapshot.reader import Snapshot


@dataclass(frozen=True, slots=True)
class PrRow:
    """A pull request and one of its sessions, with the turn that linked them."""

    number: int
    url: str
    repository: str
    session: int
    turn: int | None
    title: str
    project: str
    at: datetime | None
    branch: str | None = None


_PR_ROW = Columns(
    PrRow,
    number="p.number",
    url=label("p.url"),
    repository=label("p.repository"),
    session="p.session",
    turn="(SELECT max(t.number) FROM turns t WHERE t.session = p.session AND t.line <= p.line)",
    title=session_title(),
    project=project_name(),
    at=timestamp("credible(p.at_time)"),
    branch=label("s.branch"),
)
_PR_LINK = Columns(
    PrLink,
    session_id=label("s.session_id"),
    number="p.number",
    url=label("p.url"),
    repository=label("p.repository"),
    at=timestamp("p.at_time"),
    line="p.line",
    title=session_title(untitled=""),
    project=project_name(),
)


def list_pull_requests(snapshot: Snapshot, project: Project | None = None) -> list[PrRow]:
    """Every pull request with its sessions, the last worked on first; of the sessions of a project, or of all."""
    where, parameters = in_project(project) if project is not None else ("TRUE", [])
    return _PR_ROW.select(
        snapshot,
        f"FROM pr_links p JOIN sessions s ON s.key = p.session WHERE NOT s.hidden AND {where}"
        " ORDER BY max(credible(p.at_time)) OVER (PARTITION BY p.url) DESC NULLS LAST, p.url,"
        " credible(p.at_time) DESC NULLS LAST, p.session",
        parameters,
    )


def select_pr_links(snapshot: Snapshot, number: int | None = None, session: int | None = None) -> list[PrLink]:
    """Pull requests and their sessions: all, those of one number, or those of one session ordered by number."""
    return _PR_LINK.select(
        snapshot,
        "FROM pr_links p JOIN sessions s ON s.key = p.session"
        " WHERE (?::INTEGER IS NULL OR p.number = ?) AND (?::INTEGER IS NULL OR p.session = ?)"
        f" ORDER BY {'p.repository, ' if session is None else ''}p.number, p.at_time, s.session_id",
        [number, number, session, session],
    )
