"""`memtui team init`: the schema on the team's server."""

from __future__ import annotations

from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors
from memtui.cli.output import ask, say, show
from memtui.cli.team.opened import ADMIN_VARIABLE


@click.command()
@click.argument("url", envvar=ADMIN_VARIABLE)
@click.option("--dry-run", is_flag=True, help="Print the SQL, and stop.")
@click.option("--yes", is_flag=True, help="Run the SQL without asking.")
@data_dir_option
@reports_errors
def init(url: str, dry_run: bool, yes: bool, data_dir: Path | None) -> None:
    """Set up a PostgreSQL server for a team, or upgrade it.

    URL is postgresql://USER:PASSWORD@HOST/DATABASE of an administrator, or the value of MEMTUI_TEAM_ADMIN_URL. The
    server needs pgvector; with pg_textsearch hits by words are ranked by BM25. What is there already is left alone.
    The URL is kept in the data folder, in a file that only you can read.
    """
    from memtui.wording.formatting import plural
    from memtui_core.system import locations
    from memtui_team.address import save_admin_url
    from memtui_team.admin.status import ranking_advice
    from memtui_team.connection import connect_as_admin, place_of, reported_errors
    from memtui_team.schema import EVERYONE, install, plan_installation

    with connect_as_admin(url) as connection, reported_errors():
        planned = plan_installation(connection)
        for note in planned.notes:
            say(f"memtui: {note}")
        text = f"{planned.sql}{planned.ranking_sql}"
        if dry_run:
            show(text.rstrip("\n") if text else "-- Nothing is to be done.")
            return
        if text and not yes:
            what = "add the index of BM25" if not planned.sql else f"upgrade schema {planned.schema}"
            what = what if planned.schema else "create the schema memtui and two roles"
            say(f"{plural(len(text.splitlines()), 'line')} of SQL {what} in {place_of(url)}; --dry-run prints them.")
            ask("Run them?", "Nothing was changed.")
        ranks = install(connection)
        advice = "" if ranks else ranking_advice(is_there=bool(plan_installation(connection).ranking_sql))
    save_admin_url(locations.data_dir(data_dir), url)
    say("The server is up to date." if planned.schema else f"The server is set up, with a group {EVERYONE}.")
    if advice:
        say(f"Hits by words are ranked without BM25. {advice}")
    say("Invite each device of a member with: memtui team invite MEMBER --device NAME")
