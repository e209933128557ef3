"""The labels of the rows of the session tree."""

from __future__ import annotations

from datetime import datetime

from memtui.views.sessions.items import AgentGroup, SessionGroup, TreeItem
from memtui.wording.formatting import number, time_of_day
from memtui_core.model import Compaction, Project, Session, session_status
from memtui_core.readers.registry import label


def label_parts(
    item: TreeItem, parent: TreeItem | None, now: datetime, *, shows_agent: bool = False
) -> tuple[str, str, str]:
    """The mark of a row, its title, and what stays when the title is cut.

    With `shows_agent`, the label of its agent follows the mark of a session.
    """
    match item:
        case AgentGroup():
            return "", item.name, ""
        case Project():
            return "", item.name, ""
        case SessionGroup():
            is_active = any(_is_active(session, now) for session in item.sessions)
            mark = _mark(item.first, is_active) + _agent(item.first, shows_agent=shows_agent)
            return mark, item.first.title, f" ×{number(len(item.sessions))}"
        case Compaction():
            return "⧉ ", f"compacted {time_of_day(item.at)}", ""
        case Session():
            mark = _mark(item, _is_active(item, now))
            # The sessions of a group have one title, and may have several agents.
            mark += _agent(item, shows_agent=shows_agent)
            return mark, parent.name(item) if isinstance(parent, SessionGroup) else item.title, ""


def _agent(session: Session, *, shows_agent: bool) -> str:
    return f"{label(session.agent)} " if shows_agent and session.parent is None else ""


def _mark(session: Session, is_active: bool) -> str:
    if session.parent is not None:
        return "◌ "
    return "○ " if session.only_prompts else "◉ " if is_active else "● "


def _is_active(session: Session, now: datetime) -> bool:
    return session_status(session.ended_at, now) == "active"
