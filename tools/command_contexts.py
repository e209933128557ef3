"""All commands, each in the context in which it runs."""

from __future__ import annotations

from collections.abc import Iterator

import click

from memtui.cli.commands import cli


def command_contexts() -> Iterator[click.Context]:
    """The context of `memtui` and of every command below it, in the order of its help.

    They have the settings of the program: Click keeps the option of the help that a command is first asked for.
    """
    return _with_commands(click.Context(cli, info_name="memtui", **cli.context_settings))


def subcommands(context: click.Context) -> dict[str, click.Command]:
    """The commands of a group by their names; of another command none."""
    group = context.command
    if not isinstance(group, click.Group):
        return {}
    commands = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in commands.items() if command is not None and not command.hidden}


def _with_commands(context: click.Context) -> Iterator[click.Context]:
    yield context
    for name, command in subcommands(context).items():
        yield from _with_commands(click.Context(command, info_name=name, parent=context))
