"""The sessions whose titles or projects match a filter, without their projects as folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.binding import BindingType
from textual.content import Content

from memtui.keys.annotation_keys import ANNOTATION_KEYS
from memtui.system import clock
from memtui.views.sessions.labels import title_labels
from memtui.widgets.requests.panes import AnnotationAction, AnnotationRequested, TargetChosen
from memtui.widgets.requests.target import Target
from memtui.widgets.row_list import ListRow, RowList, title_line
from memtui.wording.annotated import added_text, signs
from memtui.wording.formatting import age, cut, machine_mark, number, plural
from memtui.wording.session_state import COLOURS, MARKS
from memtui_core.model import Session, state_of
from memtui_core.readers.registry import short_name

_MANY: Final = 100
"""Rows from which on titles are only cut: with each letter of a filter all rows are drawn."""


class TitleList(RowList):
    """Two lines for each session: its title and age, its project and turns."""

    HELP: ClassVar[str] = """\
## Sessions by title

The sessions whose titles, with the names of their projects, your tags and notes, contain all words of the filter, the
newest first. `enter` reads one, `esc` removes the filter: the tree is as it was before.
"""

    BINDINGS: ClassVar[list[BindingType]] = [*ANNOTATION_KEYS]

    def __init__(self) -> None:
        super().__init__(id="titles")
        self._sessions: Sequence[Session] = ()

    @property
    def session(self) -> Session | None:
        """The session under the cursor."""
        return self._sessions[self.highlighted] if self.highlighted is not None else None

    def show(self, sessions: Sequence[Session]) -> None:
        """Show sessions."""
        if sessions != self._sessions:
            self._sessions = sessions
            self.fill(self.chosen)
        self.border_subtitle = number(len(sessions))

    def rows(self, width: int) -> list[ListRow]:
        """The rows of all sessions."""
        shows_agent = len({session.agent for session in self._sessions}) > 1
        labels = title_labels(self._sessions) if len(self._sessions) <= _MANY else None
        now = clock.now()
        rows: list[ListRow] = []
        for index, session in enumerate(self._sessions):
            state = state_of(session.end, now)
            mark = MARKS[state] if state != "ended" else ""
            signed, old = f"{mark}{signs(session)}", age(session.ended_at, now)
            room = width - cell_len(signed + old) - 1
            title = labels.label(index, room) if labels is not None else session.title
            line = title_line(signed + title, old, width)
            line = line.stylize(COLOURS[state], 0, len(mark)) if mark else line
            facts = _facts(session, width, shows_agent=shows_agent)
            rows.append(ListRow(session.key, Content("\n").join([line, facts])))
        return rows

    def action_annotate(self, kind: AnnotationAction) -> None:
        """Ask to annotate the session under the cursor."""
        session = self.session
        keys = (session.key,) if session is not None else ()
        self.post_message(AnnotationRequested(kind, keys, session.title if session is not None else ""))

    def choose(self, index: int, *, read: bool) -> None:
        """Show the session."""
        self.post_message(TargetChosen(Target(self._sessions[index].key), read))


def _facts(session: Session, width: int, *, shows_agent: bool) -> Content:
    """The second line of a row: project, machine, agent and turns, and what the user has added."""
    agent = short_name(session.agent) if shows_agent else ""
    facts = "  " + " · ".join(
        filter(None, (session.project, machine_mark(session.machine), agent, plural(session.turns, "turn")))
    )
    added = added_text(session, width - cell_len(facts) - 2)
    return Content.styled(cut(f"{facts}  {added}" if added else facts, width), "dim")
