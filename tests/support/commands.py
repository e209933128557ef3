"""The commands of the command line."""

from __future__ import annotations

import click

from memtui.cli import cli


def every_command() -> dict[str, click.Command]:
    """All commands by their names, also those that nothing has imported yet."""
    context = click.Context(cli)
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    return {name: command for name, command in commands.items() if command is not None}
