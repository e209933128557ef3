"""The sessions screen: tree or hits at the left, the transcript, the inspector."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.reactive import var
from textual.screen import Screen
from textual.widgets import Static

from memtui import messages
from memtui.commands import bindings
from memtui.widgets.hit_list import HitList
from memtui.widgets.inspector import Inspector
from memtui.widgets.search_bar import SearchBar
from memtui.widgets.session_tree import SessionTree
from memtui.widgets.status_line import StatusLine
from memtui.widgets.transcript import Transcript
from memtui.workers import Library, Newest, told
from memtui_core.model import Session

Wanted = tuple[int, int | None, tuple[str, ...]]
"""A session's key, the turn to open it at, the words to mark."""
PREVIEW_PAUSE = 0.12
"""Seconds that the cursor rests on a row before its session is shown, so that holding a key costs no reading."""
POLL = 0.5
"""Seconds between two looks at whether there is a newer snapshot."""


class BrowseScreen(Screen[None]):
    """Owns the state; widgets ask by messages, workers answer by messages."""

    CSS_PATH = "browse.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("browse")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-medium"), (128, "-wide")]  # noqa: RUF012

    searching = var(False, toggle_class="-searching")
    """The hits stand where the tree stands otherwise."""
    reading = var(False, toggle_class="-reading")
    """In a narrow terminal: the transcript is shown instead of the list."""
    inspecting = var(True, toggle_class="-inspecting")
    """In a wide terminal: the inspector stands beside the transcript."""
    peeking = var(False, toggle_class="-peeking")
    """In a narrower one: it stands instead of the transcript."""

    def __init__(self, data_dir: Path, places_text: str) -> None:
        super().__init__()
        self._library = Library(data_dir, self.post_message)
        self._places_text = places_text
        self._searches = Newest(self._search)
        self._query = ""
        self._shown: Session | None = None
        self._wanted: Wanted | None = None

    def compose(self) -> ComposeResult:
        """The bar above, panes, the line below."""
        yield Static("[b]memtui[/b]  Sessions", id="header")
        yield SearchBar(id="search")
        with Horizontal(id="panes"):
            with Vertical(id="left"):
                yield SessionTree(id="tree")
                yield HitList(id="hits")
                yield Static(id="left-empty", markup=False)
            yield Transcript(id="transcript")
            yield Inspector(id="inspector")
        yield StatusLine()

    def on_mount(self) -> None:
        """Paint first, then open the index."""
        self.query_one(SessionTree).border_title = "projects"
        self.query_one(HitList).border_title = "hits"
        self.query_one(SessionTree).focus()
        self._say_empty("Opening the index …")
        self.call_after_refresh(self._look)
        self.set_interval(POLL, self._look)

    # -- the index ---------------------------------------------------------------------------------------------

    def _look(self) -> None:
        self._run("refresh", self._library.refresh, exclusive=True)

    def action_refresh_index(self) -> None:
        """Look for a newer index now."""
        self._run("refresh", lambda: self._library.refresh(force=True), exclusive=True)

    @on(messages.IndexChanged)
    def _index_changed(self, message: messages.IndexChanged) -> None:
        self.query_one(StatusLine).stats = message.stats
        self.query_one(SessionTree).show_projects(message.projects)
        self._say_empty("" if message.projects else self._nothing_found())
        if self._shown is not None:
            shown = self._shown.key
            self._run("grow", lambda: self._library.grow(shown), exclusive=True)
        if self.searching and self._query:
            self._start_search(self._query)

    @on(messages.IndexAbsent)
    def _index_absent(self) -> None:
        progress = self.query_one(StatusLine).progress
        if progress is not None and progress.finished:
            self._say_empty(self._nothing_found())
        else:
            self._say_empty("Reading your sessions …\n\nThe newest come first.")

    @on(messages.Progressed)
    def _progressed(self, message: messages.Progressed) -> None:
        self.query_one(StatusLine).progress = message.progress

    @on(messages.Failed)
    def _failed(self, message: messages.Failed) -> None:
        self.notify(message.text, severity="error", timeout=8, markup=False)

    def _nothing_found(self) -> str:
        return (
            f"No sessions found in\n{self._places_text}\n\nmemtui --source FOLDER looks elsewhere,\n"
            "memtui demo shows sample sessions."
        )

    def _say_empty(self, text: str) -> None:
        self.query_one("#left-empty", Static).update(text)
        self.set_class(bool(text), "-empty")

    # -- tree --------------------------------------------------------------------------------------------------

    @on(SessionTree.SessionsWanted)
    def _sessions_wanted(self, message: SessionTree.SessionsWanted) -> None:
        self._run("tree", lambda: self._library.sessions(message.project))

    @on(messages.SessionsLoaded)
    def _sessions_loaded(self, message: messages.SessionsLoaded) -> None:
        self.query_one(SessionTree).show_sessions(message.project, message.sessions)

    @on(SessionTree.ChildrenWanted)
    def _children_wanted(self, message: SessionTree.ChildrenWanted) -> None:
        self._run("tree", lambda: self._library.children(message.session))

    @on(messages.ChildrenLoaded)
    def _children_loaded(self, message: messages.ChildrenLoaded) -> None:
        self.query_one(SessionTree).show_children(message.session, message.children, message.compactions)

    @on(SessionTree.Chosen)
    def _session_chosen(self, message: SessionTree.Chosen) -> None:
        self._open(message.session, message.at, (), read=message.read)

    # -- transcript --------------------------------------------------------------------------------------------

    def _open(self, session: int, at: int | None, words: tuple[str, ...], *, read: bool) -> None:
        """Show a session; at once when it is to be read, after a rest of the cursor when it is a preview."""
        wanted = (session, at, words)
        if read:
            self.reading = True
            self.query_one(Transcript).focus()
        if wanted == self._wanted:
            return
        self._wanted = wanted
        self.run_worker(self._load(wanted, 0 if read else PREVIEW_PAUSE), group="preview", exclusive=True)

    async def _load(self, wanted: Wanted, pause: float) -> None:
        await asyncio.sleep(pause)
        self._run("open", lambda: self._library.open(*wanted), exclusive=True)

    @on(messages.SessionLoaded)
    def _session_loaded(self, message: messages.SessionLoaded) -> None:
        if self._wanted is None or message.session.key != self._wanted[0]:
            return
        self._shown = message.session
        transcript = self.query_one(Transcript)
        turns = [replace(turn, blocks=message.blocks.get(turn.number, ())) for turn in message.turns]
        transcript.show(message.session, turns, message.at, message.words)
        transcript.supply(message.session.key, message.blocks)
        transcript.border_title = message.session.title
        if not turns:
            self.query_one(Inspector).clear()

    @on(messages.SessionGrown)
    def _session_grown(self, message: messages.SessionGrown) -> None:
        if self._shown is not None and message.session.key == self._shown.key:
            self._shown = message.session
            self.query_one(Transcript).grow(message.turns)

    @on(Transcript.BlocksWanted)
    def _blocks_wanted(self, message: Transcript.BlocksWanted) -> None:
        self._run("blocks", lambda: self._library.blocks(message.session, message.first, message.last))

    @on(messages.BlocksLoaded)
    def _blocks_loaded(self, message: messages.BlocksLoaded) -> None:
        self.query_one(Transcript).supply(message.session, message.blocks)

    @on(Transcript.TurnChanged)
    def _turn_changed(self, message: Transcript.TurnChanged) -> None:
        self._inspect(message.number)

    @on(messages.TurnLoaded)
    def _turn_loaded(self, message: messages.TurnLoaded) -> None:
        transcript = self.query_one(Transcript)
        if (
            self._shown is not None
            and message.session.key == self._shown.key
            and transcript.number == message.turn.number
        ):
            self.query_one(Inspector).show(message.session, message.turn, message.touches)

    @on(Transcript.MatchChanged)
    def _match_changed(self, message: Transcript.MatchChanged) -> None:
        text = f"match {message.current} of {message.total}" if message.total else ""
        self.query_one(Transcript).border_subtitle = text

    @on(Inspector.FileChosen)
    def _file_chosen(self, message: Inspector.FileChosen) -> None:
        bar = self.query_one(SearchBar)
        bar.value = message.path
        bar.focus()

    # -- search ------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        """Focus the search bar."""
        self.reading = False
        self.query_one(SearchBar).focus()

    @on(SearchBar.Typed)
    def _typed(self, message: SearchBar.Typed) -> None:
        self._query = message.text
        if not message.text.strip():
            self.searching = False
            self._say_empty("")
            self.query_one(SearchBar).say(None)
            self.query_one(Transcript).mark(())
            return
        self._start_search(message.text)

    def _start_search(self, text: str) -> None:
        if self._searches.put(text):
            self.run_worker(self._searches.drain, thread=True, group="search", exit_on_error=False)

    def _search(self, text: str) -> None:
        told(self.post_message, lambda: self._library.search(text))()

    @on(messages.SearchDone)
    def _search_done(self, message: messages.SearchDone) -> None:
        if message.result.query != self._query:
            return
        self.searching = True
        self.query_one(SearchBar).say(message.result)
        hits = self.query_one(HitList)
        hits.show(message.result)
        self._say_empty("" if message.result.hits else "Nothing matched.\n\nesc clears the query.")

    @on(SearchBar.HitsWanted)
    def _hits_wanted(self, message: SearchBar.HitsWanted) -> None:
        hits = self.query_one(HitList)
        if not self.searching or not hits.option_count:
            self.query_one(SessionTree).focus()
        elif message.read:
            hits.choose()
        else:
            hits.focus()

    @on(HitList.Chosen)
    def _hit_chosen(self, message: HitList.Chosen) -> None:
        self._open(message.hit.session, message.hit.turn, message.words, read=message.read)

    @on(HitList.LeftAtTop)
    @on(SearchBar.Left)
    def _back_to_bar_or_tree(self, message: HitList.LeftAtTop | SearchBar.Left) -> None:
        target = SearchBar if isinstance(message, HitList.LeftAtTop) else SessionTree
        self.query_one(target).focus()

    # -- the rest ----------------------------------------------------------------------------------------------

    def action_back(self) -> None:
        """One step back: from the text to the list, from the hits to the query, from the query to the tree."""
        if self.peeking:
            self.peeking = False
            self.query_one(Transcript).focus()
        elif isinstance(self.focused, (Transcript, Inspector)):
            self.reading = False
            self.query_one(HitList if self.searching else SessionTree).focus()
        elif self.searching:
            self.query_one(SearchBar).value = ""
            self.query_one(SessionTree).focus()

    def action_inspector(self) -> None:
        """Show or hide the inspector; where there is no room beside the transcript, instead of it."""
        if self.has_class("-wide"):
            self.inspecting = not self.inspecting
        else:
            self.peeking = self.reading = not self.peeking
            self.query_one(Inspector if self.peeking else Transcript).focus()
        self._inspect(self.query_one(Transcript).number)

    def _inspect(self, number: int) -> None:
        if self._shown is not None and number and (self.inspecting if self.has_class("-wide") else self.peeking):
            shown = self._shown.key
            self._run("turn", lambda: self._library.turn(shown, number), exclusive=True)

    def action_copy_id(self) -> None:
        """Copy the reference of the current turn."""
        if self._shown is None:
            self.notify("No session is open.")
            return
        text = f"{self._shown.session_id}:{self.query_one(Transcript).number}"
        self.app.copy_to_clipboard(text)
        self.notify(f"{text} copied.")

    def _run(self, group: str, job: Callable[[], None], *, exclusive: bool = False) -> None:
        self.run_worker(
            told(self.post_message, job), thread=True, group=group, exclusive=exclusive, exit_on_error=False
        )
