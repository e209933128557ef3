"""`memtui files`: the files that sessions edited, read or mentioned."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.files_output import print_files
from memtui.cli.options import data_dir_option, json_option, reports_errors


@click.command()
@click.argument("pattern", default="")
@click.option("--sessions", "by_turn", is_flag=True, help="List the turns that touched the files, edits first.")
@data_dir_option
@json_option
@reports_errors
def files(pattern: str, by_turn: bool, data_dir: Path | None, as_json: bool) -> None:
    """List the files that sessions edited, read or mentioned."""
    print_files(pattern, by_turn, data_dir, as_json)
