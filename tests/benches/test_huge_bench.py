"""The huge transcript of the bench is one session with all its turns, whatever its size."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import huge
from memtui_core.index.index import Index
from support.indexes import update


def test_the_transcript_is_one_session_and_a_smaller_one_begins_it(tmp_path: Path) -> None:
    small, large = tmp_path / "small" / "huge.jsonl", tmp_path / "large" / "huge.jsonl"
    huge.write_one(small, 20_000)
    huge.write_one(large, 60_000)
    assert large.read_bytes().startswith(small.read_bytes())
    assert 60_000 <= large.stat().st_size < 70_000
    update(tmp_path / "data", large.parent)
    statistics = Index.open(tmp_path / "data").statistics.of_index()
    assert (statistics.sessions, statistics.turns, statistics.skipped_lines) == (
        1,
        large.read_bytes().count(b'"Turn '),
        0,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory of a process")
def test_memory_and_time_are_those_of_the_command(tmp_path: Path) -> None:
    """Runs the command, because its processes are what is measured."""
    huge.write_one(tmp_path / "source" / "huge.jsonl", 20_000)
    seconds, most = huge.index(tmp_path / "source", tmp_path / "data")
    assert Index.open(tmp_path / "data").statistics.of_index().sessions == 1
    # No Python with DuckDB is smaller.
    assert most > 15
    assert seconds > 0
