"""Index the transcript to which an agent has just written, in a separate process, so that the agent need not wait.

python -m memtui.agents.hooks.background_index DATA_FOLDER TRANSCRIPT
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memtui_core.system.machine import lower_priority
from memtui_core.system.processes.ending import GRACE, end_within

if TYPE_CHECKING:
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.search.embed import Embedder

_TIME_LIMIT = 120.0
"""Seconds after which the process ends; the next one indexes the rest."""
_EXTRAS_LIMIT = 8.0
"""Seconds after which it neither reviews compactions nor makes vectors any more: the agent may have ended long ago."""


def start(folder: Path, transcript: Path) -> None:
    """Start a process that indexes a transcript, without waiting for it."""
    subprocess.Popen(
        [sys.executable, "-P", "-m", "memtui.agents.hooks.background_index", str(folder), str(transcript)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=getattr(subprocess, "DETACHED_PROCESS", 0),
    )


def index_transcript(
    folder: Path,
    transcript: Path,
    stopped: Callable[[], bool] = lambda: False,
    extras_stopped: Callable[[], bool] = lambda: False,
) -> bool:
    """Bring the index up to date with a transcript and those of its subagents; False if another indexer is running.

    That indexer finds the transcript itself. The compactions of it are reviewed: a hook tells the agent what
    their summaries lack. Vectors are made if the index has vectors of the model in the settings. `extras_stopped` ends
    these two.
    """
    from memtui.settings.config import settings_in_use
    from memtui_core.errors import IndexerBusy
    from memtui_core.ingest.indexer import Indexer
    from memtui_core.readers.locations import locations_of_session
    from memtui_core.system.locations import current_folder

    config, locations = settings_in_use(), locations_of_session(transcript)
    try:
        indexer = Indexer(
            folder, exclusions=config.exclusions, folder=current_folder(), what="a hook", retention=config.retention
        )
    except IndexerBusy:
        return False
    with indexer:
        for _ in indexer.update(locations, stopped):
            pass
        indexer.add_outside_files(stopped)
        for _ in indexer.review(extras_stopped, transcript=transcript):
            pass
        embedder = None if extras_stopped() else _embedder(indexer, config.model)
        if embedder is not None:
            for _ in indexer.embed(embedder, extras_stopped):
                pass
            for _ in indexer.review(extras_stopped, embedder, transcript):
                pass
    return True


def _embedder(indexer: Indexer, chosen: str) -> Embedder | None:
    """The model of the index's vectors; None if there are none, or if the settings name another model."""
    from memtui_core.search.embed import open_model

    model = indexer.work.model
    if model is None or model != chosen:
        return None
    return open_model(model, 1)


def main() -> None:
    """Index the transcript in the command line; errors are logged."""
    import logging

    from memtui.system.logs import configure, log_failure

    folder, transcript = Path(sys.argv[1]), Path(sys.argv[2])
    began = time.monotonic()
    end_within(_TIME_LIMIT + GRACE)
    configure(folder)
    # The user works on this machine at the same time.
    lower_priority()
    try:
        index_transcript(
            folder,
            transcript,
            lambda: time.monotonic() - began > _TIME_LIMIT,
            lambda: time.monotonic() - began > _EXTRAS_LIMIT,
        )
    except Exception as error:
        from memtui_core.system.failures import failure_text

        log_failure(logging.getLogger("memtui.agents.hooks.background_index"), error, failure_text(error, folder))


if __name__ == "__main__":
    main()
