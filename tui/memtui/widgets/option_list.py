"""The base of all lists from which one thing is chosen."""

from __future__ import annotations

from textual.widgets import OptionList


class ChoiceList(OptionList):
    """A list of options that can be moved through at any size of the terminal."""

    def action_page_down(self) -> None:
        """Move the cursor down by a page."""
        if self._has_lines:
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        """Move the cursor up by a page."""
        if self._has_lines:
            super().action_page_up()  # type: ignore[no-untyped-call]

    @property
    def _has_lines(self) -> bool:
        """Whether there is room for a line: without, Textual knows no line of the option under the cursor."""
        return bool(self.scrollable_content_region)
