"""The command line: results on stdout, everything else on stderr; exit code 0 for success, 1 for failure, 2 for misuse.

A command imports slow packages only when it needs them: `memtui --help` loads neither Textual nor DuckDB.
"""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.compactions import compactions
from memtui.cli.doctor import doctor
from memtui.cli.enable import disable, enable
from memtui.cli.export import export
from memtui.cli.files import files
from memtui.cli.forget import forget
from memtui.cli.group import SafeGroup
from memtui.cli.handoff import handoff
from memtui.cli.hook import hook
from memtui.cli.index import index
from memtui.cli.mcp import mcp
from memtui.cli.options import data_dir_option, sources_option
from memtui.cli.prs import prs
from memtui.cli.recall import recall
from memtui.cli.search import search
from memtui.cli.show import show
from memtui.cli.stats import stats
from memtui.cli.timeline import timeline


@click.group(cls=SafeGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
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

        open_app(data_dir, sources, or_demo=or_demo)


@cli.command()
@data_dir_option
def demo(data_dir: Path | None) -> None:
    """Open the app on invented sample sessions."""
    from memtui.cli.launch import open_demo

    open_demo(data_dir)


_READ_COMMANDS = (search, recall, files, show, export, compactions, handoff, prs, stats, timeline)
for command in (index, forget, *_READ_COMMANDS, doctor, enable, disable, hook, mcp):
    cli.add_command(command)
