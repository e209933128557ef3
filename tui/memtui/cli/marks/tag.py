"""`memtui tag`: tags of a session or a turn."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.marks.named import BY, named_target
from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say, show


@click.command()
@click.argument("session", required=False, metavar="[SESSION[:TURN]]")
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@click.option("--remove", is_flag=True, help="Take these tags away.")
@data_dir_option
@reports_errors
def tag(session: str | None, tags: tuple[str, ...], remove: bool, data_dir: Path | None) -> None:
    """Add tags to a session or a turn, for the filter tag: of searches.

    Without tags it prints those that there are; without a session all tags, the most
    used first.
    """
    index = open_with_team(data_dir)
    if session is None:
        for name in index.annotations.tags():
            show(name)
        return
    target = named_target(index, session)
    key, turn = target.session.key, target.turn
    if tags and remove:
        index.annotations.untag(key, tags, turn, by=BY)
    elif tags:
        index.annotations.tag(key, tags, turn, by=BY)
    elif remove:
        raise click.UsageError("Name the tags that are to be taken away.")
    found = index.annotations.of(key, turn).tags
    for name in found:
        show(name)
    if not found:
        say("No tags.")
