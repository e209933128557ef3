"""Whether paths from transcripts exist on this machine: some are too long for it, or in folders that may not be read.

For such a path `Path.is_file` and `Path.is_dir` raise OSError, up to Python 3.13.
"""

from __future__ import annotations

from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether a path leads to a file that can be reached."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder that can be reached."""
    try:
        return path.is_dir()
    except OSError:
        return False
