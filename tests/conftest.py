"""What every test may rely on: UTC, no settings of the person who runs it, and one index of the sample sessions."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from support.indexes import embed, update
from support.systems import apply_time_zone

# Thousands of tests are a great many objects to look at again and again.
gc.set_threshold(50_000, 20, 50)

# As memtui does when it starts: DuckDB would look for them again and again.
for name in ("pandas", "pyarrow"):
    sys.modules.setdefault(name, None)  # type: ignore[arg-type]

# How long an example takes says how busy the machine is. The current profile stays what else is set, as in CI.
settings.register_profile("any machine", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

LONGEST = ("test_snapshots", "test_keys", "test_viewing", "test_browse", "test_remembered", "test_mcp", "test_views")
"""Test files that take more than 40 seconds."""
SAMPLES = Path(__file__).parents[1] / "sample_sessions" / "projects"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that at the end no process works on one of them alone."""
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


def pytest_collection_finish() -> None:
    """What was collected stays until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _same_everywhere() -> None:
    os.environ.update(TZ="UTC", TEXTUAL_ANIMATIONS="none", COLORTERM="truecolor")
    apply_time_zone()


@pytest.fixture(autouse=True)
def _nothing_of_the_person(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.delenv("MEMTUI_DATA_DIR", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of the sample sessions, all turns with their vectors; read only."""
    # Made once for all processes of the suite, then each has its own.
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    made = shared / "sample_index"
    with FileLock(shared / "sample_index.lock"):
        if not made.exists():
            update(shared / "half_made", SAMPLES)
            embed(shared / "half_made")
            (shared / "half_made").rename(made)
    folder = tmp_path_factory.mktemp("samples")
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder
