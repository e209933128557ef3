"""`memtui archive`: leave sessions out of lists and searches."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.marks.named import BY, named_session
from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, reports_errors


@click.command()
@click.argument("sessions", nargs=-1, required=True, metavar="SESSION...")
@click.option("--remove", is_flag=True, help="Take the sessions back.")
@data_dir_option
@reports_errors
def archive(sessions: tuple[str, ...], remove: bool, data_dir: Path | None) -> None:
    """Leave sessions out of lists and searches; is:archived finds them.

    Nothing is removed: memtui show and the histories of files have them as before.
    """
    index = open_with_team(data_dir)
    for target in [named_session(index, one) for one in sessions]:
        is_changed = index.annotations.archive(target.session.key, archived=not remove, by=BY)
        done = "No longer archived" if remove else "Archived"
        target.say(done if is_changed else "Not archived" if remove else "Was archived")
