"""The names of the projects of sessions, as every list shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memtui_core.queries.columns import Lookup
from memtui_core.queries.naming.session_names import session_names
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import RowSource
from memtui_core.text.controls import label
from memtui_core.text.names.project_names import shown_names


def project_name(key: str = "s.key") -> Lookup:
    """The name of the project of the session with a key; if others have the same, with the folder that differs."""
    return Lookup(key, _names_by_session, "")


def project_name_at(root: str, project: str) -> Lookup:
    """The same for the project with a root and a name, which are expressions; of no project the name itself."""
    return Lookup(f"{root} || chr(31) || {project}", _names_by_place, "")


class _NamesByPlace(dict[str, str]):
    def __missing__(self, place: str) -> str:
        return label(place.partition("\x1f")[2])


def _names_by_place(source: RowSource) -> Mapping[str, str]:
    names = shown_names((root, project) for _, root, project in _projects(source))
    return _NamesByPlace({f"{root}\x1f{project}": shown for (root, project), shown in names.items()})


def _names_by_session(source: RowSource) -> Mapping[int, str]:
    if isinstance(source, Snapshot):
        return source.cached("project names", lambda: _shown(_projects(source)))
    return _shown(_projects(source))


def _projects(source: RowSource) -> Iterable[tuple[int, str, str]]:
    """The key, root and project of each session."""
    if isinstance(source, Snapshot):
        return [(name.key, name.root, name.project) for name in session_names(source)]
    return [(key, root, name) for key, root, name in source.rows("SELECT key, root, project FROM sessions")]


def _shown(sessions: Iterable[tuple[int, str, str]]) -> dict[int, str]:
    projects = {key: (root, name) for key, root, name in sessions}
    names = shown_names(projects.values())
    return {key: names[project] for key, project in projects.items()}
