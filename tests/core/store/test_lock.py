"""The lock of a data folder, with real processes that hold it, that were stopped, and that hang."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from memtui_core.errors import IndexerBusy, MemtuiError
from memtui_core.ingest.indexer import Indexer
from memtui_core.store.data_folder import DataDir
from memtui_core.store.work import lock
from memtui_core.store.work.lock import HOST, LONGEST_QUIET, QUIET, Holder, acquire, hangs, read_holder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process is stopped there")
fcntl = pytest.importorskip("fcntl")
HOLDS = (
    "import sys, time; from pathlib import Path; from memtui_core.store.data_folder import DataDir;"
    "from memtui_core.store.work.lock import acquire; held = acquire(DataDir(Path(sys.argv[1])), 'a test');"
    "print('held', flush=True)\n"
)
WAIT = 10.0
"""Seconds after which a process that should have ended makes a test fail."""
WAITS, WORKS = "sys.stdin.read()", "while True: pass"


@contextmanager
def holding(data: DataDir, then: str = WAITS) -> Iterator[subprocess.Popen[str]]:
    """A process that has the lock."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", HOLDS + then, str(data.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def quiet_for(data: DataDir, seconds: float) -> None:
    """As if the holder had not shown for some time that it works."""
    holder = read_holder(data)
    assert holder is not None
    data.indexer.write_bytes(orjson.dumps(holder._replace(beat=time.monotonic() - seconds)._asdict()))


def test_the_holder_says_who_it_is_until_it_is_done(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    with Indexer(tmp_path, what="memtui index"):
        holder = read_holder(data)
        assert holder is not None
        assert holder == Holder(os.getpid(), holder.since, HOST, "memtui index", holder.beat)
        assert 0 <= time.time() - holder.since < 60
        with pytest.raises(IndexerBusy) as raised:
            acquire(data)
        assert str(raised.value) == (
            f"Another memtui is indexing into {tmp_path}: process {os.getpid()} (memtui index), since"
            f" {time.strftime('%H:%M', time.localtime(holder.since))}. What it indexes can be searched; stop it, or try"
            " again later."
        )
    assert read_holder(data) is None
    acquire(data).release()


@pytest.mark.spec("S6.13")
def test_a_stopped_holder_is_ended_at_once(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    with holding(data) as process:
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        held = acquire(data, "another")
        process.wait(WAIT)
    holder = read_holder(data)
    held.release()
    assert holder is not None
    assert (holder.pid, holder.what) == (os.getpid(), "another")
    assert held.ended.startswith(f"Another memtui, process {process.pid} (a test), since ")
    assert held.ended.endswith(", was stopped and was ended. What it had published is kept.")


@pytest.mark.spec("S6.13")
def test_a_holder_that_hangs_is_ended(tmp_path: Path) -> None:
    """It is watched for a second, for which a program that was asleep with its machine shows that it works."""
    data = DataDir(tmp_path)
    with holding(data) as process:
        assert not hangs(data, process.pid)
        quiet_for(data, QUIET + 1)
        assert hangs(data, process.pid)
        assert not hangs(data, os.getpid())
        held = acquire(data)
        process.wait(WAIT)
    held.release()
    assert f"process {process.pid} (a test)" in held.ended
    assert "had done nothing since" in held.ended


def test_a_holder_that_works_is_not_ended(tmp_path: Path) -> None:
    """A long statement of the database is work, but no work takes so long as `LONGEST_QUIET`. Watched for 2 s."""
    data = DataDir(tmp_path)
    with holding(data, WORKS) as process:
        with pytest.raises(IndexerBusy):
            acquire(data)
        quiet_for(data, QUIET + 1)
        with pytest.raises(IndexerBusy):
            acquire(data)
        assert process.poll() is None
        quiet_for(data, LONGEST_QUIET + 1)
        acquire(data).release()
        process.wait(WAIT)


def test_a_clock_that_is_set_forward_ends_nobody(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    with holding(data) as process:
        at = time.time() - 2 * LONGEST_QUIET
        os.utime(data.indexer, (at, at))
        with pytest.raises(IndexerBusy):
            acquire(data)
        assert process.poll() is None


def test_a_killed_holder_leaves_the_lock_free(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    with holding(data) as process:
        process.kill()
        process.wait()
    assert read_holder(data) is not None
    held = acquire(data)
    held.release()
    assert held.ended == ""


@pytest.mark.spec("S6.13")
def test_only_the_process_that_has_the_lock_is_ended(tmp_path: Path) -> None:
    """Neither a stopped process that has the number of an earlier holder, nor one that was started since."""
    data = DataDir(tmp_path)
    with holding(data), subprocess.Popen(["sleep", "60"]) as other:
        os.kill(other.pid, signal.SIGSTOP)
        for since in (time.time() + 60, time.time() - 3600):
            data.indexer.write_bytes(orjson.dumps(Holder(other.pid, since, HOST, "an app", 0.0)._asdict()))
            with pytest.raises(IndexerBusy, match=f"process {other.pid} "):
                acquire(data)
        left = other.poll()
        other.kill()
    assert left is None


def test_another_machine_that_indexes_into_the_folder_is_named(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.indexer.write_bytes(orjson.dumps(Holder(1, time.time(), "laptop", "an app", 0.0)._asdict()))
    with pytest.raises(IndexerBusy, match=r"process 1 on laptop \(an app\), since"):
        acquire(data)
    os.utime(data.indexer, (time.time() - 60, time.time() - 60))
    acquire(data).release()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"pid": "1", "since": 1, "host": "h", "what": "w", "beat": 0}', b"[1]"]
)
def test_what_says_no_holder_is_no_obstacle(content: bytes, tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    data.indexer.write_bytes(content)
    assert read_holder(data) is None
    acquire(data).release()


def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without)
    with pytest.raises(MemtuiError) as raised:
        Indexer(tmp_path)
    assert str(raised.value) == (
        f"The file system of {tmp_path} does not lock files ([Errno {errno.ENOLCK}] No locks available), so two"
        " programs could write the index at once. Choose a data folder on a disk of this machine."
    )


def test_a_file_system_on_which_everybody_gets_the_lock_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    with pytest.raises(MemtuiError, match="two processes got the same lock"):
        Indexer(tmp_path)


def test_locks_that_belong_to_a_process_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on NFS: a second handle gets the lock, and when it is closed, the first one has lost it."""
    monkeypatch.setattr(fcntl, "flock", fcntl.lockf)
    monkeypatch.setattr(lock, "_TRY_TO_LOCK", lock._TRY_TO_LOCK.replace("flock", "lockf"))
    held = acquire(DataDir(tmp_path))
    tried = [sys.executable, "-c", lock._TRY_TO_LOCK, str(DataDir(tmp_path).lock)]
    while_held = subprocess.run(tried, stderr=subprocess.DEVNULL, check=False).returncode
    held.release()
    assert (while_held, subprocess.run(tried, check=False).returncode) == (1, 0)
