"""`memtui pin`: keep a session or a turn at hand."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.marks.named import BY, named_target
from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, reports_errors


@click.command()
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION[:TURN]...")
@click.option("--remove", is_flag=True, help="Take the pins away.")
@data_dir_option
@reports_errors
def pin(sessions: tuple[str, ...], remove: bool, data_dir: Path | None) -> None:
    """Pin sessions or turns: pinned sessions come first, and is:pinned finds both."""
    index = open_with_team(data_dir)
    for target in [named_target(index, one) for one in sessions]:
        is_changed = index.annotations.pin(target.session.key, target.turn, pinned=not remove, by=BY)
        said = ("No longer pinned" if remove else "Pinned") if is_changed else "Not pinned" if remove else "Was pinned"
        target.say(said)
