"""A hand-off before it leaves: what is in it at one side, its text at the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import ModalScreen

from memtui.formatting import number
from memtui.keys import HELP_KEYS
from memtui.render.clean import clean
from memtui.render.rows import Row, row
from memtui.screens.choice import ChoiceScreen
from memtui.widgets.handoff_items import HandoffItems
from memtui.widgets.line_view import LineView
from memtui.widgets.row_lines import RowLines
from memtui.widgets.row_list import RowList

if TYPE_CHECKING:
    from memtui_core.handoff import Handoff

Agents = Callable[[int], Sequence[tuple[str, str]]]
_STEP = 20_000
"""Characters by which a key changes the room for tools."""
_TOKEN = 4
"""Characters of a token, by and large."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """A hand-off that leaves, with an agent that starts or into a file."""

    text: str
    agent: str | None = None
    """The agent's command; None for a file."""


@dataclass(frozen=True, slots=True)
class Part:
    """Turns of a session; without bounds the whole of it, or what is no session."""

    name: str = ""
    first: int | None = None
    last: int | None = None


class Preview(LineView):
    """The text as it leaves."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        self._wrapped = RowLines(self.rows)
        super().__init__(self._wrapped, id=id)
        self._text: list[str] = []

    def show(self, text: str) -> None:
        """Take a text; where one reads stays."""
        self._text = clean(text).split("\n")
        self.lay_out()

    def go_to(self, title: str, heading: str) -> None:
        """Bring a section, or a result in it, to the top; without a fence's help a heading counts once a section."""
        start = next((i for i, line in enumerate(self._text) if line == f"## {title}"), None)
        if start is None:
            return
        ends = {f"### {heading}", f"- {heading}"}
        found = next((i for i, line in enumerate(self._text[start:], start) if heading and line in ends), start)
        self.scroll_to(y=next((y for y, line in enumerate(self._wrapped.lines) if line.row == found), 0), animate=False)

    def rows(self, width: int, height: int) -> Sequence[Row]:
        """A row a line."""
        return [row(line, "heading" if line.startswith(("## ", "### ", "[")) else "") for line in self._text]


class HandoffScreen(ModalScreen[Leaving | None]):
    """Shows a hand-off, to be changed, copied, written or given to an agent."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    CSS = """
    HandoffScreen {
        background: $background;
        #handoff { layout: vertical; width: 1fr; height: 1fr; }
        &.-wide #handoff { layout: horizontal; }
        HandoffItems, Preview { border: round $panel; background: transparent; padding: 0; scrollbar-size-vertical: 1; }
        HandoffItems, Preview { border-title-color: $text-muted; border-subtitle-color: $text-muted; }
        HandoffItems:focus, Preview:focus { border: round $accent; border-title-color: $accent; }
        HandoffItems { height: 1fr; width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-wide HandoffItems { width: 52; }
        Preview { height: 1fr; width: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Back", tooltip="Hand nothing on", id="handoff.leave"),
        Binding("y", "copy", "Copy", tooltip="Copy the text", id="handoff.copy"),
        Binding("s", "save", "Save", tooltip="Write the text to a new file", id="handoff.save"),
        Binding("x", "start", "Start", tooltip="Start an agent with it", id="handoff.start"),
        Binding("r", "part", "Turns", tooltip="All turns, or from, up to or only the one read", id="handoff.turns"),
        Binding("plus,equals_sign", "room(1)", "More room", tooltip="More room for tools", id="handoff.more"),
        Binding("minus", "room(-1)", "Less room", tooltip="Less room for tools", id="handoff.less"),
        Binding("tab,shift+tab", "other", "Other side", tooltip="To the other side", id="handoff.other"),
        HELP_KEYS,
    ]

    def __init__(
        self, made: Handoff, title: str, agents: Agents, parts: Sequence[Part], wanted: Callable[[Part], None]
    ) -> None:
        """`agents` names those that may start, with the command, for a size; `wanted` asks for another of the parts.

        What was asked for comes by `take`.
        """
        super().__init__()
        self._made = made
        self._title = title
        self._agents = agents
        self._parts = parts
        self._wanted = wanted
        self._part = 0

    def compose(self) -> ComposeResult:
        """What is in it, and the text."""
        with Container(id="handoff"):
            yield HandoffItems(id="handoff-items")
            yield Preview(id="handoff-text")

    def on_mount(self) -> None:
        """Show the whole."""
        turns = " · r turns" if len(self._parts) > 1 else ""
        self.query_one(HandoffItems).border_subtitle = f"space switch · + - room{turns}"
        self.query_one(Preview).border_subtitle = "y copy · s save · x start an agent · esc"
        self._show()
        self.query_one(HandoffItems).focus()

    def take(self, made: Handoff) -> None:
        """Show other turns, with the room for tools as it was chosen."""
        self._made = replace(made, limit=self._made.limit)
        self._show()

    def _show(self) -> None:
        items = self.query_one(HandoffItems)
        items.show(self._made)
        self._retell()

    @on(HandoffItems.Switched)
    def _retell(self) -> None:
        items = self.query_one(HandoffItems)
        text = self._made.text(items.off)
        tools = sum(part.chars for part in self._made.sections(items.off) if part.ids)
        items.border_title = f"tools {number(tools)} of {number(self._made.limit)} characters"
        preview = self.query_one(Preview)
        size = f"{number(len(text))} characters, about {number(-(-len(text) // _TOKEN))} tokens"
        preview.border_title = Content(" · ".join(filter(None, (self._title, self._parts[self._part].name, size))))
        preview.show(text)

    @on(HandoffItems.Shown)
    def _shown(self, message: HandoffItems.Shown) -> None:
        self.query_one(Preview).go_to(message.title, message.heading)

    @on(RowList.LeftAtTop)
    def _stay(self, message: RowList.LeftAtTop) -> None:
        message.stop()

    @property
    def text(self) -> str:
        """What is handed on as it stands."""
        return self._made.text(self.query_one(HandoffItems).off)

    def action_copy(self) -> None:
        """Copy the text."""
        self.app.copy_to_clipboard(self.text)
        self.notify("The hand-off is copied.")

    def action_save(self) -> None:
        """Let it leave into a file."""
        self.dismiss(Leaving(self.text))

    def action_start(self) -> None:
        """Choose the agent that it leaves with."""
        text = self.text

        def chosen(agent: str | None) -> None:
            if agent is not None:
                self.dismiss(Leaving(text, agent))

        self.app.push_screen(ChoiceScreen("start an agent with it", self._agents(len(text))), chosen)

    def action_part(self) -> None:
        """Ask for the next part; after the last comes the whole."""
        if len(self._parts) > 1:
            self._part = (self._part + 1) % len(self._parts)
            self._wanted(self._parts[self._part])

    def action_room(self, direction: int) -> None:
        """More room for tools, or less."""
        self._made = replace(self._made, limit=max(0, self._made.limit + direction * _STEP))
        self._show()

    def action_other(self) -> None:
        """Go to the other side."""
        items, preview = self.query_one(HandoffItems), self.query_one(Preview)
        (preview if items.has_focus else items).focus()
