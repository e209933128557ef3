"""What a pull brings, from a folder and from a real sshd on the loopback, with rsync on both sides and without."""

from __future__ import annotations

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memtui_core.ingest.machines.declared import Machine
from memtui_core.ingest.machines.pull import Pulled, look, pull
from memtui_core.ingest.machines.state import read_state
from memtui_core.store.data_folder import DataDir
from support.other_homes import LINUX, MAC, SECRETS, contents_of, plant_secrets, sample_home, sessions_in

SHOP = ".claude/projects/-home-ana-code-shop"


def put(home: Path, name: str, content: bytes, mtime: int | None = None) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if mtime is not None:
        os.utime(path, ns=(mtime, mtime))
    return path


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "laptop-home"


@pytest.mark.parametrize("places", [LINUX, MAC], ids=["linux", "mac"])
def test_the_sessions_of_every_agent_are_the_same_in_the_mirror(
    places: dict[str, str], machine: Machine, data: DataDir, home: Path, tmp_path: Path
) -> None:
    """Indexes every sample session twice, which takes some seconds."""
    sample_home(home, places)
    expected = sessions_in(tmp_path / "index-of-home", home)
    pull(data, machine)
    found = sessions_in(tmp_path / "index-of-mirror", data.mirror("laptop"))
    # Crush says nowhere in which folder it ran: it is the one with its database.
    crush = {key for key in expected if key[0] == "crush"}
    assert len({agent for agent, _ in expected}) > 25
    assert {key: one for key, one in found.items() if key not in crush} == {
        key: one for key, one in expected.items() if key not in crush
    }
    assert {key: found[key][::2] for key in crush} == {key: expected[key][::2] for key in crush}
    assert pull(data, machine) == Pulled(found=pull(data, machine).found)


def test_no_credential_setting_or_link_is_copied(machine: Machine, data: DataDir, home: Path, tmp_path: Path) -> None:
    sample_home(home)
    pull(data, machine)
    before = contents_of(data.mirror("laptop"))
    plant_secrets(home)
    outside = put(tmp_path, "outside/projects/secret.jsonl", b'{"token": "hunter2"}\n')
    folder = home / ".claude/projects/-home-ana-code-site"
    (folder / "link.jsonl").symlink_to(outside)
    (folder / "folder").symlink_to(outside.parent)
    (folder / "up.jsonl").symlink_to(home / ".ssh/id_ed25519")
    (home / ".iflow/projects").rename(home / ".iflow/elsewhere")
    (home / ".iflow/projects").symlink_to(outside.parent)
    for database in (".local/share/opencode/opencode.db", ".local/share/kiro-cli/data.sqlite3"):
        with closing(sqlite3.connect(home / database)) as connection, connection:
            connection.execute("CREATE TABLE auth_kv (key TEXT, value TEXT)")
            connection.execute("INSERT INTO auth_kv VALUES ('token', 'hunter2')")
    pulled = pull(data, machine)
    after = contents_of(data.mirror("laptop").parent)
    assert not [name for name, content in after.items() if b"hunter2" in content]
    assert {name.removeprefix("home/") for name in after if name.startswith("home/")} == before.keys()
    assert not set(SECRETS) & before.keys()
    assert not [path for path in data.machines.rglob("*") if path.is_symlink()]
    assert (pulled.files, pulled.databases) == (0, 2)
    assert pulled.failures == [".iflow/projects is a link out of the home folder"]
    assert read_state(data, "laptop").error == ".iflow/projects is a link out of the home folder"


def test_of_the_database_of_cursor_only_chats_are_copied(machine: Machine, data: DataDir, home: Path) -> None:
    database = home / ".config/Cursor/User/globalStorage/state.vscdb"
    database.parent.mkdir(parents=True)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        connection.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        connection.executemany(
            "INSERT INTO ItemTable VALUES (?, ?)",
            [("cursorAuth/accessToken", "hunter2"), ("composer.composerHeaders", '{"allComposers": []}')],
        )
        connection.executemany(
            "INSERT INTO cursorDiskKV VALUES (?, ?)",
            [("composerData:c", b'{"name": "it\'s"}'), ("bubbleId:c:1", "{}"), ("agentKv:blob", "hunter2")],
        )
    put(home, ".config/Cursor/User/globalStorage/state.vscdb.backup", database.read_bytes())
    pull(data, machine)
    assert contents_of(data.mirror("laptop")).keys() == {".config/Cursor/User/globalStorage/state.vscdb"}
    copy = data.mirror("laptop") / ".config/Cursor/User/globalStorage/state.vscdb"
    assert b"hunter2" not in copy.read_bytes()
    with closing(sqlite3.connect(copy)) as connection:
        rows = [
            connection.execute(f"SELECT key, value FROM {table} ORDER BY key").fetchall()
            for table in ("ItemTable", "cursorDiskKV")
        ]
        schema = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    assert rows == [
        [("composer.composerHeaders", '{"allComposers": []}')],
        [("bubbleId:c:1", "{}"), ("composerData:c", b'{"name": "it\'s"}')],
    ]
    assert schema == [
        ("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",),
        ("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",),
    ]


def test_a_file_that_grew_is_copied_and_others_are_not(machine: Machine, data: DataDir, home: Path) -> None:
    grows, stays = put(home, f"{SHOP}/a.jsonl", b"1\n"), put(home, f"{SHOP}/b.jsonl", b"2\n")
    assert pull(data, machine) == Pulled(files=2, bytes=4, found=2)
    with grows.open("ab") as file:
        file.write(b"more\n")
    assert pull(data, machine) == Pulled(files=1, bytes=7, found=2)
    assert contents_of(data.mirror("laptop")) == {f"{SHOP}/a.jsonl": b"1\nmore\n", f"{SHOP}/b.jsonl": b"2\n"}
    mirrored = data.mirror("laptop") / SHOP / "b.jsonl"
    assert mirrored.stat().st_mtime_ns == stays.stat().st_mtime_ns
    assert pull(data, machine) == Pulled(found=2)


def test_what_is_deleted_on_the_other_machine_stays(machine: Machine, data: DataDir, home: Path) -> None:
    put(home, f"{SHOP}/b.jsonl", b"2\n")
    gone = put(home, f"{SHOP}/a.jsonl", b"1\n")
    pull(data, machine)
    gone.unlink()
    assert pull(data, machine) == Pulled(found=1)
    assert contents_of(data.mirror("laptop")) == {f"{SHOP}/a.jsonl": b"1\n", f"{SHOP}/b.jsonl": b"2\n"}


def test_a_file_that_was_cut_is_replaced_only_by_a_newer_one_and_the_older_one_is_kept(
    machine: Machine, data: DataDir, home: Path
) -> None:
    name = f"{SHOP}/a.jsonl"
    put(home, name, b"1\n2\n3\n", mtime=2_000_000_000_000_000_000)
    pull(data, machine)
    put(home, name, b"9\n", mtime=1_900_000_000_000_000_000)
    assert pull(data, machine) == Pulled(found=1)
    put(home, name, b"9\n", mtime=2_100_000_000_000_000_000)
    assert pull(data, machine) == Pulled(files=1, bytes=2, found=1)
    assert contents_of(data.mirror("laptop")) == {name: b"9\n"}
    assert contents_of(data.mirror("laptop").with_name("replaced")) == {name: b"1\n2\n3\n"}


def test_lines_that_were_written_again_are_kept_but_not_each_version_of_a_document(
    machine: Machine, data: DataDir, home: Path
) -> None:
    lines, document = f"{SHOP}/a.jsonl", ".augment/sessions/a.json"
    versions = ((b"1\n", b'{"a": 1}'), (b"1\n2\n", b'{"b": 22}'), (b"9\n9\n9\n", b'{"c": 333}'))
    for number, (one, other) in enumerate(versions):
        put(home, lines, one, mtime=(number + 1) * 1_000_000_000_000_000_000)
        put(home, document, other, mtime=(number + 1) * 1_000_000_000_000_000_000)
        assert pull(data, machine).files == 2
    assert contents_of(data.mirror("laptop")) == {lines: b"9\n9\n9\n", document: b'{"c": 333}'}
    assert contents_of(data.mirror("laptop").with_name("replaced")) == {lines: b"1\n2\n"}


@pytest.mark.parametrize("years", [-20, 40])
def test_the_clock_of_the_other_machine_may_be_wrong(years: int, machine: Machine, data: DataDir, home: Path) -> None:
    name, wrong = f"{SHOP}/a.jsonl", 1_790_000_000_123_456_789 + years * 31_536_000_000_000_000
    put(home, name, b"1\n", mtime=wrong)
    pull(data, machine)
    # It grows, and in the meantime the clock was set back.
    put(home, name, b"1\n2\n", mtime=wrong - 86_400_000_000_000)
    assert pull(data, machine) == Pulled(files=1, bytes=4, found=1)
    # Written again with the same size, a moment later.
    put(home, name, b"1\n3\n", mtime=wrong - 86_399_999_999_000)
    assert pull(data, machine) == Pulled(files=1, bytes=4, found=1)
    assert contents_of(data.mirror("laptop")) == {name: b"1\n3\n"}
    assert pull(data, machine) == Pulled(found=1)


NAMES = (
    "plain.jsonl",
    "two  spaces.jsonl",
    "new\nline.jsonl",
    "ends in newline\n/a.jsonl",
    'it\'s "quoted" `$HOME` \\ $(touch x).jsonl',
    "-rf.jsonl",
    "#comment.jsonl",
    "*.jsonl",
    "äöü 日本.jsonl",
    "tab\tand\x1b[31mescape.jsonl",
    f"{'long' * 60}.jsonl",
    f"{'deep/' * 40}a.jsonl",
)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows takes none of these names")
def test_any_name_is_copied(machine: Machine, data: DataDir, home: Path) -> None:
    names = [f"{SHOP}/{name}" for name in NAMES]
    if sys.platform == "linux":
        names.append(f"{SHOP}/{os.fsdecode(b'not utf-8 ' + bytes([0xFF, 0xFE]))}.jsonl")
    for number, name in enumerate(names):
        put(home, name, b"%d\n" % number)
    pulled = pull(data, machine)
    assert contents_of(data.mirror("laptop")) == {name: b"%d\n" % number for number, name in enumerate(names)}
    assert (pulled.files, pulled.failures) == (len(names), [])
    assert pull(data, machine) == Pulled(found=len(names))


def test_ten_thousand_files_and_then_one(machine: Machine, data: DataDir, home: Path) -> None:
    """Ten thousand files are written, listed and copied."""
    for folder in range(100):
        (home / f".claude/projects/-p{folder}").mkdir(parents=True)
        for number in range(100):
            (home / f".claude/projects/-p{folder}/{number}.jsonl").write_bytes(b"%d %d\n" % (folder, number))
    pulled = pull(data, machine)
    assert (pulled.files, pulled.found, pulled.failures) == (10_000, 10_000, [])
    assert contents_of(data.mirror("laptop")) == contents_of(home)
    put(home, ".claude/projects/-p7/7.jsonl", b"7 7\nand more\n")
    assert pull(data, machine) == Pulled(files=1, bytes=13, found=10_000)


def test_a_database_is_copied_while_another_program_writes(machine: Machine, data: DataDir, home: Path) -> None:
    path = home / ".local/share/goose/sessions/sessions.db"
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE sessions (id TEXT PRIMARY KEY, working_dir TEXT)")
        writer.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, text TEXT)")
        writer.execute("CREATE INDEX by_session ON messages (session_id)")
        writer.execute("CREATE TABLE tokens (value TEXT)")
        writer.execute("INSERT INTO tokens VALUES ('hunter2')")
        writer.execute("INSERT INTO sessions VALUES ('s', '/home/ana')")
        writer.executemany("INSERT INTO messages VALUES (?, 's', 'äöü')", [(number,) for number in range(500)])
        writer.commit()
        # Not committed: it must not be copied, and it must not hold anything up.
        writer.execute("INSERT INTO messages VALUES (500, 's', 'open')")
        files = {one.name: one.read_bytes() for one in path.parent.iterdir() if not one.name.endswith("-shm")}
        assert pull(data, machine).databases == 1
        assert {one.name: one.read_bytes() for one in path.parent.iterdir() if not one.name.endswith("-shm")} == files
        assert pull(data, machine).databases == 0
        writer.commit()
        assert pull(data, machine).databases == 1
    copy = data.mirror("laptop") / ".local/share/goose/sessions/sessions.db"
    assert b"hunter2" not in copy.read_bytes()
    assert sorted(one.name for one in copy.parent.iterdir()) == ["sessions.db"]
    with closing(sqlite3.connect(copy)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
        assert names == [("by_session",), ("messages",), ("sessions",)]
        assert connection.execute("SELECT count(*), max(text), min(text) FROM messages").fetchall() == [
            (501, "äöü", "open")
        ]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_a_look_says_what_there_is_and_copies_nothing(machine: Machine, data: DataDir, home: Path) -> None:
    put(home, f"{SHOP}/a.jsonl", b"1\n")
    put(home, ".codex/sessions/2026/11/26/rollout-2026-11-26T10-00-00-x.jsonl", b"12\n")
    put(home, ".codex/auth.json", b"hunter2")
    found = look(data, machine)
    assert (dict(found.agents), found.bytes, found.outside) == ({"claude-code": 1, "codex": 1}, 5, [])
    assert contents_of(data.machines).keys() <= {
        "machines.json",
        "machines.lock",
        "laptop/state.json",
        "laptop/pull.lock",
    }
