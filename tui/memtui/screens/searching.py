"""Searching from the bar: hits in the place of the list, and what was there before when the search ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from textual import on
from textual.content import Content
from textual.reactive import var
from textual.widget import Widget

from memtui import messages
from memtui.screens.pane_visibility import set_pane_class
from memtui.screens.remembering import RememberingScreen
from memtui.services.index_service import FIRST_HITS
from memtui.services.preload import IndexPreload
from memtui.target import Answer, Target
from memtui.widgets.hit_list import HitList
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.transcript import Transcript
from memtui_core.model import Session
from memtui_core.query import parse

MORE_HITS = 4
"""How many times as many hits are shown when the cursor comes near the end of the list."""
SCOPES: Final[dict[str, Callable[[Session], str]]] = {
    "all": lambda session: "",
    "project": lambda session: f'project:"{session.root or session.project}" ',
    "session": lambda session: f"session:{session.session_id} ",
}
"""What `ctrl+r` goes through: filters that are added to the query."""
_NO_HITS = "Nothing matched.\n\nFewer or shorter words find more.\nesc clears the query."
_FILTERED = "Nothing matched.\n\nThe filters leave nothing of it:\n{filters}\nesc clears the query."


class SearchingScreen(RememberingScreen):
    """Owns the query, where it searches, and its hits."""

    searching = var(False, init=False)
    """The hits stand where the list stands otherwise."""

    def __init__(self, data_dir: Path, opening: IndexPreload | None = None) -> None:
        super().__init__(data_dir, opening)
        self._typed_text = ""
        self._scope = "all"
        self._filters = ""
        """What the scope adds to what is typed."""
        self._limit = FIRST_HITS
        self._searchable = False
        """There is an index to search."""
        self._before: tuple[int, int] | None = None
        """Session and turn that were shown when the search began."""

    @property
    def list_shown(self) -> Widget:
        """The list at the left."""
        raise NotImplementedError

    @property
    def query_text(self) -> str:
        """What is searched: the filters stand first, so that the last word can still be the beginning of one."""
        return f"{self._filters}{self._typed_text}"

    def watch_searching(self) -> None:
        """The hits stand where the list was, and statistics make room."""
        set_pane_class(self.query_one("#left"), self.searching, "-searching")
        set_pane_class(self, self.searching and self.view == "stats", "-searching-stats")

    @on(messages.IndexChanged)
    def _searchable_now(self) -> None:
        self._searchable = True
        self.run_newest("model", self.library.load_model)
        self.run_newest("values", self.library.filter_values)
        self._search_again()

    @on(messages.ValuesLoaded)
    def _values_loaded(self, message: messages.ValuesLoaded) -> None:
        self.query_one(SearchBar).values = message.values

    @on(messages.ModelMissing)
    def _model_missing(self, message: messages.ModelMissing) -> None:
        self.notify(message.text, severity="warning", timeout=8, markup=False)
        self._search_again()

    @on(messages.ModelLoaded)
    def _search_again(self) -> None:
        if self._searchable and self._typed_text.strip():
            text, limit = self.query_text, self._limit
            self.library.wanted = text
            self.run_newest("search", lambda: self.library.search(text, limit))

    @on(SearchBar.Typed)
    def _typed(self, message: SearchBar.Typed) -> None:
        self.hold_previews()
        self._typed_text = message.text
        self._limit = FIRST_HITS
        if message.text.strip():
            self._search_again()
        else:
            self._end_search()

    @on(SearchBar.ScopeRequested)
    def _scope_wanted(self) -> None:
        """Everywhere, then in the project of what is read, then in its session."""
        shown = self.shown
        names = list(SCOPES)
        self._scope = names[(names.index(self._scope) + 1) % len(names)] if shown is not None else names[0]
        self._filters = SCOPES[self._scope](shown) if shown is not None else ""
        places = {"project": f" in {shown.project}", "session": " in this session"} if shown is not None else {}
        self.query_one(SearchBar).border_title = Content(f"search{places.get(self._scope, '')}")
        self._search_again()

    @on(HitList.MoreRequested)
    def _more_wanted(self, message: HitList.MoreRequested) -> None:
        self._limit = max(self._limit, message.shown * MORE_HITS)
        self._search_again()

    @on(messages.SearchDone)
    def _search_done(self, message: messages.SearchDone) -> None:
        if message.result.query != self.query_text:
            return
        if not self.searching:
            number = self.query_one(Transcript).number
            self._before = (self.shown.key, number) if self.shown is not None else None
            self.searching = True
        self.query_one(SearchBar).say(message.result)
        self.query_one(HitList).show(message.result)
        self.say_empty("" if message.result.hits else _why_nothing(self.query_text))

    def _end_search(self) -> None:
        """Bring back the tree, and beside it what was read before the search."""
        self.query_one(SearchBar).say(None)
        self.query_one(Transcript).forget_answer()
        if not self.searching:
            return
        self.searching = False
        self.say_empty("")
        if self._before is not None:
            self.show_turn(Target(*self._before), read=False)

    @on(SearchBar.HitsRequested)
    def _hits_wanted(self, message: SearchBar.HitsRequested) -> None:
        hits = self.query_one(HitList)
        if message.step:
            hits.step(message.step)
        elif not self.searching or not hits.option_count:
            self.go_to(self.list_shown)
        elif message.read:
            hits.read()
        else:
            self.go_to(hits)

    @on(HitList.Chosen)
    def _hit_chosen(self, message: HitList.Chosen) -> None:
        hit = message.hit
        answer = Answer(hit.passages, message.words, message.prefix) if hit.passages else None
        self.show_turn(Target(hit.session, hit.turn, answer=answer), read=message.read)

    @on(Transcript.NextHitRequested)
    def _next_hit(self, message: Transcript.NextHitRequested) -> None:
        """After the last passage of a hit comes the next hit, and before its first the hit before."""
        hits = self.query_one(HitList)
        before = hits.highlighted
        if self.searching:
            with hits.prevent(HitList.OptionHighlighted):
                hits.step(message.direction)
        if self.searching and hits.highlighted != before:
            hits.read()
        else:
            self.notify("This is the last passage." if message.direction > 0 else "This is the first passage.")


def _why_nothing(text: str) -> str:
    """What may help when a query finds nothing."""
    query = parse(text)
    filters = [f"{name}:{value}" for name, value in query.filters] + [f"-{n}:{v}" for n, v in query.excluding]
    return _FILTERED.format(filters=" ".join(filters)) if filters else _NO_HITS
