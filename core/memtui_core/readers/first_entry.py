"""The first entry of a JSON lines file, by which a reader recognizes the transcripts of its agent."""

from __future__ import annotations

import stat
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

_LONGEST: Final = 1 << 20
"""Bytes; the first line of a Codex session contains its instructions and can have more than 20,000."""


def first_entry(path: Path) -> dict[str, Any]:
    """The first line that is not blank as a JSON object; empty for anything else, such as a file that was deleted."""
    return _decoded(head(path))


def head(path: Path) -> bytes:
    """The start of a file, without blanks; empty for a file that cannot be read."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return b""
    if not stat.S_ISREG(status.st_mode):
        # Opening a FIFO would block.
        return b""
    # Every reader asks about the same file in turn, so only the last file is worth keeping.
    return _head(str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1)
def _decoded(start: bytes) -> dict[str, Any]:
    from memtui_core.readers.jsonl import decode

    entries, _ = decode(start.split(b"\n", 1)[0])
    return entries[0] if entries else {}


@lru_cache(maxsize=1)
def _head(path: str, _mtime: int, _size: int) -> bytes:
    from memtui_core.readers.jsonl import opened

    try:
        with opened(Path(path)) as file:
            return file.read(_LONGEST).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return b""
