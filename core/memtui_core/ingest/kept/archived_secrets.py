"""Secrets in what is kept outside the databases: the archive, and what was forgotten and can be brought back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui_core.errors import RecordDamaged
from memtui_core.ingest.kept import forgetting, gone_sessions
from memtui_core.ingest.turns.stored_secrets import redacted_rows
from memtui_core.store.archive import transcripts
from memtui_core.store.archive.records import NewRecord, Record, RecordFile
from memtui_core.store.archive.session_rows import SessionRows
from memtui_core.store.data_folder import DataDir
from memtui_core.text.redaction import redact


def redact_archives(data: DataDir) -> int:
    """Replace what the rules in use find in all files of records; how many records changed. Raises OSError."""
    count = RecordFile(data.session_archive).change(_gone_session)
    count += RecordFile(data.archived_transcripts).change(_transcript)
    for path in sorted(data.forgotten.glob("*.records")):
        count += RecordFile(path).change(_Forgotten().changed)
    return count


def _gone_session(record: Record) -> NewRecord | Record:
    rows = _redacted_rows(record) if record.kind == gone_sessions.KIND else None
    return record if rows is None else NewRecord({**record.head, "digest": rows.digest}, rows.to_bytes())


def _transcript(record: Record) -> NewRecord | Record:
    if record.kind != transcripts.KIND:
        return record
    return transcripts.redacted_record(record.head, record.body()) or record


class _Forgotten:
    """The records of one file of what was forgotten, in their order."""

    def __init__(self) -> None:
        self._changed: list[Any] = []
        """The sessions of each group whose texts changed: their vectors are of texts with a secret."""

    def changed(self, record: Record) -> NewRecord | Record | None:
        """What is written in the place of a record."""
        head, sessions = record.head, record.head["sessions"]
        if record.kind == forgetting.ROWS:
            rows = _redacted_rows(record)
            if rows is None:
                return record
            self._changed.append(sessions)
            return NewRecord(_with_titles(head), rows.to_bytes())
        if sessions not in self._changed and record.kind != forgetting.TRANSCRIPT:
            return record
        if record.kind == forgetting.VECTORS:
            return None
        if record.kind == forgetting.ANNOTATIONS:
            return record
        archived = head["archived"]
        made = None
        if archived["kind"] == transcripts.KIND:
            made = transcripts.redacted_record(archived["head"], record.body())
        if made is None:
            return record if sessions not in self._changed else NewRecord(_with_titles(head), record.body())
        return NewRecord({**_with_titles(head), "archived": {**archived, "head": made.head}}, made.body)


def _redacted_rows(record: Record) -> SessionRows | None:
    """The rows in a record without secrets; None if there are none. Raises RecordDamaged."""
    try:
        rows = SessionRows.from_bytes(record.body())
    except ValueError as error:
        raise RecordDamaged(f"A record in {record.path} has no rows: {error}") from error
    plain = redacted_rows(rows)
    return None if plain is rows else plain


def _with_titles(head: Mapping[str, Any]) -> dict[str, Any]:
    """The head of a record of forgotten sessions with their titles redacted."""
    sessions = [[*own[:3], redact(own[3]), *own[4:]] for own in head["sessions"]]
    return {**head, "sessions": sessions}
