"""What goes wrong between machines: cut connections, silent hosts, noisy shells, missing programs, hostile answers."""

from __future__ import annotations

import io
import os
import socket
import sqlite3
import tarfile
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from memtui_core.errors import MachineBusy, MachineUnreachable
from memtui_core.ingest.machines.declared import Machine, declare
from memtui_core.ingest.machines.pull import Pulled, pull
from memtui_core.ingest.machines.reaching import ssh
from memtui_core.ingest.machines.reaching.running import PullInterrupted
from memtui_core.ingest.machines.state import read_state
from memtui_core.store.data_folder import DataDir
from support.other_homes import contents_of, plant_secrets, sample_home
from support.sshd import UNIX, LoopbackSsh, programs_in, require_programs

SHOP = ".claude/projects/-home-ana-code-shop"


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "laptop-home"
    home.mkdir()
    return home


@pytest.fixture
def remote(loopback: LoopbackSsh, data: DataDir, home: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("MEMTUI_SSH", loopback.command)
    loopback.session(home)
    return declare(data, "laptop", loopback.address)


def put(home: Path, name: str, content: bytes) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def noise(number: int, size: int) -> bytes:
    """Lines that do not get shorter by compression."""
    return b"".join(os.urandom(500).hex().encode() + b"%d\n" % number for _ in range(size // 1000))


@pytest.mark.parametrize("program", ["tar", "rsync"])
def test_a_copy_that_was_cut_leaves_the_last_good_files_and_goes_on(
    program: str, remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path, tmp_path: Path
) -> None:
    names = [f"{SHOP}/{number}.jsonl" for number in range(8)]
    first = {name: b"%d\n" % number for number, name in enumerate(names)}
    for name, content in first.items():
        put(home, name, content)
    pull(data, remote)
    grown = {name: content + noise(number, 400_000) for number, (name, content) in enumerate(first.items())}
    for name, content in grown.items():
        put(home, name, content)
    programs = programs_in(tmp_path / "programs", *UNIX, "grep", "dd", *(["rsync"] if program == "rsync" else []))
    # Byte by byte, as whatever holds output back would hold up what the two rsyncs first say to each other.
    cut = f"| {{ dd bs=1 count={900_000 if program == 'tar' else 300_000}; kill -9 $PPID; }}"
    # The list of files comes whole: only what sends files is cut.
    loopback.session(home, programs, before=_cut(program, cut))
    if program == "tar":
        with pytest.raises(MachineUnreachable):
            pull(data, remote)
        assert read_state(data, "laptop").error != ""
    else:
        # What rsync did not bring is brought by tar, over another connection.
        assert pull(data, remote).failures == []
    after = contents_of(data.mirror("laptop"))
    assert {name for name, content in after.items() if content not in (first[name], grown[name])} == set()
    if program == "tar":
        assert {name for name in names if after[name] == first[name]}
        assert {name for name in names if after[name] == grown[name]}
    loopback.session(home)
    assert pull(data, remote).failures == []
    assert contents_of(data.mirror("laptop")) == grown
    assert not (data.mirror("laptop").with_name("incoming")).exists()
    assert pull(data, remote) == Pulled(found=8)
    assert read_state(data, "laptop").error == ""


def _cut(program: str, cut: str) -> str:
    """Lines of the shell that end the connection after some output of one program."""
    if program == "rsync":
        return f'case "$SSH_ORIGINAL_COMMAND" in rsync*) /bin/sh -c "$SSH_ORIGINAL_COMMAND" {cut};; esac'
    return (
        "script=$(mktemp); cat >$script\n"
        f'if grep -q "^tar cf - \'./" $script; then cd "$HOME"; sh <$script {cut}; fi\n'
        'cd "$HOME"; sh <$script; rm $script; exit 0'
    )


def test_a_host_that_never_answers_costs_three_seconds(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits for the three seconds."""
    require_programs(("ssh",))
    monkeypatch.setenv("MEMTUI_SSH", "ssh -F none")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        machine = declare(data, "laptop", f"ssh://127.0.0.1:{silent.getsockname()[1]}")
        started = time.monotonic()
        with pytest.raises(MachineUnreachable, match="timed out"):
            pull(data, machine)
        # Half of what is left if ssh had waited without our limit: a bound for a hang, not a measurement.
        assert time.monotonic() - started < ssh.ANSWERING
    state = read_state(data, "laptop")
    assert (state.reached, "timed out" in state.error, state.tried is not None) == (None, True, True)


def test_a_host_that_falls_silent_after_the_login_is_given_up(
    remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssh, "ANSWERING", 0.5)
    loopback.session(home, before="exec sleep 600")
    with pytest.raises(MachineUnreachable, match="no answer within"):
        pull(data, remote)


def test_a_port_that_nobody_listens_at_is_one_sentence(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    require_programs(("ssh",))
    monkeypatch.setenv("MEMTUI_SSH", "ssh -F none")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    machine = declare(data, "laptop", f"ssh://127.0.0.1:{port}")
    with pytest.raises(MachineUnreachable, match=f"^ssh: connect to host 127.0.0.1 port {port}: Connection refused$"):
        pull(data, machine)


def test_a_system_without_ssh_says_so(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_SSH", "no-such-program")
    with pytest.raises(MachineUnreachable, match="no-such-program cannot be run"):
        pull(data, declare(data, "laptop", "ssh://there"))


def test_a_pull_stops_at_once(remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path) -> None:
    put(home, f"{SHOP}/a.jsonl", b"1\n")
    loopback.session(home, before="exec sleep 600")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(PullInterrupted):
        pull(data, remote, stop.is_set)
    assert read_state(data, "laptop").error == ""


def test_two_pulls_from_one_machine_do_not_meet(
    remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path
) -> None:
    put(home, f"{SHOP}/a.jsonl", b"1\n")
    loopback.session(home, before="exec sleep 600")
    stop, begun = threading.Event(), threading.Event()

    def stopped() -> bool:
        begun.set()
        return stop.is_set()

    def run() -> None:
        with pytest.raises(PullInterrupted):
            pull(data, remote, stopped)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert begun.wait(60)
        with pytest.raises(MachineBusy, match="Another memtui pulls from laptop"):
            pull(data, remote)
    finally:
        stop.set()
        thread.join()


def test_what_a_login_shell_prints_is_no_part_of_the_answer(
    remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path
) -> None:
    name = f"{SHOP}/a.jsonl"
    put(home, name, b"1\n")
    loopback.session(home, before="echo 'f 1 1 ./.claude/projects/x.jsonl//'; echo Welcome; echo Warning >&2")
    # rsync cannot bear it; tar comes after the mark.
    assert pull(data, remote) == Pulled(files=1, bytes=2, found=1)
    assert contents_of(data.mirror("laptop")) == {name: b"1\n"}


def test_a_machine_with_busybox_only(
    remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path, tmp_path: Path
) -> None:
    require_programs(("busybox",))
    programs = programs_in(tmp_path / "programs", "busybox")
    for name in ("sh", "find", "stat", "tar", "cat", "cp", "rm", "mktemp", "head", "printf", "pwd", "ls"):
        (programs / name).symlink_to("busybox")
    sample_home(home)
    plant_secrets(home)
    put(home, f"{SHOP}/two\nlines '.jsonl", b"1\n")
    loopback.session(home, programs, before="")
    pulled = pull(data, remote)
    mirrored = contents_of(data.mirror("laptop"))
    # Nothing there reads a table: databases with credentials stay, the others come whole and are cut here.
    assert sorted(failure.partition(":")[0] for failure in pulled.failures) == [
        ".local/share/amazon-q/data.sqlite3",
        ".local/share/kilo/kilo.db",
        ".local/share/kiro-cli/data.sqlite3",
        ".local/share/opencode/opencode.db",
        ".local/state/warp-terminal/warp.sqlite",
    ]
    assert mirrored[f"{SHOP}/two\nlines '.jsonl"] == b"1\n"
    assert not [name for name, content in mirrored.items() if b"hunter2" in content]
    copy = data.mirror("laptop") / ".local/share/goose/sessions/sessions.db"
    with (
        closing(sqlite3.connect(copy)) as connection,
        closing(sqlite3.connect(home / ".local/share/goose/sessions/sessions.db")) as original,
    ):
        rows = "SELECT * FROM messages ORDER BY id"
        assert connection.execute(rows).fetchall() == original.execute(rows).fetchall() != []
    assert pull(data, remote).files == 0


def test_python_copies_databases_where_there_is_no_sqlite3(
    remote: Machine, loopback: LoopbackSsh, data: DataDir, home: Path, tmp_path: Path
) -> None:
    sample_home(home)
    loopback.session(home, programs_in(tmp_path / "programs", *UNIX, "python3"))
    pulled = pull(data, remote)
    assert (pulled.failures, pulled.databases) == ([], 10)


def test_a_machine_without_rsync_here(
    remote: Machine, data: DataDir, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(home, f"{SHOP}/a.jsonl", b"1\n")
    monkeypatch.setenv("PATH", str(programs_in(tmp_path / "own", "ssh")))
    assert pull(data, remote) == Pulled(files=1, bytes=2, found=1)


class HostileSsh:
    """A program in the place of ssh that answers what it wants."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        folder.mkdir()
        script = folder / "ssh.sh"
        script.write_text(
            f"cat >{folder}/asked\nprintf '\\nmemtui: this is the answer\\n'\n"
            f"if grep -q 'for place in' {folder}/asked; then cat {folder}/listing; else cat {folder}/archive; fi\n"
        )
        monkeypatch.setenv("MEMTUI_SSH", f"sh {script}")

    def answers(self, listing: bytes, archive: bytes) -> None:
        (self._folder / "listing").write_bytes(listing)
        (self._folder / "archive").write_bytes(archive)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostileSsh:
    require_programs(("sh", "grep", "cat"))
    return HostileSsh(tmp_path / "hostile", monkeypatch)


def archive_of(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


def test_no_path_leaves_the_mirror(hostile: HostileSsh, data: DataDir, tmp_path: Path) -> None:
    good = f"./{SHOP}/a.jsonl"
    names = (
        good,
        f"./{SHOP}/link.jsonl",
        f"./{SHOP}/hard.jsonl",
        f"./{SHOP}/fifo.jsonl",
        "./.claude/projects/../../../out.jsonl",
        f"{tmp_path}/absolute.jsonl",
        "../out.jsonl",
        "./.bashrc",
        "./.claude/projects//out.jsonl",
    )
    listing = b"".join(b"f 2 1 " + name.encode() + b"//\n" for name in names) + b"end//\n"
    inside = f"./{SHOP}/link.jsonl"
    archive = archive_of(
        (member("../out.jsonl"), b"x\n"),
        (member("./.claude/projects/../../../out.jsonl"), b"x\n"),
        (member(f"{tmp_path}/absolute.jsonl"), b"x\n"),
        (member("./.bashrc"), b"x\n"),
        (member(inside, tarfile.SYMTYPE, f"{tmp_path}/stolen"), b""),
        (member(f"./{SHOP}/hard.jsonl", tarfile.LNKTYPE, "/etc/passwd"), b""),
        (member(f"./{SHOP}/fifo.jsonl", tarfile.FIFOTYPE), b""),
        (member(f"./{SHOP}", tarfile.SYMTYPE, str(tmp_path)), b""),
        (member(good), b"1\n"),
        (member(f"./{SHOP}/not-asked-for.jsonl"), b"x\n"),
    )
    hostile.answers(listing, archive)
    before = set(tmp_path.iterdir())
    pulled = pull(data, declare(data, "laptop", "ssh://there"))
    assert contents_of(data.mirror("laptop")) == {f"{SHOP}/a.jsonl": b"1\n"}
    assert not [path for path in data.machines.rglob("*") if path.is_symlink()]
    assert set(tmp_path.iterdir()) - before == {data.path}
    assert pulled.failures == [f"{SHOP}/{name}.jsonl could not be read" for name in ("fifo", "hard", "link")]


def test_a_database_in_the_place_of_a_text_is_refused(hostile: HostileSsh, data: DataDir) -> None:
    hostile.answers(
        b"f 100 1 ./" + SHOP.encode() + b"/a.jsonl//\nend//\n",
        archive_of((member(f"./{SHOP}/a.jsonl"), b"SQLite format 3\0 and credentials")),
    )
    pulled = pull(data, declare(data, "laptop", "ssh://there"))
    name = f"{SHOP}/a.jsonl"
    assert (pulled.files, pulled.failures) == (0, [f"{name}: {name}: a database where a text was expected"])
    assert contents_of(data.mirror("laptop")) == {}


@pytest.mark.parametrize("listing", [b"", b"end", b"f 2 1 ./.claude/projects/a.jsonl//\n", b"f 2 1 ./.claude/pro"])
def test_a_list_that_ends_too_early_is_an_error(listing: bytes, hostile: HostileSsh, data: DataDir) -> None:
    hostile.answers(listing, b"")
    with pytest.raises(MachineUnreachable, match="the list of files ended too early"):
        pull(data, declare(data, "laptop", "ssh://there"))
    assert contents_of(data.mirror("laptop")) == {}
