"""The argument `SESSION[:TURN[-TURN]]` of several commands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from memtui_core.index import Index
    from memtui_core.model import Session, Turn


def session_and_turns(index: Index, argument: str) -> tuple[Session, list[Turn]]:
    """The session and the turns, with their blocks, that an argument names.

    Raises SessionUnknown, and click.BadParameter for turns that the session does not have.
    """
    id_prefix, _, turn_range = argument.partition(":")
    session = index.find_session(id_prefix)
    first, last = _parse(turn_range) if turn_range else (1, session.turns)
    blocks = index.blocks(session.key, first, last)
    turns = [
        replace(turn, blocks=blocks[turn.number]) for turn in index.turns(session.key) if first <= turn.number <= last
    ]
    if first > last:
        raise click.BadParameter(f"{turn_range} counts backwards.", param_hint="TURN")
    if not turns and turn_range:
        raise click.BadParameter(f"{id_prefix} has {session.turns} turns.", param_hint="TURN")
    return session, turns


def _parse(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    try:
        return int(first), int(last) if dash else int(first)
    except ValueError as error:
        message = f"{text!r} is not a turn; write SESSION:3 or SESSION:3-7."
        raise click.BadParameter(message, param_hint="TURN") from error
