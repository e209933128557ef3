"""The choice of a theme, which the app wears while the cursor is on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from memtui.keys.actions import word_relevance
from memtui.screens.filtered import Offer
from memtui.screens.palette import matched
from memtui.wording.formatting import cut

if TYPE_CHECKING:
    from textual.theme import Theme


class ThemeOffer(Offer[str]):
    """Themes by name, of which the one under the cursor is shown."""

    title = "Theme"
    prompt = "filter themes"
    nothing = "No theme is called that."
    max_width = 46
    max_height = 26

    def __init__(
        self, themes: Sequence[Theme], before: str, builtin: Collection[str], show: Callable[[str], object]
    ) -> None:
        """`before` is the name of the theme that is shown now; themes that are not in `builtin` are the user's own."""
        self._show = show
        ordered = sorted(themes, key=lambda one: (one.name in builtin, bool(one.ansi), not one.dark, one.name))
        self._words = {
            theme.name: " · ".join(
                (
                    *(["yours"] if theme.name not in builtin else []),
                    *(["now"] if theme.name == before else []),
                    "colours of the terminal" if theme.ansi else "dark" if theme.dark else "light",
                )
            )
            for theme in ordered
        }
        self._before = before

    def find(self, query: str) -> Sequence[str]:
        """The names that match, the best first: else the user's own, dark ones, light ones, those of the terminal."""
        if not query:
            return [*self._words]
        scores = {name: word_relevance(query, name, "", words) for name, words in self._words.items()}
        return sorted(filter(scores.get, scores), key=lambda name: -scores[name])

    def first(self, found: Sequence[str], query: str) -> int:
        """The theme of before, while nothing is typed."""
        return found.index(self._before) if not query else 0

    def row(self, value: str, query: str, width: int) -> Content:
        """A name, and what kind of theme it is at the right end."""
        words = self._words[value]
        name = cut(value, width - cell_len(words) - 2)
        gap = " " * (width - cell_len(name) - cell_len(words))
        style = "bold" if value == self._before else ""
        return Content.assemble(matched(name, query).stylize_before(style), gap, (words, "dim"))

    def preview(self, value: str) -> None:
        """Show the theme."""
        self._show(value)
