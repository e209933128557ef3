"""The list of the commits of the sessions of a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual.content import Content

from memtui.render.clean import clean
from memtui.system import clock
from memtui.widgets.requests.panes import TargetChosen
from memtui.widgets.requests.target import Target
from memtui.widgets.row_list import ListRow, RowList
from memtui.widgets.table.columns import AGE_WIDTH
from memtui.wording.formatting import age, cut, number, short_commit, short_turn

if TYPE_CHECKING:
    from memtui_core.index.sessions import SessionCommit

_LEAST_SUBJECT: Final = 24
"""Cells that a subject keeps beside the turn that made the commit."""


class CommitList(RowList):
    """A line for each commit, the newest first."""

    HELP: ClassVar[str] = """\
## Commits of the sessions

The commits that the sessions of the chosen pull request made, as far as the transcripts show them, the newest first,
each with the turn that made it. A session may have committed to other branches too: `memtui pr` says which commits
belong to the pull request.
`enter` goes to the turn, and there `C` leads to all that is known of a commit; `esc` goes back to the pull requests.
"""

    def __init__(self) -> None:
        super().__init__(id="pr-commits")
        self._sessions: Sequence[int] = ()
        self._commits: Sequence[SessionCommit] = ()

    def show(self, sessions: Sequence[int], commits: Sequence[SessionCommit]) -> None:
        """Show the commits of sessions, by their keys, in any order; the cursor stays while these are the same."""
        chosen, self._sessions = self.chosen if sessions == self._sessions else None, sessions
        self._commits = sorted(commits, key=lambda one: one.at or datetime.min.replace(tzinfo=UTC), reverse=True)
        self.border_title = "commits of its session" if len(sessions) == 1 else "commits of its sessions"
        self.border_subtitle = number(len(commits))
        # Only the user's cursor chooses what the transcript shows.
        with self.prevent(RowList.OptionHighlighted):
            self.fill(chosen)

    def rows(self, width: int) -> list[ListRow]:
        """`3f2a9c1   2 h  Retry uploads   1a2b3c4d:12`, without the turn where there is no room."""
        now = clock.now()
        cells = max((len(short_commit(commit.id)) for commit in self._commits), default=0)
        return [
            ListRow((one.session, one.turn, one.seq, one.id, one.subject), _line(one, width, cells, now))
            for one in self._commits
        ]

    def choose(self, index: int, *, read: bool) -> None:
        """Show the turn that made the commit."""
        commit = self._commits[index]
        self.post_message(TargetChosen(Target(commit.session, commit.turn, seq=commit.seq), read))


def _line(commit: SessionCommit, width: int, id_cells: int, now: datetime) -> Content:
    turn = short_turn(clean(commit.session_id), commit.turn)
    left = f"{short_commit(commit.id):<{id_cells}}"
    ago = f"  {age(commit.at, now):>{AGE_WIDTH}}  "
    room = width - len(left) - len(ago)
    if room - len(turn) - 2 < _LEAST_SUBJECT:
        turn = ""
    subject = clean(commit.subject).replace("\n", " ") or "no subject is known"
    shown = cut(subject, room - len(turn) - (2 if turn else 0))
    gap = " " * (room - cell_len(shown) - len(turn))
    return Content.assemble((left, "$text-secondary"), (ago, "dim"), shown, gap, (turn, "dim"))
