"""The number of bytes that a process has written to the disk, as counted by the operating system."""

from __future__ import annotations

from pathlib import Path


def bytes_written(process: int | str = "self") -> int | None:
    """Bytes written by a process so far, in whole pages; None if the system does not count them (only Linux does)."""
    try:
        for line in Path(f"/proc/{process}/io").read_text("utf-8").splitlines():
            name, _, count = line.partition(":")
            if name == "write_bytes":
                return int(count)
    except (OSError, ValueError):
        pass
    return None
