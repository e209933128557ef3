"""The commits of a session, and the turns behind one of them, to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from memtui.render.clean import clean
from memtui.render.origin import facts_text, proofs_text
from memtui.screens.choice import ChoiceScreen
from memtui.system import clock
from memtui.wording.formatting import age, agent_name, padded, plural, short_turn
from memtui_core.index.files import CommitOrigin, CommitTurn

if TYPE_CHECKING:
    from memtui_core.index.sessions import SessionCommit

_ID = 10
"""Characters of the id of a commit that are shown."""
_AGE = 5


def commit_screen(origin: CommitOrigin) -> ChoiceScreen[CommitTurn]:
    """What is known of a commit, and the turns behind it to choose from."""
    title = "  ".join(filter(None, (origin.facts.id[:_ID], _line(origin.facts.subject))))
    facts = facts_text(origin)
    if not origin.turns:
        facts += "\n\nNothing proves that a session is behind this commit."
    return ChoiceScreen(title, list(zip(origin.turns, _turn_rows(origin.turns), strict=True)), facts=facts)


def commit_choices(commits: Sequence[SessionCommit]) -> list[tuple[SessionCommit, Content]]:
    """The commits of a session, the newest first: `a1b2c3d4e5   2 h  turn 12  amended later · Retry uploads`."""
    now = clock.now()
    turns = [f"turn {commit.turn}" for commit in commits]
    cells = max(map(len, turns), default=0)
    id_cells = max((len(commit.id[:_ID]) for commit in commits), default=0)
    return [
        (
            commit,
            Content.assemble(
                (f"{commit.id[:_ID]:<{id_cells}}", "$text-secondary"),
                (f"  {age(commit.at, now):>{_AGE}}  {turn:<{cells}}  ", "dim"),
                ("amended later · " if commit.amended else "", "dim"),
                _line(commit.subject) or "no subject is known",
            ),
        )
        for commit, turn in zip(reversed(commits), reversed(turns), strict=True)
    ]


def _turn_rows(turns: Sequence[CommitTurn]) -> list[Content]:
    """`db9cde85:5   2 h  claude  made it, wrote 12 lines  3 files  Fix flaky uploads`."""
    now = clock.now()
    names = [short_turn(clean(turn.session.session_id), turn.turn) for turn in turns]
    facts = [
        (agent_name(turn.session.agent), proofs_text(turn), plural(len(turn.files), "file") if turn.files else "")
        for turn in turns
    ]
    widths = [max(map(len, column)) for column in zip(*facts, strict=True)]
    cells = max(map(len, names), default=0)
    return [
        Content.assemble(
            (f"{name:<{cells}}", "$text-secondary"),
            (f"  {age(turn.at, now):>{_AGE}}  ", "dim"),
            "  ".join(padded(fact, width) for fact, width in zip(own, widths, strict=True)),
            (f"  {_line(turn.session.title)}", "dim"),
        )
        for name, turn, own in zip(names, turns, facts, strict=True)
    ]


def _line(text: str) -> str:
    return clean(text).replace("\n", " ")
