"""The argument `SESSION[:TURN[-TURN]]` of several commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import Session, Turn
    from memtui_core.text.turn_range import TurnRange


def session_and_turns(index: Index, argument: str) -> tuple[Session, list[Turn]]:
    """The session and the turns, with their blocks, that an argument names.

    Raises SessionUnknown, NoOwnTurns, and click.BadParameter for turns that the session does not have.
    """
    named = named_turns(argument)
    session = index.sessions.with_turns(named.session)
    turns = index.sessions.whole_turns(session.key, named.first or 1, named.last or session.turns)
    if not turns and named.first is not None:
        raise bad_turns(f"{named.session} has {session.turns} turns.")
    return session, turns


def named_turns(argument: str) -> TurnRange:
    """What the argument names. Raises click.BadParameter."""
    from memtui_core.text.turn_range import parse_turn_range

    try:
        return parse_turn_range(argument)
    except ValueError as error:
        raise bad_turns(str(error)) from error


def bad_turns(message: str) -> Exception:
    """The error for turns that cannot be named, or that a session does not have."""
    import click

    return click.BadParameter(message, param_hint="SESSION")
