"""The turns behind a commit or a pull request, as both commands print them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memtui.cli.output import print_table, short_turn, show

if TYPE_CHECKING:
    from memtui_core.memory.blame.values import CommitTurn, RequestTurn


def show_turns(turns: Iterable[tuple[CommitTurn | RequestTurn, str]]) -> None:
    """Print a table of turns, each with what proves it, below a blank line."""
    from memtui.wording.formatting import age, agent_name, plural

    now = datetime.now(UTC)
    rows = [
        (
            short_turn(turn.session.session_id, turn.turn),
            age(turn.at, now),
            agent_name(turn.session.agent),
            proofs,
            plural(len(turn.files), "file") if turn.files else "",
            turn.session.title,
        )
        for turn, proofs in turns
    ]
    show()
    print_table(rows, right=(1,), styles=("tool", "muted", "muted"), shrinks={5: "end"})
