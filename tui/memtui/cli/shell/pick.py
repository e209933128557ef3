"""`memtui pick`: the app as a chooser for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import show


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--turn", "with_turn", is_flag=True, help="Print SESSION:TURN: the turn of a hit, the first of a session."
)
@data_dir_option
@reports_errors
def pick(query: tuple[str, ...], with_turn: bool, data_dir: Path | None) -> None:
    """Choose a session in the app, and print its id: memtui show $(memtui pick).

    It opens on the list of sessions, or on the hits of a query. Enter on a session or a hit chooses it. Esc in the
    list, q, or ctrl+q ends without a choice: nothing is printed, and the exit code is 1.
    """
    from memtui.cli.launch import start_app
    from memtui.cli.opened import open_index
    from memtui.widgets.requests.target import AppStart

    # Without an index there is nothing to choose.
    open_index(data_dir).close()
    chosen = start_app(data_dir, AppStart(query=" ".join(query), chooses=True, with_turn=with_turn))
    if not chosen:
        sys.exit(1)
    show(chosen)
