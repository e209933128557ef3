"""The hand-off on the screen: its sections and tool results at one side, its text at the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.render.clean import clean
from memtui.render.rows import Row, line_of, row
from memtui.screens.choice import ChoiceScreen
from memtui.screens.dialog import Dialog
from memtui.screens.outgoing.handoff.items import HandoffItems
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView
from memtui.widgets.pane_visibility import add_width_class
from memtui.widgets.requests.panes import CopyRequested
from memtui.wording.formatting import number
from memtui_core.text.token_estimate import estimated_tokens

if TYPE_CHECKING:
    from memtui_core.index.handoffs import Handoff

AgentChoices = Callable[[int], Sequence[tuple[str, Content]]]
"""Returns the commands of the agents that may start with a text of some size, each with a label."""
_LIMIT_STEP = 20_000
"""Characters by which a key changes the space for tool results."""
_MESSAGE_MARKS = frozenset({"[USER]", "[/USER]", "[ASSISTANT]", "[/ASSISTANT]"})
"""The lines around a message in the summary."""


@dataclass(frozen=True, slots=True)
class HandoffRange:
    """A range of turns to hand off; without bounds all turns, or the hand-off of a file."""

    name: str = ""
    first: int | None = None
    last: int | None = None


def turn_ranges(turn: int, count: int) -> list[HandoffRange]:
    """The ranges to choose from for a session of `count` turns: all turns, from, up to and only the current turn."""
    bounds = dict.fromkeys([(turn, count), (1, turn), (turn, turn)])
    ranges = [
        HandoffRange(f"turns {first}–{last}" if first < last else f"turn {first}", first, last)
        for first, last in bounds
        if (first, last) != (1, count)
    ]
    return [HandoffRange(), *ranges]


@dataclass(frozen=True, slots=True)
class HandoffOutput:
    """The text of a hand-off, to start an agent with or to write to a file."""

    text: str
    agent: str | None = None
    """The command of the agent; None for a file."""


class Preview(LineView):
    """The text of the hand-off."""

    HELP: ClassVar[str] = HandoffItems.HELP
    BINDINGS = keys(
        "hand-off",
        Key("h,left", "screen.other", "Parts", "Go back to the parts", "handoff.parts"),
    )

    def __init__(self) -> None:
        self._wrapped = RowLines(self.rows)
        super().__init__(self._wrapped, id="handoff-text")
        self._text_lines: list[str] = []
        self._starts: Mapping[str, int] = {}

    def show(self, text: str, starts: Mapping[str, int]) -> None:
        """Show a text without scrolling; `starts` are the lines at which its sections and results begin."""
        self._text_lines = clean(text).split("\n")
        self._starts = starts
        self.lay_out()

    def go_to(self, title: str, id_: str) -> None:
        """Scroll a result, or its section if it is not in the text, to the top."""
        start = self._starts.get(id_, self._starts.get(title))
        if start is not None:
            if start == min(self._starts.values()):
                # The mark before the first section belongs to it.
                start = 0
            self.scroll_to(y=line_of(self._wrapped.lines, start, 0), animate=False)

    def rows(self, width: int, height: int) -> Sequence[Row]:
        """One row for each line."""
        starts = {0, *self._starts.values(), len(self._text_lines) - 1}
        return [
            row(line, "heading" if index in starts or line in _MESSAGE_MARKS else "")
            for index, line in enumerate(self._text_lines)
        ]


class HandoffScreen(Dialog[HandoffOutput | None]):
    """Shows a hand-off that the user can change, copy, save or give to an agent."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    CSS = """
    HandoffScreen {
        background: $background;
        #handoff { layout: vertical; width: 1fr; height: 1fr; }
        &.-wide #handoff { layout: horizontal; }
        HandoffItems, Preview { border: round $panel; background: transparent; padding: 0; scrollbar-size-vertical: 1; }
        HandoffItems, Preview { border-title-color: $text-muted; border-subtitle-color: $text-muted; }
        HandoffItems:focus, Preview:focus { border: heavy $accent; border-title-color: $accent; }
        HandoffItems { height: 1fr; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-wide HandoffItems { width: 2fr; min-width: 52; }
        Preview { height: 1fr; width: 1fr; }
        &.-wide Preview { width: 3fr; }
    }
    """
    BINDINGS = keys(
        "hand-off",
        Key("escape,q", "dismiss(None)", "Back", "Go back without handing off", "handoff.leave", show=True),
        Key("y", "copy", "Copy", "Copy the text", "handoff.copy", synonyms="clipboard yank", show=True),
        Key("w", "save", "Write", "Write the text to a new file", "handoff.save",
            synonyms="export file write markdown", show=True),
        Key("enter", "start", "Start", "Choose an agent to start with the text", "handoff.start",
            synonyms="run launch claude codex", show=True, priority=True),
        Key("number_sign", "range", "Turns", "All turns, or from, up to or only the current one", "handoff.turns",
            synonyms="range from to", show=True),
        Key("greater_than_sign", "limit(1)", "More room", "More room for tool results", "handoff.more", show=True),
        Key("less_than_sign", "limit(-1)", "Less room", "Less room for tool results", "handoff.less", show=True),
        Key("tab,shift+tab", "other", "Other side", "Go to the other side", "handoff.other", show=True),
        HELP_KEY,
    )  # fmt: skip

    def __init__(
        self,
        handoff: Handoff,
        title: str,
        folder: str,
        agents: AgentChoices,
        ranges: Sequence[HandoffRange],
        request_range: Callable[[HandoffRange], None],
    ) -> None:
        """`folder` is where an agent starts.

        `ranges` begins with that of `handoff`. `request_range` requests the hand-off of another one; its result is
        passed to `show_handoff`.
        """
        super().__init__()
        self._handoff = handoff
        self._title = title
        self._folder = folder
        self._agents = agents
        self._ranges = ranges
        self._request_range = request_range
        self._shown_range = self._requested_range = ranges[0]

    def compose(self) -> ComposeResult:
        """The items and the text."""
        add_width_class(self)
        with Container(id="handoff"):
            preview = Preview()
            yield HandoffItems(self._show_text, preview.go_to)
            yield preview

    def on_mount(self) -> None:
        """Show the hand-off, with the focus on its items."""
        turns = " · # turns" if len(self._ranges) > 1 else ""
        self.query_one(HandoffItems).border_subtitle = f"space switch · < > room{turns}"
        self.query_one(Preview).border_subtitle = "enter start an agent · y copy · w write · esc"
        self._show()
        self.query_one(HandoffItems).focus()

    def show_handoff(self, handoff: Handoff, shown_range: HandoffRange) -> None:
        """Show the hand-off of another range, with the current space for tool results, unless the user has left."""
        if self in self.app.screen_stack:
            self._handoff, self._shown_range = replace(handoff, limit=self._handoff.limit), shown_range
            self._show()

    def _show(self) -> None:
        items = self.query_one(HandoffItems)
        items.show(self._handoff)
        self._show_text()

    def _show_text(self) -> None:
        items = self.query_one(HandoffItems)
        text = self._handoff.text(items.off)
        tools = self._handoff.result_chars(items.off)
        items.border_title = f"tools {number(tools)} of {number(self._handoff.limit)} characters"
        preview = self.query_one(Preview)
        size = f"{number(len(text))} characters, about {number(estimated_tokens(len(text)))} tokens"
        preview.border_title = Content(" · ".join(filter(None, (self._title, self._shown_range.name, size))))
        preview.show(text, self._handoff.starts(items.off))

    @property
    def text(self) -> str:
        """The text of the hand-off without the items that are switched off."""
        return self._handoff.text(self.query_one(HandoffItems).off)

    def action_copy(self) -> None:
        """Copy the text."""
        self.post_message(CopyRequested(self.text, "The hand-off"))

    def action_save(self) -> None:
        """End with the text for a file."""
        self.dismiss(HandoffOutput(self.text))

    def action_start(self) -> None:
        """Choose an agent, and end with the text for it."""
        text = self.text

        def chosen(agent: str | None) -> None:
            if agent is not None:
                self.dismiss(HandoffOutput(text, agent))

        self.app.push_screen(ChoiceScreen("start an agent with it", self._agents(len(text)), self._folder), chosen)

    def action_range(self) -> None:
        """Request the next range; the first follows the last."""
        if len(self._ranges) > 1:
            following = (self._ranges.index(self._requested_range) + 1) % len(self._ranges)
            self._requested_range = self._ranges[following]
            self._request_range(self._requested_range)

    def action_limit(self, direction: int) -> None:
        """Increase (1) or reduce (-1) the space for tool results."""
        self._handoff = replace(self._handoff, limit=max(0, self._handoff.limit + direction * _LIMIT_STEP))
        self._show()

    def action_other(self) -> None:
        """Go to the other side."""
        items, preview = self.query_one(HandoffItems), self.query_one(Preview)
        (preview if items.has_focus else items).focus()
