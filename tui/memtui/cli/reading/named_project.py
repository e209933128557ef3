"""The project that an argument of a command names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from memtui.wording.suggestion import suggestion
from memtui_core.model import Project

_MOST: Final = 10
"""Names that an error lists."""


def named_project(all_projects: Sequence[Project], name: str, argument: str) -> Project:
    """The project with a name or root, otherwise the only one whose name begins so. Raises click.BadParameter."""
    from memtui_core.queries.sessions import find_projects

    matching = find_projects(all_projects, name)
    if len(matching) == 1:
        return matching[0]
    if matching:
        folders = ", ".join(project.root or project.name for project in matching)
        raise click.BadParameter(f"{name!r} is one of: {folders}", param_hint=argument)
    known = ", ".join(project.name for project in all_projects[:_MOST]) + (" …" if len(all_projects) > _MOST else "")
    meant = suggestion(name, [project.name for project in all_projects])
    problem = f"There is no project {name!r}.{meant}" if meant else f"There is no project {name!r}; there are: {known}"
    raise click.BadParameter(problem, param_hint=argument)
