"""Which session the transcript shows: each list has one of its own, and what was read before can be shown again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from memtui.browse.controllers import handles
from memtui.browse.reader.history import HistoryEntry, NavigationHistory, Opened
from memtui.browse.reader.session_loader import LoadedSession, SessionLoader
from memtui.services.messages import IndexChanged
from memtui.widgets.requests.target import Target
from memtui.widgets.transcript.bookmark import Bookmark
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.model import Session, Turn


class ReadingPlaces:
    """Opens sessions in the transcript, and keeps what is open for each list and in the history.

    A session is read when the user goes to it; what is shown while the cursor moves through a list is a preview, and
    not in the history. `shown` is called with each session that is shown.
    """

    def __init__(self, transcript: TranscriptPane, loader: SessionLoader, shown: Callable[[Session], None]) -> None:
        self._transcript = transcript
        self._loader = loader
        self._call_shown = shown
        self._view_name = ""
        """Name of the chosen view."""
        self._list_name = ""
        """Name of the list whose session is open: that of the chosen view, or the hits in its place."""
        self._requested = Opened()
        """What is to be shown, without its bookmark."""
        self._shown = Opened()
        """What is shown; it differs from what is requested until that is loaded."""
        self._by_list: dict[str, Opened] = {}
        """What is open in the lists that are not shown, by their names."""
        self._history = NavigationHistory()
        self._last_read: tuple[str, HistoryEntry] | None = None
        """What was read last, with the name of the list in which it is open."""

    # -- opening -----------------------------------------------------------------------------------------------

    def open(self, target: Target, *, read: bool) -> None:
        """Show a target: to `read` it at once, otherwise as a preview when the cursor rests."""
        is_same = target == self._requested.target
        if read:
            self._requested = Opened(target, self._visit(target))
            self._loader.note_opened(target.session)
        elif not is_same:
            self._requested = Opened(target)
        if is_same and self._shown.target == target:
            self._shown = replace(self._shown, entry=self._requested.entry)
        show = partial(self._show_session, target)
        if is_same:
            if read:
                self._loader.hurry()
        elif read:
            self._loader.load(target, show)
        else:
            self._loader.load_preview(target, show)

    def _visit(self, target: Target) -> HistoryEntry:
        """The entry of a target that is read, which is now the current entry of the history."""
        entry = self._history.current
        if entry is None or entry is not self._requested.entry or entry.target != target:
            self._keep_place()
            entry = HistoryEntry(self._view_name, target)
            self._history.visit(entry)
        self._last_read = self._list_name, entry
        return entry

    def _keep_place(self) -> None:
        """Keep in the history where the user is in what is read, if it was opened in the chosen view."""
        entry = self._shown.entry
        if entry is not None and entry.view_name == self._view_name:
            entry.keep(self._transcript.bookmark())

    # -- back and forward --------------------------------------------------------------------------------------

    def step_in_history(self, direction: int) -> HistoryEntry | None:
        """What was read previously (-1) or next (1), for `show_again`; None if there is nothing."""
        self._keep_place()
        current = self._history.current
        # From a preview, the way back leads to what was read last.
        return current if direction < 0 and self._shown.entry is not current else self._history.step(direction)

    def show_again(self, entry: HistoryEntry) -> None:
        """Show what was read, at the place at which the user left it."""
        self._restore(Opened(entry.target, entry, bookmark=entry.bookmark))

    @handles(TranscriptPane.SubagentRequested)
    def follow(self, message: TranscriptPane.SubagentRequested) -> None:
        """Read the session of a subagent, or from there the call that started it; `return_to_caller` leads back."""
        shown, subagent = self._transcript.session, message.session
        if shown is None or subagent.key != shown.key:
            self._follow(Target(subagent.key))
            return
        requested_in, requested = self._list_name, self._requested.target

        def follow_call(call: Target) -> None:
            # Unless something else was requested until the call was found.
            if (self._list_name, self._requested.target) == (requested_in, requested):
                self._follow(call)

        self._loader.find_call(subagent, follow_call)

    def _follow(self, target: Target) -> None:
        """Read a target, and remember what it was opened from.

        To go to a call in the session from which the subagent was opened is a way back, too: from there
        `return_to_caller` goes on to where that session was opened from.
        """
        bookmark, caller = self._transcript.bookmark(), self._requested.caller
        # Without its turns, as many such places may be kept.
        place = replace(bookmark, turns=()) if bookmark is not None else None
        left = replace(self._shown, caller=caller, bookmark=place)
        is_way_back = caller is not None and caller.target is not None and caller.target.session == target.session
        self.open(target, read=True)
        self._requested = replace(self._requested, caller=caller.caller if is_way_back and caller is not None else left)

    def return_to_caller(self) -> bool:
        """Show the session from which `S` led to the open one; False if that was opened from a list."""
        caller = self._requested.caller
        if caller is None:
            return False
        self._keep_place()
        self._history.return_to(caller.entry)
        if caller.entry is not None:
            self._last_read = self._list_name, caller.entry
        self._restore(caller)
        return True

    # -- one session for each list -----------------------------------------------------------------------------

    def show_list(self, list_name: str, view_name: str) -> None:
        """Show what was open when a list was shown last: that of the chosen view, or the hits in its place."""
        if view_name != self._view_name:
            self._keep_place()
        self._view_name = view_name
        if list_name == self._list_name:
            return
        if self._list_name:
            is_shown = self._shown.target == self._requested.target
            bookmark = self._transcript.bookmark() if is_shown else None
            self._by_list[self._list_name] = replace(self._requested, bookmark=bookmark)
        self._list_name = list_name
        opened = self._by_list.get(list_name)
        if opened is not None and opened.target is not None:
            self._restore(opened)
        else:
            # What is still being loaded is for the other list; what is shown stays.
            self._loader.cancel()
            self._requested = self._shown
            self._transcript.clear_marks()

    def open_later(self, list_name: str, target: Target) -> None:
        """Show a target as soon as a list is shown that is not shown now."""
        self._by_list[list_name] = Opened(target)

    def close(self, list_name: str) -> None:
        """Keep nothing of what was open for hits that are no longer shown."""
        self._by_list.pop(list_name, None)

    def move_last_read(self, list_name: str) -> Session | None:
        """Let a list, when it is shown, show what was read last in another list; return its session.

        None if nothing was read in another list since `forget_last_read`. Marks, such as those of a search, stay there.
        """
        last_read, self._last_read = self._last_read, None
        if last_read is None or last_read[0] == list_name:
            return None
        entry = last_read[1]
        self._keep_place()
        bookmark = self._transcript.bookmark() if self._shown.entry is entry else entry.bookmark
        if bookmark is None:
            return None
        self._by_list[list_name] = Opened(entry.target, entry, bookmark=bookmark.without_marks())
        return bookmark.session

    def forget_last_read(self) -> None:
        """Let `move_last_read` move nothing that was read so far."""
        self._last_read = None

    # -- showing -----------------------------------------------------------------------------------------------

    def _restore(self, opened: Opened) -> None:
        """Show what was open, at its bookmark."""
        self._loader.cancel()
        self._requested = replace(opened, bookmark=None)
        target, bookmark = opened.target, opened.bookmark
        if target is None:
            return
        if bookmark is None:
            self._loader.load(target, partial(self._show_session, target))
        elif bookmark.turns or bookmark.top is None:
            self._show_bookmark(bookmark, bookmark.turns)
        else:
            self._loader.load_around(bookmark.session, bookmark.top.number, partial(self._show_loaded, bookmark))

    def _show_session(self, target: Target, loaded: LoadedSession) -> None:
        self._take_requested()
        session, transcript = loaded.session, self._transcript
        transcript.show(session, loaded.turns_with_blocks, target.turn, target.words, target.hit, loaded.subagents)
        transcript.supply(session.key, loaded.blocks)
        transcript.go_to(target)
        self._call_shown(session)

    def _show_loaded(self, bookmark: Bookmark, loaded: LoadedSession) -> None:
        self._show_bookmark(replace(bookmark, session=loaded.session), loaded.turns_with_blocks)

    def _show_bookmark(self, bookmark: Bookmark, turns: Sequence[Turn]) -> None:
        self._take_requested()
        self._transcript.return_to(bookmark, turns)
        self._call_shown(bookmark.session)
        self.grow()

    def _take_requested(self) -> None:
        """Take what is requested as what is shown from now on."""
        if self._shown.entry is not self._requested.entry:
            self._keep_place()
        self._shown = Opened(self._requested.target, self._requested.entry)

    @handles(IndexChanged)
    def grow(self) -> None:
        """Load what was added to the open session."""
        if (session := self._transcript.session) is not None:
            self._loader.load_growth(session, self._show_growth)

    def _show_growth(self, grown: LoadedSession) -> None:
        shown = self._transcript.session
        if shown is not None and shown.key == grown.session.key and not grown.turns:
            self._transcript.show(grown.session, [])
        elif shown is not None and shown.key == grown.session.key:
            self._transcript.grow(grown.session, grown.turns_with_blocks, grown.subagents)
            self._call_shown(grown.session)
