"""Agents that a process knows for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memtui_core.readers import registry
from memtui_core.readers.base import Reader
from memtui_core.tools.vocabulary import vocabulary


@contextmanager
def registered(*readers: Reader) -> Iterator[None]:
    """Register readers, and forget them at the end, together with all that were registered since."""
    before = list(registry._registered)
    for reader in readers:
        registry.register(reader)
    try:
        yield
    finally:
        registry._registered[:] = before
        vocabulary.cache_clear()
