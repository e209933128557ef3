"""The commands and their group, which click runs."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.group import CommandEntry, CommandGroup
from memtui.cli.options import data_dir_option, reports_errors, sources_option

COMMANDS: list[CommandEntry] = [
    CommandEntry("annotations", "memtui.cli.marks.annotations"),
    CommandEntry("archive", "memtui.cli.marks.archive"),
    CommandEntry("backup", "memtui.cli.keeping.backup"),
    CommandEntry("blame", "memtui.cli.origin.blame"),
    CommandEntry("commit", "memtui.cli.origin.commit"),
    CommandEntry("compactions", "memtui.cli.reading.compactions"),
    CommandEntry("completion", "memtui.cli.shell.completion"),
    CommandEntry("config", "memtui.cli.keeping.config"),
    CommandEntry("decisions", "memtui.cli.origin.decisions"),
    CommandEntry("demo", "memtui.cli.keeping.demo"),
    CommandEntry("disable", "memtui.cli.agents.enable"),
    CommandEntry("doctor", "memtui.cli.keeping.doctor.command"),
    CommandEntry("enable", "memtui.cli.agents.enable"),
    CommandEntry("export", "memtui.cli.reading.documents.export"),
    CommandEntry("files", "memtui.cli.reading.files"),
    CommandEntry("fix", "memtui.cli.origin.fix"),
    CommandEntry("forget", "memtui.cli.keeping.forget"),
    CommandEntry("friction", "memtui.cli.origin.friction"),
    CommandEntry("handoff", "memtui.cli.agents.handoff"),
    CommandEntry("hook", "memtui.cli.agents.hook"),
    CommandEntry("import", "memtui.cli.keeping.import_"),
    CommandEntry("index", "memtui.cli.keeping.index"),
    CommandEntry("machine", "memtui.cli.keeping.machine"),
    CommandEntry("mcp", "memtui.cli.agents.mcp"),
    CommandEntry("note", "memtui.cli.marks.note"),
    CommandEntry("open", "memtui.cli.shell.open_"),
    CommandEntry("pick", "memtui.cli.shell.pick"),
    CommandEntry("pin", "memtui.cli.marks.pin"),
    CommandEntry("pr", "memtui.cli.origin.pr"),
    CommandEntry("project", "memtui.cli.reading.project"),
    CommandEntry("prs", "memtui.cli.reading.prs"),
    CommandEntry("recall", "memtui.cli.reading.recall"),
    CommandEntry("rename", "memtui.cli.marks.rename"),
    CommandEntry("restore", "memtui.cli.keeping.restore"),
    CommandEntry("rewind", "memtui.cli.agents.rewind"),
    CommandEntry("search", "memtui.cli.reading.search"),
    CommandEntry("sessions", "memtui.cli.reading.sessions"),
    CommandEntry("share", "memtui.cli.reading.documents.share"),
    CommandEntry("show", "memtui.cli.reading.show"),
    CommandEntry("sql", "memtui.cli.shell.sql"),
    CommandEntry("stats", "memtui.cli.reading.stats"),
    CommandEntry("statusline", "memtui.cli.agents.statusline"),
    CommandEntry("tag", "memtui.cli.marks.tag"),
    CommandEntry("tail", "memtui.cli.reading.tail"),
    CommandEntry("team", "memtui.cli.team.group"),
    CommandEntry("timeline", "memtui.cli.reading.timeline"),
    CommandEntry("told", "memtui.cli.agents.told"),
    CommandEntry("why", "memtui.cli.origin.why"),
]
"""All commands. A new command is a module and a line here."""


@click.group(
    cls=CommandGroup,
    entries=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed or nothing was chosen, 2 wrong usage.",
)
@click.version_option(package_name="memtui", message="memtui %(version)s")
@data_dir_option
@sources_option
@click.option("--or-demo", is_flag=True, help="Open the sample sessions when this machine has no sessions.")
@click.pass_context
def cli(context: click.Context, data_dir: Path | None, sources: tuple[Path, ...], or_demo: bool) -> None:
    """Search and read the sessions of your coding agents.

    Without a command it opens the app on the sessions of this machine.
    """
    if context.invoked_subcommand is None:
        from memtui.cli.launch import open_app

        reports_errors(open_app)(data_dir=data_dir, sources=sources, or_demo=or_demo)
    else:
        _pass_on(context, context.invoked_subcommand)


def _pass_on(context: click.Context, name: str) -> None:
    """Give the options before a command to that command. Raises UsageError if it does not have them."""
    given = [option for option in context.command.params if _is_given(context, option)]
    command = cli.get_command(context, name)
    known = {option.name for option in command.params} if command is not None else set()
    for option in given:
        if option.name not in known:
            raise click.UsageError(f"memtui {name} has no option {option.opts[0]}.")
    context.default_map = {name: {option.name: context.params[option.name] for option in given if option.name}}


def _is_given(context: click.Context, option: click.Parameter) -> bool:
    return context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
