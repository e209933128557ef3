"""The question before sessions are forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from textual.app import ComposeResult
from textual.widgets import Static

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.screens.dialog import Dialog, DialogBox
from memtui.wording.formatting import agent_full_name, cut, day, plural

if TYPE_CHECKING:
    from memtui_core.model import SelectedSessions

_MOST_ROWS: Final = 8
"""Projects and agents that are listed."""
_WHAT: Final = (
    "It is gone at once from all lists, searches and agents, and for good after 30 days; until then it can be brought"
    " back. What is added to it later is not indexed either. The transcript stays."
)


class ForgetScreen(Dialog[bool]):
    """Shows what would be forgotten; its result is True if the user agrees."""

    CSS = """
    ForgetScreen Static { width: auto; max-width: 100%; }
    ForgetScreen #forget-title { text-style: bold; }
    ForgetScreen #forget-what { max-width: 72; margin-top: 1; color: $text-muted; }
    """
    BINDINGS = keys(
        "forgetting",
        Key("enter", "agree", "Forget", "Forget it", "forget.agree", show=True),
        Key("escape,q", "leave", "Cancel", "Go back without forgetting it", "forget.cancel", show=True),
        HELP_KEY,
    )

    def __init__(self, title: str, rows: Sequence[SelectedSessions]) -> None:
        super().__init__()
        self._title = title
        self._rows = rows

    def compose(self) -> ComposeResult:
        """What goes, what that means, and the keys."""
        width = self.text_width
        shown = [cut(_line(row), width) for row in self._rows[:_MOST_ROWS]]
        if len(self._rows) > _MOST_ROWS:
            shown.append(f"and {len(self._rows) - _MOST_ROWS} more")
        with DialogBox("forget?", classes="-warns"):
            yield Static(cut(self._title, width), id="forget-title", markup=False)
            yield Static("\n".join(shown), id="forget-rows", markup=False)
            yield Static(_WHAT, id="forget-what", markup=False)

    def action_agree(self) -> None:
        """Forget it."""
        self.dismiss(True)


def _line(row: SelectedSessions) -> str:
    """What goes of a project, in a line."""
    first, last = day(row.first), day(row.last)
    facts = (
        f"{plural(row.sessions, 'session')} of {agent_full_name(row.agent)}" if row.sessions else "",
        plural(row.subagents, "subagent") if row.subagents else "",
        plural(row.turns, "turn"),
        plural(row.compactions, "compaction") if row.compactions else "",
        first if first == last else f"{first} – {last}",
    )
    return f"{row.project}: {', '.join(filter(None, facts))}"
