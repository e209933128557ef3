"""The annotations of the sessions and turns of a snapshot: by their keys, and as a table for queries.

A data folder without a log costs its listing once, and one `stat` each time.
"""

from __future__ import annotations

import json
import os
import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_core.errors import MemtuiError
from memtui_core.model import Annotations
from memtui_core.store.data_folder import DataDir
from memtui_core.store.tables import RowSource, key_condition

if TYPE_CHECKING:
    from memtui_core.store.marks.annotation_records import AnnotationRecord, AnnotationTarget

TABLE: Final = "annotations"
"""The name of the table, which only a query that names it costs: `session` and `turn` are keys, `turn` is NULL for the
session itself, `kind` is pin, title, tag, note, or archive, which subagents of an archived session have, too, and
`text` is what it says."""
NONE: Final = Annotations()


class ResolvedAnnotations(NamedTuple):
    """All annotations of a snapshot at one moment."""

    sessions: Mapping[int, Annotations] = MappingProxyType({})
    """By the key of the session: those of the session itself."""
    turns: Mapping[int, Annotations] = MappingProxyType({})
    """By the id of the turn."""
    places: Mapping[int, tuple[int, int]] = MappingProxyType({})
    """By the id of such a turn, the key of its session and its number."""
    archived: frozenset[int] = frozenset()
    """The keys of the archived sessions and of their subagents."""
    elsewhere: int = 0
    """How many sessions with annotations the snapshot lacks."""


NOTHING: Final = ResolvedAnnotations()


class SnapshotAnnotations:
    """The annotations of a snapshot, as they are in the log when they are asked for; any thread may ask."""

    def __init__(self, folder: Path, source: RowSource, cursor: Callable[[], Any]) -> None:
        """Take the snapshot, and a function that returns a new cursor of its database.

        The snapshot may be a weak reference: whoever asks holds it.
        """
        self._folder = folder
        self._source = source
        self._cursor = cursor
        own = DataDir(folder).annotations
        try:
            names = os.listdir(folder)  # noqa: PTH208
        except OSError:
            names = []
        copies = sorted(name for name in names if name.startswith(own.stem) and name.endswith(own.suffix))
        self._files = [str(own), *(str(folder / name) for name in copies if name != own.name)]
        self._lock = threading.RLock()
        self._resolved: tuple[object, ResolvedAnnotations] | None = None
        self._filled: ResolvedAnnotations | None = None

    @property
    def stamp(self) -> object:
        """A value that changes with the log; None if there is none."""
        stats = [_stat(path) for path in self._files]
        return tuple(stats) if any(stats) else None

    @property
    def current(self) -> ResolvedAnnotations:
        """All annotations, read again if the log has changed; none, with a warning, if it cannot be read."""
        stamp = self.stamp
        if stamp is None:
            return NOTHING
        known = self._resolved
        if known is None or known[0] != stamp:
            with self._lock:
                known = self._resolved
                if known is None or known[0] != stamp:
                    known = self._resolved = stamp, self._read()
        return known[1]

    def forget(self) -> None:
        """Look again which sessions and turns there are: rows were added to the snapshot."""
        self._resolved = None

    def fill(self) -> None:
        """Make the table for a query that names it."""
        current = self.current
        if current is self._filled:
            return
        with self._lock:
            rows = list(_table_rows(current))
            with self._cursor() as cursor:
                cursor.execute(
                    f"CREATE OR REPLACE TABLE memory.main.{TABLE} AS SELECT r[1]::INTEGER AS session,"
                    " r[2]::INTEGER AS turn, r[3] AS kind, r[4] AS text"
                    """ FROM (SELECT unnest(from_json(?, '[["VARCHAR"]]')) AS r)""",
                    [json.dumps(rows)],
                )
            self._filled = current

    def _read(self) -> ResolvedAnnotations:
        from memtui_core.store.marks.annotation_log import annotation_log, records_by_session
        from memtui_core.store.marks.annotation_records import folded

        try:
            records = annotation_log(self._folder).records()
        except MemtuiError as error:
            # Sessions are read without what the user has added rather than not at all. A hook does without logging.
            import logging

            logging.getLogger(__name__).warning("%s", error)
            return NOTHING
        replaced = {record_id for record in records for record_id in record.replaces}
        by_session = records_by_session(records)
        keys = self._session_keys(by_session)
        with_turns = [
            keys[session] for session, own in by_session.items()
            if session in keys and any(record.target.turn for record in own)
        ]  # fmt: skip
        turns = self._turns(with_turns)
        of_sessions: dict[int, list[AnnotationRecord]] = defaultdict(list)
        of_turns: dict[int, list[AnnotationRecord]] = defaultdict(list)
        places: dict[int, tuple[int, int]] = {}
        for session, own in by_session.items():
            key = keys.get(session)
            if key is None:
                continue
            for record in own:
                turn = turn_of(record.target, turns.get(key, ())) if record.target.turn else None
                if turn is None:
                    of_sessions[key].append(record)
                else:
                    of_turns[turn[0]].append(record)
                    places[turn[0]] = key, turn[1]
        sessions = {key: found for key, own in of_sessions.items() if (found := folded(own, replaced))}
        return ResolvedAnnotations(
            sessions,
            {turn: found for turn, own in of_turns.items() if (found := folded(own, replaced))},
            places,
            self._with_subagents({key for key, found in sessions.items() if found.archived}),
            len(by_session.keys() - keys.keys()),
        )

    def _session_keys(self, sessions: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
        if not sessions:
            return {}
        ids = sorted({session_id for _, session_id in sessions if session_id.isprintable()})
        rows = self._source.rows(
            "SELECT agent, session_id, key FROM sessions"
            """ WHERE session_id IN (SELECT unnest(from_json(?, '["VARCHAR"]')))""",
            [json.dumps(ids)],
        )
        found = {(agent, session_id): key for agent, session_id, key in rows}
        return {session: key for session, key in found.items() if session in sessions}

    def _turns(self, sessions: Sequence[int]) -> dict[int, list[tuple[int, int, datetime | None]]]:
        """The id, number and start of the turns of sessions, in their order, by the key of the session."""
        if not sessions:
            return {}
        turns: dict[int, list[tuple[int, int, datetime | None]]] = defaultdict(list)
        condition = key_condition("session", sessions)
        rows = self._source.rows(f"SELECT session, id, number, started_at FROM turns WHERE {condition} ORDER BY number")
        for session, turn, number, started_at in rows:
            turns[session].append((turn, number, started_at.replace(tzinfo=UTC) if started_at else None))
        return turns

    def _with_subagents(self, sessions: set[int]) -> frozenset[int]:
        found, added = set(sessions), set(sessions)
        while added:
            rows = self._source.rows(f"SELECT key FROM sessions WHERE {key_condition('parent', sorted(added))}")
            added = {key for (key,) in rows} - found
            found |= added
        return frozenset(found)


def turn_of(
    target: AnnotationTarget, turns: Sequence[tuple[int, int, datetime | None]]
) -> tuple[int, int, datetime | None] | None:
    """The turn of a session that a record is about, of its turns by id, number and start; None if it has none.

    It is the turn with the time at which it started, also if it has another number by now; if several have, the one
    with the nearest number. If none has, as after a transcript was written anew, it is the one that was going on then.
    """
    if not turns:
        return None
    at = target.turn_at
    if at is not None:
        if same := [turn for turn in turns if turn[2] == at]:
            return min(same, key=lambda turn: (abs(turn[1] - target.turn), turn[1]))
        timed = sorted((turn for turn in turns if turn[2] is not None), key=lambda turn: (turn[2] or at, turn[1]))
        if place := bisect_right([turn[2] or at for turn in timed], at):
            return timed[place - 1]
    return min(turns, key=lambda turn: (abs(turn[1] - target.turn), turn[1]))


def _table_rows(current: ResolvedAnnotations) -> list[tuple[int, int | None, str, str]]:
    rows: list[tuple[int, int | None, str, str]] = [(key, None, "archive", "") for key in sorted(current.archived)]
    targets = [(key, None, found) for key, found in current.sessions.items()]
    targets += [(current.places[turn][0], turn, found) for turn, found in current.turns.items()]  # type: ignore[misc]
    for session, turn, found in targets:
        said = [("pin", "")] * found.pinned
        said += [("title", found.title)] * bool(found.title)
        said += [("tag", tag) for tag in found.tags] + [("note", note.text) for note in found.notes]
        rows += [(session, turn, kind, text) for kind, text in said]
    return rows


def _stat(path: str) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
