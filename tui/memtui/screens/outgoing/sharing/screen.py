"""The screen of a redacted copy: its parts at one side, what is replaced in them at the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from memtui.keys.declarations import HELP_KEY, Key, keys
from memtui.screens.annotation import AnnotationForm
from memtui.screens.dialog import Dialog
from memtui.screens.outgoing.handoff.screen import HandoffRange
from memtui.screens.outgoing.sharing.choices import ShareChoices
from memtui.screens.outgoing.sharing.parts import ShareParts
from memtui.screens.outgoing.sharing.redactions import RedactionList
from memtui.widgets.pane_visibility import add_width_class
from memtui.wording.formatting import cut, number, plural
from memtui_core.export.redacted.copy import PartPlace, RedactedCopy, SessionPart
from memtui_core.export.redacted.notice import notice
from memtui_core.model import Session, Turn

_LONGEST_TITLE: Final = 36


@dataclass(frozen=True, slots=True)
class TurnsToShare:
    """Some turns of a session with their blocks and their parts."""

    session: Session
    turns: Sequence[Turn]
    parts: Mapping[int, Sequence[SessionPart]]
    """By the numbers of the turns."""
    range: HandoffRange


@dataclass(frozen=True, slots=True)
class ShareActions:
    """What the screen asks for; the answers come later."""

    make: Callable[[TurnsToShare, ShareChoices], None]
    """Make the copy, which is passed to `ShareScreen.show_copy`."""
    load: Callable[[HandoffRange], None]
    """Load other turns, which are passed to `ShareScreen.show_turns`."""
    write: Callable[[RedactedCopy], None]
    """Write a page to a new file, and call `ShareScreen.end_job`."""
    copy: Callable[[RedactedCopy], None]
    """Copy Markdown for an issue, and call `ShareScreen.end_job`."""


class ShareScreen(Dialog[None]):
    """Shows what a copy of a session would contain, and what is replaced, until it is written or left."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    CSS = """
    ShareScreen {
        background: $background;
        #share { layout: vertical; width: 1fr; height: 1fr; }
        &.-wide #share { layout: horizontal; }
        ShareParts, RedactionList {
            height: 1fr; width: 1fr; border: round $panel; background: transparent; padding: 0;
            scrollbar-size-vertical: 1; text-wrap: nowrap; text-overflow: ellipsis;
            border-title-color: $text-muted; border-subtitle-color: $text-muted;
        }
        ShareParts:focus, RedactionList:focus { border: heavy $accent; border-title-color: $accent; }
    }
    """
    BINDINGS = keys(
        "share",
        Key("escape,q", "dismiss(None)", "Back", "Go back; what was chosen is forgotten", "share.leave", show=True),
        Key("w", "write", "Write", "Write a page, which is one HTML file", "share.write",
            synonyms="html file save export", show=True),
        Key("y", "copy", "Copy", "Copy Markdown for an issue or a pull request", "share.copy",
            synonyms="clipboard yank issue github", show=True),
        Key("a", "words", "Words", "Replace words of yours, too", "share.words", synonyms="redact hide", show=True),
        Key("number_sign", "range", "Turns", "All turns, or from, up to or only the current one", "share.turns",
            synonyms="range from to", show=True),
        Key("tab,shift+tab", "other", "Other side", "Go to the other side", "share.other", show=True),
        HELP_KEY,
    )  # fmt: skip

    def __init__(self, turns: TurnsToShare, ranges: Sequence[HandoffRange], actions: ShareActions) -> None:
        """`ranges` begins with that of the turns."""
        super().__init__()
        self._shown = turns
        self._ranges = ranges
        self._requested = ranges[0]
        self._actions = actions
        self._choices = ShareChoices()
        self._made: RedactedCopy | None = None
        """The copy that is listed; None while it is being made."""

    def compose(self) -> ComposeResult:
        """The parts and what is replaced."""
        add_width_class(self)
        redactions = RedactionList(self._change, self._go_to)
        with Container(id="share"):
            yield ShareParts(self._change)
            yield redactions

    def on_mount(self) -> None:
        """Show the parts, and ask for the copy."""
        turns = " · # turns" if len(self._ranges) > 1 else ""
        self._part_list.border_subtitle = f"space leave out · enter parts{turns}"
        self._redaction_list.border_subtitle = "space keep · a words · w write · y copy Markdown · esc"
        self._part_list.focus()
        self._change(self._choices)

    @property
    def _part_list(self) -> ShareParts:
        return self.query_one(ShareParts)

    @property
    def _redaction_list(self) -> RedactionList:
        return self.query_one(RedactionList)

    def _change(self, choices: ShareChoices) -> None:
        """Show new choices, and ask for their copy."""
        self._choices, self._made = choices, None
        shown = self._shown
        self._part_list.show(shown.turns, shown.parts, choices)
        out = len(choices.left_out) + len(choices.without)
        facts = [cut(shown.session.title, _LONGEST_TITLE), shown.range.name or plural(len(shown.turns), "turn")]
        facts += [f"{number(out)} left out"] if out else []
        self._part_list.border_title = Content(" · ".join(facts))
        self._redaction_list.border_title = "Looking for what is private …"
        self._actions.make(shown, choices)

    def show_copy(self, copy: RedactedCopy, turns: TurnsToShare, choices: ShareChoices) -> None:
        """Show what a copy has replaced, unless something else was chosen meanwhile or the user has left."""
        if self in self.app.screen_stack and (turns, choices) == (self._shown, self._choices):
            self._made = copy
            self._redaction_list.show(copy, choices)
            self.end_job()

    def end_job(self) -> None:
        """Say again what is replaced, in the place of what was being done."""
        if self._made is not None and self in self.app.screen_stack:
            self._redaction_list.border_title = notice(self._made).removesuffix(".")

    def show_turns(self, turns: TurnsToShare) -> None:
        """Show the turns of another range, unless the user has left."""
        if self in self.app.screen_stack:
            self._shown = turns
            self._change(self._choices)

    def _go_to(self, place: PartPlace) -> None:
        self._part_list.go_to(place)
        self._part_list.focus()

    def _with_copy(self, use: Callable[[RedactedCopy], None], doing: str) -> None:
        """Use the copy that is listed: nothing else is written. `doing` is shown until `end_job`."""
        if self._made is None:
            self.notify("What is private is still being looked for.")
        else:
            self._redaction_list.border_title = doing
            use(self._made)

    def action_write(self) -> None:
        """Write the page."""
        self._with_copy(self._actions.write, "Writing …")

    def action_copy(self) -> None:
        """Copy the Markdown."""
        self._with_copy(self._actions.copy, "Making the Markdown …")

    def action_words(self) -> None:
        """Change the words that are replaced, too."""

        def entered(text: str | None) -> None:
            if text is not None:
                words = tuple(dict.fromkeys(filter(None, map(str.strip, text.split(",")))))
                self._change(replace(self._choices, words=words))

        hint = "Words or phrases with commas between them, in any case. Other forms of them are found, too."
        form = AnnotationForm("replace in this copy, too", ", ".join(self._choices.words), str.strip, hint=hint)
        self.app.push_screen(form, entered)

    def action_range(self) -> None:
        """Request the next range; the first follows the last."""
        if len(self._ranges) > 1:
            self._requested = self._ranges[(self._ranges.index(self._requested) + 1) % len(self._ranges)]
            self._actions.load(self._requested)

    def action_other(self) -> None:
        """Go to the other side."""
        (self._redaction_list if self._part_list.has_focus else self._part_list).focus()
