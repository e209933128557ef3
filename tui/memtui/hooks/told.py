"""What a conversation was told already: to be reminded of the same thing at every edit would fill its context."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_MOST = 64_000
"""Bytes noted of one conversation."""
_KEPT = 30 * 86400
"""Seconds for which the notes are kept of a conversation whose end nobody told."""


def told(folder: Path, session: str, agent: str = "") -> set[str]:
    """The keys that were noted for a conversation."""
    try:
        return set(_path(folder, session, agent).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError:
        return set()


def tell(folder: Path, session: str, agent: str, keys: Iterable[str]) -> None:
    """Note keys, each a line; a key that cannot be noted is told again."""
    lines = "".join(f"{key}\n" for key in keys)
    path = _path(folder, session, agent)
    if not session or not lines:
        return
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            if file.tell() < _MOST:
                file.write(lines.encode("utf-8", "replace"))


def forget(folder: Path, session: str, *, agents: bool = False) -> None:
    """A conversation lost its context; or it ended, and its subagents with it."""
    own = _path(folder, session, "")
    oldest = time.time() - _KEPT
    for path in list(own.parent.glob("*")) if session else []:
        with suppress(OSError):
            if path == own or (agents and (path.name.startswith(f"{own.name}.") or path.stat().st_mtime < oldest)):
                path.unlink()


def _path(folder: Path, session: str, agent: str) -> Path:
    safe = ["".join(sign for sign in name if sign.isalnum() or sign in "-_")[:80] for name in (session, agent) if name]
    return folder / "told" / ".".join(safe)
