"""The menu of actions: a row for each with its keys, under headings."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets.option_list import Option

from memtui.keys.actions import Action
from memtui.widgets.option_list import ChoiceList
from memtui.wording.formatting import cut

_MAX_KEYS = 14
"""Cells of the column of keys at most: longer ones are cut."""
_WIDE = 80
"""Cells from which names have a column of their own."""
_LEAST = 20
"""Cells for name and text at least."""


class ActionList(ChoiceList, can_focus=False):
    """Actions by group; the cursor skips the headings."""

    def __init__(self) -> None:
        super().__init__(id="help-actions", markup=False)
        self._actions: Sequence[Action] = ()
        self._rows: list[Action | None] = []
        """The action of each row; None for a heading."""

    @property
    def chosen(self) -> Action | None:
        """The action under the cursor."""
        return self._rows[self.highlighted] if self.highlighted is not None else None

    def action_at(self, index: int) -> Action | None:
        """The action of a row."""
        return self._rows[index]

    def show(self, actions: Sequence[Action]) -> None:
        """List actions, with the cursor on the first."""
        self._actions = actions
        self._fill()
        self.highlighted = 1 if actions else None
        self.scroll_to(y=0, animate=False)

    def _fill(self) -> None:
        # The scroll bar comes and goes with the rows.
        width = self.content_size.width - self.styles.scrollbar_size_vertical
        key_width = min(_MAX_KEYS, max((cell_len(" ".join(action.labels)) for action in self._actions), default=0))
        names = [action.key.description for action in self._actions] if width >= _WIDE else []
        name_width = max(map(cell_len, names), default=0)
        options: list[Option] = []
        self._rows = []
        for index, action in enumerate(self._actions):
            if not index or action.group != self._actions[index - 1].group:
                self._rows.append(None)
                options.append(Option(Content.styled(action.group, "bold $text-accent"), disabled=True))
            self._rows.append(action)
            options.append(Option(_row(action, key_width, name_width, width)))
        self.set_options(options)

    def on_resize(self, event: events.Resize) -> None:
        """Draw the rows for the new width."""
        highlighted = self.highlighted
        self._fill()
        self.highlighted = highlighted


def _row(action: Action, key_width: int, name_width: int, width: int) -> Content:
    """Keys, name and text of an action; the text continues below itself, without room there below the name."""
    keys, name = cut(" ".join(action.labels), key_width), action.key.description
    gap = " " * (max(0, name_width - cell_len(name)) + 2)
    padding = " " * (key_width - cell_len(keys) + 2)
    indent, named = 2 + key_width + 2, cell_len(name + gap)
    hanging = " " * named if name_width else ""
    # A word in the place of the name: where no word of the text fits beside it, the text begins on the next line.
    words = f"{'x' * (named - 1)} {action.key.tooltip}"
    first, *others = wrap(words, max(_LEAST, width - indent), subsequent_indent=hanging, break_long_words=False)
    text = f"\n{' ' * indent}".join([first[named:], *others])
    return Content.assemble("  ", (keys, "bold"), padding, name, gap, (text, "dim"))
