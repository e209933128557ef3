"""`memtui backup`, `memtui export --all` and `memtui import`: an equal index elsewhere, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
from collections import Counter
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from click.testing import CliRunner, Result

from conftest import SAMPLES
from memtui.cli import cli
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.memory.observations.store import Observations
from memtui_core.readers.locations import Location
from memtui_core.store.archive.backup import read_backup, write_backup
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import ForgetLog, SessionIdentity, Tombstone
from memtui_core.store.snapshot import publisher
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.compression import zstd
from memtui_core.text.own_patterns import use_patterns
from support.archives import archived_index
from support.contents import files_containing
from support.indexes import embed, update
from support.table_values import index_values
from support.transcripts import SESSION, Script

QUERIES = ("price", "cookie banner", "search box", "make test", "retry")


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments, "--data-dir", str(data)])


def hits(data: Path) -> dict[str, set[tuple[str, int]]]:
    """What some searches find."""
    index = Index.open(data)
    found = {query: {(hit.session_id, hit.turn) for hit in index.search(query, 500).hits} for query in QUERIES}
    index.close()
    return found


def archived(data: Path) -> dict[str, bytes]:
    """The content of each archived transcript."""
    files = TranscriptArchive(DataDir(data)).files()
    return {str(path): b"".join(file.pieces()) for path, file in files.items()}


def differences(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> dict[str, tuple[list[str], list[str]]]:
    """The rows of each table that only one of two indexes has: pytest takes minutes to compare so many."""
    differing = {}
    for table in expected:
        one, other = Counter(map(repr, found[table])), Counter(map(repr, expected[table]))
        if one != other:
            differing[table] = [text[:300] for text in one - other][:3], [text[:300] for text in other - one][:3]
    return differing


def fill(folder: Path) -> Path:
    """A data folder with the sample sessions, of which one is gone, vectors, an observation, a mark and a tombstone."""
    sources, data = shutil.copytree(SAMPLES, folder / "src"), folder / "data"
    archived_index(data, sources)
    next(sources.rglob("43d32c51*.jsonl")).unlink()
    update(data, sources)
    embed(data)
    Observations(data).save("s1", type="decision", title="Prices are rounded", narrative="Half up.")
    index = Index.open(data)
    index.annotations.pin(index.sessions.find("7138ff26").key)
    index.close()
    DataDir(data).review_marks.write_text('{"session": "s", "mark": "known", "text": "a row"}\n')
    (data / "state.json").write_text('{"saved": {"mine": "is:error"}}')
    log = ForgetLog(DataDir(data))
    log.forget("abc", [Tombstone(SessionIdentity("claude-code", "gone-for-good"))], 1.0)
    for step in (log.removed, log.purge, log.purged):
        step("abc")
    return data


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read only."""
    return fill(tmp_path_factory.mktemp("filled"))


def own_files(data: Path) -> dict[str, str]:
    return {name: (data / name).read_text() for name in ("observations.jsonl", "review-marks.jsonl", "state.json")}


def pinned(data: Path) -> list[str]:
    index = Index.open(data)
    return [one.session_id[:8] for one in index.sessions.all() if index.annotations.of(one.key).pinned]


def forgets(data: Path) -> bool:
    return ForgetLog(DataDir(data)).tombstones().forgets("claude-code", "gone-for-good", None)


@pytest.mark.spec("S6.5")
@pytest.mark.parametrize("way", ["backup", "export"])
def test_an_import_makes_an_equal_index(filled: Path, tmp_path: Path, way: str) -> None:
    """Reads and searches the sample sessions twice, which takes some seconds."""
    place, data = tmp_path / "copy", tmp_path / "new"
    made = run(filled, "backup", str(place)) if way == "backup" else run(filled, "export", "--all", str(place))
    assert made.exit_code == 0
    result = run(data, "import", str(place), "--json")
    expected, found = index_values(filled), index_values(data)
    if way == "export":
        # What has no session, such as a file that is no transcript, is not in an export; vectors are made again.
        of_sessions = {
            path for (path,) in Index.open(filled).snapshot.rows("SELECT path FROM sources WHERE session IS NOT NULL")
        }
        expected |= {"chunks": [], "sources": [row for row in expected["sources"] if row[0] in of_sessions]}
        expected |= {table: [row for row in expected[table] if row[0] in of_sessions] for table in ("bad_lines",)}
        found |= {"chunks": []}
    assert differences(found, expected) == {}
    assert (hits(data), archived(data), own_files(data)) == (hits(filled), archived(filled), own_files(filled))
    assert (len(archived(data)) > 5, forgets(data), pinned(data)) == (True, True, ["7138ff26"])
    (counts,) = json.loads(result.stdout)
    sessions = len(found["sessions"])
    assert counts == {
        "sessions": sessions, "known": 0, "refused": 0, "transcripts": len(archived(data)), "lines": 3, "tombstones": 1
    }  # fmt: skip
    again = json.loads(run(data, "import", str(place), "--json").stdout)[0]
    assert again == {
        "sessions": 0, "known": sessions, "refused": 0, "transcripts": 0, "lines": 0, "tombstones": 0
    }  # fmt: skip
    assert differences(index_values(data) | found, index_values(data)) == {}
    assert own_files(data) == own_files(filled)


@pytest.mark.spec("S6.5")
@pytest.mark.parametrize("way", ["backup", "export"])
def test_into_an_index_that_exists_what_is_missing_comes_and_the_rest_stays(
    filled: Path, tmp_path: Path, way: str
) -> None:
    place, data = tmp_path / "copy", tmp_path / "mine"
    run(filled, "backup", str(place)) if way == "backup" else run(filled, "export", "--all", str(place))
    own = Script("own-session", prefix="own")
    own.user("Only here: retry")
    own.says("Done.")
    same = next((filled.parent / "src").rglob("7138ff26*.jsonl"))
    update(data, own.write(tmp_path / "projects"), same)
    Observations(data).save("s2", type="decision", title="Only here", narrative="Yes.")
    before = index_values(data)
    assert run(data, "import", str(place)).exit_code == 0
    after, sessions = index_values(data), {row[1] for row in index_values(filled)["sessions"]}
    assert {row[1] for row in after["sessions"]} == sessions | {"own-session"}
    for table in ("turns", "blocks"):
        lost = Counter(map(repr, before[table])) - Counter(map(repr, after[table]))
        assert [text[:300] for text in lost] == []
    expected = {
        row[1]: len([turn for turn in index_values(filled)["turns"] if turn[0][1] == row[1]])
        for row in index_values(filled)["sessions"]
    }
    found = {session: len([turn for turn in after["turns"] if turn[0][1] == session]) for session in sessions}
    assert found == expected
    assert {one.content.title for one in Observations(data).select()} == {"Prices are rounded", "Only here"}


@pytest.mark.spec("S6.7")
def test_what_was_forgotten_or_is_excluded_here_does_not_come(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(filled, "backup", str(tmp_path / "copy"))
    names = {row[1]: row for row in index_values(filled)["sessions"]}
    forgotten = next(name for name in names if name.startswith("43d32c51"))
    data = tmp_path / "mine"
    update(data, Script("own-session").write(tmp_path / "projects"))
    log = ForgetLog(DataDir(data))
    log.forget("abc", [Tombstone(SessionIdentity("claude-code", forgotten))], 1.0)
    (tmp_path / "config.toml").write_text('exclude = ["project:shop-api"]')
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    result = run(data, "import", str(tmp_path / "copy"), "--json")
    counts, found = json.loads(result.stdout)[0], index_values(data)
    assert forgotten not in {row[1] for row in found["sessions"]}
    assert "shop-api" not in repr(found["sessions"])
    assert counts["refused"] > 1
    assert counts["sessions"] == len(found["sessions"]) - ("own-session" in {row[1] for row in found["sessions"]})


@pytest.mark.parametrize("way", ["backup", "export"])
@pytest.mark.parametrize("is_new", [True, False])
def test_no_more_comes_than_the_settings_of_here_keep(
    way: str, is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither into rows nor into the archive, and nothing that a pattern of here matches."""
    script = Script(cwd="/home/ana/code/shop")
    script.user("Ship the order")
    script.calls("Bash", {"command": "ship"}, "t1")
    script.result("qzxvresult81", "t1")
    script.says("The order ACME-123456 was shipped.")
    archived_index(tmp_path / "theirs", script.write(tmp_path / "src")).close()
    other = Script("own-session", cwd="/home/ana/code/blog", prefix="f")
    other.user("Paint the fence ACME-123457")
    other.says("It is blue.")
    archived_index(tmp_path / "theirs", other.write(tmp_path / "src")).close()
    run(tmp_path / "theirs", *(["backup"] if way == "backup" else ["export", "--all"]), str(tmp_path / "copy"))
    data = tmp_path / "mine"
    if not is_new:
        update(data, Script("there", prefix="g").write(tmp_path / "projects"))
    settings = '[retention]\nshop = "text"\n[redact]\npatterns = ["ACME-[0-9]+"]\n'
    (tmp_path / "config.toml").write_text(settings)
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    try:
        result = run(data, "import", str(tmp_path / "copy"), "--json")
    finally:
        use_patterns(())
    counts = json.loads(result.stdout)[0]
    assert (counts["sessions"], counts["refused"], counts["transcripts"]) == (2, 0, 1)
    assert files_containing(data, "qzxvresult81", "ACME-12345") == {"qzxvresult81": [], "ACME-12345": []}
    assert list(archived(data)) == [str(tmp_path / "src" / "own-session.jsonl")]
    index = Index.open(data)
    assert [hit.session_id for hit in index.search("order shipped").hits] == [SESSION]
    assert index.search("qzxvresult81", engines=("lexicon",)).hits == ()


def test_an_export_can_be_read_without_memtui(filled: Path, tmp_path: Path) -> None:
    run(filled, "export", "--all", str(tmp_path / "out"))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    files = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert files == {*manifest["files"], "manifest.json"}
    name = next(name for name in manifest["files"] if name.startswith("sessions/claude-code/43d32c51"))
    rows = [json.loads(line) for line in (tmp_path / "out" / name).read_text().splitlines()]
    session, turn = (next(row for row in rows if row["table"] == table) for table in ("sessions", "turns"))
    assert (session["agent"], session["session_id"][:8]) == ("claude-code", "43d32c51")
    assert turn["started_at"].startswith("202")
    assert turn["started_at"].endswith("Z")
    assert isinstance(turn["models"], list)
    assert turn["user_text"]
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "out").rglob("*") if path.is_file()} == {0o600}


def test_a_backup_holds_what_was_published_and_no_login(filled: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    shutil.copytree(filled, data)
    (data / "team").mkdir()
    (data / "team" / "team.json").write_text('{"url": "postgresql://me:secret@host/db"}')
    (data / "forgotten").mkdir(exist_ok=True)
    (data / "forgotten" / "abc.records").write_bytes(b"what was forgotten")
    result = run(data, "backup", str(tmp_path / "copy"))
    assert result.stderr.startswith(f"{tmp_path}/copy written: ")
    with zstd.open(tmp_path / "copy", "rb") as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        names = [member.name for member in tar]
    archives = [name for name in names if name.startswith("archive/")]
    assert (names[-1], "snapshots/CURRENT" in names, len(archives)) == ("backup.json", True, 2)
    assert [name for name in names if "team" in name or name.startswith(("forgotten/", "lexicon", "work"))] == []
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    assert run(data, "backup", str(tmp_path / "copy")).stderr == (
        f"memtui: {tmp_path}/copy exists, and is not replaced.\n"
    )


@pytest.mark.spec("S6.5")
def test_a_backup_is_consistent_while_an_indexer_publishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes backups while a thread publishes 12 snapshots, each with a new base that replaces the one before."""
    for limit in ("JOURNAL_LIMIT", "SMALLEST_LIMIT", "LARGEST_LIMIT"):
        monkeypatch.setattr(publisher, limit, 1)
    script = Script()
    script.user("prompt 0")
    script.says("Done.")
    path = script.write(tmp_path / "projects")
    update(tmp_path / "data", path)

    published: Queue[int] = Queue()

    def index() -> None:
        with Indexer(tmp_path / "data") as indexer:
            for number in range(1, 13):
                script.user(f"prompt {number}")
                script.says("Done.")
                script.write(tmp_path / "projects")
                for _ in indexer.update([Location("claude-code", path)]):
                    pass
                published.put(number)
        published.put(0)

    thread, made = threading.Thread(target=index), 0
    thread.start()
    # Each one is made while the next snapshot is.
    while published.get():
        write_backup(DataDir(tmp_path / "data"), tmp_path / f"{made}.tar.zst", "1.0")
        made += 1
    thread.join()
    counts = []
    for number in range(made):
        read_backup(tmp_path / f"{number}.tar.zst", tmp_path / f"new-{number}")
        snapshot = Snapshot(DataDir(tmp_path / f"new-{number}"))
        turns = [text for (text,) in snapshot.rows("SELECT user_text FROM turns ORDER BY number")]
        snapshot.close()
        assert turns == [f"prompt {at}" for at in range(len(turns))]
        counts.append(len(turns))
    assert counts == sorted(counts)
    assert (made, len(set(counts)) > 2) == (12, True)


@pytest.mark.parametrize("damage", ["truncated", "flipped", "not a backup"])
def test_a_damaged_backup_changes_nothing(filled: Path, tmp_path: Path, damage: str) -> None:
    place = tmp_path / "copy"
    run(filled, "backup", str(place))
    content = bytearray(place.read_bytes())
    if damage == "truncated":
        del content[len(content) // 2 :]
    elif damage == "flipped":
        content[len(content) // 2] ^= 1
    else:
        content[:] = b"a text\n" * 100
    place.write_bytes(content)
    for arguments in (("import", str(place)), ("backup", "--check", str(place))):
        result = run(tmp_path / "new", *arguments)
        assert (result.exit_code, str(place) in result.stderr, "defect" in result.stderr) == (1, True, False)
    assert [path.name for path in (tmp_path / "new").iterdir() if path.name != "memtui.log"] == []


def test_a_changed_export_is_refused(filled: Path, tmp_path: Path) -> None:
    run(filled, "export", "--all", str(tmp_path / "out"))
    changed = next((tmp_path / "out" / "sessions").rglob("*.jsonl"))
    changed.write_bytes(changed.read_bytes().replace(b"a", b"b", 1))
    result = run(tmp_path / "new", "import", str(tmp_path / "out"))
    assert (result.exit_code, result.stderr) == (1, f"memtui: {changed} is damaged, or was changed.\n")
    changed.unlink()
    result = run(tmp_path / "new", "import", str(tmp_path / "out"))
    assert result.stderr == (
        f"memtui: {tmp_path}/out is not complete: {changed.relative_to(tmp_path / 'out')} is missing.\n"
    )


def test_what_a_newer_version_wrote_is_refused(filled: Path, tmp_path: Path) -> None:
    run(filled, "export", "--all", str(tmp_path / "out"))
    manifest = tmp_path / "out" / "manifest.json"
    value = json.loads(manifest.read_text())
    manifest.write_text(json.dumps(value | {"schema": 99, "memtui": "9.0"}))
    result = run(tmp_path / "new", "import", str(tmp_path / "out"))
    assert result.stderr == f"memtui: {tmp_path}/out was written by memtui 9.0, which is newer. Update memtui.\n"


def test_a_folder_that_is_in_use_is_refused(filled: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    result = run(filled, "export", "--all", str(tmp_path / "out"))
    assert (result.exit_code, result.stderr) == (1, f"memtui: {tmp_path}/out exists and is not empty.\n")
    assert run(filled, "import", str(tmp_path / "out")).stderr == (
        f"memtui: {tmp_path}/out is no export of memtui: it has no manifest.json.\n"
    )
    assert sorted(tmp_path.iterdir()) == [tmp_path / "out"]


@pytest.mark.parametrize("action", ["kill", "full"])
@pytest.mark.parametrize(
    ("step", "arguments"),
    [("backup-written", ["backup", "{}/copy"]), ("export-written", ["export", "--all", "{}/copy"])],
)
def test_a_death_or_a_full_disk_leaves_nothing_under_the_name(
    filled: Path, tmp_path: Path, step: str, arguments: list[str], action: str
) -> None:
    result = faulty(filled, f"{step}:{action}", *(argument.format(tmp_path) for argument in arguments))
    expected = -signal.SIGKILL if action == "kill" else 1
    assert (result.returncode, (tmp_path / "copy").exists()) == (expected, False)
    if action == "full":
        assert b"is full" in result.stderr
        assert list(tmp_path.iterdir()) == []
    assert run(filled, *(argument.format(tmp_path) for argument in arguments)).exit_code == 0
    assert run(tmp_path / "new", "import", str(tmp_path / "copy")).exit_code == 0


@pytest.mark.spec("S6.5")
@pytest.mark.parametrize("way", ["backup", "export"])
@pytest.mark.parametrize(
    "fault", ["import-moved:kill", "import-in-place:kill", "import-inserted:kill", "indexer-published:kill"]
)
def test_an_import_that_was_killed_is_finished_by_the_next_one(
    filled: Path, tmp_path: Path, way: str, fault: str
) -> None:
    place, data = tmp_path / "copy", tmp_path / "new"
    run(filled, "backup", str(place)) if way == "backup" else run(filled, "export", "--all", str(place))
    faulty(data, fault, "import", str(place))
    assert run(data, "import", str(place)).exit_code == 0
    found, expected = index_values(data), index_values(filled)
    tables = ("sessions", "turns", "blocks", "file_mentions")
    assert differences({name: found[name] for name in tables}, {name: expected[name] for name in tables}) == {}
    assert (archived(data), hits(data)) == (archived(filled), hits(filled))
    assert [path.name for path in data.iterdir() if path.name.startswith(".import")] == []


def faulty(data: Path, fault: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command that ends at a step."""
    return subprocess.run(
        [sys.executable, "-m", "memtui", *arguments, "--data-dir", str(data)],
        env={**os.environ, "MEMTUI_FAULT": fault},
        capture_output=True,
        check=False,
    )


def test_nothing_is_backed_up_of_an_empty_folder(tmp_path: Path) -> None:
    result = run(tmp_path / "data", "backup", str(tmp_path / "copy"))
    assert (result.exit_code, (tmp_path / "copy").exists()) == (1, False)
    assert "Nothing is indexed" in result.stderr


def test_the_id_of_a_session_names_its_file(tmp_path: Path) -> None:
    script = Script("../../etc/passwd")
    script.user("x")
    script.write(tmp_path / "projects", f"{SESSION}.jsonl")
    update(tmp_path / "data", tmp_path / "projects")
    run(tmp_path / "data", "export", "--all", str(tmp_path / "out"))
    assert {path.name for path in tmp_path.iterdir()} == {"data", "out", "projects"}
