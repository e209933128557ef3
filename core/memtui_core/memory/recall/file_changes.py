"""Whether the file that a recalled turn touched is still as that turn left it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memtui_core.memory.recall.recalled_turn import RecalledTurn
from memtui_core.queries.current_project import CurrentProject
from memtui_core.store.tables import RowSource

GONE, CHANGED, WRITTEN = "no such file now", "file changed since", "file written since"
"""It is not there; a later turn edited it; it was written later, and nobody knows whether it is another."""
_TOLERANCE = timedelta(seconds=2)
"""The clocks of transcripts and of file systems differ by less than that."""
_ENDS = (
    "SELECT s.session_id, t.number, coalesce(t.ended_at, t.started_at) FROM sessions s"
    " JOIN turns t ON t.session = s.key WHERE list_contains(?, s.session_id)"
)
_LAST_EDIT = (
    "SELECT max(t.started_at) FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
    " WHERE m.kind = 'edited' AND s.root = ? AND m.path = ?"
)


def file_changes(source: RowSource, project: CurrentProject, turns: Collection[RecalledTurn]) -> dict[str, str]:
    """What became of the files of turns, by their references: GONE, CHANGED or WRITTEN; others are as they were.

    Looked at are the files of the checkout in which the user or the agent works. Nothing is said of a turn without a
    time, and of files outside the project.
    """
    if not (named := _on_this_disk(project, turns)):
        return {}
    rows = source.rows(_ENDS, [sorted({turn.session_id for turn in named})])
    ends = {f"{session_id}:{number}": _utc(at) for session_id, number, at in rows if at is not None}

    def edited_at(path: str) -> datetime | None:
        [(at,)] = source.rows(_LAST_EDIT, [project.root, path])
        return at and _utc(at)

    return changes_since(project, turns, ends, edited_at)


def changes_since(
    project: CurrentProject,
    turns: Collection[RecalledTurn],
    ends: Mapping[str, datetime],
    edited_at: Callable[[str], datetime | None],
) -> dict[str, str]:
    """As `file_changes`, given when turns ended, by their references, and when a path was edited last."""
    found = {}
    for turn in _on_this_disk(project, turns):
        path, end = turn.files[0], ends.get(turn.reference)
        if end is None or not (said := _on_disk(Path(project.checkout, path), end)):
            continue
        is_known = said == WRITTEN and (edited := edited_at(path)) is not None and edited > end
        found[turn.reference] = CHANGED if is_known else said
    return found


def _on_this_disk(project: CurrentProject, turns: Collection[RecalledTurn]) -> list[RecalledTurn]:
    """The turns with a file of the checkout, if that is here."""
    base = Path(project.checkout)
    if not base.is_absolute() or not base.is_dir():
        return []
    return [turn for turn in turns if turn.files and not Path(turn.files[0]).is_absolute()]


def _on_disk(path: Path, end: datetime) -> str:
    """GONE, WRITTEN after a time, or empty."""
    try:
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:
        return GONE
    except OSError:
        return ""
    return WRITTEN if written > end + _TOLERANCE else ""


def _utc(at: datetime) -> datetime:
    """A time of the index, which has no zone."""
    return at.replace(tzinfo=UTC)
