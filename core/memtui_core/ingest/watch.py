"""Stay and take in what agents write."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

from watchfiles import watch

from memtui_core.embed import Embedder
from memtui_core.ingest.indexer import Indexer
from memtui_core.places import Place

RESCAN_SECONDS = 30
"""A file system that sends no events, or a folder that appears later, is noticed after this time at the latest."""


EMBED_SECONDS = 5
"""While turns wait for their vectors, new text is looked for so often."""


def watch_places(
    indexer: Indexer, places: Sequence[Place], stop: threading.Event, embedder: Embedder | None = None
) -> None:
    """Update the index whenever something changes in the places, until `stop` is set.

    With an embedder, turns are given their vectors meanwhile; new text is read in between.
    """
    while not stop.is_set():
        complete = embedder is None or _embed(indexer, embedder, stop)
        folders = sorted({str(folder) for place in places if (folder := _watchable(place.path)) is not None})
        if complete and not folders:
            stop.wait(RESCAN_SECONDS)
        elif complete:
            _wait_for_change(folders, stop)
        if not stop.is_set():
            for _ in indexer.update(places, stop.is_set):
                pass


def _embed(indexer: Indexer, embedder: Embedder, stop: threading.Event) -> bool:
    """Embed for a while; True when nothing waits any more."""
    until = time.monotonic() + EMBED_SECONDS
    reports = list(indexer.embed(embedder, lambda: stop.is_set() or time.monotonic() > until))
    return reports[-1].finished


def _wait_for_change(folders: Sequence[str], stop: threading.Event) -> None:
    for _ in watch(
        *folders,
        watch_filter=None,
        debounce=400,
        step=100,
        stop_event=stop,
        rust_timeout=RESCAN_SECONDS * 1000,
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    ):
        return


def _watchable(path: Path) -> Path | None:
    if path.is_dir():
        return path
    return path.parent if path.parent.is_dir() and path.is_file() else None
