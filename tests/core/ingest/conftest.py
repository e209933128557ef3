"""Workers that start in a moment."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

import pytest

from memtui_core.ingest.workers import pool
from support.forks import Forks


@pytest.fixture(scope="session")
def forked() -> Iterator[Sequence[str]]:
    """How Python starts a worker as a fork."""
    if not hasattr(os, "fork"):
        yield pool.WORKER
        return
    with Forks(
        "memtui_core.ingest.workers.prepared_transcript", "memtui_core.readers.agents.claude_code.reader"
    ) as forks:
        yield forks.command("memtui_core.ingest.workers.process")[1:]


@pytest.fixture
def forked_workers(forked: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are forks, for tests about what they prepare and not about their processes."""
    monkeypatch.setattr(pool, "WORKER", forked)
