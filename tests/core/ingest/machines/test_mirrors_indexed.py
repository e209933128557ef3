"""Sessions of other machines in the index: once each, pulled while the indexer watches, kept without the machine."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtui_core.errors import IndexMissing
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.machines import background
from memtui_core.ingest.machines.background import BackgroundPulls
from memtui_core.ingest.machines.declared import Machine, declare, mirrors_of, undeclare
from memtui_core.ingest.machines.pull import pull, remove_copies
from memtui_core.ingest.machines.repositories import Repository, repositories_of, without_password
from memtui_core.ingest.machines.state import read_state
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.exclusions import Exclusions
from memtui_core.readers.locations import Location, chosen_locations
from memtui_core.store.data_folder import DataDir
from support.sshd import LoopbackSsh
from support.transcripts import SESSION, Script

LOOKS = 3000
"""Each of 20 ms at most; far more than are needed on a busy machine."""


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def lines_of(turns: int, session: str = SESSION, cwd: str = "/home/ana/code/shop", prefix: str = "e") -> bytes:
    script = Script(session, cwd, prefix)
    for number in range(turns):
        script.user(f"prompt {number}")
        script.says(f"answer {number}")
    return script.bytes()


def put(home: Path, content: bytes, name: str = SESSION) -> Path:
    path = home / ".claude/projects/-home-ana-code-shop" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def update(data: DataDir) -> int:
    """Index as `memtui index` does; how many files were read."""
    with Indexer(data.path, processes=0) as indexer:
        for _ in indexer.update(chosen_locations([], mirrors=mirrors_of(data))):
            pass
        return indexer.counts.files_read


def listed(data: DataDir) -> list[tuple[str, int]]:
    """The ids of the sessions that lists show, with their turns."""
    return sorted((str(one.session_id), one.turns) for one in Index.open(data.path).sessions.all() if one.turns)


@pytest.mark.parametrize("there", [1, 3, 5])
@pytest.mark.parametrize("pulls_first", [False, True])
def test_a_session_of_a_synchronized_home_is_one(there: int, pulls_first: bool, data: DataDir, tmp_path: Path) -> None:
    """The copy in the mirror is shorter, the same, or longer, and grows later."""
    here, laptop = Path.home(), tmp_path / "laptop-home"
    put(laptop, lines_of(there))
    machine = declare(data, "laptop", str(laptop))
    if pulls_first:
        pull(data, machine)
        update(data)
    put(here, lines_of(3))
    update(data)
    pull(data, machine)
    update(data)
    assert listed(data) == [(SESSION, max(3, there))]
    assert update(data) == 0
    put(laptop, lines_of(7))
    pull(data, machine)
    update(data)
    assert listed(data) == [(SESSION, 7)]
    put(here, lines_of(9))
    update(data)
    assert listed(data) == [(SESSION, 9)]


def test_the_locations_in_a_mirror_are_those_of_each_agent(data: DataDir, tmp_path: Path) -> None:
    home = tmp_path / "laptop-home"
    put(home, lines_of(1))
    (home / "Library/Application Support/kiro-cli").mkdir(parents=True)
    pull(data, declare(data, "laptop", str(home)))
    mirror = data.mirror("laptop")
    found = chosen_locations([], mirrors=mirrors_of(data), exclusions=Exclusions(["agent:codex"]))
    inside = [one for one in found if one.path.is_relative_to(mirror)]
    assert Location("claude-code", mirror / ".claude/projects") in inside
    assert Location("kiro", mirror / "Library/Application Support/kiro-cli/data.sqlite3") in inside
    assert Location("kiro", mirror / ".local/share/kiro-cli/data.sqlite3") in inside
    assert {one.agent for one in inside} >= {"opencode", "cursor", "zed", "gemini"}
    assert not {"codex", None} & {one.agent for one in inside}
    assert chosen_locations([tmp_path], mirrors=mirrors_of(data)) == [Location(None, tmp_path)]


def test_the_sessions_of_a_removed_machine_stay_as_those_of_deleted_transcripts(data: DataDir, tmp_path: Path) -> None:
    home = tmp_path / "laptop-home"
    put(home, lines_of(2))
    pull(data, declare(data, "laptop", str(home)))
    update(data)
    undeclare(data, "laptop")
    remove_copies(data, "laptop")
    assert not data.mirror("laptop").parent.exists()
    update(data)
    assert listed(data) == [(SESSION, 2)]
    assert [row.state for row in Index.open(data.path).statistics.sources()] == ["gone"]
    assert put(home, lines_of(2)).exists()


@contextmanager
def watching(data: DataDir) -> Iterator[threading.Event]:
    """Run the indexer as `memtui index --watch` does."""
    stop = threading.Event()

    def located() -> list[Location]:
        return chosen_locations([], mirrors=mirrors_of(data))

    def run() -> None:
        with Indexer(data.path, processes=0) as indexer:
            for _ in indexer.update(located()):
                pass
            watch_locations(indexer, located(), stop, pulls=BackgroundPulls(data, located))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(60)
        assert not thread.is_alive()


def awaited(stop: threading.Event, holds: Callable[[], bool]) -> bool:
    return any(holds() or stop.wait(0.02) for _ in range(LOOKS)) and not stop.is_set()


def has(data: DataDir, expected: list[tuple[str, int]]) -> Callable[[], bool]:
    def holds() -> bool:
        data.readers.touch()
        try:
            return listed(data) == expected
        except IndexMissing:
            return False

    return holds


def test_what_a_pull_brings_is_indexed_while_the_indexer_watches(
    data: DataDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "PULL_SECONDS", 0.2)
    home = tmp_path / "laptop-home"
    put(home, lines_of(1))
    data.path.mkdir()
    with watching(data) as stop:
        assert awaited(stop, has(data, []))
        # A machine that is declared later, and an agent that is new on it.
        declare(data, "laptop", str(home))
        assert awaited(stop, has(data, [(SESSION, 1)]))
        put(home, lines_of(2))
        assert awaited(stop, has(data, [(SESSION, 2)]))
        declare(data, "gone", str(tmp_path / "not/there"))
        assert awaited(stop, lambda: "No such file" in read_state(data, "gone").error)
        put(Path.home(), lines_of(4, "local", prefix="l"), "local")
        assert awaited(stop, has(data, [(SESSION, 2), ("local", 4)]))
    assert read_state(data, "laptop").error == ""


def test_a_machine_that_hangs_holds_up_neither_the_index_nor_the_end(
    loopback: LoopbackSsh, data: DataDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_SSH", loopback.command)
    begun = tmp_path / "begun"
    loopback.session(tmp_path, before=f"touch {begun}; exec sleep 600")
    declare(data, "laptop", loopback.address)
    put(Path.home(), lines_of(2))
    with watching(data) as stop:
        assert awaited(stop, begun.exists)
        assert awaited(stop, has(data, [(SESSION, 2)]))
        put(Path.home(), lines_of(3))
        assert awaited(stop, has(data, [(SESSION, 3)]))
        pulling = next(thread for thread in threading.enumerate() if thread.name == "memtui-pull")
        assert pulling.is_alive()
    # The indexer ends without it; it ends itself, with its ssh, well before the host would be given up.
    pulling.join(60)
    assert not pulling.is_alive()
    assert read_state(data, "laptop").error == ""


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def test_the_repositories_of_working_directories_are_asked_for(
    loopback: LoopbackSsh, data: DataDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMTUI_SSH", loopback.command)
    home = tmp_path / "laptop home"
    shop, plain, alone = home / "code/it's a shop", home / "notes", home / "code/alone"
    for folder in (shop / "src", plain, alone):
        folder.mkdir(parents=True)
    for folder in (shop, alone):
        git(folder, "init", "-q")
    git(shop, "remote", "add", "origin", "https://ana:token@example.org/acme/shop.git")
    for name, folder in (("a", shop / "src"), ("b", plain), ("c", alone), ("d", home / "deleted")):
        put(home, lines_of(1, name, str(folder), prefix=name), name)
    loopback.session(home)
    machine = declare(data, "laptop", loopback.address)
    pull(data, machine)
    assert dict(repositories_of(data, "laptop")) == {}
    update(data)
    pull(data, machine)
    found = {
        str(shop / "src"): Repository(str(shop), "https://example.org/acme/shop.git"),
        str(alone): Repository(str(alone), ""),
    }
    assert dict(repositories_of(data, "laptop")) == found
    assert read_state(data, "laptop").repositories.keys() == {
        *found,
        str(plain),
        str(home / "deleted"),
    }
    assert b"token" not in (data.machines / "laptop/state.json").read_bytes()
    git(shop, "remote", "set-url", "origin", "git@example.org:acme/shop.git")
    pull(data, machine, in_background=True)
    assert dict(repositories_of(data, "laptop")) == found
    pull(data, machine)
    assert repositories_of(data, "laptop")[str(shop / "src")].url == "git@example.org:acme/shop.git"


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://token@github.com/a/b.git", "https://github.com/a/b.git"),
        ("https://ana:pw@github.com/a/b", "https://github.com/a/b"),
        ("ssh://git:pw@host:22/a/b", "ssh://git@host:22/a/b"),
        ("ssh://git@host/a/b", "ssh://git@host/a/b"),
        ("git@github.com:a/b.git", "git@github.com:a/b.git"),
        ("https://github.com/a/b@c", "https://github.com/a/b@c"),
        ("", ""),
    ],
)
def test_the_url_of_a_repository_is_kept_without_a_password(url: str, kept: str) -> None:
    assert without_password(url) == kept


def test_the_machine_is_named_by_its_state_alone(machine: Machine, data: DataDir) -> None:
    """Each way leaves the same files in the folder of the machine."""
    put(data.path.parent / "laptop-home", lines_of(1))
    pull(data, machine)
    assert sorted(path.name for path in (data.machines / "laptop").iterdir()) == ["home", "pull.lock", "state.json"]
