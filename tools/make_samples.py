"""Write `sample_sessions/`: invented transcripts, the same on every run.

Usage: python tools/make_samples.py [--check]. With --check nothing is written, and the exit code is 1 when the files
that are there differ from those that would be written.

A builder returns the content of files by their path. A path that ends with `.db` or `.sqlite3` is a database, and its
content the script that makes it; of databases the rows are compared, because their bytes depend on the version of
SQLite.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

TARGET: Final = ROOT / "sample_sessions"
BUILDERS: Final = (
    "stories",
    "antigravity_sessions",
    "cline_sessions",
    "codex_sessions",
    "copilot_sessions",
    "crush_sessions",
    "cursor_sessions",
    "droid_sessions",
    "gemini_sessions",
    "goose_sessions",
    "kimi_sessions",
    "kiro_sessions",
    "omp_sessions",
    "opencode_sessions",
    "pi_sessions",
    "qwen_sessions",
    "roo_sessions",
    "zed_sessions",
)
"""The modules in `tools/samples` with a function `build`."""
DATABASES: Final = frozenset({".db", ".sqlite3"})


def build() -> dict[str, str]:
    """The content of every file by its path below the target."""
    files: dict[str, str] = {}
    for name in BUILDERS:
        files |= import_module(f"tools.samples.{name}").build()
    return files


def differing(files: Mapping[str, str], target: Path = TARGET) -> list[str]:
    """The paths that are missing, differ or should not be there, sorted. Files directly in the target do not count."""
    there = {path.relative_to(target).as_posix(): path for path in target.glob("*/**/*") if path.is_file()}
    wrong = [name for name, content in files.items() if name not in there or not _is_same(there[name], content)]
    return sorted([*wrong, *(set(there) - set(files))])


def write(files: Mapping[str, str], target: Path = TARGET) -> None:
    """Bring the folder to exactly these files."""
    for name in differing(files, target):
        path = target / name
        path.unlink(missing_ok=True)
        if name not in files:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix in DATABASES:
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(files[name])
        else:
            path.write_bytes(files[name].encode())


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    files = build()
    if "--check" in arguments:
        wrong = differing(files)
        sys.stderr.writelines(f"differs: {name}\n" for name in wrong)
        return 1 if wrong else 0
    write(files)
    size = sum((TARGET / name).stat().st_size for name in files)
    sys.stderr.write(f"{len(files)} files, {size // 1000} kB\n")
    return 0


def _is_same(path: Path, content: str) -> bool:
    if path.suffix not in DATABASES:
        return path.read_bytes() == content.encode()
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(content)
        wanted = list(connection.iterdump())
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return list(connection.iterdump()) == wanted
    except sqlite3.DatabaseError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
