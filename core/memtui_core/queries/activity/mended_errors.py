"""Errors that were mended in a session, and the one change that can have mended each: what a hook may say unasked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memtui_core.queries.activity.episodes import (
    Episode,
    Run,
    between,
    commands_between,
    episodes,
    is_of_project,
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
    return list(found.values())


def _mended(episode: Episode, runs: Sequence[Run]) -> Run | None:
    """The one change that can have mended an error; None if there is none, or it could be one of several."""
    if episode.passed is None:
        return None
    edits = between(episode, runs, "edit")
    names = ((edit, edit.name.replace("\\", "/").rpartition("/")[2]) for edit in edits)
    named = [edit for edit, name in names if name and name in episode.last.text]
    if named:
        return named[-1]
    if not is_of_project(episode.last):
        return None
    if edits:
        return edits[-1] if edits[0].name and len({edit.name for edit in edits}) == 1 else None
    commands = commands_between(episode, runs)
    return commands[0] if len(commands) == 1 else None
