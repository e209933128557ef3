"""A file whose clock was wrong does not head a list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest

from memtui_core.model import Grouping
from memtui_core.queries.compactions import list_compactions
from memtui_core.queries.files import file_timeline
from memtui_core.queries.pull_requests import list_pull_requests
from memtui_core.queries.sessions import list_projects, list_sessions
from memtui_core.search import path_search
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import update
from support.transcripts import Script

NOW = datetime(2026, 11, 5, 12, 0, tzinfo=UTC)
IDS = {name: f"{number}{str(number) * 7}-1111-4111-8111-111111111111" for number, name in enumerate("abcd", 1)}


def session(folder: Path, name: str, *times: datetime, project: str = "") -> None:
    """A session with an edit, a compaction and a pull request at each time, in a project and with a file of its own."""
    script = Script(IDS[name], cwd=f"/home/ana/{project or name}", prefix=name)
    for at in times:
        before = len(script.lines)
        script.user(f"Change {name}.py")
        script.calls("Edit", {"file_path": f"/home/ana/{name}/{name}.py", "old_string": "a", "new_string": "b"})
        script.compacts("A summary")
        pull_request = {"prNumber": before + 1, "prUrl": f"https://github.com/ana/{name}/pull/{before + 1}"}
        script.raw({"type": "pr-link", **pull_request, "prRepository": f"ana/{name}", "sessionId": IDS[name]})
        script.lines[before:] = [
            orjson.dumps(orjson.loads(line) | {"timestamp": at.isoformat()}) for line in script.lines[before:]
        ]
    script.write(folder)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """Of four sessions: yesterday, an hour ahead, years ahead, and years ahead with an honest turn before."""
    folder = tmp_path_factory.mktemp("clocks")
    session(folder / "src", "a", NOW - timedelta(days=1))
    session(folder / "src", "b", NOW + timedelta(hours=1))
    session(folder / "src", "c", NOW + timedelta(days=800))
    session(folder / "src", "d", NOW - timedelta(days=3), NOW + timedelta(days=800))
    update(folder / "data", folder / "src")
    return Snapshot(DataDir(folder / "data"), NOW)


def test_sessions_and_projects_go_by_credible_times(snapshot: Snapshot) -> None:
    names = {session_id: name for name, session_id in IDS.items()}
    assert [names[one.session_id] for one in list_sessions(snapshot)] == ["b", "a", "d", "c"]
    assert [one.name for one in list_projects(snapshot)] == ["b", "a", "d", "c"]
    ended = {names[one.session_id]: one.ended_at for one in list_sessions(snapshot)}
    assert (ended["b"], ended["c"], ended["d"]) == (NOW + timedelta(hours=1), None, NOW - timedelta(days=3))


def test_the_newest_session_of_a_project_is_the_one_that_is_listed_first(tmp_path: Path) -> None:
    src = tmp_path / "src"
    session(src, "a", NOW - timedelta(days=9), NOW - timedelta(days=1), project="shop")
    session(src, "b", NOW - timedelta(days=2), project="shop")
    session(src, "c", NOW + timedelta(days=800), project="shop")
    update(tmp_path / "data", src)
    snapshot = Snapshot(DataDir(tmp_path / "data"), NOW)
    listed = list_sessions(snapshot)
    assert [one.session_id for one in listed] == [IDS["a"], IDS["b"], IDS["c"]]
    groupings: tuple[Grouping, ...] = ("", "agent", "machine")
    for by in groupings:
        assert [one.newest for one in list_projects(snapshot, by)] == [listed[0].key]


def test_files_and_compactions_do_too(snapshot: Snapshot) -> None:
    assert [one.path for one in path_search.find_files(snapshot).rows] == ["b.py", "a.py", "d.py", "c.py"]
    compacted = [one.project for one in list_compactions(snapshot)]
    assert (compacted[:3], sorted(compacted[3:])) == (["b", "a", "d"], ["c", "d"])


def test_no_list_shows_a_time_that_is_not_credible(snapshot: Snapshot) -> None:
    """A time axis over all rows would end in years to come."""
    times = {"a": NOW - timedelta(days=1), "b": NOW + timedelta(hours=1), "c": None}
    both = [NOW - timedelta(days=3), None]
    files = {name: path_search.find_files(snapshot, f"{name}.py").rows[0] for name in IDS}
    touched = {name: [touch.at for touch in file_timeline(snapshot, file)] for name, file in files.items()}
    assert touched == {name: [at] for name, at in times.items()} | {"d": both}
    compacted = {(one.project, one.at) for one in list_compactions(snapshot)}
    assert compacted == {*times.items(), *(("d", at) for at in both)}
    requested = {(one.project, one.at) for one in list_pull_requests(snapshot)}
    assert requested == {*times.items(), *(("d", at) for at in both)}


def test_what_was_ahead_is_credible_when_its_time_has_come(snapshot: Snapshot) -> None:
    later = Snapshot(snapshot.data, NOW + timedelta(days=801))
    assert [one.name for one in list_projects(later)] == ["c", "d", "b", "a"]
