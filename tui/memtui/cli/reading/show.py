"""`memtui show`: a session or some of its turns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, json_option, no_thinking_option, no_tools_option, reports_errors
from memtui.cli.output import print_json, show_paged, stdout_width
from memtui.cli.reading.turn_range import session_and_turns

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import Session


@click.command()
@click.argument("session", metavar="SESSION[:TURN[-TURN]]")
@click.option("--full", is_flag=True, help="Print thinking, and all that tools were called with and returned.")
@no_tools_option
@no_thinking_option
@data_dir_option
@json_option
@reports_errors
def show(session: str, full: bool, no_tools: bool, no_thinking: bool, data_dir: Path | None, as_json: bool) -> None:
    """Print a session, or one turn or a range of turns of it; the beginning of an id is enough.

    Each tool call is a line, and one that failed is followed by why. --full and --json print everything.

    A session that is not in the index is looked for on the server of the team, if one was joined.

    A terminal gets it in a pager, wrapped and in colours (unless NO_COLOR is set); a pipe or a file as plain text.
    """
    index = open_with_team(data_dir)
    selected, turns = session_and_turns(index, session)
    thinking, tools = not no_thinking, not no_tools
    if as_json:
        from memtui_core.export.as_json import turn_objects

        print_json(turn_objects(selected, turns, thinking=thinking, tools=tools))
        return
    from memtui.cli.reading.session_text import session_text

    resume = _resume(selected, index.data.path) if selected.machine else ""
    used = _used(index, selected)
    show_paged(
        session_text(
            selected, turns, stdout_width(), thinking=thinking, tools=tools, full=full, resume=resume, used=used
        )
    )


def _used(index: Index, session: Session) -> str:
    """What a session used, in one line; empty if nothing is known."""
    from memtui.wording.usage_text import usage_facts
    from memtui_core.queries.statistics.prices import load_prices
    from memtui_core.system import locations

    facts = usage_facts(index.statistics.of_session(session.key), load_prices(locations.prices_file()))
    return " · ".join(text for _, text in facts if text)


def _resume(session: Session, data_dir: Path) -> str:
    """The command that resumes a session of another machine; empty if there is none."""
    from memtui_core.index.machines import resuming

    found = resuming(session, data_dir)
    return found.shown if found is not None else ""
