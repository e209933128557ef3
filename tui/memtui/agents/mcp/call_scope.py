"""The scope of a tool call: the searched project, and the calling session, which already has its own turns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memtui.agents.mcp.tool import Arguments, BadArgument, flag, text
from memtui_core.system import locations

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui_core.index.index import Index
    from memtui_core.memory.memory_search import TurnSearch
    from memtui_core.model import SearchResult

_PROJECT = text(
    "project",
    'The project to search, by name or folder; "all" for every project. Default: the project of the working folder.',
)
_INCLUDE_MY_SESSION = flag("include_my_session", "Include your own current session.")
_MY_SESSION = text("my_session", "Id of your own session, if memtui cannot read it from its environment.")
SCOPE = (_PROJECT, _INCLUDE_MY_SESSION, _MY_SESSION)
"""The arguments that `call_scope` reads."""
SESSION_VARIABLES = ("MEMTUI_SESSION_ID", "CLAUDE_CODE_SESSION_ID")
"""Environment variables in which an agent passes the id of its session to its servers."""
_MAX_NAMES = 10
"""Maximum projects that an error lists."""


def own_session(environ: Mapping[str, str] = os.environ) -> str:
    """The id of the session that started this process; empty if it is not in the environment."""
    return next((session for name in SESSION_VARIABLES if (session := environ.get(name, "").strip())), "")


@dataclass(frozen=True, slots=True)
class CallScope:
    """The scope of one call."""

    root: str | None
    """Root of the searched project, which includes its worktrees; None for all projects."""
    excluded_session: str
    """Id of the session that is left out; empty for none."""

    @property
    def note(self) -> str:
        """A note for an empty result; empty if every project was searched."""
        return "" if self.root is None else f'Only the project {self.root} was searched; project: "all" searches all.'


def call_scope(state: BackendState, arguments: Arguments) -> CallScope:
    """The scope that the arguments of SCOPE name. Raises BadArgument."""
    own = _MY_SESSION.read(arguments) or own_session()
    excluded = "" if _INCLUDE_MY_SESSION.read(arguments) else own
    return CallScope(_root(state, _PROJECT.read(arguments).strip()), excluded)


def turn_search(index: Index, scope: CallScope) -> TurnSearch:
    """The search over the turns in a scope; a project filter in the query replaces the project of the scope."""
    from memtui_core.search.query_parser import parse

    def search(text: str, limit: int, passages: int) -> SearchResult:
        root = None if any(name == "project" for name, _ in parse(text).filters) else scope.root
        return index.search(
            f"{_filters(root, scope.excluded_session)}{text}",
            limit,
            current_folder=locations.current_folder(),
            passages=passages,
        )

    return search


def _filters(root: str | None, excluded_session: str) -> str:
    """The filters of a scope. They come before the query: an unclosed quotation mark in it cannot swallow them."""
    project = f'project:"{root}" ' if root and '"' not in root else ""
    session = f'-session:"{excluded_session}" ' if excluded_session and '"' not in excluded_session else ""
    return project + session


def _root(state: BackendState, name: str) -> str | None:
    """The root of the project with a name or a folder; empty is the current project, `all` is None."""
    from memtui_core.queries.current_project import project_root
    from memtui_core.queries.sessions import find_projects

    if name == "all":
        return None
    if not name:
        current = project_root(state.snapshot, locations.current_folder())
        allowed = state.snapshot.roots if state.snapshot is not None else None
        return current if allowed is None or current in allowed else None
    projects = state.index.sessions.projects() if state.index is not None else []
    matching = find_projects(projects, name)
    if len(matching) == 1:
        return matching[0].root
    if matching:
        roots = ", ".join(project.root for project in matching)
        raise BadArgument(f"{name!r} is one of {len(matching)} projects: {roots}.")
    names = ", ".join(project.name for project in projects[:_MAX_NAMES]) or "none"
    raise BadArgument(f'There is no project {name[:60]!r}. There are: {names}; "all" means every project.')
