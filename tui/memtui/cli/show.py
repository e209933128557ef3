"""`memtui show`: sessions as they were."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import data_dir_option, json_option, open_index, reports_errors
from memtui.cli.output import print_json, show_paged

if TYPE_CHECKING:
    from memtui_core.index import Index
    from memtui_core.model import Session, Turn


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@data_dir_option
@json_option
@reports_errors
def show(session: str, data_dir: Path | None, as_json: bool) -> None:
    """Print a session, or one turn or a range of turns of it; the beginning of an id is enough."""
    found, turns = asked(open_index(data_dir), session)
    if as_json:
        from memtui_core.export.as_json import turn_object

        print_json([turn_object(found, turn, turn.blocks) for turn in turns])
        return
    from memtui.cli.text import session_text

    show_paged(session_text(found, turns, {turn.number: turn.blocks for turn in turns}))


def asked(index: Index, text: str) -> tuple[Session, list[Turn]]:
    """The session and the turns, with their blocks, that `SESSION[:TURN[-TURN]]` names."""
    name, _, span = text.partition(":")
    found = index.find_session(name)
    first, last = _range(span) if span else (1, found.turns)
    blocks = index.blocks(found.key, first, last)
    turns = [
        replace(turn, blocks=blocks[turn.number]) for turn in index.turns(found.key) if first <= turn.number <= last
    ]
    if first > last:
        raise click.BadParameter(f"{span} counts backwards.", param_hint="TURN")
    if not turns and span:
        raise click.BadParameter(f"{name} has {found.turns} turns.", param_hint="TURN")
    return found, turns


def _range(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    try:
        return int(first), int(last) if dash else int(first)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} is no turn; write SESSION:3 or SESSION:3-7.", param_hint="TURN") from error
