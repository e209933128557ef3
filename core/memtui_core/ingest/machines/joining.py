"""Sessions of other machines join the project of the same repository on this machine.

Two folders are the same repository if their remotes are. If the remote of one is unknown, the name decides, as long as
only one project of this machine has it. A repository that no session of this machine worked in is one project for all
machines that have it. The files of a session are relative to the repository on the machine where it ran.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from memtui_core.ingest.machines.origin import machine_of_source
from memtui_core.ingest.machines.repositories import Repository, repositories_of
from memtui_core.ingest.machines.state import state_file
from memtui_core.ingest.turns.sessions import IndexedSessions, SessionRow
from memtui_core.store.tables import COLUMNS, key_condition
from memtui_core.store.work.database import WorkDatabase
from memtui_core.system.projects import locate_project, remote_address, repository_key, repository_name
from memtui_core.text.machine_folders import at_machine, machine_of
from memtui_core.text.paths import clean, home_of, is_absolute, worktree_of

_SESSION, _TURN, _PATH = (list(COLUMNS["file_mentions"]).index(name) for name in ("session", "turn", "path"))
_Project = tuple[str, str]
"""Root and name."""


class _Place(NamedTuple):
    """Where a session belongs."""

    project: str
    root: str
    worktree: str | None


@dataclass(slots=True)
class _Repository:
    """A folder on another machine with the sessions that worked in it."""

    machine: str
    root: str
    sessions: dict[int, str | None] = field(default_factory=dict)
    """The worktree of each session by its key."""
    url: str = ""

    @property
    def name(self) -> str:
        return self.root.rpartition("/")[2] or self.root


class MachineSessions:
    """The sessions of other machines in an index."""

    def __init__(self, work: WorkDatabase, sessions: IndexedSessions) -> None:
        self._work = work
        self._sessions = sessions
        self._seen: dict[str, tuple[int, int]] = {}
        """When the state of each machine was last written, and its size, as of the last call of `changed`."""

    def changed(self) -> bool:
        """Whether more may be known of the repositories of a machine than at the last call."""
        if not self._may_be_any:
            return False
        states = {}
        for folder in self._work.data.machines.iterdir():
            with suppress(OSError):
                stat = state_file(self._work.data, folder.name).stat()
                states[folder.name] = stat.st_mtime_ns, stat.st_size
        before, self._seen = self._seen, states
        return states != before

    def moves(self) -> dict[int, _Place]:
        """The sessions that belong elsewhere than they are, by their keys."""
        away = {key: row for key, row in self._sessions.rows.items() if row.machine} if self._may_be_any else {}
        if not away:
            return {}
        places = self._at_home(away)
        places |= self._joined({key: row for key, row in away.items() if key not in places})
        rows = self._sessions.rows
        return {
            key: place
            for key, place in places.items()
            if place != (rows[key].project, rows[key].root, rows[key].worktree)
        }

    def move(self, places: Mapping[int, _Place]) -> list[int]:
        """Move sessions, within a transaction of the caller; the sessions whose files have other paths now."""
        folders = {}
        for key, place in places.items():
            row = self._sessions[key]
            before = row.own_folders[0]
            row.project, row.root, row.worktree = place
            if before != (after := row.own_folders[0]):
                folders[key] = before, after
        self._sessions.write()
        if folders:
            rows = self._work.rows("file_mentions", key_condition("session", folders), [])
            self._work.drop("file_mentions", {row[_TURN] for row in rows})
            moved = ((*row[:_PATH], _moved(row[_PATH], *folders[row[_SESSION]]), *row[_PATH + 1 :]) for row in rows)
            self._work.put("file_mentions", list(dict.fromkeys(row for row in moved if row[_PATH])))
        return list(folders)

    @property
    def _may_be_any(self) -> bool:
        """Whether anything was ever copied from another machine."""
        return self._work.data.machines.is_dir()

    def _at_home(self, away: Mapping[int, SessionRow]) -> dict[int, _Place]:
        """The sessions of which this machine has a transcript, with their subagents."""
        sources = self._work.connection.execute(
            f"SELECT session, path FROM sources WHERE {key_condition('session', away)}"
        ).fetchall()
        home = {session for session, path in sources if not machine_of_source(self._work.data, path)}
        at_home = home | (self._sessions.rows.keys() - away.keys())
        while more := {key for key, row in away.items() if key not in home and row.parent in at_home}:
            home |= more
            at_home |= more
        places = {}
        for key in home:
            row = away[key]
            place = locate_project(row.cwd)
            places[key] = _Place(place.name if place.root else row.project, place.root, place.worktree)
        return places

    def _joined(self, away: Mapping[int, SessionRow]) -> dict[int, _Place]:
        repositories = _repositories(away, cache(lambda machine: repositories_of(self._work.data, machine)))
        projects = _Projects(
            {(row.root, row.project) for row in self._sessions.rows.values() if row.root and not machine_of(row.root)},
            repositories,
        )
        places = {}
        for one in repositories:
            known = {(row.root, row.project) for key in one.sessions if not machine_of((row := away[key]).root)}
            target = projects.of(one, known)
            for key, worktree in one.sessions.items():
                marked = at_machine(one.machine, worktree) if worktree is not None else None
                if target is None:
                    name = one.name if one.root else away[key].project
                    places[key] = _Place(name, at_machine(one.machine, one.root), marked)
                else:
                    root, name = target
                    places[key] = _Place(name, root, marked or at_machine(one.machine, one.root))
        return places


class _Projects:
    """The projects that a repository of another machine may be."""

    def __init__(self, local: Collection[_Project], repositories: Collection[_Repository]) -> None:
        self._local = local
        self._address = cache(lambda root: repository_key(remote_address(root)))
        self._same: dict[str, list[_Repository]] = {}
        """By the address of a remote: the repositories that have it."""
        self._addresses: dict[str, set[str]] = {}
        """By the name of a repository: the addresses of all remotes."""
        for one in sorted(repositories, key=lambda one: (one.machine, one.root)):
            if one.url:
                self._same.setdefault(one.url, []).append(one)
                self._addresses.setdefault(one.name, set()).add(one.url)

    def of(self, one: _Repository, known: Collection[_Project]) -> _Project | None:
        """The project of a repository; None if it is one of its own. `known` are those to which it belonged before."""
        if not one.root or home_of(one.root) == one.root:
            return None
        if one.url and (same := [project for project in self._local if self._address(project[0]) == one.url]):
            return min(same, key=lambda project: (project[1] != one.name, project))
        if (project := self._by_name(one, known)) is not None or not one.url:
            return project
        others = self._same[one.url]
        if (project := next(filter(None, (self._by_name(other, ()) for other in others)), None)) is not None:
            return project
        first = others[0]
        return (at_machine(first.machine, first.root), first.name) if first is not one else None

    def _by_name(self, one: _Repository, known: Collection[_Project]) -> _Project | None:
        """The only project of this machine with the name of a repository, or else that to which it belonged before.

        None if both have a remote, and if other repositories of the name have another remote.
        """
        if one.url and len(self._addresses[one.name]) > 1:
            return None
        named = [project for project in self._local if project[1] == one.name]
        stays = [project for project in known if project in self._local]
        for candidates in (named, stays):
            if len(candidates) == 1 and not (one.url and self._address(candidates[0][0])):
                return candidates[0]
        return None


def _repositories(
    away: Mapping[int, SessionRow], known_at: Callable[[str], Mapping[str, Repository]]
) -> list[_Repository]:
    """The folders in which sessions of other machines worked; `known_at` tells what is known of those of a machine."""
    found: dict[tuple[str, str], _Repository] = {}
    for key, row in away.items():
        known = known_at(row.machine)
        root, worktree = row.own_folders
        repository = known.get(row.cwd) or known.get(clean(row.cwd))
        if repository is not None and _contains(clean(repository.root), clean(row.cwd)):
            top = clean(repository.root)
            root, worktree = worktree_of(top, repository_name(repository.url)) or (top, None)
        one = found.setdefault((row.machine, root), _Repository(row.machine, root))
        one.sessions[key] = worktree if worktree != root else None
        one.url = one.url or (repository_key(repository.url) if repository is not None else "")
    return list(found.values())


def _moved(path: str, before: str, after: str) -> str:
    """A path of a session whose root is another folder than before; empty for the new root itself."""
    if _contains(before, after) or _contains(after, before):
        whole = path if is_absolute(path) else f"{before}/{path}"
    elif is_absolute(path):
        whole = path
    else:
        # One of the two is a worktree of the other.
        return path
    return whole[len(after) + 1 :] if _contains(after, whole) else whole


def _contains(folder: str, path: str) -> bool:
    return bool(folder) and f"{path}/".startswith(f"{folder.rstrip('/')}/")
