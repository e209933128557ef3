"""`memtui enable` and `memtui disable`: memtui's own entries in the settings of Claude Code, and no others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import drop_stdout, say, write

if TYPE_CHECKING:
    from memtui.hooks.settings import Change

Command = TypeVar("Command", bound=Callable[..., object])


def _options(command: Command) -> Command:
    for option in (
        click.option("--dry-run", is_flag=True, help="Show the change and end."),
        click.option("--yes", is_flag=True, help="Do not ask."),
        click.option(
            "--project/--user",
            default=False,
            help="For the project in this folder, or for all of yours (default).",
        ),
    ):
        command = option(command)
    return command


@click.command()
@_options
@data_dir_option
@reports_errors
def enable(project: bool, yes: bool, dry_run: bool, data_dir: Path | None) -> None:
    """Let Claude Code ask memtui by itself: its hooks and the server of tools.

    It shows what it would change in the agent's settings, and asks.
    """
    from memtui.hooks.entries import hook_entries, program, server_entry
    from memtui.hooks.settings import change_hooks, change_server

    words = program()
    settings, servers = settings_files(project=project)
    changes = [
        change_hooks(settings, hook_entries(words, data_dir)),
        change_server(servers, server_entry(words, data_dir)),
    ]
    _carry_out(changes, yes=yes, dry_run=dry_run)


@click.command()
@_options
@reports_errors
def disable(project: bool, yes: bool, dry_run: bool) -> None:
    """Take memtui out of the settings of Claude Code again."""
    from memtui.hooks.settings import change_hooks, change_server

    settings, servers = settings_files(project=project)
    _carry_out([change_hooks(settings, {}), change_server(servers, None)], yes=yes, dry_run=dry_run)


def settings_files(*, project: bool) -> tuple[Path, Path]:
    """Where hooks and servers of tools stand, for the project in this folder or for the person."""
    if project:
        here = Path.cwd()
        return here / ".claude" / "settings.json", here / ".mcp.json"
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(chosen).expanduser() if chosen else Path.home() / ".claude"
    return folder / "settings.json", (folder if chosen else Path.home()) / ".claude.json"


def _carry_out(changes: list[Change], *, yes: bool, dry_run: bool) -> None:
    """Show the changes, ask, and write them; with `yes` they are written first, whoever reads what is shown."""
    real = [change for change in changes if not change.is_none]
    if not real:
        say("Nothing to change.")
        return
    if yes and not dry_run:
        _write(real)
        _show(real)
        return
    _show(real)
    if dry_run:
        return
    if not sys.stdin.isatty():
        say("Nobody can be asked here; say --yes to write it, or --dry-run only to look.")
        sys.exit(2)
    if not click.confirm("Write this?", err=True):
        say("Nothing was written.")
        sys.exit(1)
    _write(real)


def _show(changes: list[Change]) -> None:
    try:
        for change in changes:
            write(change.diff())
    except BrokenPipeError:
        drop_stdout()


def _write(changes: list[Change]) -> None:
    for change in changes:
        change.write()
        say(f"Written: {change.path}")
    say("A session of Claude Code that runs already takes it over when it is started again.")
