"""What a conversation was told already: to be reminded of the same thing at every edit would fill its context."""

from __future__ import annotations

import os
from collections.abc import Iterable

_FOLDER = "told"
_MOST = 64_000
"""Bytes remembered of one conversation."""


def told(folder: str, session: str, agent: str = "") -> set[str]:
    """The keys that were noted for a conversation."""
    try:
        with open(_path(folder, session, agent), encoding="utf-8") as file:  # noqa: PTH123
            return set(file.read(_MOST).splitlines())
    except (OSError, UnicodeDecodeError):
        return set()


def tell(folder: str, session: str, agent: str, keys: Iterable[str]) -> None:
    """Note keys, each one line."""
    if not session:
        return
    os.makedirs(os.path.join(folder, _FOLDER), exist_ok=True)  # noqa: PTH103, PTH118
    with open(_path(folder, session, agent), "a", encoding="utf-8") as file:  # noqa: PTH123
        if file.tell() < _MOST:
            file.write("".join(f"{' '.join(key.split())}\n" for key in keys))


def forget(folder: str, session: str, *, agents: bool = False) -> None:
    """A conversation lost its context, or ended with all of its subagents."""
    if not session:
        return
    name = os.path.basename(_path(folder, session, ""))  # noqa: PTH119
    try:
        found = os.listdir(os.path.join(folder, _FOLDER))  # noqa: PTH208, PTH118
    except OSError:
        return
    for other in found:
        if other == name or (agents and other.startswith(f"{name}.")):
            os.unlink(os.path.join(folder, _FOLDER, other))  # noqa: PTH108, PTH118


def _path(folder: str, session: str, agent: str) -> str:
    safe = ["".join(sign for sign in name if sign.isalnum() or sign in "-_")[:80] for name in (session, agent) if name]
    return os.path.join(folder, _FOLDER, ".".join(safe))  # noqa: PTH118
