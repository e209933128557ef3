"""The index of a command, and what its options name in it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.model import Project
    from memtui_core.store.snapshot.reader import Snapshot
    from memtui_team.search.joined import JoinedTeam


def open_index(data_dir: Path | None) -> Index:
    """The index of a data folder, or of the default one. Raises IndexMissing, IndexBroken or IndexTooNew."""
    from memtui_core.index.index import Index
    from memtui_core.system import locations

    return Index.open(locations.data_dir(data_dir))


def open_with_team(data_dir: Path | None) -> Index:
    """The same, with the sessions of the team if one was joined: those are found that are not in the index."""
    index = open_index(data_dir)
    team_of(index)
    return index


def team_of(index: Index) -> JoinedTeam | None:
    """The team that was joined with an index; None for none. Raises TeamError."""
    # Nothing of it is imported before a team was joined.
    if not (index.data.path / "team").is_dir():
        return None
    from memtui_team.search.joined import join

    team = join(index)
    if team is not None:
        click.get_current_context().call_on_close(team.close)
    return team


def project_named(snapshot: Snapshot, name: str, argument: str = "--project") -> Project:
    """The project with a name or root, otherwise the only one whose name begins so.

    `argument` is what names it, for the error. Raises click.BadParameter, with similar names if there are some.
    """
    from memtui.wording.suggestion import suggestion
    from memtui_core.queries.sessions import find_projects, list_projects

    all_projects = list_projects(snapshot)
    matching = find_projects(all_projects, name)
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(repr(project.name) for project in matching)
        folders = ", ".join(filter(None, (project.root for project in matching)))
        raise click.BadParameter(
            f"There are several projects {name!r}. Name one: {names}, or its folder: {folders}", param_hint=argument
        )
    if meant := suggestion(name, [project.name for project in all_projects]):
        raise click.BadParameter(f"There is no project {name!r}.{meant}", param_hint=argument)
    known = ", ".join(project.name for project in all_projects[:10]) + (" …" if len(all_projects) > 10 else "")
    raise click.BadParameter(f"There is no project {name!r}; there are: {known}", param_hint=argument)


def load_model(index: Index) -> None:
    """Load the model of an index, unless it cannot be loaded: then `Index.vector_gap` says why."""
    from memtui_core.errors import ModelUnavailable

    with suppress(ModelUnavailable):
        index.vectors.load_model(threads=2, briefly=True)
