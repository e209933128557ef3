"""The first entry of a JSON lines file, by which a reader recognizes the transcripts of its agent."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

_LONGEST: Final = 1 << 20
"""Bytes; the first line of a Codex session contains its instructions and can have more than 20,000."""


def first_entry(path: Path) -> dict[str, Any]:
    """The first line that is not blank as a JSON object; empty for anything else, such as a file that was deleted."""
    try:
        status = path.stat()
    except OSError:
        return {}
    # Every reader asks about the same file in turn, so only the last file is worth keeping.
    return _first_entry(str(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1)
def _first_entry(path: str, _mtime: int, _size: int) -> dict[str, Any]:
    from memtui_core.readers.jsonl import decode, opened

    try:
        with opened(Path(path)) as file:
            head = file.read(_LONGEST).lstrip(b"\xef\xbb\xbf \t\r\n")
    except OSError:
        return {}
    entries, _ = decode(head.split(b"\n", 1)[0])
    return entries[0] if entries else {}
