"""The names of the projects of sessions, as every list shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memtui_core.queries.columns import Lookup
from memtui_core.queries.session_names import session_names
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text.project_names import shown_names


def project_name(key: str = "s.key") -> Lookup:
    """The name of the project of the session with a key; if others have the same, with the folder that differs."""
    return Lookup(key, _names_by_session, "")


def _names_by_session(source: RowSource) -> Mapping[int, str]:
    if isinstance(source, Snapshot):
        return source.cached("project names", lambda: _shown(row[:3] for row in session_names(source)))
    return _shown(source.rows("SELECT key, root, project FROM sessions"))


def _shown(sessions: Iterable[tuple[Any, ...]]) -> dict[int, str]:
    projects = {key: (root, name) for key, root, name in sessions}
    names = shown_names(projects.values())
    return {key: names[project] for key, project in projects.items()}
