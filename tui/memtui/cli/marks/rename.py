"""`memtui rename`: a title of the user's."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.marks.named import BY, named_session
from memtui.cli.opened import open_with_team
from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import say


@click.command()
@click.argument("session")
@click.argument("title", nargs=-1)
@click.option("--remove", is_flag=True, help="Use the agent's title again.")
@data_dir_option
@reports_errors
def rename(session: str, title: tuple[str, ...], remove: bool, data_dir: Path | None) -> None:
    """Give a session a title of your own, which memtui shows in the place of the agent's.

    Only memtui knows it: nothing is written to the transcript or sent to a team.
    """
    if remove == bool(title):
        raise click.UsageError("Give a title, or --remove.")
    index = open_with_team(data_dir)
    target = named_session(index, session)
    is_changed = index.annotations.rename(target.session.key, " ".join(title), by=BY)
    renamed = index.sessions.get(target.session.key)
    before = f" (the agent's: {renamed.agent_title})" if renamed.agent_title else ""
    say(f"{'Title' if is_changed else 'Unchanged'}: {renamed.session_id} {renamed.title}{before}")
