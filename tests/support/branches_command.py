"""Commands that memtui does not have: `branches` of all sessions, and `silent`, which lacks its help."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.opened import open_index
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import print_json, print_table


@click.command()
@data_dir_option
@json_option
@reports_errors
def branches(data_dir: Path | None, as_json: bool) -> None:
    """List the branches that sessions worked on."""
    names = sorted({session.branch for session in open_index(data_dir).sessions.all() if session.branch})
    if as_json:
        print_json([{"branch": name} for name in names])
    else:
        print_table([(name,) for name in names])


@click.command()
def silent() -> None:
    pass
