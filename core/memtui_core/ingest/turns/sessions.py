"""The rows of sessions in memory, and the choice of their titles."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memtui_core.ingest.turns.numbering import number_turns
from memtui_core.model import Retention
from memtui_core.readers.base import Identity
from memtui_core.readers.exclusions import RetentionRules
from memtui_core.readers.records import SessionFacts, TitleRank
from memtui_core.system.projects import locate_project
from memtui_core.text.machine_folders import folder_of, machine_of, own_folders
from memtui_core.text.paths import clean, managed_worktree

if TYPE_CHECKING:
    from memtui_core.store.work.database import WorkDatabase

_Unique = tuple[str, str, str | None]
_SEVERAL_SOURCES: Final = -1
"""Stands for the source of a session's turns if they are in several sources."""
_TITLE_LENGTH = 100
"""The most characters of a prompt that is used as a title."""


@dataclass(slots=True)
class SessionRow:
    """A row of the table of sessions."""

    key: int
    agent: str
    session_id: str
    parent_id: str | None
    parent: int | None
    parent_tool_id: str | None
    agent_type: str | None
    project: str
    root: str
    worktree: str | None
    cwd: str
    branch: str | None
    version: str | None
    title: str
    title_rank: int
    forked_from: str | None
    hidden: bool

    @property
    def unique(self) -> _Unique:
        """What identifies the session: the agent, the agent's id of it, and that of its parent."""
        return self.agent, self.session_id, self.parent_id

    @property
    def machine(self) -> str:
        """The other machine on which it ran; empty for this one."""
        return machine_of(self.root, self.worktree)

    @property
    def own_folders(self) -> tuple[str, str | None]:
        """The root and the worktree on its machine."""
        return own_folders(self.root, self.worktree)

    def rename(self, rank: TitleRank, text: str) -> bool:
        """Set the title, unless there is a more trusted one; of equally trusted titles the last one counts.

        Of prompts only the first one counts. Returns whether the title has changed.
        """
        text = " ".join(text.split())
        if rank <= TitleRank.FIRST_PROMPT and len(text) > _TITLE_LENGTH:
            text = text[: _TITLE_LENGTH - 1].rstrip() + "…"
        if rank < self.title_rank or (rank == self.title_rank == TitleRank.FIRST_PROMPT) or text == self.title:
            return False
        self.title, self.title_rank = text, int(rank)
        return True


def level_of(rules: RetentionRules, session: SessionRow) -> Retention:
    """How much is kept of a session."""
    folders = (session.cwd, folder_of(session.root), folder_of(session.worktree or ""))
    return rules.level_of(session.project, *folders) if rules else "full"


_COLUMNS = list(SessionRow.__match_args__)


class SessionTable:
    """Sessions in memory, by key and by identity."""

    def __init__(self) -> None:
        self.rows: dict[int, SessionRow] = {}
        self._keys: dict[_Unique, int] = {}
        self._turns: dict[int, int] = {}
        """The number of the last turn of each session."""
        self._last_key = 0

    def __getitem__(self, key: int) -> SessionRow:
        return self.rows[key]

    def find_or_create(self, agent: str, identity: Identity, facts: SessionFacts, machine: str = "") -> SessionRow:
        """The session with an identity; a new one, of a machine, if there is none."""
        unique = (agent, identity.session_id, identity.parent_id)
        known = self._keys.get(unique)
        if known is not None:
            row = self[known]
            if facts.cwd and not row.cwd:
                # The first entries of a transcript may have no working directory.
                _set_project(row, identity, facts, row.machine)
            return row
        row = SessionRow(
            0, *unique, None, None, None, "", "", None, "", facts.branch, facts.version, "", 0, None, identity.hidden
        )
        _set_project(row, identity, facts, machine)
        return self.add(row)

    def add(self, row: SessionRow) -> SessionRow:
        """Add a new session under the next key."""
        self._last_key += 1
        row.key = self._last_key
        self.rows[row.key] = row
        self._keys[row.unique] = row.key
        return row

    def find(self, unique: _Unique) -> SessionRow | None:
        """The session with an identity; None if there is none."""
        known = self._keys.get(unique)
        return None if known is None else self[known]

    def next_number(self, key: int, source: int) -> int:
        """The number of the session's next turn, which belongs to a source."""
        return self.reserve_numbers(key, 1, source)

    def reserve_numbers(self, key: int, count: int, source: int) -> int:
        """The first number of the session's next `count` turns, which all belong to a source."""
        first = self._turns.get(key, 0) + 1
        self._turns[key] = first + count - 1
        return first


class IndexedSessions(SessionTable):
    """All sessions of the index, so that reading a transcript needs no query; `write` stores the changed ones."""

    def __init__(self, work: WorkDatabase) -> None:
        super().__init__()
        self._work = work
        self._written: dict[int, tuple[object, ...]] = {}
        self.new = False
        """Whether a session was added since somebody has set this to False."""
        self._touched: set[int] = set()
        """Sessions that were returned since the last `write`: only these can have changed."""
        self.disordered: set[int] = set()
        """Sessions whose turns may have other numbers than 1 to n in the order of time."""
        self._changed_by_source: set[int] = set()
        """Sessions to which the current source added turns, or of which it removed some."""
        self.load()

    def load(self) -> None:
        """Load the rows from the work database."""
        connection, columns = self._work.connection, ", ".join(_COLUMNS)
        has_rows = self._work.may_have("sessions")
        rows = connection.execute(f"SELECT {columns} FROM sessions").fetchall() if has_rows else []
        self.rows = {row[0]: SessionRow(*row) for row in rows}
        self._written = {row[0]: row for row in rows}
        self._keys = {row.unique: row.key for row in self.rows.values()}
        query = "SELECT session, max(number), max(id), count(*), min(source), max(source) FROM turns GROUP BY session"
        turns = connection.execute(query).fetchall() if rows else []
        self._turns = {session: number for session, number, *_ in turns}
        self._sources = {session: first if first == last else _SEVERAL_SOURCES for session, *_, first, last in turns}
        self.disordered = {
            session
            for session, number, _, count, *_ in turns
            if number != count or self._sources[session] == _SEVERAL_SOURCES
        }
        self.last_turn = max((turn for _, _, turn, *_ in turns), default=0)
        """The last id of a turn in the work database."""
        self._last_key = max(self.rows, default=0)

    def __getitem__(self, key: int) -> SessionRow:
        self._touched.add(key)
        return self.rows[key]

    def add(self, row: SessionRow) -> SessionRow:
        """Add a new session under the next key."""
        self.new = True
        self._touched.add(super().add(row).key)
        return row

    @property
    def orphans(self) -> list[SessionRow]:
        """The sessions of subagents whose parent is not known yet."""
        return [row for row in self.rows.values() if row.parent_id is not None and row.parent is None]

    def is_forked(self, key: int) -> bool:
        """Whether a session has forks."""
        session_id = self.rows[key].session_id
        return any(row.forked_from == session_id for row in self.rows.values())

    @property
    def unlinked(self) -> bool:
        """Whether there are sessions of subagents that are not linked to the call that started them."""
        return any(row.parent is not None and row.parent_tool_id is None for row in self.rows.values())

    def reserve_numbers(self, key: int, count: int, source: int) -> int:
        """The first number of the session's next `count` turns, which all belong to a source."""
        if self._sources.setdefault(key, source) != source:
            self._sources[key] = _SEVERAL_SOURCES
            self.disordered.add(key)
        self._changed_by_source.add(key)
        return super().reserve_numbers(key, count, source)

    def recount(self, keys: Collection[int]) -> None:
        """Count the turns of sessions again, because some were removed."""
        query = "SELECT count(*), coalesce(max(number), 0) FROM turns WHERE session = ?"
        self._changed_by_source.update(keys)
        for key in keys:
            [(count, last)] = self._work.connection.execute(query, [key]).fetchall()
            self._turns[key] = last
            if count != last:
                self.disordered.add(key)

    def begin(self) -> None:
        """Start a source."""
        self._changed_by_source.clear()

    def abandon(self) -> None:
        """Mark sessions of the current source as disordered, because some changes of their turns are rolled back."""
        self.disordered |= self._changed_by_source

    def number_turns(self) -> list[int]:
        """Number the stored turns of the disordered sessions, and return the turns whose number changed."""
        turns = number_turns(self._work, self.disordered)
        keys, self.disordered = self.disordered, set()
        self.recount(keys)
        return turns

    def locate_again(self) -> dict[int, str]:
        """Find projects again for sessions in a worktree inside a tool's folder, which became their project: `.codex`.

        Returns the sessions whose project changed, each with the folder in the old project that its paths began with.
        """
        moved = {}
        for key, row in self.rows.items():
            folders = managed_worktree(clean(row.cwd)) if row.project.startswith(".") else None
            if folders is not None and folders[0].startswith(f"{row.root}/"):
                self[key].project, row.root, row.worktree = locate_project(row.cwd)
                moved[key] = folders[2]
        return moved

    def write(self) -> None:
        """Store the new and changed rows."""
        changed = []
        for key in sorted(self._touched):
            values = tuple(getattr(self.rows[key], name) for name in _COLUMNS)
            if values != self._written.get(key):
                changed.append((key, values))
        self._work.drop("sessions", [key for key, _ in changed if key in self._written])
        self._work.put("sessions", [values for _, values in changed])
        self._written.update(changed)
        self._touched.clear()


class Titles:
    """The best title of each session in one transcript: an agent may repeat titles hundreds of times."""

    def __init__(self) -> None:
        self._best: dict[int, tuple[TitleRank, str]] = {}

    def offer(self, session: int, rank: TitleRank, text: str) -> None:
        """Add a title of a session, unless there is a more trusted one."""
        best, _ = self._best.get(session, (TitleRank.NONE, ""))
        if rank > best or (rank == best and rank != TitleRank.FIRST_PROMPT):
            self._best[session] = (rank, text)

    def apply(self, sessions: SessionTable) -> set[int]:
        """Set the titles of the sessions, and return the keys of those whose title changed."""
        return {key for key, (rank, text) in self._best.items() if sessions[key].rename(rank, text)}


def _set_project(row: SessionRow, identity: Identity, facts: SessionFacts, machine: str) -> None:
    """Set the project of a session, by its working directory or by the folder name of its transcript."""
    place = locate_project(facts.cwd, identity.folder, facts.repository, machine)
    row.project, row.root, row.worktree, row.cwd = place.name, place.root, place.worktree, facts.cwd
