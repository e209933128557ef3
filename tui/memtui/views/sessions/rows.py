"""The text of a row of the session tree: its mark and title, and at the right columns, the more the wider it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from rich.cells import cell_len

from memtui.views.sessions.items import ProjectGroup, SessionGroup, TreeItem, last_activity
from memtui.widgets.requests.pane_widths import Share
from memtui.wording.annotated import PIN, added_text, signs
from memtui.wording.formatting import age, cut, number, padded, plural, time_of_day, tokens
from memtui.wording.session_state import MARKS, most_urgent
from memtui.wording.usage_text import Spending, together
from memtui_core.model import Compaction, Project, Session, SessionState, state_of
from memtui_core.readers.registry import label

SHARE: Final = Share(0.42, least=40, enough=66)
"""The part of the width that the view of the tree gets."""
GUIDE_DEPTH: Final = 2
"""Cells of the lines before a row, for each of its ancestors."""
_WHOLE_MACHINE, _TURNS, _BRANCH, _MODEL, _TOKENS, SPENDING = 72, 84, 98, 114, 130, 154
"""The widths in cells from which a machine has its whole name, and from which there are columns for turns, for the
branch, the model, for tools and tokens, and for the cost and the time of work."""
_BRANCH_WIDTH, _MODEL_WIDTH = 16, 12
_MACHINE_WIDTH, _SHORT = 12, 3
"""Cells of the name of a machine, in a wide and in a narrow tree."""
_GAP = "  "
_DATE = re.compile(r"-20\d{6}$")


def arrow(*, can_expand: bool, is_expanded: bool) -> str:
    """The sign of a row that can be folded and unfolded; blanks for others."""
    return ("▾ " if is_expanded else "▸ ") if can_expand else "  "


def row_text(
    item: TreeItem,
    parent: TreeItem | None,
    sign: str,
    depth: int,
    width: int,
    now: datetime,
    *,
    shows_agent: bool,
    shows_machine: bool = True,
    shared: str = "",
    spent: Mapping[int, Spending] | None = None,
    shorten: Callable[[str, int], str] = cut,
) -> tuple[str, str]:
    """The left part of a row with its `arrow`, up to the right part, and that: what the user added, and the columns.

    `depth` is the number of its ancestors, `width` that of the tree in cells; `shared` is a sign before the title,
    `spent` what sessions cost, by key, and `shorten` makes the title fit into some cells. With `shows_machine` a
    session of another machine has the name of it.
    """
    mark, title, rest = label_parts(item, parent, now, shows_agent=shows_agent)
    mark += shared + (_machine(item, width) if shows_machine else "")
    right = columns(item, width, now, spent)
    room = max(12, width - 2 - GUIDE_DEPTH * depth)
    left = f"{sign}{mark}{shorten(title, max(4, room - cell_len(sign + mark + rest + right) - 1))}{rest}"
    spare = room - cell_len(left) - cell_len(right)
    if isinstance(item, Session) and (added := added_text(item, spare - 3)):
        return f"{left}  ", added + " " * (spare - 2 - cell_len(added)) + right
    return left + " " * max(1, spare), right


def columns(item: TreeItem, width: int, now: datetime, spent: Mapping[int, Spending] | None = None) -> str:
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
    if width >= SPENDING:
        known = [spent[session.key] for session in sessions if session.key in spent] if spent else []
        total = together(known) if known and len(known) == len(sessions) else None
        cells += [f"{total.cost if total else '':>10}", f"{total.time if total else '':>8}"]
    if width >= _TURNS:
        turns = sum(session.turns for session in sessions)
        count, noun = (item.sessions, "session") if isinstance(item, ProjectGroup | Project) else (turns, "turn")
        cells.append(_counted(count, noun, len("sessions")))
    elif isinstance(item, ProjectGroup | Project):
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


def label_parts(
    item: TreeItem, parent: TreeItem | None, now: datetime, *, shows_agent: bool = False
) -> tuple[str, str, str]:
    """The mark of a row, its title, and what stays when the title is cut.

    With `shows_agent`, the label of its agent follows the mark of a session.
    """
    match item:
        case ProjectGroup() | Project():
            return "", item.name, ""
        case SessionGroup():
            mark = _mark(item.first, item_state(item, now)) + (PIN if item.first.pinned else "")
            mark += _agent(item.first, shows_agent=shows_agent)
            return mark, item.first.title, f" ×{number(len(item.sessions))}"
        case Compaction():
            return "⧉ ", f"compacted {time_of_day(item.at)}", ""
        case Session():
            mark = _mark(item, item_state(item, now))
            # The sessions of a group have one title, and may have several agents.
            mark += signs(item) + _agent(item, shows_agent=shows_agent)
            return mark, parent.name(item) if isinstance(parent, SessionGroup) else item.title, ""


def _agent(session: Session, *, shows_agent: bool) -> str:
    return f"{label(session.agent)} " if shows_agent and session.parent is None else ""


def _machine(item: TreeItem, width: int) -> str:
    """The machine of a session, or the one of all sessions of a group; in a narrow tree the beginning of its name."""
    sessions = _sessions(item)
    names = {str(session.machine) for session in sessions if session.parent is None}
    name = "…" if len(names) > 1 else next(iter(names), "")
    return f"@{cut(name, _MACHINE_WIDTH) if width >= _WHOLE_MACHINE else name[:_SHORT]} " if name else ""


def _mark(session: Session, state: SessionState) -> str:
    if session.parent is not None:
        return "◌ "
    return "○ " if session.only_prompts else MARKS[state]


def item_state(item: TreeItem, now: datetime) -> SessionState:
    """What a session is at, of a group the most urgent; `ended` for everything else."""
    return most_urgent(state_of(session.end, now) for session in _sessions(item))
