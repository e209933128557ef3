"""The help of a screen: its actions, which can be run from here, and the legend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Input, OptionList, Static

from memtui.keys.actions import Action, actions_of
from memtui.keys.declarations import Key, keys
from memtui.render.markdown.blocks import markdown_rows
from memtui.render.rows import Row
from memtui.screens.dialog import Dialog, DialogBox
from memtui.screens.help.action_list import ActionList
from memtui.screens.help.legend import legend
from memtui.widgets.lines.row_lines import RowLines
from memtui.widgets.lines.view import LineView

_NOTHING = "No key does that. esc shows all keys."


class HelpFilter(Input):
    """The words by which the menu is filtered; the key that opened the help closes it, here too."""

    BINDINGS = keys("help", Key("enter", "submit", "Run", "Run the action under the cursor", "help.run", show=True))

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Leave that key to the screen."""
        return key != "question_mark" and super().check_consume_key(key, character)


class Legend(LineView):
    """The legend, rendered for the width."""

    def __init__(self, text: str) -> None:
        super().__init__(RowLines(self._rows), id="help-legend")
        self._text = text

    def _rows(self, width: int, height: int) -> Sequence[Row]:
        return markdown_rows(self._text, width)


class HelpScreen(Dialog[Action | None]):
    """Shows the actions of the screen below and the legend; its result is the action to run, or None."""

    CSS = """
    HelpScreen {
        #help-none { display: none; height: 1fr; padding: 1 0; color: $text-muted; }
        ContentSwitcher { height: 1fr; margin-top: 1; }
        ActionList, Legend { height: 1fr; border: none; padding: 0; background: transparent; }
        ActionList > .option-list--option-disabled { color: $text; }
        &.-nothing #help-none { display: block; }
        &.-nothing ContentSwitcher { display: none; }
    }
    """
    BINDINGS = keys(
        "help",
        Key("down", "list('cursor_down')", "Down", "Go to the next action", "help.down", moves=True),
        Key("up", "list('cursor_up')", "Up", "Go to the previous action", "help.up", moves=True),
        Key("pagedown", "list('page_down')", "Page down", "Go down a page", "help.page-down", moves=True),
        Key("pageup", "list('page_up')", "Page up", "Go up a page", "help.page-up", moves=True),
        Key("tab,shift+tab", "tab", "Keys or legend", "Show the keys, or legend and rules", "help.tab", show=True),
        Key("escape", "back", "Close", "Clear the filter, or close the help", "help.close", show=True),
        Key("question_mark,f1", "leave", "Close", "Close the help", "help", priority=True),
    )

    def __init__(self, below: Screen[Any]) -> None:
        """`below` is the screen whose actions are listed."""
        super().__init__()
        self._actions = actions_of(below)
        self._legend = legend(_pane_help(below))

    def compose(self) -> ComposeResult:
        """The filter, the menu and the legend."""
        with DialogBox("Keys", classes="-fills"):
            yield HelpFilter(placeholder="type what you want to do", id="help-filter", select_on_focus=False)
            yield Static(_NOTHING, id="help-none", markup=False)
            with ContentSwitcher(initial="help-actions"):
                yield ActionList()
                yield Legend(self._legend)

    def on_mount(self) -> None:
        """Show all actions."""
        self._show_tab("help-actions")
        self.call_after_refresh(self._filter)

    @on(Input.Changed)
    def _filter(self) -> None:
        query = self.query_one(Input).value
        actions = [action for action in self._actions if not query.strip() or action.relevance(query)]
        self.query_one(ActionList).show(actions)
        self.set_class(not actions, "-nothing")

    @on(Input.Submitted)
    def _run_chosen(self) -> None:
        action = self.query_one(ActionList).chosen
        if action is not None:
            self.dismiss(action)

    @on(OptionList.OptionSelected)
    def _run_clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self.query_one(ActionList).action_at(event.option_index))

    def _show_tab(self, name: str) -> None:
        self.query_one(ContentSwitcher).current = name
        field = self.query_one(Input)
        is_menu = name == "help-actions"
        self.query_one(DialogBox).title = "Keys" if is_menu else "Legend and rules"
        field.display = is_menu
        self.show_keys()
        (field if is_menu else self.query_one(Legend)).focus()

    def action_tab(self) -> None:
        """Show the other tab."""
        is_menu = self.query_one(ContentSwitcher).current == "help-actions"
        self._show_tab("help-legend" if is_menu else "help-actions")

    def action_list(self, name: str) -> None:
        """Move the cursor of the menu."""
        getattr(self.query_one(ActionList), f"action_{name}")()

    def action_back(self) -> None:
        """Clear the filter, or close the help."""
        field = self.query_one(Input)
        if field.display and field.value:
            field.value = ""
        else:
            self.dismiss(None)


def _pane_help(screen: Screen[Any]) -> Iterable[str]:
    """The help of the focused pane and of what contains it; without a focus that of the panes on a screen."""
    nodes = screen.focused.ancestors_with_self if screen.focused is not None else screen.query("*").results()
    return [text for node in nodes if (text := getattr(node, "HELP", None))]
