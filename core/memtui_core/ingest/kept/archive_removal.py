"""Remove sessions from the archive of what is gone from its source."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memtui_core.errors import RecordDamaged
from memtui_core.ingest.kept.gone_sessions import KIND
from memtui_core.store.archive.left_out import leave_out
from memtui_core.store.archive.records import Record, RecordFile
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.system.fault_points import fault_point


def remove_from_archive(data: DataDir, sessions: Collection[SessionIdentity], paths: Collection[str] = ()) -> None:
    """Write the archive without some sessions, and remove the files that a repair has set aside. Raises OSError.

    `paths` are the names of sources of which nothing else is kept. Of a record with other sessions the rest is kept.
    """
    shutil.rmtree(data.broken, ignore_errors=True)
    for records in _archives(data):
        affected = list(_records_of(records, sessions, paths))
        if not affected and not records.damaged:
            continue
        for record in affected:
            _keep_rest(records, record, set(sessions))
        fault_point("rest-archived")
        offsets = {record.offset for record in affected}
        # What cannot be read as a record is left out, too: it may be of these sessions.
        records.rewrite(lambda record, gone=offsets: record.offset not in gone)  # type: ignore[misc]
        fault_point("archive-rewritten")


def archived_transcripts(data: DataDir, paths: Collection[str]) -> Iterator[tuple[Mapping[str, Any], bytes]]:
    """What the archive has of transcripts besides rows, as heads and bodies for `put_back`. Raises OSError."""
    for records in _archives(data):
        for record in records.records():
            if record.kind != KIND and record.head.get("source") in paths:
                with suppress(RecordDamaged):
                    yield {"file": records.path.name, "kind": record.kind, "head": record.head}, record.body()


def put_back(data: DataDir, head: Mapping[str, Any], body: bytes) -> None:
    """Add to the archive what `archived_transcripts` returned, unless it is there. Raises OSError."""
    records = RecordFile(data.archive / Path(head["file"]).name)
    if all((record.kind, record.head) != (head["kind"], head["head"]) for record in records.records()):
        records.append(head["kind"], head["head"], body)


def _archives(data: DataDir) -> Iterator[RecordFile]:
    for path in sorted(data.archive.glob("*.records")) if data.archive.is_dir() else ():
        yield RecordFile(path)


def _records_of(records: RecordFile, sessions: Collection[SessionIdentity], paths: Collection[str]) -> Iterator[Record]:
    """The records of some sessions, or of transcripts."""
    forgotten = {(one.agent, one.session_id) for one in sessions}
    for record in records.records():
        named = {(str(session[0]), str(session[1])) for session in record.head.get("sessions", ())}
        if forgotten & named or record.head.get("source") in paths:
            yield record


def _keep_rest(records: RecordFile, record: Record, sessions: Collection[SessionIdentity]) -> None:
    """Append what a record has of other sessions."""
    if record.kind != KIND:
        return
    try:
        rows = SessionRows.from_bytes(record.body())
    except (RecordDamaged, ValueError):
        return
    rest = leave_out(rows, lambda agent, own, parent: SessionIdentity(agent, own, parent) in sessions)
    if rest is not None and rest.tables != rows.tables:
        sources = {path: batch for path, batch in record.head["sources"].items() if path in rest.paths}
        head = {
            **record.head,
            "sessions": rest.sessions,
            "sources": sources,
            "turns": rest.turns,
            "digest": rest.digest,
        }
        records.append(KIND, head, rest.to_bytes())
