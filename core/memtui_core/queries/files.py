"""Files over all sessions, and the turns that touched them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui_core.model import FileTouch, Project
from memtui_core.queries.columns import Columns, label, path, timestamp
from memtui_core.queries.names import project_name, project_name_at, session_title
from memtui_core.queries.places import Place, is_written, paths_at, placed_mentions
from memtui_core.queries.sessions import by_agent_or_machine
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.controls import stored
from memtui_core.text.machine_folders import MACHINE, machine_of


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file over all sessions of its project; the counts are turns."""

    path: str
    """Relative to the root of its project or repository, with forward slashes; absolute for a file outside of any."""
    project: str
    root: str
    edited: int
    read: int
    mentioned: int
    sessions: int
    first: datetime | None
    """When the first turn that touched it started."""
    last: datetime | None
    """When the last turn that touched it started."""


_FILE = Columns(
    FileRow,
    path=path("m.below"),
    project=project_name_at("m.root", "m.project"),
    root=label("m.root"),
    edited="count(DISTINCT m.turn) FILTER (m.kind = 'edited')",
    read="count(DISTINCT m.turn) FILTER (m.kind = 'read')",
    mentioned="count(DISTINCT m.turn) FILTER (m.kind = 'mentioned')",
    sessions="count(DISTINCT m.session)",
    first=timestamp("min(credible(t.started_at))"),
    last=timestamp("max(credible(t.started_at)) AS last"),
)
_TOUCH = Columns(
    FileTouch,
    path=path("m.path"),
    kind="m.kind",
    tool=label("m.tool"),
    session="s.key",
    session_id=label("s.session_id"),
    title=session_title(untitled=""),
    project=project_name(),
    turn="t.number",
    line="m.line",
    at=timestamp("credible(t.started_at)"),
    machine=label(MACHINE.format("s")),
)
KIND_ORDER = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
"""The rank of the kind of a mention `m`: edits first, mentions last."""


def paths_on_disk(file: FileRow) -> tuple[Path, ...]:
    """Where a file is on this machine, if it is there; nowhere for one that only another machine has."""
    if machine_of(stored(file.root)):
        return ()
    return (Path(stored(file.root)).expanduser() / Path(stored(file.path)).expanduser(),)


def is_file(snapshot: Snapshot, file: FileRow) -> tuple[str, list[str]]:
    """The condition that a mention `m` in a session `s` is of a file, and its parameters."""
    place = Place(stored(file.root), stored(file.project), stored(file.path))
    outside = paths_at(snapshot, place)
    others = f" OR {is_written(snapshot)}" * len(outside) if outside else ""
    return f"((s.root = ? AND s.project = ? AND m.path = ?){others})", [*place, *outside]


def list_files(snapshot: Snapshot) -> list[FileRow]:
    """Every file that a session touched, the last touched first."""
    mentions, parameters = placed_mentions(snapshot)
    return _FILE.select(
        snapshot,
        f"FROM {mentions} m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
        " WHERE NOT m.is_dir AND NOT s.hidden GROUP BY m.below, m.project, m.root"
        " ORDER BY last DESC NULLS LAST, m.below, m.root",
        parameters,
    )


def most_edited_files(
    snapshot: Snapshot, project: Project, since: datetime | None, limit: int
) -> tuple[list[FileRow], int]:
    """The files of a project that most turns since a time edited, most first, and how many files were ever edited.

    Of a project of one agent or one machine, only what that did counts. Without a time, all turns count.
    """
    mentions, parameters = placed_mentions(snapshot)
    by, own = by_agent_or_machine(project)
    # The database knows no zones.
    start = since.astimezone(UTC).replace(tzinfo=None) if since is not None else None
    listed = list(
        _FILE.select_by(
            snapshot,
            "count(*) OVER ()",
            f"FROM {mentions} m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
            f" WHERE NOT m.is_dir AND NOT s.hidden AND m.root = ? AND m.project = ?{by}"
            " GROUP BY m.below, m.project, m.root HAVING count(*) FILTER (m.kind = 'edited') > 0"
            " ORDER BY count(DISTINCT m.turn) FILTER (m.kind = 'edited' AND (?::TIMESTAMP IS NULL OR"
            " credible(t.started_at) >= ?)) DESC, last DESC NULLS LAST, m.below LIMIT ?",
            [*parameters, project.root, project.name, *own, start, start, limit],
        )
    )
    return [row for _, row in listed], listed[0][0] if listed else 0


def select_touches(snapshot: Snapshot, where: str, parameters: Sequence[Any], order: str) -> list[FileTouch]:
    """The file mentions that meet a condition over turns `t`, placed mentions `m` and sessions `s`."""
    mentions, own = placed_mentions(snapshot)
    return _select(snapshot, mentions, where, [*own, *parameters], order)


def turn_touches(snapshot: Snapshot, session: int, number: int) -> list[FileTouch]:
    """The files of one turn: edited, then read, then mentioned."""
    # Their places, which take longer to look up, do not matter.
    where, order = "t.session = ? AND t.number = ?", f"{KIND_ORDER}, m.path"
    return _select(snapshot, "file_mentions", where, [session, number], order)


def _select(snapshot: Snapshot, mentions: str, where: str, parameters: Sequence[Any], order: str) -> list[FileTouch]:
    return _TOUCH.select(
        snapshot,
        f"FROM {mentions} m JOIN turns t ON t.id = m.turn JOIN sessions s ON s.key = m.session"
        f" WHERE NOT m.is_dir AND NOT s.hidden AND {where} ORDER BY {order}",
        parameters,
    )


def file_timeline(snapshot: Snapshot, file: FileRow) -> list[FileTouch]:
    """The turns of all sessions that touched a file, the newest first; in a turn edits, then reads, then mentions."""
    where, parameters = is_file(snapshot, file)
    return _select(
        snapshot,
        "file_mentions",
        where,
        parameters,
        f"credible(t.started_at) DESC NULLS LAST, t.id DESC, {KIND_ORDER}, m.tool, m.path",
    )
