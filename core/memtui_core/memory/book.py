"""All observations of a data folder: read at once, and written line by line."""

from __future__ import annotations

import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui_core.errors import BadObservation, ObservationUnknown
from memtui_core.memory import lines
from memtui_core.memory.drafts import draft
from memtui_core.memory.log import Cursor, Log
from memtui_core.memory.state import State
from memtui_core.memory.values import Observation
from memtui_core.text.controls import plain
from memtui_core.text.paths import clean

FILE = "observations.jsonl"
"""Name of the log in the data folder."""
_SHOWN = 5
"""Ids that are told of where one stands for several."""


def log_state(data_dir: Path) -> object:
    """A value that changes with every line of the log of a data folder; it costs the `stat` of one file."""
    try:
        stat = (data_dir / FILE).stat()
    except OSError:
        return ()
    return stat.st_mtime_ns, stat.st_size, stat.st_ino


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return secrets.token_hex(6)


class Observations:
    """The log of a data folder and what it adds up to; every thread may use it, every process may write.

    A method sees what any process had written when it was called: what is new is read first. All of them raise
    MemtuiError when the log can be neither read nor written. `now` gives the time and `new_id` an id.
    """

    def __init__(
        self, data_dir: Path, *, now: Callable[[], datetime] = _now, new_id: Callable[[], str] = _new_id
    ) -> None:
        self.folder = data_dir
        self.path = data_dir / FILE
        self._log = Log(self.path)
        self._now = now
        self._new_id = new_id
        self._lock = threading.RLock()
        self._cursor = Cursor()
        self._state = State()
        self.version = 0
        """Another number whenever something was read that was not known before."""
        self.torn = 0
        """Bytes of a last line that is not whole; it does not count."""

    def refresh(self) -> bool:
        """Read what was added since; True when there was anything."""
        with self._lock:
            read = self._log.read(self._cursor)
            if read is None:
                return False
            if read.restarted:
                self._state = State()
            for line in read.lines:
                self._state.take(line)
            self._cursor, self.torn = read.cursor, read.torn
            changed = read.restarted or bool(read.lines)
            self.version += changed
            return changed

    @property
    def skipped(self) -> tuple[tuple[int, str], ...]:
        """Number, from 1, and reason of each line that could not be used."""
        with self._lock:
            return tuple(self._state.skipped)

    @property
    def lines(self) -> int:
        """Whole lines of the log as it was read last."""
        with self._lock:
            return self._cursor.lines

    def seen(self) -> tuple[int, list[tuple[Observation, int]]]:
        """For an index: how far the log was read, and each observation with the offset behind its last line."""
        with self._lock:
            self.refresh()
            state = self._state
            each = [(one, state.ends[one.id]) for one in state.known.values()]
            return self._cursor.offset, each

    def get(self, text: str) -> Observation:
        """The one with this id, or whose id alone begins with it, forgotten or not. Raises ObservationUnknown."""
        with self._lock:
            self.refresh()
            known = self._state.known
            if text in known:
                return known[text]
            found = [one for one in known if text and one.startswith(text)]
        if len(found) == 1:
            return known[found[0]]
        if not found:
            raise ObservationUnknown(f"There is no observation with the id {text!r}.")
        names = ", ".join(sorted(found)[:_SHOWN]) + (" …" if len(found) > _SHOWN else "")
        raise ObservationUnknown(f"{len(found)} observations have an id that begins with {text!r}: {names}")

    def select(
        self,
        *,
        root: str | None = None,
        session_id: str | None = None,
        type: str | None = None,  # noqa: A002
        after: datetime | None = None,
        before: datetime | None = None,
        forgotten: bool = False,
    ) -> list[Observation]:
        """Observations, the newest first: of a project, a session, a type, written from `after` on and before `before`.

        With `forgotten` those that were forgotten, else the others.
        """
        with self._lock:
            self.refresh()
            known = list(self._state.known.values())
        found = [
            one
            for one in reversed(known)
            if (one.forgotten_at is not None) == forgotten
            and (root is None or one.root == root)
            and (session_id is None or one.session_id == session_id)
            and (type is None or one.content.type == type)
            and (after is None or one.created_at >= after)
            and (before is None or one.created_at < before)
        ]
        return sorted(found, key=lambda one: one.created_at, reverse=True)

    def counts(self, root: str | None = None) -> Counter[str]:
        """How many observations each session has; forgotten ones do not count."""
        return Counter(one.session_id for one in self.select(root=root))

    def save(self, session_id: str, root: str = "", *, tool_name: str = "mem-save", **given: Any) -> Observation:
        """Write a new observation of a session; `given` are the fields of `Content`.

        Its line is the whole transaction: a session has as many observations as there are lines. Raises
        BadObservation.
        """
        session_id = plain(session_id).strip()
        if not session_id:
            raise BadObservation("The session is missing: an observation belongs to the session that wrote it.")
        content = draft(given)
        with self._writing() as known:
            found = self._new_id()
            while found in known:
                found = self._new_id()
            made = Observation(found, session_id, plain(clean(root)), self._now(), content, tool_name)
            self._log.append(lines.saved(made))
        return self.get(found)

    def edit(self, text: str, **given: Any) -> Observation:
        """Write a new revision; what is not given stays. Raises BadObservation, and ObservationUnknown."""
        with self._writing():
            before = self.get(text)
            if before.forgotten_at is not None:
                raise BadObservation(f"Observation {before.id} is forgotten; restore it first.")
            content = draft(given, before.content)
            if content != before.content:
                self._log.append(lines.edited(before.id, self._now(), content))
        return self.get(before.id)

    def forget(self, text: str) -> Observation:
        """Take an observation out of everything that is found; it can be restored."""
        return self._hide(text, hide=True)

    def restore(self, text: str) -> Observation:
        """Bring a forgotten observation back."""
        return self._hide(text, hide=False)

    def _hide(self, text: str, *, hide: bool) -> Observation:
        with self._writing():
            before = self.get(text)
            if (before.forgotten_at is not None) == hide:
                raise BadObservation(f"Observation {before.id} is {'already' if hide else 'not'} forgotten.")
            write = lines.forgotten if hide else lines.restored
            self._log.append(write(before.id, self._now()))
        return self.get(before.id)

    @contextmanager
    def _writing(self) -> Iterator[dict[str, Observation]]:
        """Keep others from writing, with everything read that they wrote."""
        with self._lock, self._log.locked():
            self.refresh()
            yield self._state.known
