"""Files over all sessions, and the turns that touched them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memtui_core.model import FileTouch
from memtui_core.queries.columns import Columns, label, timestamp
from memtui_core.queries.project_names import project_name
from memtui_core.queries.titles import session_title
from memtui_core.store.reader import Snapshot
from memtui_core.values import dataclass


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file over all sessions of its project; the counts are turns."""

    path: str
    """Relative to the root, with forward slashes."""
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
    path=label("m.path"),
    project=project_name("min(s.key)"),
    root=label("s.root"),
    edited="count(DISTINCT m.turn) FILTER (m.kind = 'edited')",
    read="count(DISTINCT m.turn) FILTER (m.kind = 'read')",
    mentioned="count(DISTINCT m.turn) FILTER (m.kind = 'mentioned')",
    sessions="count(DISTINCT m.session)",
    first=timestamp("min(credible(t.started_at))"),
    last=timestamp("max(credible(t.started_at)) AS last"),
)
_TOUCH = Columns(
    FileTouch,
    path=label("m.path"),
    kind="m.kind",
    tool=label("m.tool"),
    session="s.key",
    session_id=label("s.session_id"),
    title=session_title(untitled=""),
    project=project_name(),
    turn="t.number",
    line="m.line",
    at=timestamp("credible(t.started_at)"),
)
KIND_ORDER = "CASE m.kind WHEN 'edited' THEN 0 WHEN 'read' THEN 1 ELSE 2 END"
"""The rank of the kind of a mention `m`: edits first, mentions last."""


def list_files(snapshot: Snapshot) -> list[FileRow]:
    """Every file that a session touched, the last touched first."""
    return _FILE.select(
        snapshot,
        "FROM file_mentions m JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn"
        " WHERE NOT m.is_dir AND NOT s.hidden GROUP BY m.path, s.project, s.root"
        " ORDER BY last DESC NULLS LAST, m.path, s.root",
    )


def select_touches(snapshot: Snapshot, where: str, parameters: Sequence[Any], order: str) -> list[FileTouch]:
    """The file mentions that meet a condition over turns `t`, mentions `m` and sessions `s`."""
    return _TOUCH.select(
        snapshot,
        "FROM file_mentions m JOIN turns t ON t.id = m.turn JOIN sessions s ON s.key = m.session"
        f" WHERE NOT m.is_dir AND NOT s.hidden AND {where} ORDER BY {order}",
        parameters,
    )


def turn_touches(snapshot: Snapshot, session: int, number: int) -> list[FileTouch]:
    """The files of one turn: edited, then read, then mentioned."""
    return select_touches(snapshot, "t.session = ? AND t.number = ?", [session, number], f"{KIND_ORDER}, m.path")


def file_timeline(snapshot: Snapshot, file: FileRow) -> list[FileTouch]:
    """The turns of all sessions that touched a file, the newest first; in a turn edits, then reads, then mentions."""
    return select_touches(
        snapshot,
        "m.path = ? AND s.root = ? AND s.project = ?",
        [file.path, file.root, file.project],
        f"credible(t.started_at) DESC NULLS LAST, t.id DESC, {KIND_ORDER}, m.tool",
    )
