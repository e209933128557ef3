"""Folders that are made once a run and shared by all processes of the suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from filelock import FileLock


class MadeOnce:
    """Makes each folder when the first test asks for it; the other processes wait for that one."""

    def __init__(self, shared: Path) -> None:
        self._shared = shared

    def folder(self, name: str, make: Callable[[Path], object]) -> Path:
        """The folder that `make` fills; no test may write to it. A name means the same folder in all tests."""
        made = self._shared / name
        with FileLock(self._shared / f"{name}.lock"):
            if not made.exists():
                half_made = self._shared / f"{name}.part"
                half_made.mkdir()
                make(half_made)
                half_made.rename(made)
        return made
