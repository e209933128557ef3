"""Exceptions as sentences for a person."""

from __future__ import annotations

import errno
from pathlib import Path

import duckdb
import pytest

from memtui_core.errors import IndexTooNew
from memtui_core.system.failures import failure_text, is_of_machine

FOLDER = Path("/data/memtui")
ELSEWHERE = "choose another data folder with --data-dir or MEMTUI_DATA_DIR."
FULL = f"The disk of /data/memtui is full. Make room there, or {ELSEWHERE}"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
        (OSError(errno.EDQUOT, "Disk quota exceeded", "/data/memtui/work.duckdb"), FULL),
        (duckdb.IOException('Could not write file "/data/memtui/work.duckdb": No space left on device'), FULL),
        (
            duckdb.FatalException("FATAL Error: Failed to create checkpoint because of error: No space left on device"),
            FULL,
        ),
        (ValueError("An IO error occurred: 'No space left on device (os error 28)'"), FULL),
        (
            OSError(errno.EROFS, "Read-only file system", "/data/memtui/indexer.lock"),
            "/data/memtui is on a read-only disk, and nothing can be written there. Make it writable, or " + ELSEWHERE,
        ),
        (
            PermissionError(errno.EACCES, "Permission denied", "/data/memtui/work.duckdb"),
            "/data/memtui/work.duckdb cannot be used: permission denied. Change its permissions, or " + ELSEWHERE,
        ),
        (
            duckdb.IOException('Cannot open file "/data/memtui/1.duckdb": Permission denied'),
            "/data/memtui cannot be used: permission denied. Change its permissions, or " + ELSEWHERE,
        ),
        (
            OSError(errno.EFBIG, "File too large"),
            "A file in /data/memtui would be larger than this system allows. Raise the limit (ulimit -f), or "
            + ELSEWHERE,
        ),
        (
            OSError(errno.EIO, "Input/output error"),
            "The disk of /data/memtui has failed: input/output error. Check the disk, or " + ELSEWHERE,
        ),
        (
            OSError(errno.EMFILE, "Too many open files"),
            "Too many files are open. Close other programs, or raise the limit (ulimit -n).",
        ),
        (MemoryError(), "There is not enough memory. Close other programs, then try again."),
        (
            duckdb.OutOfMemoryException("Out of Memory Error: failed to allocate data"),
            "There is not enough memory. Close other programs, then try again.",
        ),
        (
            duckdb.IOException('IO Error: Could not set lock on file "/data/memtui/work.duckdb": Conflicting lock'),
            "Another process has the index in /data/memtui open. End that process, then try again.",
        ),
        (
            duckdb.SerializationException("Serialization Error: field id mismatch\n\nmore of it"),
            "The index in /data/memtui is damaged: Serialization Error: field id mismatch. memtui index mends what can"
            " be mended.",
        ),
        (
            IsADirectoryError(errno.EISDIR, "Is a directory", "/data/memtui/indexer.lock"),
            "/data/memtui/indexer.lock is in the way. Move it, or " + ELSEWHERE,
        ),
        (FileExistsError(errno.EEXIST, "File exists", "/home/x.md"), "/home/x.md cannot be used: File exists."),
        (IndexTooNew("Update memtui."), "Update memtui."),
    ],
)
def test_a_failure_is_told_with_its_cause_and_its_cure(error: Exception, sentence: str) -> None:
    assert failure_text(error, FOLDER) == sentence


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "below"
    with pytest.raises(OSError, match=r"\[Errno") as caught:
        folder.mkdir(parents=True)
    assert failure_text(caught.value, folder) == (
        f"{folder} cannot be the data folder: {tmp_path / 'file'} is a file. Move that file, or {ELSEWHERE}"
    )


def test_a_defect_names_its_place() -> None:
    nothing: dict[str, int] = {}
    with pytest.raises(KeyError) as caught:
        nothing["no"]
    line = caught.value.__traceback__.tb_lineno  # type: ignore[union-attr]
    assert failure_text(caught.value, FOLDER) == (
        f"memtui failed: KeyError: 'no' (test_failures.py, line {line}). This is a defect of memtui: please report it."
    )


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (MemoryError(), True),
        (PermissionError(errno.EACCES, "Permission denied", "/home/x"), False),
        (duckdb.IOException('Cannot open file "/data/1.duckdb": Permission denied'), True),
        (duckdb.IOException("Could not write file: File too large"), True),
        (duckdb.IOException("The file exists, but it is not a valid DuckDB database file!"), False),
        (ValueError("junk"), False),
    ],
)
def test_the_machine_is_told_from_the_file(error: Exception, expected: bool) -> None:
    assert is_of_machine(error) is expected
