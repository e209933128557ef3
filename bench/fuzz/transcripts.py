"""The readers of all agents on mutated transcripts, up to the rows and the documents that would be stored."""

from __future__ import annotations

import atexit
import json
import shutil
import sqlite3
import tempfile
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.agents.__main__ import names, samples_of
from bench.fuzz.mutation import any_value, encoded, mutated_bytes, mutated_value
from bench.fuzz.target import Attempt, Target
from memtui_core.errors import SourceUnreadable
from memtui_core.ingest.workers.prepared_transcript import PreparedSource, prepare
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.exclusions import NOTHING
from memtui_core.readers.locations import Location, Scan
from memtui_core.readers.records import Message
from memtui_core.readers.registry import reader_of
from memtui_core.store.tables import COLUMNS
from memtui_core.store.work.connection import arrow_table

_WINDOW: Final = 25
"""The most lines of a file that are read: what the mutation changes, and what is around it."""
_SQLITE: Final = b"SQLite format 3\0"
_READ_AGAIN: Final = 0.15
"""The share of the transcripts that are also read from the middle on."""


def targets() -> list[Target]:
    """A target for each agent with samples."""
    return [Target(f"reader {name}", lambda name=name: _opened(name), weight=3) for name in names()]  # type: ignore[misc]


def _opened(name: str) -> Attempt:
    samples = samples_of(name)
    files = sorted(path for path in samples.rglob("*") if path.is_file())
    base = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="memtui-fuzz-", dir=base))
    # The folder goes with the process.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    home = folder / samples.name
    shutil.copytree(samples, home)

    def attempt(chance: Random) -> None:
        original = chance.choice(files)
        path = home / original.relative_to(samples)
        content = original.read_bytes()
        try:
            _write(chance, path, content)
            location = Location(name, path if path.suffix == ".jsonl" else home)
            for transcript in islice(_transcripts(location), 12):
                _read(chance, transcript)
        finally:
            for beside in path.parent.glob(f"{path.name}-*"):
                beside.unlink()
            path.write_bytes(content)

    return attempt


def _transcripts(location: Location) -> Iterator[Transcript]:
    return (entry for entry in Scan().below(location) if isinstance(entry, Transcript))


def _read(chance: Random, transcript: Transcript) -> None:
    try:
        _check(prepare(transcript, NOTHING))
        if chance.random() < _READ_AGAIN:
            reader = reader_of(transcript.agent)
            if reader is None:
                raise LookupError(transcript.agent)
            reading = reader.read(transcript, START)
            if messages := [record for record in reading if isinstance(record, Message)]:
                deque(reader.read(transcript, reading.cursor(chance.choice(messages))), maxlen=0)
    except SourceUnreadable:
        pass


def _check(prepared: PreparedSource) -> None:
    """Whether the rows can be stored as they are."""
    for table, rows in prepared.tables.items():
        arrow_table(COLUMNS[table], rows.storable().columns)


def _write(chance: Random, path: Path, content: bytes) -> None:
    if content.startswith(_SQLITE):
        _write_database(chance, path, content)
    elif path.suffix == ".jsonl":
        path.write_bytes(_lines(chance, content))
    elif path.suffix == ".json" and chance.random() < 0.8:
        path.write_text(encoded(mutated_value(chance, json.loads(content))))
    else:
        for _ in range(chance.choice((1, 1, 3))):
            content = mutated_bytes(chance, content)
        path.write_bytes(content)


def _lines(chance: Random, content: bytes) -> bytes:
    """A part of a file of JSON lines, of which some are mutated."""
    lines = content.splitlines()
    start = chance.randrange(max(1, len(lines) - 3))
    kept = [*lines[:2], *lines[max(2, start) : start + chance.randint(1, _WINDOW)]] or [b""]
    for _ in range(chance.choice((1, 1, 2, 3))):
        at = chance.randrange(len(kept))
        kind = chance.randrange(10)
        value = None
        with suppress(ValueError):
            value = json.loads(kept[at])
        if kind < 7 and value is not None:
            kept[at] = encoded(mutated_value(chance, value)).encode()
        elif kind == 7:
            kept[at] = mutated_bytes(chance, kept[at])
        elif kind == 8:
            kept[at] = kept[at] + chance.choice((b"", b"\n", b"\r")) + chance.choice(lines or kept)
        else:
            kept.insert(at, encoded(any_value(chance, value)).encode())
    return b"\n".join(kept) + (b"\n" if chance.random() < 0.8 else b"")


def _write_database(chance: Random, path: Path, content: bytes) -> None:
    """A database with damaged pages, another schema, or other values in some columns."""
    if chance.random() < 0.4:
        damaged = bytearray(content)
        for _ in range(chance.choice((1, 4, 40))):
            at = chance.choice((chance.randrange(len(damaged)), chance.randrange(min(200, len(damaged)))))
            damaged[at] = chance.randrange(256)
        path.write_bytes(bytes(damaged[: chance.randrange(len(damaged))] if chance.random() < 0.2 else damaged))
        return
    path.write_bytes(content)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("PRAGMA journal_mode = MEMORY")
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for _ in range(chance.choice((1, 2, 5))):
            _change_table(chance, connection, chance.choice(tables))
    finally:
        connection.close()


def _change_table(chance: Random, connection: sqlite3.Connection, table: str) -> None:
    columns = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
    if not columns:
        # It was dropped before.
        return
    column, kind = chance.choice(columns), chance.randrange(8)
    with suppress(sqlite3.Error, OverflowError, UnicodeEncodeError):
        if kind == 0:
            connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{column}_x"')
        elif kind == 1:
            connection.execute(f'DROP TABLE "{table}"')
        elif kind == 2:
            connection.execute(f'DELETE FROM "{table}" WHERE rowid % 2')
        else:
            rows = connection.execute(f'SELECT rowid, "{column}" FROM "{table}"').fetchall()
            if not rows:
                return
            number, value = chance.choice(rows)
            connection.execute(
                f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = ?', (_cell(chance, value), number)
            )


def _cell(chance: Random, value: Any) -> Any:
    """Another value for a column."""
    if isinstance(value, str) and chance.random() < 0.7:
        try:
            return encoded(mutated_value(chance, json.loads(value)))
        except ValueError:
            pass
    if isinstance(value, bytes) and chance.random() < 0.7:
        return mutated_bytes(chance, value)
    other = any_value(chance, value)
    return encoded(other) if isinstance(other, dict | list) else other
