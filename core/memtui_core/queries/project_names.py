"""The names of the projects of sessions, as every list shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from memtui_core.queries.columns import Lookup
from memtui_core.store.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text.project_names import shown_names


def project_name(key: str = "s.key") -> Lookup:
    """The name of the project of the session with a key; if others have the same, with the folder that differs."""
    return Lookup(key, _names_by_session, "")


def _names_by_session(source: RowSource) -> Mapping[int, str]:
    return source.cached("project names", partial(_read, source)) if isinstance(source, Snapshot) else _read(source)


def _read(source: RowSource) -> dict[int, str]:
    projects = {key: (root, name) for key, root, name in source.rows("SELECT key, root, project FROM sessions")}
    names = shown_names(projects.values())
    return {key: names[project] for key, project in projects.items()}
