"""What is said of an earlier case of an error: only what its transcript proves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.wording.formatting import age, agent_name, plural
from memtui_core.text.controls import one_line, plain
from memtui_core.text.turn_range import short_session

if TYPE_CHECKING:
    from datetime import datetime

    from memtui_core.index.recall import KnownError, MendingChange


def reference(error: KnownError, turn: int) -> str:
    """A turn of the session of an error: `1a2b3c4d:12`."""
    return f"{short_session(error.session.session_id)}:{turn}"


def facts(error: KnownError, now: datetime) -> list[str]:
    """When and where it came up, and how often."""
    return [
        part
        for part in (
            "" if error.is_same else "similar",
            age(error.at, now),
            agent_name(error.session.agent),
            error.session.project,
            one_line(error.command),
            plural(error.times, "time") if error.times > 1 else "",
        )
        if part
    ]


def verdict(error: KnownError) -> str:
    """How it ended, in a sentence."""
    if error.passed_turn is None:
        return "No later run there is known to have passed."
    passed = f"Passed in {reference(error, error.passed_turn)}"
    if error.mended is not None:
        return f"{passed} after {what(error, error.mended)} in {reference(error, error.mended.turn)}{_others(error)}."
    if error.end == "reworded":
        return f"{passed} as {one_line(error.changes.run_as)}, with nothing changed."
    if error.end == "unchanged":
        return f"{passed}, though nothing was changed."
    return f"{passed}; nothing in the session tells why."


def what(error: KnownError, change: MendingChange) -> str:
    """A change in a few words."""
    return f"an edit of {path_of(error, change)}" if change.path else one_line(change.command)


def path_of(error: KnownError, change: MendingChange) -> str:
    """The file of an edit, as its project names it."""
    root = f"{error.session.root}/"
    return one_line(change.path[len(root) :] if change.path.startswith(root) else change.path)


def changed_lines(change: MendingChange) -> list[str]:
    """The lines of an edit with those around them, with their signs; `…` between places of the file."""
    lines: list[str] = []
    for hunk in change.hunks:
        lines += [*(["…"] if lines else []), *(f"{sign}{plain(text.expandtabs(4))}" for sign, text in hunk.lines)]
    return lines


def _others(error: KnownError) -> str:
    """How many other files were edited before it passed."""
    mended = error.mended.path if error.mended is not None else ""
    paths = {change.path for change in error.changes.made if change.path} - {mended}
    return f", with {plural(len(paths), 'other file')} edited" if paths else ""
