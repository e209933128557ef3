"""The reminders that a conversation has already got: repeating them at every edit would fill its context."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

_FOLDER = "told"
"""Folder in the data folder, with one file for each conversation and one key a line."""
_MAX_BYTES = 64_000
"""Maximum size of one file."""
_MAX_AGE = 30 * 86400
"""Seconds after which the file of a conversation is deleted if its end was never reported."""


def sent_keys(folder: Path, session: str, agent: str = "") -> set[str]:
    """The keys of the reminders that were sent to a session, or to a subagent of it."""
    try:
        return set(_path(folder, session, agent).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return set()


def record_sent(folder: Path, session: str, agent: str, keys: Iterable[str]) -> None:
    """Record the keys of sent reminders; a reminder that cannot be recorded is sent again."""
    lines = "".join(f"{key}\n" for key in keys)
    path = _path(folder, session, agent)
    if not session or not lines:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            if file.tell() < _MAX_BYTES:
                file.write(lines.encode("utf-8", "replace"))


def clear_sent(folder: Path, session: str, *, agents: bool = False, clock: Callable[[], float] = time.time) -> None:
    """Delete the keys of a session that lost its context; with `agents` also those of its subagents and old ones.

    `clock` returns seconds since 1970. What is as far in the future as what is old is in the past is old, too: the
    clock was set back.
    """
    own = _path(folder, session, "")
    now = clock()
    for path in list(own.parent.glob("*")) if session else []:
        with suppress(OSError):
            is_own = path == own or (agents and path.name.startswith(f"{own.name}."))
            if is_own or (agents and abs(now - path.stat().st_mtime) > _MAX_AGE):
                path.unlink()


def _path(folder: Path, session: str, agent: str) -> Path:
    names = ["".join(char for char in name if char.isalnum() or char in "-_")[:80] for name in (session, agent) if name]
    return folder / _FOLDER / ".".join(names)
