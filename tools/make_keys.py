"""Write the README's table of keys: every action once, from where it is declared."""

from __future__ import annotations

import sys

from textual.binding import Binding, BindingType
from textual.keys import format_key

from memtui.browse.hit_list import HitList
from memtui.browse.searches_view import SearchList
from memtui.keys import app_bindings, browse_bindings
from memtui.screens.choice import ChoiceScreen
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.handoff.items import HandoffItems
from memtui.screens.handoff.screen import HandoffScreen, Preview
from memtui.screens.help.screen import HelpScreen
from memtui.screens.pager import PagerScreen
from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.review_list import ReviewList
from memtui.views.files.file_list import FileList
from memtui.views.files.file_timeline import FileTimeline
from memtui.views.files.history_pane import FileHistory
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.registry import commands
from memtui.views.sessions.tree import SessionTree
from memtui.views.stats.stats_pane import StatsPane
from memtui.views.timeline.observation_form import ObservationForm
from memtui.views.timeline.observation_keys import OBSERVATION_BINDINGS
from memtui.views.timeline.observation_pane import ObservationPane
from memtui.views.timeline.timeline_keys import CHART_BINDINGS
from memtui.views.timeline.timeline_list import TimelineList
from memtui.views.timeline.type_choice import TypeChoice
from memtui.widgets.find_bar import FindBar
from memtui.widgets.inspector import Inspector
from memtui.widgets.line_view import LineView
from memtui.widgets.row_list import RowList
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.transcript import Transcript
from tools.readme_table import README, with_table

_NAMES = {
    "grave_accent": "backtick",
    "escape": "esc",
    "enter": "enter",
    "left": "←",
    "right": "→",
    "up": "↑",
    "down": "↓",
}


def _own(widget: type[RowList | LineView]) -> list[BindingType]:
    """The bindings of a widget without those for observations, which stand in rows of their own."""
    return [binding for binding in widget.BINDINGS if binding not in OBSERVATION_BINDINGS]


_PLACES: tuple[tuple[str, list[BindingType]], ...] = (
    ("everywhere", [*browse_bindings(commands()), *app_bindings()]),
    ("search", SearchBar.BINDINGS),
    ("searches", SearchList.BINDINGS),
    ("session tree", SessionTree.BINDINGS),
    ("every list", RowList.BINDINGS),
    ("hits", HitList.BINDINGS),
    ("files", FileList.BINDINGS),
    ("history of a file", [*FileHistory.BINDINGS, *FileTimeline.BINDINGS]),
    ("compactions", CompactionList.BINDINGS),
    ("review of a compaction", ReviewList.BINDINGS),
    ("pull requests", PrList.BINDINGS),
    ("timeline", _own(TimelineList)),
    ("timeline, chart", CHART_BINDINGS),
    ("timeline, observation", OBSERVATION_BINDINGS),
    ("observation", _own(ObservationPane)),
    ("form of an observation", [*ObservationForm.BINDINGS, *TypeChoice.BINDINGS]),
    ("transcript", Transcript.BINDINGS),
    ("find", FindBar.BINDINGS),
    ("inspector", Inspector.BINDINGS),
    ("stats", StatsPane.BINDINGS),
    ("hand-off", [*HandoffItems.BINDINGS, *Preview.BINDINGS, *HandoffScreen.BINDINGS]),
    ("choice", ChoiceScreen.BINDINGS),
    ("confirmation", ConfirmScreen.BINDINGS),
    ("help", HelpScreen.BINDINGS),
    ("full screen", PagerScreen.BINDINGS),
    ("inspector, stats, full screen", LineView.BINDINGS),
)


def table() -> str:
    """The table in Markdown."""
    lines = ["| where | key | what it does | id |", "|---|---|---|---|"]
    for place, bindings in _PLACES:
        for binding in bindings:
            assert isinstance(binding, Binding)
            keys = " ".join(f"`{_shown(key)}`" for key in binding.key.split(","))
            lines.append(f"| {place} | {keys} | {binding.tooltip} | `{binding.id}` |")
            place = ""
    return "\n".join(lines) + "\n"


def _shown(key: str) -> str:
    return _NAMES.get(key, format_key(key) if key.isidentifier() and len(key) > 1 else key)


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(), "keys", table()))
    sys.exit(0)
