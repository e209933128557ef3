"""`memtui enable` and `memtui disable`: memtui's own entries in the settings of Claude Code."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask, drop_stdout, say, write

if TYPE_CHECKING:
    from memtui.agents.hooks.settings import SettingsChange

Command = TypeVar("Command", bound=Callable[..., object])


def _options(command: Command) -> Command:
    for option in (
        click.option("--dry-run", is_flag=True, help="Show the changes without writing them."),
        click.option("--yes", is_flag=True, help="Write without asking."),
        click.option(
            "--project/--user",
            default=False,
            help="For the project in this folder, or for all your projects (default).",
        ),
    ):
        command = option(command)
    return command


@click.command()
@_options
@data_dir_option
@reports_errors
def enable(project: bool, yes: bool, dry_run: bool, data_dir: Path | None) -> None:
    """Connect Claude Code to memtui, by hooks and an MCP server.

    Shows the changes to the agent's settings and asks before it writes them.
    """
    from memtui.agents.hooks.entries import hook_entries, program, server_entry
    from memtui.agents.hooks.settings import change_hooks, change_server

    command = program()
    settings, servers = settings_files(project=project)
    changes = [
        change_hooks(settings, hook_entries(command, data_dir)),
        change_server(servers, server_entry(command, data_dir)),
    ]
    _apply(changes, yes=yes, dry_run=dry_run)


@click.command()
@_options
@reports_errors
def disable(project: bool, yes: bool, dry_run: bool) -> None:
    """Remove memtui from the settings of Claude Code."""
    from memtui.agents.hooks.settings import change_hooks, change_server

    settings, servers = settings_files(project=project)
    _apply([change_hooks(settings, {}), change_server(servers, None)], yes=yes, dry_run=dry_run)


def settings_files(*, project: bool) -> tuple[Path, Path]:
    """The files with the hooks and with the MCP servers, of the project in this folder or of the user."""
    if project:
        folder = Path.cwd()
        return folder / ".claude" / "settings.json", folder / ".mcp.json"
    variable = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(variable).expanduser() if variable else Path.home() / ".claude"
    return folder / "settings.json", (folder if variable else Path.home()) / ".claude.json"


def _apply(changes: list[SettingsChange], *, yes: bool, dry_run: bool) -> None:
    """Show the changes, ask, and write them. With `yes` write them first, even if the output cannot be printed."""
    changes = [change for change in changes if not change.is_empty]
    if not changes:
        say("Nothing to change.")
        return
    if yes and not dry_run:
        _write(changes)
        _show(changes)
        return
    _show(changes)
    if dry_run:
        return
    ask("Write this?", "Nothing was written.")
    _write(changes)


def _show(changes: list[SettingsChange]) -> None:
    try:
        for change in changes:
            write(change.diff())
    except BrokenPipeError:
        drop_stdout()


def _write(changes: list[SettingsChange]) -> None:
    for change in changes:
        change.write()
        say(f"Written: {change.path}")
    say("Restart running sessions of Claude Code for the changes to take effect.")
