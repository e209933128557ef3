"""What processes of their own do with a file of records; a module that is quick to load."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from threading import Barrier

from memtui_core.store.archive.records import Record, RecordFile


def append_many(path: Path, name: str, begin: Barrier) -> None:
    """Append 50 records."""
    records = RecordFile(path)
    begin.wait()
    for number in range(50):
        records.append("test", {"name": name, "number": number}, f"{name} {number} ".encode() * 100)


def append_and_rewrite(path: Path, name: str, begin: Barrier) -> None:
    """Append 25 records, and write the file anew after each without the record before it."""
    records = RecordFile(path)
    begin.wait()
    for number in range(25):
        records.append("test", {"name": name, "number": number}, b"body")
        records.rewrite(partial(_is_other_or_last, name, number))


def _is_other_or_last(name: str, number: int, record: Record) -> bool:
    return record.head["name"] != name or bool(record.head["number"] == number)
