"""`memtui forget`: remove from the index what the settings exclude."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from memtui.cli.options import data_dir_option, reports_errors, settings
from memtui.cli.output import ask, say, show


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would be removed, and stop.")
@click.option("--yes", is_flag=True, help="Remove without asking.")
@data_dir_option
@reports_errors
def forget(dry_run: bool, yes: bool, data_dir: Path | None) -> None:
    """Remove the sessions that the setting `exclude` names from the index.

    Shows the sessions by project and asks before it removes them. Texts that were
    written for agents go, too. Transcripts and observations are not touched. If a team
    was joined, the next memtui team push removes the sessions from its server.
    """
    from memtui.wording.formatting import plural
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.memory.handoff.start import remove_prompt_files
    from memtui_core.store.marks.review_marks import ReviewMarks
    from memtui_core.system import locations

    exclusions = settings().exclusions
    if not exclusions:
        say(f"Nothing is excluded: {locations.config_file()} has no setting exclude.")
        return
    folder = locations.data_dir(data_dir)
    with Indexer(folder, wait=WAIT, exclusions=exclusions) as indexer:
        excluded = indexer.excluded()
        if not excluded.keys:
            say("The index contains nothing that is excluded.")
            return
        for (agent, project), count in sorted(excluded.by_project.items()):
            show(f"{project}: {plural(count, 'session')} of {agent}")
        if dry_run:
            return
        if not yes:
            ask("Remove these sessions from the index?", "Nothing was removed.")
        _tell_team(folder, excluded.identities)
        indexer.forget(excluded)
    remove_prompt_files(folder)
    ReviewMarks(folder).remove_texts()
    say(f"{plural(len(excluded.keys), 'session')} removed, subagents included.")


def _tell_team(data_dir: Path, sessions: Sequence[tuple[str, str]]) -> None:
    """Remember, if a team was joined, which sessions the next push removes from its server, for all devices."""
    from memtui_team.address import TeamAddress
    from memtui_team.forgotten import Forgotten

    if TeamAddress.load(data_dir) is not None:
        Forgotten(data_dir).add(sessions)


WAIT = 10
"""Seconds to wait for an indexer that is running; it does not end while an app is open."""
