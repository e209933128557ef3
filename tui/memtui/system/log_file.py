"""The log of every memtui process: one file of bounded size in the data folder.

Hooks write to it directly, because an agent waits for them and the package `logging` takes long to load. All other code
uses `memtui.system.logs`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from memtui_core.system.systems import IS_WINDOWS

NAME: Final = "memtui.log"
"""Name of the log in the data folder; when it is full it is renamed to `memtui.log.old`."""
MAX_SIZE: Final = 500_000
"""Size in bytes at which a new file is started."""
LEVELS: Final = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50, "OFF": 60}
"""The values of MEMTUI_LOG with the level numbers of `logging`."""
VARIABLE: Final = "MEMTUI_LOG"
_DEFAULT: Final = "WARNING"
_MAX_RECORD: Final = 8_000
"""Characters of one record."""
_LOCK_TIMEOUT: Final = 1.0
"""Seconds to wait while another process writes."""
_SHARED_APPEND: Final = not IS_WINDOWS
"""Whether the system keeps appends of several processes apart."""


def log_file(folder: Path) -> Path:
    """Path of the log of a data folder."""
    return folder / NAME


def level_name(environ: Mapping[str, str] = os.environ) -> str:
    """The lowest level that is written: the value of MEMTUI_LOG, or WARNING if it is unset or unknown."""
    name = environ.get(VARIABLE, "").strip().upper()
    return name if name in LEVELS else _DEFAULT


def write(folder: Path, level: str, source: str, text: str, at: float | None = None) -> None:
    """Append a record if its level is high enough, without secrets and control characters, completely or not at all.

    `source` is the name of the module, `at` the time in seconds since 1970. Never raises OSError: a log that cannot be
    written is ignored.
    """
    if LEVELS[level] < LEVELS[level_name()]:
        return
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
    record = f"{stamp} {level} {source}[{os.getpid()}] {_safe(text)}\n".encode("utf-8", "replace")
    path = log_file(folder)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if _SHARED_APPEND and not _is_full(path):
            _append(path, record)
            return
        from filelock import FileLock, Timeout

        lock = FileLock(folder / f"{NAME}.lock", timeout=_LOCK_TIMEOUT)
        with suppress(Timeout):
            lock.acquire()
        try:
            # Another process may have started a new file in the meantime.
            if lock.is_locked and _is_full(path):
                # Windows does not rename a file that another process has open: the next record tries again.
                with suppress(OSError):
                    path.replace(folder / f"{NAME}.old")
            _append(path, record)
        finally:
            lock.release()


def _is_full(path: Path) -> bool:
    try:
        return path.stat().st_size >= MAX_SIZE
    except OSError:
        return False


def _append(path: Path, record: bytes) -> None:
    """Append a record in one system call, so that records of several processes do not mix."""
    with path.open("ab", buffering=0) as file:
        file.write(record)


def _safe(text: str) -> str:
    """Return the text without control characters and secrets; all lines but the first are indented."""
    from memtui_core.text.controls import plain
    from memtui_core.text.redaction import redact

    text = redact(plain(text)).strip()
    if len(text) > _MAX_RECORD:
        text = f"{text[: _MAX_RECORD // 2]} […] {text[-_MAX_RECORD // 2 :]}"
    return text.replace("\n", "\n    ")
