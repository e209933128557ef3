"""`memtui search`: turns by words, meaning and file paths."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.mistyped import QueryCommand
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.search_output import print_hits


@click.command(cls=QueryCommand, context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum sessions, each with its best hit; with --json, maximum hits.",
)
@data_dir_option
@json_option
@reports_errors
def search(query: tuple[str, ...], limit: int, data_dir: Path | None, as_json: bool) -> None:
    """Find turns by words, "exact phrases", meaning and file paths."""
    print_hits(query, limit, data_dir, as_json)
