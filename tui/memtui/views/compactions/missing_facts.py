"""What the summary of the chosen compaction lacks, below the list of compactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from memtui.views.compactions.review_head import missing_facts
from memtui.views.compactions.review_rows import lost_rows

if TYPE_CHECKING:
    from memtui_core.index.compactions import Review

_LEAST_WIDTH: Final = 20


class MissingFacts(Widget):
    """The facts that the summary of a review lacks, wrapped at the width of the pane; or a text in their place."""

    DEFAULT_CSS = """
    MissingFacts { height: 1fr; min-height: 2; padding: 0 1; }
    """

    shown: reactive[Review | str] = reactive["Review | str"]("")

    def render(self) -> Content:
        """A head in words, and the facts below it."""
        if isinstance(self.shown, str):
            return Content(self.shown)
        head = Content.styled(missing_facts(self.shown), "$text-muted")
        rows = lost_rows(self.shown, max(_LEAST_WIDTH, self.content_size.width), ())
        return Content("\n").join([head, *(row.row.content for row in rows)])
