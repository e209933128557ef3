"""Instances of DuckDB that serve one index after the other: to start one takes 9 ms, as much as ten queries.

A connection to memory gets an instance to which nothing is attached, and gives it back when it is closed or collected.
An instance that cannot be emptied, for example because a thread still reads from it, is not used again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from contextlib import suppress
from typing import Any

import _duckdb
import duckdb
import pytest

_CONNECT = _duckdb.connect
_EMPTY = "SELECT database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'spare'"
_MEMORY = ":memory:"
_SPILL = "temp_directory"
"""The setting in which the connections of two indexes differ."""
_MOST = 8
"""Instances of the same settings that wait to be used again: each takes 3 MB."""
_idle: dict[Hashable, list[duckdb.DuckDBPyConnection]] = defaultdict(list)
"""Instances without anything attached, by the settings with which they were started."""


class _Connection:
    """A connection to an instance that is used again."""

    def __init__(self, instance: duckdb.DuckDBPyConnection, key: Hashable) -> None:
        self._instance: duckdb.DuckDBPyConnection | None = instance
        self._key = key
        # Settings of a connection do not stay in the instance.
        self._connection = instance.cursor()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the instance is emptied."""
        self._connection.close()
        instance, self._instance = self._instance, None
        if instance is None:
            return
        if len(_idle[self._key]) < _MOST:
            with suppress(duckdb.Error):
                _empty(instance)
                _idle[self._key].append(instance)


def _empty(instance: duckdb.DuckDBPyConnection) -> None:
    instance.execute("ATTACH ':memory:' AS spare; USE spare")
    for (name,) in instance.execute(_EMPTY).fetchall():
        instance.execute(f"DETACH {name}")
    instance.execute("ATTACH ':memory:' AS memory; USE memory; DETACH spare; RESET max_vacuum_tasks")


def _connect(database: Any = _MEMORY, read_only: bool = False, config: dict[str, Any] | None = None) -> Any:
    settings = config or {}
    # Extensions stay in an instance.
    if database != _MEMORY or "autoload_known_extensions" in settings:
        return _CONNECT(database, read_only, settings)
    key = tuple(sorted((name, str(value)) for name, value in settings.items() if name != _SPILL))
    instance = _idle[key].pop() if _idle[key] else _CONNECT(_MEMORY, config=settings)
    try:
        if _SPILL in settings:
            instance.execute(f"SET {_SPILL} = ?", [settings[_SPILL]])
    except duckdb.NotImplementedException:
        # It has needed the folder that it had.
        instance = _CONNECT(_MEMORY, config=settings)
    return _Connection(instance, key)


def use_engines_again(patch: pytest.MonkeyPatch) -> None:
    """Let all that connects to memory take an instance that served before."""
    patch.setattr(_duckdb, "connect", _connect)
    patch.setattr(duckdb, "connect", _connect)
