"""The columns at the right of the session tree: the wider the tree, the more of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from memtui.views.sessions.items import AgentGroup, SessionGroup, TreeItem, last_activity
from memtui.wording.formatting import age, cut, number, padded, plural, tokens
from memtui_core.model import Project, Session

_TURNS, _BRANCH, _MODEL, _TOKENS = 72, 98, 114, 130
"""The widths in cells from which there are columns for turns, for the branch, the model, and for tools and tokens."""
_BRANCH_WIDTH, _MODEL_WIDTH = 16, 12
_GAP = "  "
_DATE = re.compile(r"-20\d{6}$")


def columns(item: TreeItem, width: int, now: datetime) -> str:
    """The columns of a row in a tree of this width; those of all rows are below each other."""
    cells: list[str] = []
    sessions = _sessions(item)
    if width >= _BRANCH:
        branch = cut(_common([session.branch_or_worktree for session in sessions]), _BRANCH_WIDTH)
        cells.append(padded(branch, _BRANCH_WIDTH))
    if width >= _MODEL:
        cells.append(padded(cut(_common([_model(session) for session in sessions]), _MODEL_WIDTH), _MODEL_WIDTH))
    if width >= _TOKENS:
        cells.append(_counted(sum(session.tool_calls for session in sessions), "tool", len("tools")))
        written = sum(session.output_tokens for session in sessions)
        cells.append(f"{tokens(written) + ' tok' if written else '':>8}")
    if width >= _TURNS:
        turns = sum(session.turns for session in sessions)
        count, noun = (item.sessions, "session") if isinstance(item, AgentGroup | Project) else (turns, "turn")
        cells.append(_counted(count, noun, len("sessions")))
    elif isinstance(item, AgentGroup | Project):
        cells.append(number(item.sessions))
    return _GAP.join([*cells, f"{age(last_activity(item), now):>5}"])


def _sessions(item: TreeItem) -> Sequence[Session]:
    return item.sessions if isinstance(item, SessionGroup) else [item] if isinstance(item, Session) else []


def _counted(count: int, noun: str, width: int) -> str:
    """A count and its noun in `width` cells, so that the counts of all rows end in one column; blank for 0."""
    counted, _, noun = plural(count, noun).partition(" ")
    return f"{counted:>5} {noun:<{width}}" if count else " " * (6 + width)


def _common(values: Sequence[str | None]) -> str:
    """The value that all have; `…` for different ones."""
    distinct = set(values)
    return "…" if len(distinct) > 1 else next(iter(distinct), None) or ""


def _model(session: Session) -> str:
    """The first model, without vendor and date: `opus-4-6`, `haiku-4-5 +1` for two."""
    if not session.models:
        return ""
    more = f" +{len(session.models) - 1}" if len(session.models) > 1 else ""
    return _DATE.sub("", session.models[0].removeprefix("claude-")) + more
