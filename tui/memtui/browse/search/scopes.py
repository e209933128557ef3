"""The scopes of the search line: where the text searches, or the list that it filters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from memtui.views.base import View
from memtui.widgets.search.words import ALL_PROJECTS, PLACEHOLDER
from memtui_core.model import Session
from memtui_core.text.machine_folders import folder_of


@dataclass(frozen=True, slots=True)
class Scope:
    """A scope with its name on the screen."""

    kind: Literal["all", "team", "project", "session", "list"]
    title: str
    query_filter: str = ""
    """The filter that is put before the query: filters come first, so that the last word can match as a beginning."""

    @property
    def is_list(self) -> bool:
        """Whether the text filters the list of the view, instead of searching."""
        return self.kind == "list"

    @property
    def placeholder(self) -> str:
        """What the empty line says."""
        return f"filter {self.title}" if self.is_list else PLACEHOLDER


EVERYTHING: Final = Scope("all", ALL_PROJECTS)
TEAM: Final = Scope("team", "all + team")
"""Everything, and what colleagues share."""


def list_scope(view: View) -> Scope:
    """The scope that filters the list of a view."""
    return Scope("list", view.ITEMS)


def project_scope(folder: str, name: str) -> Scope:
    """The scope that searches in a project, by its root or, if it has none, by its name."""
    return Scope("project", name, f'project:"{folder}" ')


def scopes_of(session: Session | None, view: View, *, has_team: bool = False) -> list[Scope]:
    """The scopes in the order of `ctrl+r`, for the open session and the chosen view."""
    scopes = [EVERYTHING, TEAM] if has_team else [EVERYTHING]
    if session is not None:
        scopes.append(
            project_scope(
                session.root if folder_of(session.root) else session.project, session.project or "this project"
            )
        )
        scopes.append(Scope("session", "this session", f"session:{session.session_id} "))
    if view.ITEMS:
        scopes.append(list_scope(view))
    return scopes
