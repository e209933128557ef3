"""`memtui recall`: earlier turns for a prompt or a file."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.mistyped import QueryCommand
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.recall_output import print_recalled


@click.command(cls=QueryCommand, context_settings={"ignore_unknown_options": True})
@click.argument("query", nargs=-1, type=click.UNPROCESSED)
@click.option("--file", "file", metavar="PATH", help="Recall the turns that touched a file, instead of a query.")
@click.option("--session", metavar="ID", help="The calling session: turns in its context are left out.")
@click.option(
    "--boundary",
    metavar="LINE",
    type=click.IntRange(0),
    help="The line of its last compaction: turns up to there are no longer in its context.",
)
@click.option("--everywhere", is_flag=True, help="Recall from every project, not only from that of this folder.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 100), help="Maximum turns.")
@data_dir_option
@json_option
@reports_errors
def recall(
    query: tuple[str, ...],
    file: str | None,
    session: str | None,
    boundary: int | None,
    everywhere: bool,
    limit: int,
    data_dir: Path | None,
    as_json: bool,
) -> None:
    """Print the earlier turns that belong to a prompt or a file, as an agent reads them."""
    if bool(query) == bool(file):
        raise click.UsageError("Give a query, or a file by --file.")
    print_recalled(query, file, session, boundary, everywhere, limit, data_dir, as_json)
