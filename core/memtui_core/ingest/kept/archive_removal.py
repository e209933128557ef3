"""Remove sessions from the archive of what is gone from its source."""

from __future__ import annotations

import shutil
from collections.abc import Collection

from memtui_core.errors import RecordDamaged
from memtui_core.ingest.kept.gone_sessions import KIND
from memtui_core.store.archive.left_out import leave_out
from memtui_core.store.archive.records import Record, RecordFile
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.system.fault_points import fault_point


def remove_from_archive(data: DataDir, sessions: Collection[SessionIdentity]) -> None:
    """Write the archive without some sessions, and remove the files that a repair has set aside. Raises OSError.

    Of a record with other sessions the rest is kept. What cannot be read is left out: it may be one of them.
    """
    forgotten = {(one.agent, one.session_id) for one in sessions}
    shutil.rmtree(data.broken, ignore_errors=True)
    for path in sorted(data.archive.glob("*.records")) if data.archive.is_dir() else ():
        records = RecordFile(path)
        affected = [record for record in records.records() if forgotten & _sessions_of(record)]
        if not affected and not records.damaged:
            continue
        for record in affected:
            _keep_rest(records, record, set(sessions))
        fault_point("rest-archived")
        offsets = {record.offset for record in affected}
        records.rewrite(lambda record, gone=offsets: record.offset not in gone)  # type: ignore[misc]
        fault_point("archive-rewritten")


def _sessions_of(record: Record) -> set[tuple[str, str]]:
    """Agent and id of each session in a record."""
    head = record.head
    named = [tuple(session[:2]) for session in head.get("sessions", ())]
    single = [(head["agent"], head["session_id"])] if "agent" in head and "session_id" in head else []
    return {(str(agent), str(session_id)) for agent, session_id in [*named, *single]}


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
