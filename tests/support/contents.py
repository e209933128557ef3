"""Which files of a data folder contain a text: by their bytes, and by what is compressed in them."""

from __future__ import annotations

from pathlib import Path

import duckdb

from memtui_core.store.archive.records import RecordFile


def files_containing(folder: Path, *texts: str) -> dict[str, list[str]]:
    """For each text the files that contain it, as it is, in a column of a table or in a record."""
    found: dict[str, list[str]] = {text: [] for text in texts}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes() + _compressed(path)
        for text in texts:
            if text.encode() in content:
                found[text].append(path.relative_to(folder).as_posix())
    return found


def lexicon_files(folder: Path) -> set[str]:
    """The names of the parts of the keyword index: their words are coded, so that no bytes tell which they are."""
    return {path.name for path in (folder / "lexicon").iterdir() if path.suffix in {".term", ".idx", ".pos", ".store"}}


def _compressed(path: Path) -> bytes:
    if path.suffix == ".records":
        return b"\n".join(record.body() for record in RecordFile(path).records())
    if ".duckdb" not in path.name or path.name.endswith(".wal"):
        return b""
    values: list[str] = []
    with duckdb.connect(str(path), read_only=True) as connection:
        columns = connection.execute(
            "SELECT schema_name, table_name, column_name FROM duckdb_columns()"
            " WHERE NOT internal AND data_type IN ('VARCHAR', 'VARCHAR[]')"
        ).fetchall()
        views = {
            (schema, name)
            for schema, name in connection.execute("SELECT schema_name, view_name FROM duckdb_views()").fetchall()
        }
        for schema, table, column in columns:
            if (schema, table) not in views:
                rows = connection.execute(f'SELECT DISTINCT "{column}"::VARCHAR FROM "{schema}"."{table}"').fetchall()
                values += [value or "" for (value,) in rows]
    return "\n".join(values).encode()
