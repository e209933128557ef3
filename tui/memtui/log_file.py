"""The log of every process of memtui: one file of bounded size in the data folder.

Hooks write to it directly, because an agent waits for them and the package `logging` takes long to load; everything
else goes through `memtui.logs`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

NAME: Final = "memtui.log"
"""In the data folder; what was written before the file grew too long stands in `memtui.log.old`."""
SIZE: Final = 500_000
"""Bytes after which a new file begins."""
LEVELS: Final = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50, "OFF": 60}
"""The values of MEMTUI_LOG, as `logging` numbers them."""
VARIABLE: Final = "MEMTUI_LOG"
_DEFAULT: Final = "WARNING"
_LONGEST: Final = 8_000
"""Characters of one record."""
_PATIENCE: Final = 1.0
"""Seconds to wait for another process that writes."""
_SHARED_APPEND: Final = os.name != "nt"
"""Whether the system appends what several processes write at once one after the other."""


def log_file(folder: Path) -> Path:
    """The log of a data folder."""
    return folder / NAME


def level_name(environ: Mapping[str, str] = os.environ) -> str:
    """The lowest level that is written: MEMTUI_LOG, else WARNING; an unknown value counts as none."""
    name = environ.get(VARIABLE, "").strip().upper()
    return name if name in LEVELS else _DEFAULT


def write(folder: Path, level: str, source: str, text: str, at: float | None = None) -> None:
    """Append a record if its level is written; without secrets and control characters, and whole or not at all.

    `source` names the module, `at` is the time in seconds since 1970. A log that cannot be written is no failure.
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

        lock = FileLock(folder / f"{NAME}.lock", timeout=_PATIENCE)
        with suppress(Timeout):
            lock.acquire()
        try:
            # Another process may have begun a new file meanwhile.
            if lock.is_locked and _is_full(path):
                # Windows renames no file that a process has open: then the next record tries again.
                with suppress(OSError):
                    path.replace(folder / f"{NAME}.old")
            _append(path, record)
        finally:
            lock.release()


def _is_full(path: Path) -> bool:
    try:
        return path.stat().st_size >= SIZE
    except OSError:
        return False


def _append(path: Path, record: bytes) -> None:
    """In one call, so that records of several processes do not mix."""
    with path.open("ab", buffering=0) as file:
        file.write(record)


def _safe(text: str) -> str:
    """The text without what a terminal obeys and without secrets; only the first line begins at the margin."""
    from memtui_core.text.controls import plain
    from memtui_core.text.redaction import redact

    text = redact(plain(text)).strip()
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} […] {text[-_LONGEST // 2 :]}"
    return text.replace("\n", "\n    ")
