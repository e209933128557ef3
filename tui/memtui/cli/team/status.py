"""`memtui team status`: the state of the team's server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import print_json, short_time, show
from memtui.cli.team.opened import joined_address
from memtui.cli.team.pending import pending

if TYPE_CHECKING:
    from memtui_team.admin.status import TeamStatus


@click.command()
@json_option
@data_dir_option
@reports_errors
def status(as_json: bool, data_dir: Path | None) -> None:
    """Show the team's server, what it lacks, and what this machine has there."""
    from memtui_core.system import locations
    from memtui_team.admin.status import team_status
    from memtui_team.connection import connect, place_of, reported_errors

    address = joined_address(data_dir)
    with connect(address.url) as connection, reported_errors():
        state = team_status(connection)
    waiting = None if state.is_lead else pending(locations.data_dir(data_dir), address)
    if as_json:
        place = {"url": place_of(address.url), "read_url": place_of(address.read_url) if address.read_url else ""}
        print_json([{**place, **state._asdict(), "pending": waiting._asdict() if waiting is not None else None}])
        return
    for line in _lines(state, place_of(address.url), place_of(address.read_url) if address.read_url else ""):
        show(line)
    if waiting is not None:
        show(f"pending  {waiting.sentence}")


def _lines(state: TeamStatus, place: str, read_place: str) -> Iterator[str]:
    from memtui.wording.formatting import plural, size

    yield f"server   {place}, PostgreSQL {state.server}, schema {state.schema}, {size(state.size)}"
    if read_place:
        yield f"         searches go to {read_place}"
    if not state.is_private:
        yield "         the connection is not encrypted: others on the network can read it"
    yield f"words    ranked by {state.ranking}, {_version('pg_textsearch', state.textsearch)}"
    if state.advice:
        yield f"         {state.advice}"
    yield f"meaning  {_version('pgvector', state.vector)}"
    yield f"member   {state.member}, device {state.device}{', a lead: figures without texts' if state.is_lead else ''}"
    if state.is_lead:
        return
    yield f"groups   {', '.join(state.groups) or 'none'}"
    yield f"projects {', '.join(state.projects) or 'none'}"
    own = f"{plural(state.sessions, 'session')}, {plural(state.turns, 'turn')}"
    yield f"own      {own}, last push {short_time(state.pushed_at)}"


def _version(name: str, version: str) -> str:
    return f"{name} {version}" if version else f"without {name}"
