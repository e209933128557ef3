"""DuckDB's extension for HNSW indexes, from the wheel that contains it; nothing is ever downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import _duckdb

CONFIG: Final[dict[str, Any]] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
"""Settings with which DuckDB does not look for extensions in the network or in the user's folder."""


class VssUnavailable(Exception):
    """The extension cannot be loaded; the message is the reason, a clause for the user."""


def engine_version() -> str:
    """The version of DuckDB, for which the extension is made."""
    return _duckdb.__version__


def load_vss(connection: _duckdb.DuckDBPyConnection) -> None:
    """Load the extension into a connection. Raises VssUnavailable."""
    path = str(_extension()).replace("'", "''")
    try:
        connection.execute(f"LOAD '{path}'")
    except _duckdb.Error as error:
        raise VssUnavailable(f"vss cannot be loaded: {str(error).splitlines()[0]}") from error


def missing_vss() -> str:
    """Why there is no file of the extension, a clause for the user; empty if there is one. Loads nothing."""
    try:
        _extension()
    except VssUnavailable as error:
        return str(error)
    return ""


def vss_problem() -> str:
    """Why the extension cannot be loaded, a clause for the user; empty if it can."""
    try:
        with _duckdb.connect(config=CONFIG) as connection:
            load_vss(connection)
    except VssUnavailable as error:
        return str(error)
    return ""


def _extension() -> Path:
    try:
        import duckdb_extension_vss
    except ImportError as error:
        raise VssUnavailable("the package duckdb-extension-vss is not installed") from error
    folder = Path(duckdb_extension_vss.__file__).parent / "extensions"
    path = folder / f"v{engine_version()}" / "vss.duckdb_extension"
    if not path.is_file():
        raise VssUnavailable(f"duckdb-extension-vss is not for DuckDB {engine_version()}")
    return path
