"""Errors that were mended in a session, and the one change that can have mended each: what a hook may say unasked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memtui_core.queries.activity.episodes import (
    Episode,
    Run,
    acting_parts,
    acts,
    brings_changes,
    can_fail_from,
    episodes,
    file_name,
    is_of_project,
    same_command,
)


class MendedError(NamedTuple):
    """An error that was mended."""

    failed: Run
    """When it came up last."""
    mended: Run
    """The edit or the command after which it was gone."""
    passed: Run


def mended_errors(runs: Sequence[Run]) -> list[MendedError]:
    """The errors of one session that were mended for sure, each as it was the last time, from its runs in order."""
    found: dict[int, MendedError] = {}
    for episode in episodes(runs):
        mended = _mended(episode, runs)
        if mended is not None and episode.passed is not None:
            found[episode.last.key] = MendedError(episode.last, mended, episode.passed)
        else:
            found.pop(episode.last.key, None)
    return list(found.values())


def _mended(episode: Episode, runs: Sequence[Run]) -> Run | None:
    """The one change that can have mended an error.

    None if there is none, if it could be one of several, or if something that was done until the command passed is
    not known.
    """
    last, gone, passed = episode.last, episode.gone, episode.passed
    # A turn begins with a prompt: what its writer did before is not known.
    if gone is None or passed is None or last.number != passed.number:
        return None
    since = [run for run in runs if last.place < run.place <= passed.place]
    if acts(last.name):
        # That it failed again changed nothing, although of another command nobody could say so.
        again = {run.place for run in since if run.kind == "failure" and run.name == last.name}
        since = [run for run in since if run.name or run.place not in again]
    if any(map(_hides, since)) or acting_parts(passed.name) - acting_parts(last.name):
        return None
    changes = [run for run in since if _changes(run, last)]
    if len({(run.kind, run.name) for run in changes}) != 1 or changes[-1].place == passed.place:
        return None
    names_file = changes[0].kind == "edit" and file_name(changes[0].name) in last.text
    if not (names_file or is_of_project(last)):
        return None
    return next((run for run in reversed(changes) if run.place < gone.place), None)


def _hides(run: Run) -> bool:
    """Whether something may have been changed by a run, and it is not known what."""
    return run.kind == "denied" or brings_changes(run.name) or (run.kind == "edit" and not run.name)


def _changes(run: Run, failed: Run) -> bool:
    """Whether a run changed something that the failure can come from."""
    if run.kind == "edit":
        return can_fail_from(run.name, failed)
    return run.kind == "pass" and acts(run.name) and not same_command(run.name, failed.name)
