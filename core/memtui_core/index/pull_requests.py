"""Pull requests and the sessions that worked on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui_core.model import PrLink, Project
from memtui_core.queries.pull_requests import (
    PrRow,
    PrSource,
    PrStory,
    PullRequest,
    list_pull_requests,
    pull_requests,
    select_pr_links,
)
from memtui_core.tools.shell.pull_requests import PrState

if TYPE_CHECKING:
    from pathlib import Path

    from memtui_core.index.index import Index
    from memtui_core.memory.blame.values import RequestOrigin

__all__ = ["PrRow", "PrSource", "PrState", "PrStory", "PullRequest", "PullRequests"]


class PullRequests:
    """Queries for pull requests."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def all(self, project: Project | None = None) -> list[PrRow]:
        """Every pull request with each of its sessions, of a project or of all, the last worked on first."""
        return list_pull_requests(self._index.snapshot, project)

    def known(self, project: Project | None = None) -> list[PullRequest]:
        """Every pull request once, of a project or of all, the last worked on first.

        Each has its title and state, as far as its sessions say them.
        """
        return pull_requests(self._index.snapshot, project)

    def origin(self, number: int, folder: Path, repository: str = "") -> RequestOrigin:
        """The turns behind a pull request of a repository (`owner/name`), or of that which contains a folder.

        Raises NothingSelected if none is named so, or several are.
        """
        from memtui_core.memory.blame.request_origin import origin_of_request

        return origin_of_request(self._index.snapshot, number, folder, repository)

    def links(self, number: int | None = None, session: int | None = None) -> list[PrLink]:
        """Pull requests and their sessions: all, those of one number, or those of one session ordered by number."""
        snapshot = self._index.snapshot if session is None else self._index.snapshot_of(session)
        return select_pr_links(snapshot, number, session)
