"""SQLite databases that another program uses.

The program is a process of its own: connections of one process share the index of a log.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

_PROGRAM = """
import json, os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for line in sys.stdin:
    sql, values = json.loads(line)
    if sql == "crash":
        os._exit(1)
    try:
        connection.execute(sql, values).fetchall()
        print("", flush=True)
    except sqlite3.Error as error:
        print(str(error), flush=True)
connection.close()
"""


class Program:
    """A program with an open connection to a database."""

    def __init__(self, path: Path) -> None:
        command = [sys.executable, "-c", _PROGRAM, str(path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Execute a statement. Raises AssertionError with the error of SQLite."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([sql, values]) + "\n")
        self._process.stdin.flush()
        if error := self._process.stdout.readline().strip():
            raise AssertionError(error)

    def crash(self) -> None:
        """End the program without closing the database."""
        self._process.communicate(json.dumps(["crash", []]) + "\n")

    def close(self) -> None:
        """Close the database; the last program writes the log into the file and deletes it."""
        if self._process.poll() is None:
            self._process.communicate()


@contextmanager
def program(path: Path, mode: str = "wal") -> Iterator[Program]:
    """A program that uses a database, with a log that is not written into the file until it ends."""
    running = Program(path)
    try:
        running.execute(f"PRAGMA journal_mode = {mode}")
        running.execute("PRAGMA wal_autocheckpoint = 0")
        yield running
    finally:
        running.close()


def made(path: Path, script: str) -> Path:
    """A closed database that an SQL script made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def beside(path: Path) -> dict[str, tuple[bytes, int]]:
    """The files in the folder of a database, with their content and time."""
    return {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in path.parent.iterdir()}
