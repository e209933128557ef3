"""`memtui team forget`: remove a session from the team's server, for good."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask, say, show
from memtui.cli.team.opened import joined_address


@click.command()
@click.argument("session")
@click.option("--yes", is_flag=True, help="Remove without asking.")
@data_dir_option
@reports_errors
def forget(session: str, yes: bool, data_dir: Path | None) -> None:
    """Remove a session of yours from the team's server, for good.

    SESSION is its id, or the beginning of it. Its subagents go, too. None of your
    devices can push it again. The index of this machine is not touched.
    """
    from memtui.wording.formatting import plural
    from memtui_core.errors import IndexMissing, SessionUnknown
    from memtui_core.index.index import Index
    from memtui_core.system import locations
    from memtui_team.connection import connect
    from memtui_team.errors import TeamUnreachable
    from memtui_team.forgotten import Forgotten, with_subagents
    from memtui_team.push.receiver import Receiver

    folder, address = locations.data_dir(data_dir), joined_address(data_dir)
    try:
        with closing(Index.open(folder)) as index:
            found = index.sessions.find(session)
            show(f"{found.session_id}  {found.title}")
            identities = with_subagents(index.snapshot, found.key)
    except (IndexMissing, SessionUnknown):
        with connect(address.url) as connection:
            own = Receiver(connection).find(session)
        show(f"{own.session_id}  {own.title}")
        identities = [(own.agent, own.session_id)]
    if not yes:
        ask("Remove this session from the team's server, for good?", "Nothing was removed.")
    # Remembered first: if the server cannot be reached, the next push tells it.
    Forgotten(folder).add(identities)
    try:
        connection = connect(address.url)
    except TeamUnreachable:
        say("The next memtui team push removes it.")
        raise
    with connection:
        receiver = Receiver(connection)
        removed = sum(receiver.forget(agent, session_id) for agent, session_id in identities)
    say(f"{plural(removed, 'session')} removed, subagents and all devices included.")
