"""The view of the hits of a search."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget

from memtui.browse.search.hit_list import HitList
from memtui.browse.search.scopes import EVERYTHING, Scope
from memtui.services.app_services import AppServices
from memtui.views.base import View
from memtui.widgets.requests.pane_widths import Share
from memtui_core.model import SearchResult

_EVERYWHERE: Final = "ctrl+r searches all projects."
_FEWER_WORDS: Final = "Fewer or shorter words find more."
_FILTERED: Final = "These filters may exclude the hits:\n{filters}"
_CLEAR: Final = "esc clears the query."


class ResultsView(View):
    """Shows the result of the query in the search bar; it replaces the chosen view and has no key."""

    SHARE = Share(0.5)

    def __init__(self, services: AppServices) -> None:
        super().__init__(services, "hits")
        self.hits = HitList(services.state)
        self.hits.border_title = "hits"

    def compose_view(self) -> ComposeResult:
        """The list of the hits."""
        yield self.hits

    @property
    def focus_target(self) -> Widget:
        """The list of the hits."""
        return self.hits

    def reload(self) -> None:
        """Do nothing: the search controller provides the hits."""

    def show(self, result: SearchResult, text: str, scope: Scope) -> None:
        """Show the result of a query, which was typed as `text`, in a scope, and the note of the search."""
        self.hits.show(result)
        self.hits.border_subtitle = Content(result.note)
        self.empty_text = "" if result.hits else _no_hits_text(result, text, scope)

    def step_to_hit(self, direction: int) -> bool:
        """Open the next hit (1) or the previous one (-1); False if there is none."""
        before = self.hits.highlighted
        with self.hits.prevent(HitList.OptionHighlighted):
            self.hits.step(direction)
        if self.hits.highlighted == before:
            return False
        self.hits.read()
        return True


def _no_hits_text(result: SearchResult, typed: str, scope: Scope) -> str:
    """The text for a query without hits in a scope: what may help, and the note of the search."""
    from memtui_core.index.search import parse

    query = parse(typed)
    filters = [f"{name}:{value}" for name, value in query.filters] + [f"-{n}:{v}" for n, v in query.excluded_filters]
    if not query.words and query.filters == (("is", "live"),):
        return f"No session runs, and none waits for your answer.\n\n{_CLEAR}"
    words = _FILTERED.format(filters=" ".join(filters)) if filters else _FEWER_WORDS
    if scope == EVERYTHING:
        text = f"Nothing matched.\n\n{words}\n{_CLEAR}"
    else:
        text = f"Nothing matched in {scope.title}.\n\n{_EVERYWHERE}\n{words}\n{_CLEAR}"
    return f"{text}\n\n{result.note}" if result.note else text
