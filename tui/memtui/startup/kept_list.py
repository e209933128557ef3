"""The first rows of the tree as they were when the app was left: shown at the next start until the index is open.

A file in the data folder. It counts only for the base of the snapshot from which it was made: what was forgotten since
is in a newer base. It is never needed, so that one that cannot be read or written is ignored.

With the start screen it saves 265 ms of the processor until the first rows are shown, of 479: without it they come when
the main screen is imported and the index is open.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import orjson

from memtui_core.errors import IndexTooNew
from memtui_core.index.folder import DataDir, Manifest, read_manifest
from memtui_core.model import EndKind, Project, Session, SessionEnd
from memtui_core.system.atomic_files import write_atomically
from memtui_core.text.controls import label, title

_VERSION = 1
MAX_ROWS = 60
"""Projects, and sessions of the first one, that are kept: more than a screen shows."""
_MAX_SIZE = 1_000_000
"""Bytes of a file that is read."""


@dataclass(frozen=True, slots=True)
class KeptList:
    """Projects, the most recently used first, and the sessions of the first one."""

    projects: tuple[Project, ...]
    sessions: tuple[Session, ...]
    shows_agents: bool
    """Whether there are several agents."""


def read_kept(data_dir: Path) -> KeptList | None:
    """The list that was kept, with texts that are safe to show; None if there is none for the base of the index."""
    data = DataDir(data_dir)
    try:
        manifest = read_manifest(data)
        if manifest is None or data.last_list.stat().st_size > _MAX_SIZE:
            return None
        kept = orjson.loads(data.last_list.read_bytes())
        if kept["base"] != _base(manifest):
            return None
        projects = tuple(_made(Project, row) for row in kept["projects"][:MAX_ROWS])
        sessions = tuple(_made(Session, row) for row in kept["sessions"][:MAX_ROWS])
        shows_agents = kept["shows_agents"] is True
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexTooNew):
        return None
    return KeptList(projects, sessions, shows_agents) if projects else None


def write_kept(data_dir: Path, kept: KeptList, snapshot: Manifest) -> None:
    """Keep a list that was read from a snapshot, if that is still the newest one."""
    data = DataDir(data_dir)
    fields_of = {
        "base": _base(snapshot),
        "projects": [_row(project) for project in kept.projects[:MAX_ROWS]],
        "sessions": [_row(session) for session in kept.sessions[:MAX_ROWS]],
        "shows_agents": kept.shows_agents,
    }
    with suppress(OSError, orjson.JSONEncodeError):
        # What was forgotten a moment ago is still in this list, but not in the newest snapshot.
        if read_manifest(data) == snapshot:
            write_atomically(data.last_list, orjson.dumps(fields_of))


def _base(manifest: Manifest) -> list[Any]:
    return [_VERSION, manifest.base, manifest.base_bytes, manifest.base_at]


def _row(item: Project | Session | SessionEnd) -> dict[str, Any]:
    # A label is kept as it is shown.
    return {field.name: _kept(getattr(item, field.name)) for field in fields(item)}


def _kept(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, SessionEnd):
        return _row(value)
    return [str(one) for one in value] if isinstance(value, tuple) else str(value) if isinstance(value, str) else value


def _made(kind: Any, row: dict[str, Any]) -> Any:
    """A project, a session or its end; raises ValueError, KeyError or TypeError for a row that is none."""
    values: dict[str, Any] = {}
    for field in fields(kind):
        value, annotation = row[field.name], str(field.type)
        if value is None and annotation.endswith("| None"):
            values[field.name] = None
        elif annotation.startswith("SessionEnd"):
            values[field.name] = _made(SessionEnd, value)
        elif annotation == "EndKind":
            if value not in get_args(EndKind):
                raise ValueError("no kind of an end")
            values[field.name] = value
        elif annotation.startswith("datetime"):
            at = datetime.fromisoformat(value)
            if at.tzinfo is None:
                raise ValueError("a time without a zone")
            values[field.name] = at
        elif annotation.startswith("tuple"):
            values[field.name] = tuple(_text(one) for one in value)
        elif annotation.startswith("str"):
            values[field.name] = title(_text(value)) if field.name == "title" else _text(value)
        elif type(value) is (bool if annotation == "bool" else int):
            values[field.name] = value
        else:
            raise TypeError(f"{field.name} is not {annotation}")
    return kind(**values)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return label(value)
