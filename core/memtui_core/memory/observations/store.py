"""All observations of a data folder: read into memory, and written line by line to the log."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui_core.errors import BadObservation, ObservationUnknown
from memtui_core.memory.observations.records import (
    LogState,
    edited_record,
    forgotten_record,
    restored_record,
    saved_record,
)
from memtui_core.memory.observations.validation import validated_content
from memtui_core.store.data_folder import DataDir
from memtui_core.store.observation import Observation
from memtui_core.system.line_log import LineLog, LogCursor
from memtui_core.text.controls import plain
from memtui_core.text.paths import clean

_LISTED_IDS = 5
"""Maximum ids that the error for an ambiguous id lists."""


def log_version(data_dir: Path) -> object:
    """A value that changes with every line of the log of a data folder; it costs the `stat` of one file."""
    try:
        stat = DataDir(data_dir).observations.stat()
    except OSError:
        return ()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return secrets.token_hex(6)


class Observations:
    """The observations of a data folder; every thread may read and write them, as may other processes.

    Each method first reads what any process has added to the log. All of them raise MemtuiError if the log cannot be
    read or written. `now` returns the current time and `new_id` an id. With `roots` only
    the observations of these projects can be read, changed and saved.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        now: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
        roots: Callable[[], Collection[str]] | None = None,
    ) -> None:
        self.folder = data_dir
        self.path = DataDir(data_dir).observations
        self._log = LineLog(self.path)
        self._now = now
        self._new_id = new_id
        self._roots = roots
        self._lock = threading.RLock()
        self._cursor = LogCursor()
        self._state = LogState()
        self.version = 0
        """Increases whenever new lines have been read."""
        self.incomplete_bytes = 0
        """Size of an incomplete last line, which is ignored."""

    def refresh(self) -> bool:
        """Read the lines that were added since the last call; True if there were any."""
        with self._lock:
            added = self._log.read(self._cursor)
            if added is None:
                return False
            if added.restarted:
                self._state = LogState()
            for line in added.lines:
                self._state.apply(line)
            self._cursor, self.incomplete_bytes = added.cursor, added.incomplete_bytes
            changed = added.restarted or bool(added.lines)
            self.version += changed
            return changed

    @property
    def is_restricted(self) -> bool:
        """Whether only the observations of some projects can be read."""
        return self._roots is not None

    @property
    def roots(self) -> frozenset[str] | None:
        """The roots of the projects whose observations can be read; None for all."""
        return None if self._roots is None else frozenset(self._roots())

    def allows(self, root: str) -> bool:
        """Whether the observations of a project can be read."""
        return self._roots is None or root in self._roots()

    @property
    def skipped(self) -> tuple[tuple[int, str], ...]:
        """Number, from 1, and reason of each line that could not be applied."""
        with self._lock:
            return tuple(self._state.skipped)

    @property
    def lines(self) -> int:
        """Number of whole lines that have been read."""
        with self._lock:
            return self._cursor.lines

    def with_offsets(self) -> tuple[int, list[tuple[Observation, int]]]:
        """How far the log has been read, and each observation with the offset after its last record, for an index."""
        with self._lock:
            self.refresh()
            state = self._state
            return self._cursor.offset, [(item, state.ends[item.id]) for item in state.observations.values()]

    def get(self, id_prefix: str) -> Observation:
        """The observation with an id, or the only one whose id starts with it, forgotten or not.

        Raises ObservationUnknown.
        """
        with self._lock:
            self.refresh()
            by_id = {item.id: item for item in self._state.observations.values() if self.allows(item.root)}
            if id_prefix in by_id:
                return by_id[id_prefix]
            ids = [known_id for known_id in by_id if id_prefix and known_id.startswith(id_prefix)]
        if len(ids) == 1:
            return by_id[ids[0]]
        if not ids:
            raise ObservationUnknown(f"There is no observation with the id {id_prefix!r}.")
        names = ", ".join(sorted(ids)[:_LISTED_IDS]) + (" …" if len(ids) > _LISTED_IDS else "")
        raise ObservationUnknown(f"{len(ids)} observations have an id that begins with {id_prefix!r}: {names}")

    def select(
        self,
        *,
        root: str | None = None,
        type: str | None = None,  # noqa: A002
        forgotten: bool = False,
    ) -> list[Observation]:
        """Observations of a project or a type, newest first.

        With `forgotten` only the forgotten ones, otherwise only the others.
        """
        with self._lock:
            self.refresh()
            observations = [item for item in self._state.observations.values() if self.allows(item.root)]
        selected = [
            item
            for item in reversed(observations)
            if (item.forgotten_at is not None) == forgotten
            and (root is None or item.root == root)
            and (type is None or item.content.type == type)
        ]
        return sorted(selected, key=lambda item: item.created_at, reverse=True)

    def save(self, session_id: str, root: str = "", *, tool_name: str = "mem-save", **fields: Any) -> Observation:
        """Save a new observation of a session; `fields` are those of ObservationContent. Raises BadObservation.

        Its record is the whole transaction.
        """
        session_id = plain(session_id).strip()
        if not session_id:
            raise BadObservation("The session is missing: an observation belongs to the session that wrote it.")
        content = validated_content(fields)
        root = plain(clean(root))
        if not self.allows(root):
            raise BadObservation("The project of the working folder is not allowed for this server.")
        with self._writing() as by_id:
            new_id = self._new_id()
            while new_id in by_id:
                new_id = self._new_id()
            observation = Observation(new_id, session_id, root, self._now(), content, tool_name)
            self._log.append(saved_record(observation))
        return self.get(new_id)

    def edit(self, id_prefix: str, **fields: Any) -> Observation:
        """Save a new revision; missing fields stay as they are. Raises BadObservation and ObservationUnknown."""
        with self._writing():
            previous = self.get(id_prefix)
            if previous.forgotten_at is not None:
                raise BadObservation(f"Observation {previous.id} is forgotten; restore it first.")
            content = validated_content(fields, previous.content)
            if content != previous.content:
                self._log.append(edited_record(previous.id, self._now(), content))
        return self.get(previous.id)

    def forget(self, id_prefix: str) -> Observation:
        """Hide an observation from searches and lists; it can be restored."""
        return self._set_forgotten(id_prefix, forgotten=True)

    def restore(self, id_prefix: str) -> Observation:
        """Show a forgotten observation again."""
        return self._set_forgotten(id_prefix, forgotten=False)

    def _set_forgotten(self, id_prefix: str, *, forgotten: bool) -> Observation:
        with self._writing():
            previous = self.get(id_prefix)
            if (previous.forgotten_at is not None) == forgotten:
                raise BadObservation(f"Observation {previous.id} is {'already' if forgotten else 'not'} forgotten.")
            record = forgotten_record if forgotten else restored_record
            self._log.append(record(previous.id, self._now()))
        return self.get(previous.id)

    @contextmanager
    def _writing(self) -> Iterator[dict[str, Observation]]:
        """Exclude other writers; yields the current observations by id."""
        with self._lock, self._log.locked():
            self.refresh()
            yield self._state.observations
