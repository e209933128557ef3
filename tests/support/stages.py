"""Indexes that are made once and changed by many tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from support.publishing import Contents, published_contents


class Stage:
    """An index and its transcripts, which each test gets as they were made.

    The index is copied to a place of the test's own. It names its transcripts, so these stay in their place.
    """

    def __init__(self, folder: Path, make: Callable[[Path, Path], object]) -> None:
        self._data, self._made, self._source = folder / "data", folder / "made", folder / "src"
        make(self._data, self._source)
        shutil.copytree(self._source, self._made)

    @cached_property
    def contents(self) -> Contents:
        """What a reader of the index sees before a test changes it."""
        return published_contents(self._data)

    def begin(self, data: Path) -> Path:
        """Copy the index to a folder; the folder of the transcripts, which are as they were."""
        shutil.rmtree(self._source)
        shutil.copytree(self._made, self._source)
        shutil.copytree(self._data, data)
        return self._source
