"""`memtui team join`: this memtui as a device of a team."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask_secret, say


@click.command()
@click.argument("url", default="", envvar="MEMTUI_TEAM_URL")
@click.option("--read-url", default="", help="Where searches go, such as a replica of the server.")
@data_dir_option
@reports_errors
def join(url: str, read_url: str, data_dir: Path | None) -> None:
    """Join a team with the address that its administrator has sent.

    Without URL the address is asked for, so that it does not get into the history of the shell; MEMTUI_TEAM_URL is
    used if it is set. It is kept in the data folder, in a file that only you can read. Nothing is pushed by this.
    """
    from memtui_core.system import locations
    from memtui_team.address import TeamAddress
    from memtui_team.admin.status import identity
    from memtui_team.connection import connect, is_private, reported_errors
    from memtui_team.errors import TeamError

    url = url or ask_secret("Address of the team")
    with connect(url, timeout=10) as connection, reported_errors():
        who = identity(connection)
        if not is_private(connection):
            say("memtui: The connection is not encrypted: others can read it. Add ?sslmode=require to the address.")
    if read_url:
        with connect(read_url, timeout=10) as connection, reported_errors():
            if identity(connection) != who:
                raise TeamError("--read-url belongs to another device or team.")
    TeamAddress(url, read_url, who.member, who.device).save(locations.data_dir(data_dir))
    say(f"Joined as {who.member}, with the device {who.device}. Nothing is shared yet: memtui team push does that.")
