"""The group of the commands on a team."""

from __future__ import annotations

import click

from memtui.cli.group import CommandEntry, CommandGroup

TEAM_COMMANDS: list[CommandEntry] = [
    CommandEntry("forget", "memtui.cli.team.forget"),
    CommandEntry("groups", "memtui.cli.team.groups"),
    CommandEntry("init", "memtui.cli.team.init"),
    CommandEntry("invite", "memtui.cli.team.invite"),
    CommandEntry("join", "memtui.cli.team.join"),
    CommandEntry("leave", "memtui.cli.team.leave"),
    CommandEntry("push", "memtui.cli.team.push"),
    CommandEntry("revoke", "memtui.cli.team.revoke"),
    CommandEntry("status", "memtui.cli.team.status"),
]
"""All commands on a team. A new one is a module and a line here."""


@click.group(cls=CommandGroup, entries=TEAM_COMMANDS)
def team() -> None:
    """Share sessions with a team, by a PostgreSQL server of your own.

    The administrator runs init and invite; members run join.
    """
