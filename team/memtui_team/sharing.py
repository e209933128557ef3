"""Which sessions are shared with the team: nothing by default, else by project, and by what the user chose for one.

Private, excluded and forgotten sessions are never shared. Neither are hidden ones, which a program wrote for itself,
nor those of which only the prompts are known. Subagents follow the session that started them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import orjson

from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.projects import remote_address, repository_key
from memtui_core.text.paths import clean, is_absolute
from memtui_core.text.redaction import redact
from memtui_team.errors import TeamError
from memtui_team.forgotten import Forgotten

Choice = Literal["shared", "private"]
EVERYONE: Final = "everyone"
"""The group with which a project is shared if the settings name none."""

_ROWS: Final = """
    SELECT s.key, s.agent, s.session_id, s.parent_id, s.parent, s.project, s.root, s.cwd, s.hidden,
        coalesce(t.turns, 0), coalesce(f.only_prompts, FALSE), s.forked_from
    FROM sessions s LEFT JOIN (SELECT session, count(*) AS turns FROM turns GROUP BY session) t ON t.session = s.key
    LEFT JOIN (
        SELECT session, bool_and(state = 'prompts') AS only_prompts
        FROM sources WHERE state <> 'superseded' GROUP BY session
    ) f ON f.session = s.key
    ORDER BY s.key
"""
_MOST_NAME: Final = 1_000
"""Characters of a project's key or name on the server."""
_MOST_ID: Final = 500
"""Characters of a session's id; agents write less than a tenth, and an index of the server has room for so many."""


def sent(text: str) -> str:
    """A name or an id as it leaves the machine: without secrets, and without the character 0 that no server keeps."""
    return redact(text).replace("\0", "")


class SharedProject(NamedTuple):
    """A project as the server knows it."""

    key: str
    """The address of its repository without scheme and user, or else its name."""
    name: str
    root: str
    groups: tuple[str, ...]
    """The groups with which it is shared, if the server does not know it yet."""


class SharedSession(NamedTuple):
    """A session that is shared."""

    key: int
    """`Session.key` in the index."""
    agent: str
    session_id: str
    parent_id: str
    """Empty for a session that no other one started."""
    project: SharedProject
    turns: int
    is_chosen: bool
    """Whether the user chose this session, instead of its project."""

    @property
    def identity(self) -> tuple[str, str, str]:
        """What tells it from the others of the device on the server."""
        return sent(self.agent), sent(self.session_id), sent(self.parent_id)


class ShareSummary(NamedTuple):
    """How much is shared."""

    sessions: int
    turns: int
    projects: tuple[tuple[SharedProject, int, int], ...]
    """Each shared project with the numbers of its sessions and turns."""


class SessionChoices:
    """What the user chose for single sessions, in a file of the data folder; the file counts for all processes."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / "team" / "sessions.json"
        """The file with the choices."""

    def read(self) -> dict[tuple[str, str], Choice]:
        """The choices by agent and session id.

        Raises TeamError if the file cannot be read: a private session must not be taken for another one.
        """
        try:
            rows = orjson.loads(self.path.read_bytes())
            choices: dict[tuple[str, str], Choice] = {(agent, session): choice for agent, session, choice in rows}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError) as error:
            raise TeamError(f"{self.path} cannot be read, so that nothing is shared: {error}") from error
        if not all(choice in ("shared", "private") for choice in choices.values()):
            raise TeamError(f"{self.path} cannot be read, so that nothing is shared: a choice is not known.")
        return choices

    def choose(self, agent: str, session_id: str, choice: Choice | None) -> None:
        """Share a session, keep it private, or treat it as its project. Raises TeamError and OSError."""
        from filelock import FileLock

        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with FileLock(self.path.with_suffix(".lock")):
            choices = self.read()
            choices.pop((agent, session_id), None)
            if choice is not None:
                choices[agent, session_id] = choice
            rows = [[*identity, chosen] for identity, chosen in sorted(choices.items())]
            write_atomically(self.path, orjson.dumps(rows), durable=True)


@dataclass(frozen=True)
class Sharing:
    """The settings by which sessions are shared, and the choices of the user."""

    share: tuple[str, ...] = ()
    """Names or folders of projects."""
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The groups of projects by their names or folders."""
    exclusions: Exclusions = NOTHING
    choices: Mapping[tuple[str, str], Choice] = field(default_factory=dict)
    """By agent and session id."""
    forgotten: Collection[tuple[str, str]] = frozenset()
    """Agent and id of the sessions that were forgotten on this device."""

    @classmethod
    def of(
        cls, data_dir: Path, share: Sequence[str], groups: Mapping[str, Sequence[str]], exclusions: Exclusions
    ) -> Sharing:
        """The settings with what the data folder has. Raises TeamError if that cannot be read."""
        return cls(
            tuple(share),
            groups,
            exclusions,
            SessionChoices(data_dir).read(),
            frozenset(Forgotten(data_dir).identities()),
        )

    def state(self) -> list[object]:
        """A value as JSON that is equal only for the same settings and choices."""
        groups = sorted([name, list(own)] for name, own in self.groups.items())
        choices = sorted([*identity, choice] for identity, choice in self.choices.items())
        return [list(self.share), groups, list(self.exclusions.patterns), choices, sorted(map(list, self.forgotten))]

    def shares_project(self, name: str, root: str) -> bool:
        """Whether the settings share a project."""
        return any(_is_project(entry, name, root) for entry in self.share)

    def project(self, name: str, root: str) -> SharedProject:
        """The project of a name and a root as the server knows it."""
        groups = next((own for entry, own in self.groups.items() if _is_project(entry, name, root)), (EVERYONE,))
        return SharedProject(sent(project_key(root, name))[:_MOST_NAME], sent(name)[:_MOST_NAME], root, tuple(groups))

    def sessions(self, snapshot: Snapshot) -> list[SharedSession]:
        """The sessions of a snapshot that are shared, in the order of their keys."""
        if not self.share and "shared" not in self.choices.values():
            return []
        rows = {row[0]: row for row in snapshot.rows(_ROWS)}
        excluded = self._excluded(snapshot)
        projects: dict[tuple[str, str], SharedProject] = {}
        shared: list[SharedSession] = []
        origins = {(row[1], row[2]): row[11] for row in rows.values() if row[11]}
        for key, agent, session_id, parent_id, _, _, _, _, _, turns, *_ in rows.values():
            line = list(_line(rows, key))
            if not turns or len(session_id) > _MOST_ID or len(parent_id or "") > _MOST_ID:
                continue
            if any(row[0] in excluded or row[8] or row[10] for row in line):
                continue
            top = line[-1]
            choice = self._choice(line, origins)
            place = top[5], top[6] or top[7]
            if choice == "private" or (choice is None and not self.shares_project(*place)):
                continue
            if place not in projects:
                projects[place] = self.project(*place)
            own = (key, agent, session_id, parent_id or "", projects[place], turns, choice is not None)
            shared.append(SharedSession(*own))
        return shared

    def _choice(self, line: Sequence[tuple[Any, ...]], origins: Mapping[tuple[str, str], str]) -> Choice | None:
        """What the user chose for a session or one of those above it; private counts most.

        A fork of a private or forgotten session is private: it repeats its turns.
        """
        identities = {(row[1], row[2]) for row in line}
        if line[-1][3]:
            # A subagent whose parent is not in the index.
            identities.add((line[-1][1], line[-1][3]))
        chosen = {self.choices.get(identity) for identity in identities}
        forked = set(identities)
        while more := {(agent, origins[agent, own]) for agent, own in forked if (agent, own) in origins} - forked:
            forked |= more
        if any(self.choices.get(identity) == "private" or identity in self.forgotten for identity in forked):
            return "private"
        return "shared" if "shared" in chosen else None

    def _excluded(self, snapshot: Snapshot) -> set[int]:
        if not self.exclusions:
            return set()
        from memtui_core.ingest.sources.removal import SESSIONS_TO_CHECK, SOURCES_TO_CHECK, excluded_keys

        return excluded_keys(snapshot.rows(SOURCES_TO_CHECK), snapshot.rows(SESSIONS_TO_CHECK), self.exclusions)


def summary_of(sessions: Iterable[SharedSession]) -> ShareSummary:
    """How much some shared sessions are; the projects in the order of their names."""
    counts, turns = Counter[SharedProject](), Counter[SharedProject]()
    for session in sessions:
        counts[session.project] += 1
        turns[session.project] += session.turns
    projects = sorted(counts, key=lambda project: (project.name, project.key, project.root))
    by_project = tuple((project, counts[project], turns[project]) for project in projects)
    return ShareSummary(counts.total(), turns.total(), by_project)


def _line(rows: Mapping[int, tuple[Any, ...]], key: int) -> Iterator[tuple[Any, ...]]:
    """The row of a session, and those of the sessions that started it, from below."""
    seen: set[int] = set()
    current: int | None = key
    while current is not None and current in rows and current not in seen:
        seen.add(current)
        yield rows[current]
        current = rows[current][4]


def _is_project(entry: str, name: str, root: str) -> bool:
    """Whether a name or folder in the settings is a project, or contains it."""
    if not ("/" in entry or "\\" in entry or entry.startswith("~")):
        return entry.casefold() == name.casefold()
    folder = clean(str(Path(entry).expanduser()))
    return bool(folder) and bool(root) and f"{root}/".startswith(f"{folder.rstrip('/')}/")


def project_key(root: str, name: str) -> str:
    """What tells a project from others on all machines: `github.com/ana/shop` of its remote, or else its name."""
    return (repository_key(remote_address(root)) if is_absolute(root) else "") or name
