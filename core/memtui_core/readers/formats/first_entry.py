"""The first entry of a JSON lines file, by which a reader recognizes the transcripts of its agent."""

from __future__ import annotations

import stat
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

_SHORT: Final = 4096
"""Bytes; enough for the first line of most files."""
_LONGEST: Final = 1 << 20
"""Bytes; the first line of a Codex session contains its instructions and can have more than 20,000."""


def first_entry(path: Path) -> dict[str, Any]:
    """The first line that is not blank as a JSON object; empty for anything else, such as a file that was deleted."""
    state = _state(path)
    return _first_entry(*state) if state is not None else {}


def head(path: Path) -> bytes:
    """The first bytes of a file, without blanks; empty for a file that cannot be read."""
    state = _state(path)
    return _head(*state) if state is not None else b""


def begins_with(path: Path, *keys: bytes) -> bool:
    """Whether a file is a JSON object with these texts among its first bytes."""
    start = head(path)
    return start[:1] == b"{" and all(key in start for key in keys)


def _state(path: Path) -> tuple[str, int, int] | None:
    """What changes with the content of a file; None if it cannot be read."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    # Opening a FIFO would block.
    return (str(path), status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None


# Every reader asks about the same file in turn, so only the last file is worth keeping.
@lru_cache(maxsize=1)
def _first_entry(path: str, mtime: int, size: int) -> dict[str, Any]:
    from memtui_core.readers.formats.jsonl import decode

    start = _head(path, mtime, size)
    if b"\n" not in start:
        start = _start_of(path, _LONGEST)
    entries, _ = decode(start.split(b"\n", 1)[0])
    return entries[0] if entries else {}


@lru_cache(maxsize=1)
def _head(path: str, _mtime: int, _size: int) -> bytes:
    return _start_of(path, _SHORT)


def _start_of(path: str, length: int) -> bytes:
    from memtui_core.readers.formats.jsonl import opened

    try:
        with opened(Path(path)) as file:
            return file.read(length).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return b""
