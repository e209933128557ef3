"""The lock of a data folder: one process writes the index, and the others know which one it is.

The operating system keeps the lock, and releases it when the process ends. Beside it the holder writes who it is, and
writes that again while it works. So a holder that was stopped, or that hangs, is recognized: whoever wants to index
ends it, which loses nothing that was published. Only a process of this machine is ended, and only if it is certain that
it is the holder.
"""

from __future__ import annotations

import errno
import logging
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
from filelock import FileLock, Timeout

from memtui_core.errors import IndexerBusy, MemtuiError
from memtui_core.store.data_folder import DataDir
from memtui_core.system.atomic_files import write_atomically
from memtui_core.system.systems import second_lock

_log = logging.getLogger(__name__)
HOST: Final = socket.gethostname()
"""The name of this machine."""
LOCK_POLL: Final = 0.2
"""Seconds between two checks for cancellation."""
_LOOK_EVERY: Final = 1.0
"""Seconds between two looks at a holder for which somebody waits."""
BEAT_EVERY: Final = 10.0
"""Seconds between two signs of life by a holder that works or waits for changes."""
QUIET: Final = 60.0
"""Seconds without a sign of life after which a holder hangs, if it does not use the processor either."""
LONGEST_QUIET: Final = 900.0
"""Seconds without a sign of life after which a holder hangs, whatever it does."""
_ELSEWHERE: Final = 45.0
"""Seconds for which the last sign of life by a holder on another machine counts."""


AN_APP: Final = "an app"
INDEX_WATCH: Final = "memtui index --watch"
"""What holders are that watch, and index what others ask for."""


class Holder(NamedTuple):
    """The process that indexes into a data folder."""

    pid: int
    since: float
    """When it got the lock, in seconds since 1970."""
    host: str
    what: str
    """The command, or what else it is."""
    beat: float
    """When it showed last that it works, by the clock of its machine that nobody sets and that stands while it sleeps:
    `time.monotonic`, which all processes share."""

    @property
    def watches(self) -> bool:
        """Whether it watches, and serves requests of other processes."""
        return self.host == HOST and self.what in (AN_APP, INDEX_WATCH)

    @property
    def text(self) -> str:
        """What it is, for the user."""
        place = "" if self.host == HOST else f" on {self.host}"
        return f"process {self.pid}{place} ({self.what}), since {_clock(self.since)}"


class IndexerLock:
    """The lock of a data folder, held until `release`."""

    def __init__(self, data: DataDir, lock: FileLock, what: str, ended: str) -> None:
        self._data = data
        self._lock = lock
        self.ended = ended
        """Which holder was ended to get the lock, and why, as a sentence for the user; empty if none was."""
        self._holder = Holder(os.getpid(), time.time(), HOST, what, time.monotonic())
        self._write()

    def beat(self) -> None:
        """Show that this process works, or waits for changes; costs nothing if that was shown lately."""
        now = time.monotonic()
        if now - self._holder.beat >= BEAT_EVERY:
            self._holder = self._holder._replace(beat=now)
            with suppress(OSError):
                self._write()

    def _write(self) -> None:
        write_atomically(self._data.indexer, orjson.dumps(self._holder._asdict()))

    def beating(self, stopped: Callable[[], bool]) -> Callable[[], bool]:
        """A check for cancellation that also shows that this process works."""

        def beats() -> bool:
            self.beat()
            return stopped()

        return beats

    def release(self) -> None:
        """Let another process index."""
        with suppress(OSError):
            self._data.indexer.unlink(missing_ok=True)
        self._lock.release()


def acquire(
    data: DataDir, what: str = "memtui", wait: float = 0, stopped: Callable[[], bool] = lambda: False
) -> IndexerLock:
    """Acquire the lock; a holder that was stopped or hangs is ended.

    Raises IndexerBusy if another process has it for `wait` seconds or until `stopped` is True, MemtuiError if the file
    system of the folder has no locks, and OSError.
    """
    lock = FileLock(data.lock, fallback_to_soft=False)
    until, look_at, ended = time.monotonic() + wait, 0.0, ""
    while True:
        if _has(lock, waits=time.monotonic() < until):
            if not _is_held_elsewhere(data):
                break
            # Where two machines share a folder, both may get the lock.
            lock.release()
            time.sleep(LOCK_POLL if time.monotonic() < until else 0)
        elif time.monotonic() >= look_at:
            look_at = time.monotonic() + _LOOK_EVERY
            if text := _end_if_stuck(data):
                ended = text
                continue
        if stopped() or time.monotonic() >= until:
            raise IndexerBusy(_busy(data))
    try:
        if not _is_kept(data.lock):
            lock.release()
            if not _has(lock, waits=False):
                raise IndexerBusy(_busy(data))
        return IndexerLock(data, lock, what, ended)
    except BaseException:
        lock.release()
        raise


def is_at_work(data: DataDir) -> bool:
    """Whether a process has the lock that was not stopped, and does not hang."""
    lock = FileLock(data.lock, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        holder = read_holder(data)
        return holder is None or not _stuck(data, holder)
    except OSError:
        return False
    lock.release()
    return False


def read_holder(data: DataDir) -> Holder | None:
    """The process that indexes, or did so when it was ended; None if none is known."""
    try:
        fields: Any = orjson.loads(data.indexer.read_bytes())
        holder = Holder(**fields)
    except (OSError, ValueError, TypeError):
        return None
    kinds = [type(holder.pid) is int, type(holder.host) is str]
    kinds += [type(number) in (int, float) for number in (holder.since, holder.beat)]
    return holder if all(kinds) and type(holder.what) is str else None


def hangs(data: DataDir, pid: int) -> bool:
    """Whether a process that indexes hangs. Takes a second if it has not shown for long that it works."""
    holder = read_holder(data)
    if holder is None or holder.pid != pid or time.monotonic() - holder.beat < QUIET:
        return False
    return bool(_stuck(data, holder))


def _end_if_stuck(data: DataDir) -> str:
    """End the holder if it was stopped or hangs; a sentence about that, empty if it was not ended."""
    holder = read_holder(data)
    why = _stuck(data, holder) if holder is not None else ""
    if holder is None or not why:
        return ""
    from memtui_core.system.processes.other_processes import OtherProcess

    try:
        is_ended = OtherProcess(holder.pid, holder.since, data.lock).end()
    except ProcessLookupError:
        # It has ended by itself.
        return ""
    if not is_ended:
        return ""
    text = f"Another memtui, {holder.text}, {why} and was ended. What it had published is kept."
    _log.warning("%s", text)
    return text


def _stuck(data: DataDir, holder: Holder) -> str:
    """Why a holder does not work, as a clause for the user; empty if it works, or if that is not certain."""
    if holder.host != HOST or holder.pid == os.getpid():
        return ""
    from memtui_core.system.processes.other_processes import OtherProcess

    try:
        process = OtherProcess(holder.pid, holder.since, data.lock)
    except ProcessLookupError:
        return ""
    if process.is_stopped:
        return "was stopped"
    quiet = time.monotonic() - holder.beat
    if quiet < QUIET or (process.works() and quiet < LONGEST_QUIET) or read_holder(data) != holder:
        return ""
    return f"had done nothing since {_clock(time.time() - quiet)}"


def _is_held_elsewhere(data: DataDir) -> bool:
    """Whether a holder on another machine works: by the clock of the file system, since clocks differ."""
    holder = read_holder(data)
    if holder is None or holder.host == HOST:
        return False
    os.utime(data.lock)
    return data.lock.stat().st_mtime - data.indexer.stat().st_mtime < _ELSEWHERE


def _busy(data: DataDir) -> str:
    holder = read_holder(data)
    which = f": {holder.text}" if holder is not None else ""
    return (
        f"Another memtui is indexing into {data.path}{which}. What it indexes can be searched; stop it, or try again"
        " later."
    )


def _has(lock: FileLock, *, waits: bool) -> bool:
    """Whether the lock was acquired. Raises MemtuiError if there are no locks."""
    try:
        lock.acquire(timeout=LOCK_POLL if waits else 0)
    except Timeout:
        return False
    except (OSError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno not in _WITHOUT_LOCKS:
            raise
        raise MemtuiError(_no_locks(Path(lock.lock_file).parent, str(error))) from error
    return True


def _no_locks(folder: Path, why: str) -> str:
    return (
        f"The file system of {folder} does not lock files ({why}), so two programs could write the index at once."
        " Choose a data folder on a disk of this machine."
    )


_WITHOUT_LOCKS: Final = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}
"""The errors of file systems without locks."""
_TRY_TO_LOCK: Final = "import fcntl, sys; fcntl.flock(open(sys.argv[1], 'rb+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def _is_kept(path: Path) -> bool:
    """Whether a lock that this process has is kept from others; False if it must be acquired again, because it is not.

    On some network file systems a lock belongs to the process, so that a second handle gets it, too, and loses it when
    it is closed: then another process tries. Raises MemtuiError if that gets it.
    """
    with second_lock(path) as is_held_twice:
        if not is_held_twice:
            return True
        tried = subprocess.run([sys.executable, "-P", "-c", _TRY_TO_LOCK, str(path)], capture_output=True, check=False)
    if tried.returncode == 0:
        raise MemtuiError(_no_locks(path.parent, "two processes got the same lock"))
    return False


def _clock(at: float) -> str:
    """A time of today as hours and minutes, another one with its day."""
    moment = datetime.fromtimestamp(at).astimezone()
    is_today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M}" if is_today else f"{moment:%Y-%m-%d %H:%M}"
