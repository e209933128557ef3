"""What a model may take of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memtui_core.system.machine import model_threads, processors


@pytest.mark.parametrize(
    ("count", "threads"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (16, 4)], ids=lambda value: str(value)
)
def test_one_processor_is_left_to_the_person_where_there_are_more_than_two(count: int, threads: int) -> None:
    assert model_threads(count) == threads


@pytest.mark.parametrize(
    ("own", "above", "count"),
    [
        (None, None, 8),
        ("max 100000", "max 100000", 8),
        ("300000 100000", "max 100000", 3),
        ("250000 100000", None, 2),
        ("max 100000", "400000 100000", 4),
        ("600000 100000", "500000 100000", 5),
        ("50000 100000", None, 1),
        ("3200000 100000", None, 8),
        ("junk", None, 8),
    ],
)
def test_a_quota_of_the_cgroup_counts_like_fewer_processors(
    own: str | None, above: str | None, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    folder = tmp_path / "fs" / "user.slice" / "app"
    folder.mkdir(parents=True)
    for place, quota in ((folder, own), (folder.parent, above)):
        if quota is not None:
            (place / "cpu.max").write_text(f"{quota}\n")
    # What lies above the mounted file system says nothing.
    (tmp_path / "cpu.max").write_text("100000 100000\n")
    (tmp_path / "membership").write_text("1:cpu:/elsewhere\n0::/user.slice/app\n")
    assert processors(tmp_path / "fs", tmp_path / "membership") == count


def test_without_cgroups_the_affinity_counts(tmp_path: Path) -> None:
    expected = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert processors(tmp_path, tmp_path / "none") == expected
    (tmp_path / "membership").write_text("1:cpu:/\n")
    assert processors(tmp_path, tmp_path / "membership") == expected


@pytest.mark.skipif(not hasattr(os, "nice"), reason="this system has no niceness")
def test_who_follows_steps_back_and_who_is_waited_for_does_not(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    arguments = ["index", "--source", str(tmp_path / "src"), "--data-dir", str(tmp_path / "data"), "--quiet"]
    code = f"""
import os
before = os.nice(0)
from memtui.cli import cli
for options in ([], ["--watch", "--until-eof"]):
    cli([*{arguments!r}, *options], standalone_mode=False)
    print(os.nice(0) - before)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "0\n10\n"), done.stderr
