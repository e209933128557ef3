"""Every key of the table in docs/keys.md does what it says, in the app, on the sample sessions.

Keys are pressed along trails; several trails are walked one after the other in one app, for a start of the app takes
longer than many keys.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from memtui.browse.keymap_check import declared_keys
from memtui.browse.screen import BrowseScreen
from memtui.browse.search.hit_list import HitList
from memtui.browse.search.searches_view import SearchList
from memtui.screens.annotation import AnnotationForm
from memtui.screens.dialog import DialogBox
from memtui.screens.filtered import FilteredScreen, FoundList
from memtui.screens.help.action_list import ActionList
from memtui.screens.help.screen import HelpScreen
from memtui.screens.origin.blame.page import BlamePage
from memtui.screens.origin.blame.screen import BlameScreen
from memtui.screens.outgoing.handoff.items import HandoffItems
from memtui.screens.outgoing.handoff.screen import HandoffScreen, Preview
from memtui.screens.outgoing.rewind.screen import RewindScreen
from memtui.screens.outgoing.sharing.parts import ShareParts
from memtui.screens.outgoing.sharing.redactions import RedactionList
from memtui.screens.outgoing.sharing.screen import ShareScreen
from memtui.screens.pager import PagerScreen, Pages
from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.review_list import ReviewList
from memtui.views.files.file_list import FileList
from memtui.views.files.touch_view import TouchView
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.stats.stats_pane import StatsPane
from memtui.views.timeline.chart.text import event_text
from memtui.views.timeline.chart.widget import TimelineChart
from memtui.views.timeline.observations.form import ObservationForm, TypeChoice
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.find_bar import FindBar
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.lines.diff_view import DiffView
from memtui.widgets.lines.view import LineView
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.search.line import SearchFacts
from memtui.widgets.status.line import StatusLine
from memtui_core.memory.observations.store import Observations
from support.indexes import update
from support.sample_files import with_files
from support.screens import app_on, browse, notices, settled, transcript, tree, type_text
from support.systems import reads_proc
from support.terminal import CODES, Terminal
from support.transcripts import Script

LEFT: Final = "memtui has ended"
SAMPLES: Final = Path(__file__).parents[3] / "sample_sessions" / "projects"
_SHARED: Final = "Replaced for privacy: 25× home folder, 1× user name"
_SHARED_TURN: Final = "13 green. thanks! what did we learn, two sent… 2 parts"
FLAGSHIP: Final = "db9cde85-9adb-4762-985f-42e87f989d54"
"""The sample session that has everything."""


class Step(NamedTuple):
    """A key, and what is observed then."""

    key: str
    then: object
    before: str = ""
    """Keys that bring the app to where the key can have its effect."""
    after: str = ""
    """Keys that answer what the key asks."""


@dataclass(frozen=True)
class Trail:
    """Keys of one place of the table; what stands in quotes is typed."""

    place: str
    lead: str
    """Keys that lead there from where the trail before has ended."""
    observe: Callable[[Pilot[None]], object]
    steps: tuple[Step, ...] = ()

    def of(self, *steps: Step) -> Trail:
        """The trail with its steps."""
        return replace(self, steps=steps)


def numbers(text: str) -> tuple[Step, ...]:
    """Steps after each of which a number is observed: `j 1 k 0`."""
    words = text.split()
    return tuple(Step(key, int(then)) for key, then in zip(words[::2], words[1::2], strict=True))


# -- what is observed ----------------------------------------------------------------------------------------------


def top(pilot: Pilot[None]) -> Screen[Any]:
    """What covers all others."""
    return pilot.app.screen


def where(pilot: Pilot[None]) -> str:
    """The screen that covers the others, else the pane in focus."""
    return type(pilot.app.focused if isinstance(top(pilot), BrowseScreen) else top(pilot)).__name__


def one_line(text: object) -> str:
    """A text with its spaces run together."""
    return " ".join(str(text).split())


def row(pilot: Pilot[None]) -> str:
    """The row with the cursor of the list in focus, else the pane in focus."""
    rows = pilot.app.focused
    if not isinstance(rows, OptionList) or rows.highlighted is None:
        return where(pilot)
    return one_line(rows.get_option_at_index(rows.highlighted).prompt)


def first_line(widget: Any, line: int = 0) -> str:
    """The first line in sight."""
    return one_line("".join(segment.text for segment in widget.render_line(line))).removeprefix("▎ ")


def said(pilot: Pilot[None]) -> list[str]:
    """What was said since it was last asked."""
    texts = [one_line(f"{note.title} {note.message}") for note in pilot.app._notifications]
    pilot.app.clear_notifications()
    return texts


def taken(pilot: Pilot[None]) -> object:
    """Where one is, the beginning of what was copied, and the files that were written, each with its first line."""
    copied, files = pilot.app.clipboard, sorted(Path.cwd().iterdir())
    written = {path.name: path.read_text().splitlines()[0] for path in files}
    for path in files:
        path.unlink()
    pilot.app.copy_to_clipboard("")
    return where(pilot), copied[:50], written


def view(pilot: Pilot[None]) -> object:
    """The view, and the pane in focus."""
    return browse(pilot).view, where(pilot)


def helped(pilot: Pilot[None]) -> object:
    """What covers the panes, and the first heading of the help."""
    screen = top(pilot)
    headings = (
        [str(one.prompt) for one in screen.query_one(ActionList).options] if isinstance(screen, HelpScreen) else [""]
    )
    return where(pilot), headings[0]


def menu(pilot: Pilot[None]) -> object:
    """What covers the panes, the filter of the help, the row with its cursor, and the tab that is shown."""
    screen = top(pilot)
    if not isinstance(screen, HelpScreen):
        return where(pilot)
    rows = screen.query_one(ActionList)
    chosen = rows.highlighted
    shown = one_line(rows.get_option_at_index(chosen).prompt) if chosen is not None else ""
    return screen.query_one(Input).value, shown, screen.query_one(DialogBox).title


def found(pilot: Pilot[None]) -> object:
    """What covers the panes, and the row of the palette with its cursor; else where one is."""
    screen = top(pilot)
    if not isinstance(screen, FilteredScreen):
        return where(pilot)
    rows = screen.query_one(FoundList)
    return one_line(rows.get_option_at_index(rows.highlighted or 0).prompt)


def chosen(pilot: Pilot[None]) -> object:
    """The choice under the cursor; else where one is, and what was copied."""
    rows = top(pilot).query(OptionList)
    if type(top(pilot)).__name__ != "ChoiceScreen":
        return where(pilot), pilot.app.clipboard[:12]
    return str(rows.first().get_option_at_index(rows.first().highlighted or 0).prompt).strip()


def read(pilot: Pilot[None]) -> object:
    """Where one is, and what is read: title and turn."""
    session = transcript(pilot).session
    return where(pilot), session.title if session else "", transcript(pilot).number


def panes(pilot: Pilot[None]) -> object:
    """The pane in focus, and whether the inspector is in sight."""
    return where(pilot), top(pilot).query_one(Inspector).region.width > 0


def turns(pilot: Pilot[None]) -> object:
    """The pane in focus, and the current turn of the transcript."""
    return where(pilot), transcript(pilot).number


def list_width(pilot: Pilot[None]) -> object:
    """The pane in focus, and the width of the list."""
    return where(pilot), top(pilot).query_one("#left").region.width


def node(pilot: Pilot[None]) -> object:
    """The pane in focus, the row of the tree with its cursor, and whether that is open; or the query."""
    if where(pilot) == "SearchBar":
        return where(pilot), top(pilot).query_one(SearchBar).value
    found = tree(pilot).cursor_node
    name = getattr(found.data, "title", getattr(found.data, "name", "")) if found else ""
    return where(pilot), tree(pilot).cursor_line, name, found.is_expanded if found else None


def cursor(pilot: Pilot[None]) -> int | None:
    """The place of the cursor in the list in focus."""
    rows = pilot.app.focused
    assert isinstance(rows, OptionList)
    return rows.highlighted


def query(pilot: Pilot[None]) -> object:
    """The pane in focus, the query, where it searches, how many hits there are, and the place of the cursor in them."""
    bar, rows = top(pilot).query_one(SearchBar), top(pilot).query_one(HitList)
    return where(pilot), bar.value, top(pilot).query_one(SearchFacts).scope, rows.option_count, rows.highlighted


def saved(pilot: Pilot[None]) -> object:
    """The saved searches."""
    return list(browse(pilot).services.state.saved.values())


def searches(pilot: Pilot[None]) -> object:
    """The saved and the recent searches, and the place of the cursor."""
    rows = pilot.app.focused
    assert isinstance(rows, SearchList)
    return [str(option.prompt) for option in rows.options][: rows._search_count], rows.highlighted


def hits(pilot: Pilot[None]) -> object:
    """How many hits are listed, and the one with the cursor."""
    return top(pilot).query_one(HitList).option_count, row(pilot)[:32]


def files(pilot: Pilot[None]) -> object:
    """The title of the list of files, its length, and the row with the cursor; or what is handed on."""
    if isinstance(top(pilot), HandoffScreen):
        return part(pilot)
    rows = top(pilot).query_one(FileList)
    return str(rows.border_title), rows.option_count, row(pilot)


def touched(pilot: Pilot[None]) -> object:
    """The pane in focus, the beginning of its row, and the first line of the diff; or what is handed on."""
    if isinstance(top(pilot), HandoffScreen):
        return part(pilot)
    return where(pilot), row(pilot)[:16], first_line(top(pilot).query_one(TouchView))[:30]


def page(pilot: Pilot[None]) -> object:
    """The title of what is shown on the whole screen and its first line; else the pane in focus."""
    if not isinstance(top(pilot), PagerScreen):
        return where(pilot)
    pages = top(pilot).query_one(Pages)
    return str(pages.border_title), first_line(pages)


def page_found(pilot: Pilot[None]) -> object:
    """Where one is on the whole screen, and what the border says first."""
    return type(pilot.app.focused).__name__, str(top(pilot).query_one(Pages).border_subtitle).partition(" · ")[0]


def blamed(pilot: Pilot[None]) -> object:
    """The pane in focus, the line with the cursor, and what stands above why it is there; or where one is instead."""
    if not isinstance(top(pilot), BlameScreen):
        return where(pilot)
    page, why = top(pilot).query_one(BlamePage), top(pilot).query_one(DiffView)
    found = str(page.border_subtitle).partition(" · ")[0]
    return (
        type(pilot.app.focused).__name__,
        page.file.cursor + 1,
        found,
        str(why.border_title).split(" ")[0] * why.display,
    )


def compactions(pilot: Pilot[None]) -> object:
    """The title of the list, and the tokens of each row."""
    rows = top(pilot).query_one(CompactionList)
    return str(rows.border_title), [re.findall(r" (\d+k)\b", str(option.prompt)) for option in rows.options]


def requested(pilot: Pilot[None]) -> object:
    """The signs of the lines of the pull request with several sessions, and which of these has the cursor."""
    rows = top(pilot).query_one(PrList)
    lines = [str(option.prompt) for option in rows.options]
    start = next(index for index, text in enumerate(lines) if text[0] in "▸▾")
    end = start + 1 + sum(text.startswith("  ●") for text in lines)
    return [text.split()[0] for text in lines[start:end]], (rows.highlighted or 0) - start


def review(pilot: Pilot[None]) -> object:
    """The list, the row with the cursor, and the turn beside it."""
    return top(pilot).query_one(ReviewList).tab, row(pilot)[:30], transcript(pilot).number


def counted(pilot: Pilot[None]) -> object:
    """The first line of the statistics."""
    return first_line(top(pilot).query_one(StatsPane))


def bar_chosen(pilot: Pilot[None]) -> object:
    """What the cursor of the statistics is on, or the query that it opened."""
    bar = top(pilot).query_one(SearchBar)
    return bar.value or str(top(pilot).query_one(StatsPane).border_subtitle)


def turn(pilot: Pilot[None]) -> object:
    """The turn, and what stands at the top of the screen."""
    return transcript(pilot).number, first_line(transcript(pilot))[:26]


def call(pilot: Pilot[None]) -> object:
    """Turn, kind, file and number of the tool call that was gone to; or what covers it."""
    if isinstance(top(pilot), PagerScreen):
        return page(pilot)
    found = transcript(pilot).visible_call()
    assert found is not None
    return transcript(pilot).number, found.name, found.path, found.block.seq


def folds(pilot: Pilot[None]) -> object:
    """How tools and thinking are shown, and how many lines the turn has so."""
    reader = transcript(pilot)
    index = reader.document.index[reader.number]
    boxes = reader.document.turns[index].boxes
    count = sum(len(reader.document.lines(index, part)) for part in range(len(boxes)))
    return reader.tools_level, reader.thinking_level, count


def mapped(pilot: Pilot[None]) -> bool:
    """Whether the transcript has a minimap."""
    return transcript(pilot).minimap.has_marks


def matches(pilot: Pilot[None]) -> object:
    """Where one is, the match, and whether the bar to find in is there."""
    found = re.search(r"match \d+ of \d+", str(transcript(pilot).border_subtitle))
    return where(pilot), found and found[0], top(pilot).query_one(FindBar).display


def line(pilot: Pilot[None]) -> int:
    """The line at the top of what is scrolled."""
    pane = pilot.app.focused
    assert isinstance(pane, LineView)
    return round(pane.scroll_y)


def inspected(pilot: Pilot[None]) -> object:
    """The tab, the marked row, the line at the top, and how many lines there are; or where one is instead."""
    pane = pilot.app.focused
    if isinstance(pane, Inspector):
        return pane.tab, pane.chosen.get(pane.tab, 0), round(pane.scroll_y), pane.virtual_size.height - pane.HEADER
    return node(pilot) if where(pilot) == "SearchBar" else page(pilot)


def handed(pilot: Pilot[None]) -> object:
    """Of the hand-off: the row with the cursor, or the pane in focus; and the room for tools."""
    rows = top(pilot).query_one(HandoffItems)
    return row(pilot) if rows.has_focus else type(pilot.app.focused).__name__, str(rows.border_title)


def shared(pilot: Pilot[None]) -> object:
    """Of the copy for others: the row with the cursor, and the titles of both sides; or what covers it."""
    if not isinstance(top(pilot), ShareScreen):
        return where(pilot)
    sides = (top(pilot).query_one(ShareParts), top(pilot).query_one(RedactionList))
    return row(pilot), *(str(side.border_title) for side in sides)


def part(pilot: Pilot[None]) -> object:
    """Title and size of what is handed on."""
    return str(top(pilot).query_one(Preview).border_title)


def rewound(pilot: Pilot[None]) -> object:
    """The screen, and where the session that is asked about ends."""
    screen = top(pilot)
    asked = isinstance(screen, RewindScreen)
    return type(screen).__name__, str(screen.query_one("#rewind-facts", Static).content).split(" · ")[
        0
    ] if asked else ""


def past(pilot: Pilot[None]) -> object:
    """The title of the timeline, its length, the pane in focus, and the row with the cursor."""
    rows = browse(pilot).query_one(TimelineList)
    here = one_line(str(rows.get_option_at_index(rows.highlighted or 0).prompt).split("\n")[0])
    return str(rows.border_title), rows.option_count, where(pilot), here[:40]


def charted(pilot: Pilot[None]) -> object:
    """The window of the chart, where one is, and the event under the cursor of the chart."""
    chart = browse(pilot).query_one(TimelineChart)
    return str(chart.border_title), where(pilot), chart.cursor.event and event_text(chart.cursor.event)[:21]


def noted(pilot: Pilot[None]) -> object:
    """The title and the first field of the form; else what is shown on the whole screen, or the row; what was said."""
    form = top(pilot)
    if isinstance(form, ObservationForm):
        return where(pilot), form.query_one(DialogBox).title, form.query_one("#title", Input).value
    return page(pilot) if isinstance(form, PagerScreen) else row(pilot), said(pilot)


def annotated(pilot: Pilot[None]) -> object:
    """The title and the text of the form; else the pane in focus, the border of the transcript and what was said."""
    form = top(pilot)
    if isinstance(form, AnnotationForm):
        return form.query_one(DialogBox).title, form.value
    return where(pilot), str(transcript(pilot).border_title), said(pilot)


def filled(pilot: Pilot[None]) -> object:
    """The chosen type and the field in focus; or where one is instead, and how many observations there are."""
    if isinstance(top(pilot), ObservationForm):
        return top(pilot).query_one(TypeChoice).value, pilot.app.focused and pilot.app.focused.id
    return past(pilot)


# -- the trails ----------------------------------------------------------------------------------------------------

ANYWHERE: Final = (
    Trail("everywhere", "", view).of(
        Step("2", ("files", "FileList")),
        Step("3", ("compactions", "CompactionList")),
        Step("4", ("prs", "PrList")),
        Step("5", ("stats", "StatsPane")),
        Step("6", ("timeline", "TimelineList")),
        Step("1", ("sessions", "SessionTree")),
        Step("slash", ("sessions", "SearchBar")),
    ),
    Trail("everywhere", "escape", helped).of(
        Step("question_mark", ("HelpScreen", "Sessions")),
        Step("f1", ("HelpScreen", "Sessions"), before="escape"),
    ),
    Trail("help", "", menu).of(
        Step("down", ("", "h ← Fold Fold the node, or go to its parent", "Keys")),
        Step("up", ("", "enter Read Read the session, or go to the project", "Keys")),
        Step("pagedown", ("", "/ Search Search, or in files and compactions filter the list", "Keys")),
        Step("pageup", ("", "enter Read Read the session, or go to the project", "Keys")),
        Step("tab", ("", "enter Read Read the session, or go to the project", "Legend and rules")),
        Step("shift+tab", ("", "enter Read Read the session, or go to the project", "Keys")),
        Step("escape", ("", "enter Read Read the session, or go to the project", "Keys"), before='"write"'),
        Step("question_mark", "SessionTree"),
        Step("f1", "SessionTree", before="f1"),
    ),
    Trail("help", "f1", view).of(Step("enter", ("stats", "StatsPane"), before='"money"')),
    Trail("everywhere", "1", helped).of(
        Step("ctrl+p", ("FilteredScreen", "")),
        Step("colon", ("FilteredScreen", ""), before="escape"),
    ),
    Trail("palette", "", found).of(
        Step("down", "Search Search, or in files and compactions filter the list /"),
        Step("up", "Read Read the session, or go to the project enter"),
        Step("pagedown", "Tag Change your tags of the session or turn #"),
        Step("pageup", "Read Read the session, or go to the project enter"),
        Step("ctrl+end", "End Go to the last row G end"),
        Step("ctrl+home", "Read Read the session, or go to the project enter"),
        Step("escape", "SessionTree"),
    ),
    Trail("palette", "colon", helped).of(Step("f1", ("HelpScreen", "This screen"))),
    Trail("palette", "escape", view).of(Step("enter", ("stats", "StatsPane"), before='"money"')),
    Trail("everywhere", "escape enter", read).of(
        Step("ctrl+o", ("TranscriptPane", "Retry webhooks with the same backoff", 3), before="J J escape j enter"),
        Step("alt+right", ("TranscriptPane", "Fix flaky uploads", 1)),
        Step("alt+left", ("TranscriptPane", "Retry webhooks with the same backoff", 3)),
        Step("escape", ("SessionTree", "Retry webhooks with the same backoff", 3)),
    ),
    Trail("everywhere", "enter", panes).of(
        Step("i", ("TranscriptPane", True)),
        Step("i", ("TranscriptPane", False)),
        Step("tab", ("Inspector", True), before="i"),
        Step("shift+tab", ("TranscriptPane", True)),
    ),
    Trail("choice", "e", chosen).of(
        Step("j", "2 HTML, one file that loads nothing"),
        Step("k", "1 Markdown"),
        Step("q", ("TranscriptPane", "")),
        Step("escape", ("TranscriptPane", ""), before="e"),
        Step("question_mark", ("HelpScreen", ""), before="e"),
        Step("f1", ("HelpScreen", ""), before="escape"),
    ),
    Trail("choice", "escape", taken).of(
        Step("enter", ("TranscriptPane", "", {"fix-flaky-uploads-db9cde85.md": "# Fix flaky uploads"})),
    ),
    Trail("everywhere", "escape", chosen).of(Step("C", "1           18 h  turn 12  Register the slow_network marker")),
    Trail("everywhere", "escape", turns).of(
        Step("J", ("SessionTree", 2)),
        Step("J", ("SessionTree", 3)),
        Step("K", ("SessionTree", 2)),
        Step("K", ("SessionTree", 1)),
    ),
    Trail("everywhere", "", list_width).of(
        Step("z", ("SessionTree", 85)),
        Step("z", ("SessionTree", 128)),
        Step("z", ("SessionTree", 40)),
        Step("plus", ("SessionTree", 85)),
        Step("plus", ("SessionTree", 128)),
        Step("minus", ("SessionTree", 85)),
        Step("underscore", ("SessionTree", 40)),
    ),
    Trail("everywhere", "enter", taken).of(
        Step("Y", ("TranscriptPane", "db9cde85-9adb-4762-985f-42e87f989d54:2", {}), before="J"),
        Step("e", ("TranscriptPane", "", {"fix-flaky-uploads-db9cde85.md": "# Fix flaky uploads"}), after="1"),
        Step("E", ("TranscriptPane", "", {"fix-flaky-uploads-db9cde85-turn-2.md": "# Fix flaky uploads"}), after="1"),
        Step("H", ("HandoffScreen", "", {})),
        Step("W", ("RewindScreen", "", {}), before="escape"),
        Step("P", ("ShareScreen", "", {}), before="escape"),
        Step("q", LEFT, before="escape"),
    ),
)
SEARCHING: Final = (
    Trail("search", 'slash "backoff"', query).of(
        Step("ctrl+j", ("SearchBar", "backoff", "all projects", 3, 1)),
        Step("ctrl+k", ("SearchBar", "backoff", "all projects", 3, 0)),
        Step("ctrl+r", ("SearchBar", "backoff", "shop-api", 3, 0)),
        Step("ctrl+r", ("SearchBar", "backoff", "this session", 1, 0)),
        Step("ctrl+r", ("SearchBar", "backoff", "sessions", 1, 0)),
        Step("ctrl+r", ("SearchBar", "backoff", "all projects", 3, 0)),
    ),
    Trail("search", "", saved).of(Step("ctrl+s", ["backoff"]), Step("ctrl+s", [])),
    Trail("search", "", query).of(
        Step("down", ("HitList", "backoff", "all projects", 3, 0)),
        Step("escape", ("SearchBar", "", "all projects", 3, 0), before="slash"),
        Step("escape", ("SessionTree", "", "all projects", 3, 0)),
        Step("up", ("SearchBar", "retry", "all projects", 4, 0), before='slash "retry" down slash escape'),
        Step("up", ("SearchBar", "backoff", "all projects", 3, 0)),
        Step("tab", ("SearchBar", "project:", "all projects", 1, 0), before='escape "proj"'),
    ),
    Trail("searches", "escape down", searches).of(
        Step("ctrl+s", (["★ backoff", "  retry"], 0), before="j"),
        Step("ctrl+s", (["  retry", "  backoff"], 1)),
        Step("delete", (["  retry"], 0)),
    ),
    Trail("hits", "enter down", hits).of(
        Step("space", (10, "Fix flaky uploads shop-api 18 h "), before="j"),
        Step("space", (4, "Fix flaky uploads +6 shop-api 18")),
        Step("h", (4, "Fix flaky uploads +6 shop-api 18"), before="space j"),
        Step("left", (4, "Fix flaky uploads +6 shop-api 18"), before="space j"),
        Step("D", (4, "Can we retry without sending tw…")),
    ),
    Trail("every list", "", read).of(Step("l", ("TranscriptPane", "Fix flaky uploads", 5))),
    Trail("everywhere", "slash", view).of(Step("ctrl+q", LEFT)),
)
LISTS: Final = (
    Trail("session tree", "", node).of(
        Step("j", ("SessionTree", 2, "Fix flaky uploads", False)),
        Step("k", ("SessionTree", 1, "Retry webhooks with the same backoff", False)),
        Step("l", ("SessionTree", 2, "Fix flaky uploads", True), before="j"),
        Step("h", ("SessionTree", 2, "Fix flaky uploads", False)),
        Step("right", ("SessionTree", 2, "Fix flaky uploads", True)),
        Step("left", ("SessionTree", 2, "Fix flaky uploads", False)),
        Step("h", ("SessionTree", 0, "shop-api", True)),
        Step("G", ("SessionTree", 9, "site", False)),
        Step("g", ("SessionTree", 0, "shop-api", True)),
        Step("end", ("SessionTree", 9, "site", False)),
        Step("home", ("SessionTree", 0, "shop-api", True)),
        Step("A", ("SessionTree", 2, "Retry webhooks with the same backoff", False), before="j"),
        Step("A", ("SessionTree", 1, "Retry webhooks with the same backoff", False)),
        Step("enter", ("TranscriptPane", 2, "Fix flaky uploads", False), before="j"),
    ),
    Trail("session tree", "escape", notices).of(Step("p", ["Join a team first: memtui team join"])),
    Trail("history of a file", "escape escape 2 enter", page).of(
        Step(
            "v",
            (
                ".github/workflows/ci.yml · turn 4 · Retry webhooks with the same backoff",
                "19 of 19 lines are known, 5 of them not for certain (?).",
            ),
        )
    ),
    Trail("full screen", "", helped).of(
        Step("question_mark", ("HelpScreen", "Full screen")),
        Step("f1", ("HelpScreen", "Full screen"), before="escape"),
    ),
    Trail("full screen", "escape", page_found).of(
        Step("f", ("FindBar", "esc back")),
        Step("n", ("Pages", "match 2 of 4"), before='"run" enter'),
        Step("N", ("Pages", "match 1 of 4")),
        Step("slash", ("FindBar", "match 1 of 4")),
        Step("ctrl+f", ("FindBar", "match 1 of 4"), before="enter"),
        Step("escape", ("Pages", "esc back"), before="enter"),
    ),
    Trail("full screen", "", taken).of(
        Step("y", ("PagerScreen", "name: ci\n\non:\n  push:\n    branches: [main]\n  pull_", {})),
        Step("escape", ("FileTimeline", "", {})),
        Step("q", ("FileTimeline", "", {}), before="v"),
        Step("v", ("FileTimeline", "", {}), before="v"),
    ),
    Trail("every list", "", read).of(Step("right", ("TranscriptPane", "Retry webhooks with the same backoff", 4))),
    Trail("history of a file", "escape", touched).of(
        Step("left_curly_bracket", ("FileTimeline", "✎ turn 10 +11 −0", "line 16")),
        Step("right_curly_bracket", ("FileTimeline", "✎ turn 4 +2 −1 R", "line 15")),
        Step("0", ("FileTimeline", "✎ turn 36 +3 −1 ", "line 15")),
        Step("ctrl+d", ("FileTimeline", "✎ turn 10 +11 −0", "19 +"), before="right_curly_bracket"),
        Step("ctrl+u", ("FileTimeline", "✎ turn 10 +11 −0", "line 16")),
        Step("H", ".github/workflows/ci.yml · 1,971 characters, about 493 tokens"),
    ),
    Trail("history of a file", "escape", taken).of(
        Step("y", ("FileTimeline", "--- a/.github/workflows/ci.yml\n+++ b/.github/workf", {}))
    ),
    Trail("history of a file", "escape j j j enter G", touched).of(
        Step("space", ("FileTimeline", "▾ 3 reads, 1 men", "space lists them one by one.")),
        Step("h", ("FileTimeline", "▸ 3 reads, 1 men", "space lists them one by one."), before="j j"),
        Step("left", ("FileTimeline", "▸ 3 reads, 1 men", "space lists them one by one."), before="space"),
    ),
    Trail("history of a file", "0 tab", read).of(Step("enter", ("TranscriptPane", "Fix flaky uploads", 5))),
    Trail("tables", "escape escape", files).of(
        Step("s", ("files by edits", 49, "export.py src 5 7 d")),
        Step("I", ("files by edits, reversed", 49, "pyproject.toml 18 h")),
        Step("I", ("files by edits", 49, "export.py src 5 7 d")),
    ),
    Trail("files", "", files).of(
        Step("grave_accent", ("folders by edits", 23, "export.py 5 1 7 d")),
        Step("h", ("folders by edits", 23, "▾ src/ 11 21 13 17 h")),
        Step("h", ("folders by edits", 12, "▸ src/ 11 21 13 17 h")),
        Step("grave_accent", ("files by edits", 49, "export.py src 5 7 d")),
        Step("left", ("folders by edits", 12, "▾ shop-api 26 34 18 17 h"), before="grave_accent j"),
        Step("H", "src/export.py · 5,998 characters, about 1,500 tokens", before="grave_accent"),
    ),
    Trail("review of a compaction", "escape 3 enter", review).of(
        Step("l", ("kept", "request A slow proxy or someth", 3)),
        Step("right", ("afterwards", "read file src/upload.py · turn", 5)),
        Step("l", ("summary", "Summary", 3)),
        Step("n", ("summary", "httpx timeouts (WriteTimeout i", 3), before="j j j j j"),
        Step("n", ("summary", "httpx timeouts (WriteTimeout i", 2)),
        Step("N", ("summary", "httpx timeouts (WriteTimeout i", 3)),
        Step("h", ("afterwards", "read file src/upload.py · turn", 5)),
        Step("left", ("kept", "request A slow proxy or someth", 3)),
        Step("space", ("lost", "▾ 2 details", 11), before="escape j enter G"),
        Step("y", ("lost", "your rule test =cmd|' /C calc'", 11), before="g"),
        Step("b", ("lost", "your rule test =cmd|' /C calc'", 11)),
        Step("x", ("lost", "▾ 3 that may matter", 11)),
        Step("u", ("lost", "your rule test =cmd|' /C calc'", 11), before="g"),
    ),
    Trail("tables", "escape", compactions).of(
        Step("s", ("compactions by tokens", [["167k"], ["164k"], ["158k"], ["61k"]]), before="s s"),
    ),
    Trail("pull requests", "4 j", requested).of(
        Step("space", (["▾", "●", "●"], 0)),
        Step("space", (["▸"], 0)),
        Step("l", (["▾", "●", "●"], 0)),
        Step("left", (["▸"], 0), before="j"),
        Step("right", (["▾", "●", "●"], 0)),
        Step("h", (["▸"], 0)),
    ),
    Trail("every list", "4 g", read).of(Step("enter", ("TranscriptPane", "Retry webhooks with the same backoff", 4))),
    Trail("stats", "5", counted).of(
        Step("d", "all projects · last 90 days · 24 Aug – 21 Nov 2026"),
        Step("d", "all projects · all time · 1 Nov – 20 Nov 2026"),
        Step("p", "shop-api · all time · 12 Nov – 20 Nov 2026"),
        Step("p", "all projects · all time · 1 Nov – 20 Nov 2026"),
    ),
    Trail("stats", "", bar_chosen).of(
        Step("k", "Fri 20 Nov 2026 · 22 turns in 3 sessions · enter"),
        Step("up", "Thu 19 Nov 2026 · 5 turns in 1 session · enter"),
        Step("h", "Thu 12 Nov 2026 · 24 turns in 1 session · enter"),
        Step("left", "Thu 5 Nov 2026 · 2 turns in 1 session · enter"),
        Step("l", "Thu 12 Nov 2026 · 24 turns in 1 session · enter"),
        Step("right", "Thu 19 Nov 2026 · 5 turns in 1 session · enter"),
        Step("j", "Fri 20 Nov 2026 · 22 turns in 3 sessions · enter"),
        Step("down", "Sat 21 Nov 2026 · no turns"),
        Step("N", "Fri 20 Nov 2026 · 22 turns in 3 sessions · enter"),
        Step("N", "Thu 19 Nov 2026 · 5 turns in 1 session · enter"),
        Step("n", "Fri 20 Nov 2026 · 22 turns in 3 sessions · enter"),
        Step("enter", "after:2026-11-20 before:2026-11-21"),
    ),
)
READING: Final = (
    Trail("transcript", "j enter i", line).of(
        *numbers(
            "j 1 down 2 k 1 up 0 ctrl+d 9 ctrl+u 0 pagedown 18 space 36 pageup 18 home 0 j 1 g 0 G 209 g 0 end 209"
        )
    ),
    Trail("transcript", "g", turn).of(
        Step("right_square_bracket", (2, "2 ● you 12:51")),
        Step("right_square_bracket", (3, "3 ● you 12:55")),
        Step("left_square_bracket", (2, "2 ● you 12:51")),
        Step("J", (3, "3 ● you 12:55")),
        Step("J", (4, "4 ⧉ compacted 13:40 · summ")),
        Step("K", (4, "4 ⧉ compacted 13:40 · summ"), before="j"),
        Step("K", (3, "3 ● you 12:55")),
        Step("right_parenthesis", (4, "4 ⧉ compacted 13:40 · summ")),
        Step("left_parenthesis", (4, "4 ⧉ compacted 13:40 · summ"), before="G"),
    ),
    Trail("transcript", "g", read).of(
        Step("S", ("TranscriptPane", "Find retries", 1)),
        Step("S", ("TranscriptPane", "Fix flaky uploads", 1)),
    ),
    Trail("inspector, stats, full screen", "g J J J J enter", line).of(
        *numbers("j 1 down 2 k 1 up 0 ctrl+d 11 ctrl+u 0 pagedown 21 space 40 pageup 19 G 40 home 0 j 1 g 0 end 40")
    ),
    Trail("transcript", "escape g J J", folds).of(
        Step("t", ("short", "line", 37)),
        Step("t", ("full", "line", 58)),
        Step("t", ("summary", "line", 24)),
        Step("T", ("summary", "full", 27)),
        Step("T", ("summary", "hidden", 23)),
        Step("T", ("summary", "line", 24)),
    ),
    Trail("transcript", "", matches).of(
        Step("f", ("FindBar", None, True)),
        Step("n", ("TranscriptPane", "match 12 of 20", False), before='"timeout" enter'),
        Step("N", ("TranscriptPane", "match 11 of 20", False)),
        Step("ctrl+f", ("FindBar", "match 11 of 20", True)),
    ),
    Trail("find", "", matches).of(
        Step("down", ("FindBar", "match 12 of 20", True)),
        Step("ctrl+j", ("FindBar", "match 13 of 20", True)),
        Step("up", ("FindBar", "match 12 of 20", True)),
        Step("ctrl+k", ("FindBar", "match 11 of 20", True)),
        Step("escape", ("TranscriptPane", None, False)),
    ),
    Trail("hand-off", "H", handed).of(
        Step(
            "space", ("☐ …/upload.py lines 1-60 · before edit 1,884", "tools 6,277 of 60,000 characters"), before="j j"
        ),
        Step("space", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 60,000 characters")),
        Step("less_than_sign", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 40,000 characters")),
        Step("less_than_sign", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 20,000 characters")),
        Step("less_than_sign", ("… …/upload.py lines 1-60 · before edit 1,884", "tools 0 of 0 characters")),
        Step("greater_than_sign", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 20,000 characters")),
        Step("greater_than_sign", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 40,000 characters")),
        Step("tab", ("Preview", "tools 8,161 of 40,000 characters")),
        Step("tab", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 40,000 characters")),
        Step("shift+tab", ("Preview", "tools 8,161 of 40,000 characters")),
        Step("shift+tab", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 40,000 characters")),
        Step("l", ("Preview", "tools 8,161 of 40,000 characters")),
        Step("h", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 40,000 characters")),
        Step("right", ("Preview", "tools 8,161 of 40,000 characters")),
        Step("left", ("☑ …/upload.py lines 1-60 · before edit 1,884", "tools 8,161 of 40,000 characters")),
    ),
    Trail("hand-off", "", part).of(
        Step("number_sign", "Fix flaky uploads · turns 3–13 · 9,422 characters, about 2,356 tokens"),
        Step("number_sign", "Fix flaky uploads · turns 1–3 · 5,576 characters, about 1,394 tokens"),
        Step("number_sign", "Fix flaky uploads · turn 3 · 1,844 characters, about 461 tokens"),
        Step("number_sign", "Fix flaky uploads · 10,846 characters, about 2,712 tokens"),
    ),
    Trail("every list", "g", cursor).of(*numbers("j 1 k 0 G 28 g 0")),
    Trail("hand-off", "", helped).of(
        Step("question_mark", ("HelpScreen", "Hand-off")),
        Step("f1", ("HelpScreen", "Hand-off"), before="escape"),
    ),
    Trail("hand-off", "escape", taken).of(
        Step("y", ("HandoffScreen", "[CONTEXT FROM PREVIOUS SESSION]\n\n## Summary\nThe ag", {})),
        Step("w", ("TranscriptPane", "", {"handoff-db9cde85.md": "[CONTEXT FROM PREVIOUS SESSION]"})),
        Step("escape", ("TranscriptPane", "", {}), before="H"),
        Step("q", ("TranscriptPane", "", {}), before="H"),
    ),
    Trail("share", "P", shared).of(
        Step("space", ("☐ Thinking", "Fix flaky uploads · 13 turns · 1 left out", _SHARED)),
        Step("space", ("☑ Thinking", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("enter", (f"☑ ▾ {_SHARED_TURN}", "Fix flaky uploads · 13 turns", _SHARED), before="G"),
        Step("h", (f"☑ ▸ {_SHARED_TURN}", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("l", (f"☑ ▾ {_SHARED_TURN}", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("left", (f"☑ ▸ {_SHARED_TURN}", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("right", (f"☑ ▾ {_SHARED_TURN}", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("tab", ("☑ 25× home /home/ana → ~", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("shift+tab", (f"☑ ▾ {_SHARED_TURN}", "Fix flaky uploads · 13 turns", _SHARED)),
        Step("number_sign", (f"☑ ▾ {_SHARED_TURN}", "Fix flaky uploads · turns 3–13", _SHARED.replace("25", "24"))),
        Step("a", "AnnotationForm"),
    ),
    Trail("share", "escape", helped).of(
        Step("question_mark", ("HelpScreen", "Share")),
        Step("f1", ("HelpScreen", "Share"), before="escape"),
    ),
    Trail("share", "escape", taken).of(
        Step("w", ("ShareScreen", "", {"fix-flaky-uploads-db9cde85-turns-3-13.html": "<!doctype html>"})),
        Step("y", ("ShareScreen", "## Fix flaky uploads\n\nclaude-code · shop-api · fix", {})),
        Step("escape", ("TranscriptPane", "", {})),
        Step("q", ("TranscriptPane", "", {}), before="P"),
    ),
    Trail("rewind", "W", rewound).of(
        Step("number_sign", ("RewindScreen", "before turn 3 of 13")),
        Step("number_sign", ("RewindScreen", "up to turn 3 of 13")),
        Step("question_mark", ("HelpScreen", "")),
        Step("f1", ("HelpScreen", ""), before="escape"),
        Step("escape", ("BrowseScreen", ""), before="escape"),
        Step("q", ("BrowseScreen", ""), before="W"),
        Step("w", ("ConfirmScreen", ""), before="W"),
    ),
    Trail("inspector", "escape g J J tab l", inspected).of(
        Step("j", ("tools", 1, 0, 2)),
        Step("k", ("tools", 0, 0, 2)),
        Step("down", ("tools", 1, 0, 2)),
        Step("up", ("tools", 0, 0, 2)),
        Step("enter", ("tools", 0, 0, 69)),
        Step("v", ("Write", "▾ Write tests/slow_store.py +24")),
        Step("h", ("thinking", 0, 0, 4), before="escape"),
        Step("left", ("info", 0, 0, 49)),
        Step("right", ("thinking", 0, 0, 4)),
        Step("l", ("tools", 0, 0, 69)),
        Step("l", ("files", 0, 0, 5)),
        Step("j", ("files", 1, 0, 5)),
        Step("v", ("tests/slow_store.py · turn 3 · Fix flaky uploads", "All 25 lines are certain."), before="k"),
    ),
    Trail("inspector, stats, full screen", "escape l", line).of(
        *numbers("j 1 k 0 ctrl+d 8 ctrl+u 0 pagedown 16 pageup 0 space 16 home 0 G 32 g 0 end 32")
    ),
    Trail("transcript", "escape enter g", call).of(
        Step("right_curly_bracket", (3, "Write", "tests/slow_store.py", 2)),
        Step("right_curly_bracket", (5, "Edit", "src/upload.py", 4)),
        Step("right_curly_bracket", (5, "Edit", "src/upload.py", 5)),
        Step("left_curly_bracket", (5, "Edit", "src/upload.py", 4)),
        Step("left_curly_bracket", (3, "Write", "tests/slow_store.py", 2)),
        Step("full_stop", (3, "Bash", "", 3)),
        Step("comma", (3, "Write", "tests/slow_store.py", 2)),
        Step("enter", ("Write", "▾ Write tests/slow_store.py +24")),
        Step("v", ("Edit", "▾ Edit src/upload.py +12 −3"), before="escape right_curly_bracket"),
    ),
    Trail("transcript", "escape", mapped).of(Step("m", False), Step("m", True)),
    Trail("transcript", "", taken).of(
        Step("y", ("TranscriptPane", "The upload still fails on slow networks. Can we re", {}))
    ),
    Trail("inspector, stats, full screen", "5", line).of(
        *numbers("ctrl+d 9 ctrl+u 0 pagedown 18 space 35 pageup 17 G 35 home 0 end 35 g 0")
    ),
)
CHARTING: Final = (
    Trail("timeline", "6", charted).of(
        Step("d", ("2026", "TimelineList", "▙ 20 Nov 2026 15:07 –")),
        Step("d", ("1 – 20 Nov 2026", "TimelineList", "▙ 20 Nov 2026 15:07 –")),
        Step("d", ("Fri 20 Nov 2026", "TimelineList", "▙ 20 Nov 2026 15:07 –")),
        Step("d", ("16 – 22 Nov 2026", "TimelineList", "▙ 20 Nov 2026 15:07 –")),
        Step("d", ("November 2026", "TimelineList", "▙ 20 Nov 2026 15:07 –")),
        Step("t", ("November 2026", "TimelineList", "▙ 20 Nov 2026 15:07 –"), before="G"),
    ),
    Trail("timeline, chart", "k", charted).of(
        Step("h", ("November 2026", "TimelineChart", "▙ 20 Nov 2026 12:45 –")),
        Step("l", ("November 2026", "TimelineChart", "▙ 20 Nov 2026 15:07 –")),
        Step("left", ("November 2026", "TimelineChart", "▙ 20 Nov 2026 12:45 –")),
        Step("right", ("November 2026", "TimelineChart", "▙ 20 Nov 2026 15:07 –")),
        Step("j", ("November 2026", "TimelineChart", "◆ 20 Nov 2026 12:57 ·"), before="h"),
        Step("k", ("November 2026", "TimelineChart", "▙ 20 Nov 2026 12:45 –")),
        Step("down", ("November 2026", "TimelineChart", "◆ 20 Nov 2026 12:57 ·")),
        Step("up", ("November 2026", "TimelineChart", "▙ 20 Nov 2026 12:45 –")),
        Step("g", ("November 2026", "TimelineChart", "▙ 1 Nov 2026 18:08 – ")),
        Step("G", ("November 2026", "TimelineChart", "↑ 20 Nov 2026 15:18 ·")),
        Step("home", ("November 2026", "TimelineChart", "▙ 1 Nov 2026 18:08 – ")),
        Step("end", ("November 2026", "TimelineChart", "↑ 20 Nov 2026 15:18 ·")),
        Step("pageup", ("Thu 19 Nov 2026", "TimelineChart", "▙ 19 Nov 2026 09:17 –"), before="d d d"),
        Step("pagedown", ("Fri 20 Nov 2026", "TimelineChart", "▙ 20 Nov 2026 15:07 –")),
        Step("N", ("Thu 19 Nov 2026", "TimelineChart", "↑ 19 Nov 2026 12:00 ·")),
        Step("n", ("Fri 20 Nov 2026", "TimelineChart", "▙ 20 Nov 2026 06:16 –")),
        Step("enter", ("Fri 20 Nov 2026", "TranscriptPane", "▙ 20 Nov 2026 06:16 –")),
    ),
)
NOTING: Final = (
    Trail("timeline", "6", past).of(
        Step("p", ("timeline of shop-api", 16, "TimelineList", "● Retry webhooks with the sam… ↑ #218 #2")),
        Step("p", ("timeline of all projects", 36, "TimelineList", "● Retry webhooks w… · shop-api ↑ #218 #2")),
        Step("F", ("timeline of all projects · decision", 1, "TimelineList", "decision Retry with a key 20 h")),
        Step("F", ("timeline of all projects · bugfix", 1, "TimelineList", "bugfix No double parts 20 h")),
        Step("F", ("timeline of all projects · forgotten", 1, "TimelineList", "discovery It is slow 20 h")),
        Step("F", ("timeline of all projects", 36, "TimelineList", "● Retry webhooks w… · shop-api ↑ #218 #2")),
        Step(
            "space",
            ("timeline of all projects", 34, "TimelineList", "▸ ● Fix flaky uploads ↑ #218 ⧉ 1 ◆ 2 14:"),
            before="j",
        ),
        Step("space", ("timeline of all projects", 36, "TimelineList", "▾ ● Fix flaky uploads · shop-api ↑ #218 ")),
        Step("h", ("timeline of all projects", 34, "TimelineList", "▸ ● Fix flaky uploads ↑ #218 ⧉ 1 ◆ 2 14:")),
        Step("l", ("timeline of all projects", 36, "TimelineList", "▾ ● Fix flaky uploads · shop-api ↑ #218 ")),
        Step("left", ("timeline of all projects", 34, "TimelineList", "▸ ● Fix flaky uploads ↑ #218 ⧉ 1 ◆ 2 14:")),
        Step("right", ("timeline of all projects", 36, "TimelineList", "▾ ● Fix flaky uploads · shop-api ↑ #218 ")),
        Step("right", ("timeline of all projects", 36, "TimelineList", "bugfix No double parts 20 h")),
        Step("h", ("timeline of all projects", 36, "TimelineList", "▾ ● Fix flaky uploads · shop-api ↑ #218 ")),
        Step("l", ("timeline of all projects", 36, "ObservationPane", "bugfix No double parts 20 h"), before="j"),
    ),
    Trail("timeline, observation", "escape", noted).of(
        Step("a", ("ObservationForm", "an observation in Fix flaky uploads", "")),
        Step("c", ("ObservationForm", "change an observation", "No double parts"), before="escape"),
        Step("x", ("decision Retry with a key 20 h", ["Forgotten No double parts u restores it."]), before="escape"),
        Step("u", ("bugfix No double parts 20 h", ["Restored No double parts"])),
        Step("delete", ("decision Retry with a key 20 h", ["Forgotten No double parts u restores it."])),
        Step("u", ("bugfix No double parts 20 h", ["Restored No double parts"])),
        Step("v", (("Fix flaky uploads", "No double parts"), [])),
    ),
    Trail("timeline, observation", "escape l", noted).of(
        Step("v", (("Fix flaky uploads", "No double parts"), [])),
        Step("c", ("ObservationForm", "change an observation", "No double parts"), before="escape"),
        Step("x", ("decision Retry with a key 20 h", ["Forgotten No double parts u restores it."]), before="escape"),
        Step("u", ("bugfix No double parts 20 h", ["Restored No double parts"])),
    ),
    Trail("observation", "l", taken).of(
        Step("y", ("ObservationPane", "No double parts\n\nParts have numbers.\n\nType     bug", {})),
        Step("enter", ("TranscriptPane", "", {})),
    ),
    Trail("form of an observation", "escape a", helped).of(
        Step("question_mark", ("HelpScreen", "This screen")),
        Step("f1", ("HelpScreen", "This screen"), before="escape"),
    ),
    Trail("form of an observation", "escape", filled).of(
        Step("right", ("bugfix", "type")),
        Step("space", ("feature", "type")),
        Step("left", ("bugfix", "type")),
        Step("enter", ("bugfix", "title")),
        Step("down", ("bugfix", "title"), before="shift+tab"),
        Step(
            "escape",
            ("timeline of all projects", 36, "TimelineList", "bugfix No double parts 20 h"),
            before="shift+tab left",
        ),
        Step(
            "ctrl+s",
            ("timeline of all projects", 37, "TimelineList", "decision Mine 0 s"),
            before='a enter "Mine" tab "Hand"',
        ),
    ),
)
ADDING: Final = (
    Trail("sessions, hits, transcript", "j", annotated).of(
        Step("asterisk", ("SessionTree", "★ Fix flaky uploads", ["Pinned Fix flaky uploads"])),
        Step("asterisk", ("SessionTree", "Fix flaky uploads", ["No longer pinned Fix flaky uploads"])),
        Step("number_sign", ("tags of Fix flaky uploads", "")),
        Step("a", ("note on Fix flaky uploads", ""), before="escape"),
        Step("c", ("your title", "Fix flaky uploads"), before="escape"),
        Step("f2", ("your title", "Fix flaky uploads"), before="escape"),
    ),
    Trail("title, tags, note", "", annotated).of(
        Step("ctrl+s", ("SessionTree", "Fix flaky uploads+", []), before='"+"'),
        Step("escape", ("SessionTree", "Fix flaky uploads+", []), before="c"),
        Step("enter", ("SessionTree", "Fix flaky uploads+!", []), before='c "!"'),
        Step("enter", ("SessionTree", "Fix flaky uploads+", []), before="c backspace"),
    ),
    Trail("session tree", "escape escape", lambda pilot: type(pilot.app.screen).__name__).of(
        Step("delete", "ForgetScreen"),
    ),
    Trail("forgetting", "", lambda pilot: type(pilot.app.screen).__name__).of(
        Step("escape", "BrowseScreen"),
        Step("q", "BrowseScreen", before="delete"),
        Step("question_mark", "HelpScreen", before="delete"),
        Step("f1", "HelpScreen", before="escape"),
        # No indexer runs, so that it stays.
        Step("enter", "BrowseScreen", before="escape"),
    ),
    Trail("title, tags, note", "c", helped).of(
        Step("question_mark", ("AnnotationForm", "")),
        Step("f1", ("HelpScreen", "This screen")),
    ),
    Trail("sessions, hits, transcript", "escape escape", annotated).of(
        Step(
            "x",
            (
                "SessionTree",
                "Add price rounding",
                ["Archived Fix flaky uploads+ u takes it back."],
            ),
        ),
        Step("u", ("SessionTree", "Add price rounding", ["No longer archived 1 session"])),
    ),
    Trail("session tree", "g j j x", lambda pilot: str(tree(pilot).border_subtitle)).of(
        Step("X", "1 archived · X hides them"),
        Step("X", "1 archived · X shows them"),
    ),
)
BLAMING: Final = (
    Trail("files", '2 slash "export.py" enter', blamed).of(Step("b", ("BlamePage", 1, "enter turn", "5782bf0a:2"))),
    Trail("lines of a file", "", blamed).of(
        Step("n", ("BlamePage", 18, "enter turn", "5782bf0a:10")),
        Step("N", ("BlamePage", 1, "enter turn", "5782bf0a:2")),
        Step("f", ("FindBar", 1, "enter turn", "5782bf0a:2")),
        Step("slash", ("FindBar", 14, "match 1 of 4", "5782bf0a:2"), before='"def" enter'),
        Step("n", ("BlamePage", 37, "match 2 of 4", "5782bf0a:7"), before="enter"),
        Step("N", ("BlamePage", 14, "match 1 of 4", "5782bf0a:2")),
        Step("ctrl+f", ("FindBar", 14, "match 1 of 4", "5782bf0a:2")),
        Step("escape", ("BlamePage", 14, "enter turn", "5782bf0a:2"), before="enter"),
        Step("i", ("BlamePage", 14, "enter turn", "")),
        Step("i", ("BlamePage", 14, "enter turn", "5782bf0a:2")),
        Step("tab", ("DiffView", 14, "enter turn", "5782bf0a:2")),
        Step("shift+tab", ("BlamePage", 14, "enter turn", "5782bf0a:2")),
    ),
    Trail("lines of a file", "", taken).of(
        Step("y", ("BlameScreen", '"""Orders as CSV, for accounting."""\n\nfrom __futur', {})),
        Step("Y", ("BlameScreen", "5782bf0a-1af4-4394-b1c4-75f7efb6fe0c:2", {})),
        Step("b", ("FileList", "", {})),
        Step("q", ("FileList", "", {}), before="b"),
        Step("escape", ("FileList", "", {}), before="b"),
    ),
    Trail("lines of a file", "b", helped).of(
        Step("question_mark", ("HelpScreen", "Who wrote each line")),
        Step("f1", ("HelpScreen", "Who wrote each line"), before="escape"),
    ),
    Trail("lines of a file", "escape", read).of(
        Step(
            "enter",
            (
                "TranscriptPane",
                "Accounting wants all orders of a month as CSV. Where would you put that? No code yet",
                2,
            ),
        )
    ),
    Trail("transcript", "", blamed).of(Step("b", ("BlamePage", 1, "enter turn", "5782bf0a:2"))),
    Trail("inspector", "escape i tab", blamed).of(Step("b", ("BlamePage", 1, "enter turn", "5782bf0a:2"))),
    Trail("history of a file", "escape i escape", blamed).of(Step("b", ("BlamePage", 42, "enter turn", "5782bf0a:27"))),
)
WALKS: Final[dict[str, tuple[Trail, ...]]] = {
    "anywhere": ANYWHERE,
    "searching": SEARCHING,
    "lists": LISTS,
    "reading": READING,
    "noting": NOTING,
    "adding": ADDING,
    "charting": CHARTING,
    "blaming": BLAMING,
}
"""Trails that are gone one after the other in one app."""


@pytest.fixture
def data(sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index of the sample sessions to write to, with an empty folder to write files to as the current one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return shutil.copytree(sample_index, tmp_path / "data", ignore=shutil.ignore_patterns("state.json"))


def note(data: Path) -> None:
    """Write three observations down during turn 3 of the session that has everything, and forget one."""
    book = Observations(data, now=lambda: datetime(2026, 11, 20, 12, 57, tzinfo=UTC))
    for kind, title in (("decision", "Retry with a key"), ("bugfix", "No double parts"), ("discovery", "It is slow")):
        last = book.save(FLAGSHIP, "/home/ana/code/shop-api", type=kind, title=title, narrative="Parts have numbers.")
    book.forget(last.id)


async def walk(pilot: Pilot[None], keys: str) -> None:
    """Press keys, each when the one before has had its effect; what stands in quotes is typed."""
    for key in keys.split():
        if key.startswith('"'):
            await type_text(pilot, key.strip('"'))
        else:
            await pilot.press(key)
        if pilot.app.is_running:
            await settled(pilot)


@pytest.mark.parametrize("name", WALKS)
async def test_each_key_does_what_it_says(name: str, data: Path, tmp_path: Path) -> None:
    """It presses up to 170 keys, and what each has loaded is on the screen before the next one."""
    if name == "blaming":
        data = with_files(tmp_path / "files")
    note(data)
    differences = []
    # A small screen has no room for the lanes of the chart.
    async with app_on(data).run_test(size=(128, 40 if name == "charting" else 24)) as pilot:
        await settled(pilot)
        for trail in WALKS[name]:
            await walk(pilot, trail.lead)
            for number, step in enumerate(trail.steps, 1):
                await walk(pilot, f"{step.before} {step.key} {step.after}")
                seen = trail.observe(pilot) if pilot.app.is_running else LEFT
                if seen != step.then:
                    differences.append(f"{trail.place}, step {number}, {step.key}: {seen!r}, not {step.then!r}")
    assert not differences, "\n".join(differences)


async def test_shift_r_looks_for_a_newer_index_at_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without the key the app would look only in an hour.
    monkeypatch.setattr("memtui.services.index_poll.POLL", 3600.0)
    script = Script()
    script.user("One more")
    counts = []

    def sessions(pilot: Pilot[None]) -> str:
        return next(fact for fact in browse(pilot).query_one(StatusLine).facts() if "session" in fact)

    async with app_on(data).run_test(size=(128, 24)) as pilot:
        await settled(pilot)
        counts.append(sessions(pilot))
        update(data, script.write(tmp_path / "src"))
        for key in ("g", "R"):
            await walk(pilot, key)
            counts.append(sessions(pilot))
    assert counts == ["17 sessions", "17 sessions", "18 sessions"]


# -- keys that leave the terminal to another program ----------------------------------------------------------------


class Leaving(NamedTuple):
    """A key that runs a program, pressed in a real terminal."""

    place: str
    key: str
    runs: str
    """What the program says of how it was called."""
    before: tuple[tuple[str, str], ...] = ()
    """What is typed to get there, each with what comes to the screen then."""
    after: str = ""
    """What is typed to answer what the key asks, once that is asked."""
    asks: str = "start an agent with it"


LEAVING: Final = (
    Leaving(
        "transcript",
        "o",
        "vim in ~/code/shop-api/tests: +1 ~/code/shop-api/tests/slow_store.py",
        before=(("j", "Since Tuesday"), ("\r", "Previous prompt"), ("}", "Write")),
    ),
    Leaving(
        "full screen", "o", "vim in ~/code/shop-api/tests: +1 ~/code/shop-api/tests/slow_store.py", (("v", "esc back"),)
    ),
    Leaving(
        "inspector",
        "o",
        "vim in ~/code/shop-api/src: +1 ~/code/shop-api/src/upload.py",
        (("}", "Edit"), ("i", "Tools 7"), ("\t", "Open"), ("l", "Read")),
    ),
    Leaving("everywhere", "r", f"claude in ~/code/shop-api: --resume {FLAGSHIP}", after="\r", asks="start claude?"),
    Leaving(
        "hand-off",
        "\r",
        "claude in ~/code/shop-api: [CONTEXT FROM PREVIOUS SESSION]",
        (("H", "enter start"),),
        after="1",
    ),
    Leaving(
        "files",
        "o",
        "vim in ~/code/shop-api/.github/workflows: ~/code/shop-api/.github/workflows/ci.yml",
        (("2", "edits"),),
    ),
    Leaving(
        "lines of a file",
        "o",
        "vim in ~/code/shop-api/.github/workflows: +1 ~/code/shop-api/.github/workflows/ci.yml",
        (("b", "The file is empty."),),
    ),
    Leaving(
        "history of a file",
        "o",
        "vim in ~/code/shop-api/.github/workflows: +18 ~/code/shop-api/.github/workflows/ci.yml",
        (("\r", "turn 4"),),
    ),
    Leaving(
        "pull requests",
        "o",
        "browser in ~: https://github.com/harbor-example/shop-api/pull/219",
        (("4", "#219"),),
    ),
)
_APP: Final = """
import sys
from pathlib import Path
from memtui.app import MemtuiApp
MemtuiApp(Path(sys.argv[1]), run_indexer=False).run()
"""
_PROGRAM: Final = '#!/bin/sh\necho "ran: $(basename "$0") in $PWD: $(printf %s "$*" | head -n 1)"\n'
_OTHER_SCREEN: Final = b"\x1b[?1049h"
"""What a program writes that takes the whole terminal."""


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """The app in a terminal, on the sample sessions as if they were of this machine."""
    home, programs, sources = tmp_path / "ana", tmp_path / "bin", tmp_path / "sources"
    for path in SAMPLES.rglob("*.jsonl"):
        copy = sources / path.relative_to(SAMPLES)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text().replace("/home/ana", str(home)))
    update(tmp_path / "data", sources)
    for name in ("src/upload.py", "tests/slow_store.py", ".github/workflows/ci.yml"):
        path = home / "code" / "shop-api" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    programs.mkdir()
    for name in ("vim", "claude", "browser"):
        (programs / name).write_text(_PROGRAM)
        (programs / name).chmod(0o755)
    monkeypatch.chdir(home)
    environment = {name: value for name, value in os.environ.items() if name != "VISUAL"} | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "EDITOR": "vim",
        "BROWSER": str(programs / "browser"),
        "TERM": "xterm-256color",
        "COLUMNS": "140",
        "LINES": "24",
    }
    shown = Terminal([sys.executable, "-c", _APP, str(tmp_path / "data")], environment)
    yield shown
    shown.close()


@reads_proc
def test_keys_leave_the_terminal_to_another_program_and_come_back(terminal: Terminal, tmp_path: Path) -> None:
    """It indexes the samples anew and runs nine programs in a real terminal."""
    terminal.until_shown("Retry webhooks")
    differences = []
    for step in LEAVING:
        for typed, shown in step.before:
            terminal.type(typed)
            terminal.until_shown(shown)
        terminal.type(step.key)
        if step.after:
            terminal.until_shown(step.asks)
            assert b"ran: " not in terminal.written
            terminal.type(step.after)
        terminal.until_shown("ran: ")
        terminal.until(lambda written: b"\n" in written.partition(b"ran: ")[2])
        ran = terminal.written.partition(b"ran: ")[2].partition(b"\r\n")[0].decode()
        if (said := ran.replace(str(tmp_path / "ana"), "~")) != step.runs:
            differences.append(f"{step.place}, {step.key}: {said!r}, not {step.runs!r}")
        if step.place != "pull requests":
            terminal.until(lambda written: _OTHER_SCREEN in written.partition(b"ran: ")[2])
    assert not differences, "\n".join(differences)
    terminal.type("\x1a")
    terminal.until(lambda _: terminal.state() == "T")
    terminal.written = b""
    terminal.process.send_signal(signal.SIGCONT)
    terminal.until(lambda written: _OTHER_SCREEN in written)
    terminal.until_shown("pull requests")
    terminal.type("q")
    terminal.until(lambda _: terminal.process.poll() is not None)
    assert terminal.process.returncode == 0


def test_every_key_of_the_table_is_pressed_somewhere() -> None:
    table = {(key.where, name) for key in declared_keys() for name in key.key.split(",")}
    pressed = {(trail.place, step.key) for trails in WALKS.values() for trail in trails for step in trail.steps}
    alone = {("everywhere", "R"), ("everywhere", "ctrl+z"), ("hand-off", "enter")}
    # In tests/tui/screens/test_resume.py, for a session in a folder that exists.
    alone |= {("confirmation", key) for key in ("enter", "y", "escape", "q", "question_mark", "f1")}
    # In tests/tui/screens/test_known_errors.py, with errors.
    alone |= {("fixes", key) for key in ("enter", "escape", "q", "j", "k", "question_mark", "f1")} | {
        ("everywhere", "F")
    }
    # In tests/tui/screens/test_reminders_screen.py, with reminders.
    alone |= {("told by memtui", key) for key in ("enter", "v", "escape", "q", "j", "k", "question_mark", "f1")}
    # In tests/tui/views/test_machines.py, with sessions of several machines.
    alone |= {("session tree", "M")}
    # In tests/tui/browse/test_live.py, with sessions that run and wait.
    alone |= {("everywhere", "L")}
    assert pressed | {(step.place, step.key) for step in LEAVING if step.key.isprintable()} | alone == table


@pytest.fixture
def person(tmp_path: Path) -> dict[str, str]:
    """The environment of a person with one session of Claude Code, who has never used memtui."""
    script = Script()
    script.user("Find the walrus in the upload")
    script.says("It is there.")
    script.write(tmp_path / "home" / ".claude" / "projects" / "-home-ana-code-shop")
    own = {"HOME": str(tmp_path / "home"), "TERM": "xterm-256color", "COLUMNS": "140", "LINES": "24"}
    kept = ("PATH", "LANG", "LC_ALL", "VIRTUAL_ENV", "PYTHONPATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | own


@pytest.mark.spec("S5.1")
@pytest.mark.parametrize(
    ("arguments", "shown", "not_shown"),
    [
        ([], "Find the walrus", "Retry webhooks"),
        (["--or-demo"], "Find the walrus", "Retry webhooks"),
        (["demo"], "Retry webhooks", "walrus"),
    ],
)
def test_it_opens_on_the_persons_own_sessions_and_demo_on_the_samples(
    person: dict[str, str], arguments: list[str], shown: str, not_shown: str
) -> None:
    """It starts memtui and its indexer, each in a process of its own."""
    terminal = Terminal([sys.executable, "-m", "memtui", *arguments], person)
    try:
        terminal.until_shown(shown)
        everything = CODES.sub(b"", terminal.written)
        terminal.type("q")
        terminal.until(lambda _: terminal.process.poll() is not None)
    finally:
        terminal.close()
    assert not_shown.encode() not in everything
    assert terminal.process.returncode == 0
    own = Path(person["HOME"], "Library/Application Support" if sys.platform == "darwin" else ".local/share", "memtui")
    assert own.is_dir() == (arguments != ["demo"])
