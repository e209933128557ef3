"""The log of annotations: read from its file and from copies beside it, appended to, and joined with other logs."""

from __future__ import annotations

import secrets
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from memtui_core.errors import MemtuiError
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.annotation_records import (
    AnnotationKind,
    AnnotationRecord,
    AnnotationTarget,
    BadAnnotationRecord,
    read_annotation,
)
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.line_log import LineLog, LogCursor

_MAX_LISTED: Final = 3
"""Reasons that the error for an unreadable log lists."""
_TICK: Final = timedelta(microseconds=1)
"""The smallest step between the times of two records."""
_LAST: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""A time from which on records are not made later than others."""


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return secrets.token_hex(8)


class NewAnnotation(NamedTuple):
    """What is to be recorded; id, time and machine are added when it is written."""

    kind: AnnotationKind
    target: AnnotationTarget
    text: str = ""
    replaces: tuple[str, ...] = ()
    since: datetime | None = None


class _KnownLine(NamedTuple):
    text: bytes
    record: AnnotationRecord | None


class AnnotationLog:
    """The annotations of a data folder; every thread may read and write them, as may other processes.

    Files beside the log whose names begin and end as its own are read, too: a program that synchronizes folders leaves
    such copies when two machines wrote. All methods raise MemtuiError if a file cannot be read or written.
    """

    def __init__(
        self,
        folder: Path,
        *,
        now: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
        machine: str | None = None,
    ) -> None:
        self.path = DataDir(folder).annotations
        self._log = LineLog(self.path)
        self._now = now
        self._new_id = new_id
        self._machine = socket.gethostname() if machine is None else machine
        self._lock = threading.RLock()
        self._cursors: dict[Path, LogCursor] = {}
        self._known: dict[str, _KnownLine] = {}
        self.skipped: dict[Path, list[tuple[int, str]]] = {}
        """Number, from 1, and reason of each line that is no record, of each file of the log."""

    def records(self) -> list[AnnotationRecord]:
        """All records, as they are on the disk now, in the order of their times."""
        with self._lock:
            self._refresh()
            records = [known.record for known in self._known.values() if known.record is not None]
        return sorted(records, key=lambda record: record.order)

    def lines(self, path: Path) -> int:
        """How many lines of a file of the log were read."""
        return self._cursors[path].lines if path in self._cursors else 0

    def append(self, make: Callable[[Sequence[AnnotationRecord]], Iterable[NewAnnotation]], by: str = "") -> int:
        """Write what `make` says, given all records; how many records that were.

        Nobody else writes in between. `by` is with what they are written.

        The last record counts, so each is later than those of its session and turn, whatever the clock says: else a
        title that was given while it was years ahead could not be changed any more.
        """
        with self._lock, self._log.locked():
            known = self.records()
            new, lines = list(make(known)), []
            last = {record.target: record.at for record in known}
            for one in new:
                at, before = self._now(), last.get(one.target)
                if before is not None and before >= at:
                    # No time is later than the last one of all.
                    at = before + _TICK if before < _LAST else before
                record = AnnotationRecord(
                    one.kind, self._new_id(), at, one.target, one.text, one.replaces, one.since, self._machine, by
                )
                last[one.target] = at
                lines.append(record.line())
            self._write(lines)
        return len(new)

    def merge_log(self, path: Path, without: Collection[tuple[str, str]] = ()) -> int:
        """Append what another log has and this one has not, such as the log of another machine; how many lines.

        Lines that are no records, and those of the sessions `without`, by agent and id, are left out; records of kinds
        that only a later version knows are kept.
        """
        found = LineLog(path).read(LogCursor())
        lines = [line.text for line in found.lines] if found is not None else []
        with self._lock, self._log.locked():
            self._refresh()
            missing: dict[str, bytes] = {}
            for line in lines:
                try:
                    record_id, _ = read_annotation(line)
                except BadAnnotationRecord:
                    continue
                if record_id not in self._known and _session_of(line) not in without:
                    missing.setdefault(record_id, line)
            self._write(list(missing.values()))
        return len(missing)

    def remove(
        self,
        sessions: Collection[tuple[str, str]],
        keep: Callable[[Mapping[tuple[str, str], bytes]], object] = lambda lines: None,
    ) -> None:
        """Remove all records of some sessions, by agent and id, also from the copies of the logs of other machines.

        Before that, `keep` gets the lines of each session that has any, which `restore` takes.
        """
        removed: dict[tuple[str, str], dict[bytes, None]] = {}
        written: dict[Path, bytes] = {}
        with self._lock, self._log.locked():
            copies = DataDir(self.path.parent).machines.glob(f"*/{self.path.name}")
            for path in (*self._files(), *sorted(copies)):
                kept: list[bytes] = []
                found = LineLog(path).read(LogCursor())
                for line in found.lines if found is not None else ():
                    if (session := _session_of(line.text)) in sessions and session is not None:
                        removed.setdefault(session, {})[line.text] = None
                    else:
                        kept.append(line.text)
                if found is not None and len(kept) < len(found.lines):
                    written[path] = b"".join(line + b"\n" for line in kept)
            if removed:
                keep({session: b"\n".join(lines) for session, lines in removed.items()})
            for path, content in written.items():
                try:
                    write_atomically(path, content, durable=True)
                except OSError as error:
                    raise MemtuiError(f"{path} cannot be written: {error.strerror or error}.") from error

    def restore(self, lines: bytes) -> None:
        """Append lines that `remove` has given to `keep`, unless they are there."""
        with self._lock, self._log.locked():
            self._refresh()
            self._write([line for line in lines.split(b"\n") if line and _id_of(line) not in self._known])

    def _write(self, lines: Sequence[bytes]) -> None:
        if not lines:
            return
        try:
            self._log.append(b"\n".join(lines))
        except OSError as error:
            raise MemtuiError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def _files(self) -> list[Path]:
        return annotation_files(self.path.parent)

    def _refresh(self) -> None:
        """Read what was added since the last time; everything if a file was replaced or is gone."""
        files = self._files()
        added = {path: LineLog(path).read(self._cursors.get(path, LogCursor())) for path in files}
        is_new = any(new is not None and new.restarted for new in added.values())
        if is_new or not self._cursors.keys() <= set(files):
            self._known, self.skipped, self._cursors = {}, {}, {}
            added = {path: LineLog(path).read(LogCursor()) for path in files}
        for path, new in added.items():
            if new is None:
                continue
            self._cursors[path] = new.cursor
            for line in new.lines:
                self._add(path, line.number, line.text)

    def _add(self, path: Path, number: int, line: bytes) -> None:
        try:
            record_id, record = read_annotation(line)
        except BadAnnotationRecord as error:
            self.skipped.setdefault(path, []).append((number, str(error)))
            return
        known = self._known.get(record_id)
        # Of two lines with one id, which no memtui writes, the same one counts in whatever order they are read.
        if known is None or line < known.text:
            self._known[record_id] = _KnownLine(line, record)


@lru_cache(maxsize=8)
def annotation_log(folder: Path) -> AnnotationLog:
    """The log of a data folder: one for all that read it in this process."""
    return AnnotationLog(folder)


def annotation_files(folder: Path) -> list[Path]:
    """The log of a data folder and the copies beside it, sorted; empty if nothing was written."""
    own = DataDir(folder).annotations
    try:
        return sorted(path for path in folder.iterdir() if is_annotation_file(path.name, own))
    except OSError:
        return []


def is_annotation_file(name: str, own: Path) -> bool:
    """Whether a name in the data folder is that of the log or of a copy of it."""
    return name.startswith(own.stem) and name.endswith(own.suffix)


def merge_log(folder: Path, path: Path, without: Collection[tuple[str, str]] = ()) -> int:
    """Add to the annotations of a data folder those of another log; how many records were new. Raises MemtuiError.

    Nothing is added of the sessions `without`, by agent and id.
    """
    return annotation_log(folder).merge_log(path, without)


def without_sessions(lines: bytes, sessions: Collection[tuple[str, str]]) -> bytes:
    """The bytes of a log with blanks in the place of the lines of some sessions, by agent and id: as many bytes."""
    return b"\n".join(b" " * len(line) if _session_of(line) in sessions else line for line in lines.split(b"\n"))


def records_by_session(
    records: Iterable[AnnotationRecord],
) -> dict[tuple[str, str], list[AnnotationRecord]]:
    """The records by the agent and the id of their session."""
    by_session: dict[tuple[str, str], list[AnnotationRecord]] = defaultdict(list)
    for record in records:
        by_session[record.target.agent, record.target.session_id].append(record)
    return by_session


def _session_of(line: bytes) -> tuple[str, str] | None:
    value = _loaded(line)
    return (str(value.get("agent", "")), str(value.get("session", ""))) if value else None


def _id_of(line: bytes) -> str:
    return str(_loaded(line).get("id", ""))


def _loaded(line: bytes) -> dict[str, Any]:
    import orjson

    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
