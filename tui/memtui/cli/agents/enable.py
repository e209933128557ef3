"""`memtui enable` and `memtui disable`: memtui's own entries in the settings of agents."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask, drop_stdout, print_table, say, write

if TYPE_CHECKING:
    from memtui.agents.connecting.agent_files import AgentFiles
    from memtui.agents.connecting.change import SettingsChange
    from memtui.agents.connecting.undo import UndoLog

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
        click.argument("agents", nargs=-1, metavar="[AGENT]..."),
    ):
        command = option(command)
    return command


@click.command()
@_options
@click.option("--list", "is_list", is_flag=True, help="Show which agents are connected, and change nothing.")
@data_dir_option
@reports_errors
def enable(
    agents: tuple[str, ...], project: bool, yes: bool, dry_run: bool, is_list: bool, data_dir: Path | None
) -> None:
    """Connect agents to memtui: its tools, and hooks and a skill where the agent has them.

    AGENT is the name of an agent, as in `memtui enable --list`; without one, all that are found on this machine.
    Shows the changes to their settings and asks before it writes them.
    """
    all_files = _files_of(agents, project=project, data_dir=data_dir)
    if is_list:
        _list(all_files)
        return
    if not agents:
        # The agent that memtui knows best, if nothing tells which one is used.
        all_files = [files for files in all_files if files.is_found()] or all_files[:1]
    _apply([files for files in all_files if not _stands_down(files)], connected=True, yes=yes, dry_run=dry_run)


@click.command()
@_options
@reports_errors
def disable(agents: tuple[str, ...], project: bool, yes: bool, dry_run: bool) -> None:
    """Remove memtui from the settings of agents.

    AGENT is the name of an agent; without one, of all agents.
    """
    _apply(_files_of(agents, project=project, data_dir=None), connected=False, yes=yes, dry_run=dry_run)


def _files_of(agents: tuple[str, ...], *, project: bool, data_dir: Path | None) -> list[AgentFiles]:
    """The files of the named agents, or of all. Raises BadParameter."""
    from memtui.agents.connecting.agent_files import AgentFiles
    from memtui.agents.connecting.entries import program
    from memtui.wording.suggestion import suggestion
    from memtui_core.readers.registry import connections, reader_named, reader_of

    known = connections()
    readers = [reader_named(name) for name in agents] or [reader_of(agent) for agent in known]
    for name, reader in zip(agents, readers, strict=False):
        if reader is None or reader.agent not in known:
            meant = suggestion(name, known)
            instead = f".{meant}" if meant else f", but to: {', '.join(known)}."
            raise click.BadParameter(f"memtui cannot connect to {name!r}{instead}")
    command, folder = program(), Path.cwd() if project else None
    return [
        AgentFiles(reader.agent, reader.name, known[reader.agent], command, data_dir, folder)
        for reader in readers
        if reader
    ]


def _stands_down(files: AgentFiles) -> bool:
    """Whether the agent has memtui's plugin, which is said: nothing may run twice."""
    if not files.has_plugin():
        return False
    say(f"{files.name} has memtui's plugin: its settings stay as they are.")
    if files.is_connected():
        say(f"They connect memtui a second time. Remove that: memtui disable {files.agent}")
    return True


def _apply(all_files: list[AgentFiles], *, connected: bool, yes: bool, dry_run: bool) -> None:
    """Show the changes, ask, and write them. With `yes` write them first, even if the output cannot be printed."""
    from memtui.agents.connecting.change import SettingsUnusable
    from memtui.agents.connecting.undo import UndoLog

    changes: dict[str, list[SettingsChange]] = {}
    log, is_refused = UndoLog(), False
    for files in all_files:
        if connected:
            _say_what_is_left_out(files)
        try:
            changes[files.agent] = files.changes(log, connected=connected)
        except SettingsUnusable as error:
            say(f"memtui: {error}")
            is_refused = True
    changed = [files for files in all_files if changes.get(files.agent)]
    if changed:
        _change(changed, changes, log, connected=connected, yes=yes, dry_run=dry_run)
    elif all_files and not is_refused:
        say("Nothing to change.")
    if is_refused:
        sys.exit(1)


def _say_what_is_left_out(files: AgentFiles) -> None:
    for event, first in files.refused_events().items():
        say(
            f"{files.name} {_dotted(files.version() or ())} refuses settings with a hook on {event}, which is left out."
            f" Update it to {_dotted(first)} or newer, then run memtui enable again."
        )


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _change(
    all_files: list[AgentFiles],
    changes: dict[str, list[SettingsChange]],
    log: UndoLog,
    *,
    connected: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    all_changes = [change for files in all_files for change in changes[files.agent]]
    if not yes or dry_run:
        _show(all_changes)
        if dry_run:
            return
        ask("Write this?", "Nothing was written.")
    for files in all_files:
        for change in changes[files.agent]:
            log.write(change, connected=connected)
            say(f"{'Removed' if change.after is None else 'Written'}: {change.path}")
        say(f"Restart running sessions of {files.name} for the changes to take effect.")
        hooks = files.connection.hooks
        if connected and hooks is not None and hooks.note:
            say(hooks.note)
    if yes:
        _show(all_changes)


def _show(changes: list[SettingsChange]) -> None:
    try:
        for change in changes:
            write(change.diff())
    except BrokenPipeError:
        drop_stdout()


def _list(all_files: list[AgentFiles]) -> None:
    """A table of what is connected: a row for each agent."""
    rows = [("agent", "found", "tools", "hooks", "skill", "plugin")]
    rows += [(files.agent, "yes" if files.is_found() else "", *files.parts()) for files in all_files]
    print_table(rows, head=True)
