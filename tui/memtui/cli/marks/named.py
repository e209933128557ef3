"""The session or the turn that a command annotates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import click

from memtui.cli.output import say
from memtui_core.text.turn_range import parse_turn_range

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import Session

BY: Final = "shell"
"""With what these commands write, for the log."""


class NamedTarget(NamedTuple):
    """A session, or a turn of it."""

    session: Session
    turn: int
    """Its number; 0 for the session itself."""

    def say(self, what: str) -> None:
        """Say what was done to it."""
        turn = f":{self.turn}" if self.turn else ""
        say(f"{what}: {self.session.session_id}{turn} {self.session.title}")


def named_target(index: Index, argument: str) -> NamedTarget:
    """What `SESSION` or `SESSION:TURN` names; the beginning of the id is enough.

    Raises SessionUnknown, and click.BadParameter for a range of turns.
    """
    try:
        named = parse_turn_range(argument)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="SESSION") from error
    if named.first != named.last:
        raise click.BadParameter(f"{argument} names several turns; name one.", param_hint="SESSION")
    return NamedTarget(index.sessions.find(named.session), named.first or 0)


def named_session(index: Index, argument: str) -> NamedTarget:
    """What `SESSION` names. Raises SessionUnknown, and click.BadParameter for a turn."""
    target = named_target(index, argument)
    if target.turn:
        raise click.BadParameter(f"{argument} names a turn; name the session alone.", param_hint="SESSION")
    return target
