"""Make transcripts with invented values from a report of `memtui doctor --report`, to test a reader with.

Usage: python -m tools.make_sample REPORT FOLDER
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

from memtui_core.readers.structure import KEY, NOTHING, NUMBER, TEXT, TRUTH


def main(arguments: list[str]) -> int:
    """Write a folder for each agent of a report."""
    if len(arguments) != 2:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    report, folder = json.loads(Path(arguments[0]).read_text("utf-8")), Path(arguments[1])
    for agent in report:
        for path in make_sample(agent["structures"], folder / agent["agent"]):
            sys.stdout.write(f"{path}\n")
    return 0


def make_sample(structures: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Write files with one entry of each structure; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    values = Values()
    lines = [json.dumps(values.value(one["entry"])) for one in structures if one["in"] == "lines"]
    made: dict[Path, str] = {folder / "sample.jsonl": "\n".join([*lines, ""])} if lines else {}
    documents = [one["entry"] for one in structures if one["in"] == "document"]
    for number, entry in enumerate(documents, 1):
        made[folder / f"sample-{number}.json"] = json.dumps(values.value(entry), indent=1)
    for path, content in made.items():
        path.write_text(content, "utf-8")
    tables = [(one["in"].removeprefix("table "), one["entry"]) for one in structures if one["in"].startswith("table ")]
    if tables:
        _write_database(folder / "sample.db", tables, values)
    return [*made, *([folder / "sample.db"] if tables else [])]


class Values:
    """Invents values: the first text is `text 1`, the second one `text 2`."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def value(self, shape: Any) -> Any:
        """A value of a structure."""
        if isinstance(shape, dict):
            return {
                f"key {next(self._numbers)}" if name == KEY else name: self.value(inner)
                for name, inner in shape.items()
            }
        if isinstance(shape, list):
            return [self.value(inner) for inner in shape]
        if shape == NUMBER:
            return next(self._numbers)
        if shape == TRUTH:
            return True
        return None if shape == NOTHING else f"text {next(self._numbers)}" if shape == TEXT else shape.removeprefix("=")


def _write_database(path: Path, tables: list[tuple[str, dict[str, Any]]], values: Values) -> None:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        for table in dict(tables):
            columns = sorted({name for other, entry in tables if other == table for name in entry})
            connection.execute(f'CREATE TABLE "{table}" ({", ".join(columns)})')
        for table, entry in tables:
            if any(shape != NOTHING for shape in entry.values()):
                row = {name: _column(shape, values) for name, shape in entry.items()}
                places = ", ".join("?" * len(row))
                connection.execute(f'INSERT INTO "{table}" ({", ".join(row)}) VALUES ({places})', list(row.values()))
        connection.commit()


def _column(shape: Any, values: Values) -> Any:
    if isinstance(shape, dict):
        return json.dumps(values.value(shape["JSON"]))
    return b"bytes" if shape == "bytes" else values.value(shape)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
