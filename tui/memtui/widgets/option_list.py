"""Lists of options from which one thing is chosen, at any size of the terminal."""

from __future__ import annotations

from textual.widgets import OptionList


def has_lines(options: OptionList) -> bool:
    """Whether there is room for a line: without, Textual knows no line of the option under the cursor."""
    return bool(options.scrollable_content_region)


class ChoiceList(OptionList):
    """A list of options that can be moved through at any size of the terminal."""

    def action_page_down(self) -> None:
        """Move the cursor down by a page."""
        if has_lines(self):
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        """Move the cursor up by a page."""
        if has_lines(self):
            super().action_page_up()  # type: ignore[no-untyped-call]
