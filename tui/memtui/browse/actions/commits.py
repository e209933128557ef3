"""The controller for commits: those of the open session, and the turns behind one of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from textual.screen import Screen

from memtui.browse.frame import ViewFrame
from memtui.services.index_service import IndexService
from memtui.widgets.requests.target import Target
from memtui_core.errors import NothingSelected
from memtui_core.model import Session
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from memtui_core.index.files import CommitOrigin, CommitTurn
    from memtui_core.index.index import Index
    from memtui_core.index.sessions import SessionCommit

_QUIET: Final = ": git prints nothing of one with -q, and nothing that came after it proves one"
"""Why none is known of a session that made commits in this way."""


class CommitController:
    """Asks which commit of a session is meant, then which of the turns behind it, and goes there."""

    def __init__(self, screen: Screen[None], index: IndexService, frame: ViewFrame) -> None:
        self._screen = screen
        self._index = index
        self._frame = frame

    def action_commits(self) -> None:
        """Show the commits that the open session made."""
        session = self._frame.reader.session
        if session is None:
            self._screen.notify("No session is open.")
            return
        self._index.query("commits", partial(_commits, session.key), partial(self._choose_commit, session))

    def _choose_commit(self, session: Session, found: tuple[list[SessionCommit], bool]) -> None:
        from memtui.screens.choice import ChoiceScreen
        from memtui.screens.origin.commit import commit_choices

        def chosen(commit: SessionCommit | None) -> None:
            if commit is not None:
                self._index.query("commits", partial(_origin, session, commit), partial(self._choose_turn, commit))

        commits, is_quiet = found
        if not commits:
            self._screen.notify(f"No commit of this session is known{_QUIET if is_quiet else ''}.")
        else:
            self._screen.app.push_screen(ChoiceScreen("commits of the session", commit_choices(commits)), chosen)

    def _choose_turn(self, commit: SessionCommit, origin: CommitOrigin | None) -> None:
        from memtui.screens.origin.commit import commit_screen

        def chosen(turn: CommitTurn | None) -> None:
            if turn is not None:
                self._read(Target(turn.session.key, turn.turn, title=turn.session.title))

        if origin is not None:
            self._screen.app.push_screen(commit_screen(origin), chosen)
        else:
            self._screen.notify("The commit is not in a repository on this disk: here it was made.")
            self._read(Target(commit.session, commit.turn, seq=commit.seq))

    def _read(self, target: Target) -> None:
        view = self._frame.text_view
        view.reset_detail()
        view.request_turn(target, read=True)


def _commits(session: int, index: Index) -> tuple[list[SessionCommit], bool]:
    """The commits of a session; and if none is known, whether it asked git to print nothing of one."""
    commits = index.sessions.commits(session)
    return commits, not commits and index.sessions.has_quiet_commits(session)


def _origin(session: Session, commit: SessionCommit, index: Index) -> CommitOrigin | None:
    """The turns behind a commit of a session; None if its repository is not on this disk, or does not have it."""
    if session.machine or session.member or not commit.id:
        return None
    folders = dict.fromkeys(stored(folder) for folder in (session.root, session.worktree or "", session.cwd) if folder)
    for folder in map(Path, folders):
        try:
            return index.files.commit(commit.id, folder.expanduser())
        except NothingSelected:
            continue
    return None
