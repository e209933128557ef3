"""The sessions that are nowhere else any more, and those that agents are about to delete."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.readers.locations import Location
from support.archives import age
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script

THIRD = "33333333-3333-4333-8333-333333333333"


def session(folder: Path, session_id: str, cwd: str = "/home/ana/code/shop") -> Path:
    script = Script(session_id, cwd, session_id[0])
    script.user("Retry the upload")
    script.says("Done.")
    return script.write(folder)


def test_a_session_is_saved_when_all_its_sources_are_gone(tmp_path: Path) -> None:
    projects, data = tmp_path / "projects", tmp_path / "data"
    gone = session(projects / "shop", SESSION)
    session(projects / "shop", OTHER_SESSION)
    in_blog = session(projects / "blog", THIRD, "/home/ana/code/blog")
    # A subagent is no session of its own, and its parent is still there.
    subagent = Script(OTHER_SESSION, prefix="s")
    subagent.user("Look around")
    subagent.says("Looked.")
    nested = subagent.write(projects / "shop" / OTHER_SESSION / "subagents", "agent-a1b2c3d4.jsonl")
    update(data, projects)
    counts = [Index.open(data).statistics.saved()]
    for path in (nested, gone, in_blog):
        path.unlink()
        update(data, projects)
        counts.append(Index.open(data).statistics.saved())
    assert counts == [0, 0, 1, 2]
    statistics = Index.open(data).statistics
    assert [statistics.saved(f"/home/ana/code/{name}") for name in ("shop", "blog", "other")] == [1, 1, 0]
    session(projects / "shop", SESSION)
    update(data, projects)
    assert Index.open(data).statistics.saved() == 1


def test_a_session_of_which_a_copy_is_left_is_not_saved(tmp_path: Path) -> None:
    projects, data = tmp_path / "projects", tmp_path / "data"
    path = session(projects, SESSION)
    (projects / "copy.jsonl").write_bytes(path.read_bytes())
    update(data, projects)
    path.unlink()
    update(data, projects)
    assert Index.open(data).statistics.saved() == 0


@pytest.mark.parametrize(
    ("settings", "ages", "expected"),
    [
        # Two are older than 27 days, one of them is overdue.
        ({}, (26, 28, 40), [("claude-code", 2, 3, 30)]),
        ({"cleanupPeriodDays": 44}, (26, 28, 42), [("claude-code", 1, 3, 44)]),
        ({"cleanupPeriodDays": 99999}, (26, 28, 400), []),
        ({}, (1, 2, 3), []),
    ],
)
def test_what_an_agent_deletes_in_three_days(
    tmp_path: Path, settings: dict[str, int], ages: tuple[float, ...], expected: list[tuple[str, int, int, int]]
) -> None:
    projects, data = tmp_path / "projects", tmp_path / "data"
    (tmp_path / "settings.json").write_text(json.dumps(settings))
    paths = [session(projects, one) for one in (SESSION, OTHER_SESSION, THIRD)]
    for path, days in zip(paths, ages, strict=True):
        age(path, days)
    # It was deleted already.
    gone = session(projects, "44444444-4444-4444-8444-444444444444")
    age(gone, 29)
    update(data, projects)
    gone.unlink()
    update(data, projects)
    locations = [Location("claude-code", projects), Location("codex", tmp_path / "sessions")]
    sweeps = Index.open(data).statistics.sweeps(locations, datetime.now(UTC))
    assert [(one.retention.agent, one.sessions, one.days, one.retention.days) for one in sweeps] == expected
