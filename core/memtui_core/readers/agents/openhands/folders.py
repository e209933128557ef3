"""The files of a conversation.

conversations/<id>/events/event-00000-<event>.json      sessions/<id>/events/0.json
conversations/<id>/base_state.json                      sessions/<id>/metadata.json
conversations/<id>/meta.json (agent server)             users/<user>/conversations/<id>/events/0.json
conversations/<id>/subagents/<id>/events/...
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.records import BadLine

EVENTS: Final = "events"
SUBAGENTS: Final = "subagents"
STATE: Final = "base_state.json"
SERVER_META: Final = "meta.json"
OLD_META: Final = "metadata.json"
_ABOUT: Final = (STATE, SERVER_META, OLD_META)
_EVENT: Final = re.compile(r"event-(\d{5,9})(?:-[0-9a-fA-F-]{8,64})?\.json")
_OLD_EVENT: Final = re.compile(r"(\d{1,9})\.json")
_NAMED_EVENT: Final = re.compile(r"[0-9a-f]{32}\.json")
_DATED_EVENT: Final = re.compile(r"\d{14}_\w{1,80}_[0-9a-f]{32}")
_SANDBOXES: Final = "v1_conversations"
_PARENTS: Final = frozenset({"conversations", "sessions", SUBAGENTS})
"""Folders that contain conversations; others count only by the names of their events."""


def conversation_of(path: Path) -> Path | None:
    """The folder of the conversation to which a file belongs; None if it belongs to none."""
    folder = path.parent
    if folder.name == EVENTS:
        known = _EVENT.fullmatch(path.name) or (
            _OLD_EVENT.fullmatch(path.name) and folder.parent.parent.name in _PARENTS
        )
        return folder.parent if known else None
    if (pattern := _unnumbered(folder)) is not None:
        return folder if pattern.fullmatch(path.name) else None
    if path.name not in _ABOUT or (path.name != STATE and folder.parent.name not in _PARENTS):
        return None
    return folder if (folder / EVENTS).is_dir() else None


def is_of_sandbox(folder: Path) -> bool:
    """Whether a conversation took place in a sandbox of the server, whose clock shows UTC."""
    return _unnumbered(folder) is not None or (folder / OLD_META).is_file()


def has_events(folder: Path) -> bool:
    """Whether a folder is one of a conversation."""
    return (folder / EVENTS).is_dir() or (_unnumbered(folder) is not None and folder.is_dir())


def parent_of(folder: Path) -> str | None:
    """The id of the conversation that started this one as a subagent; None if the user did."""
    return folder.parent.parent.name if folder.parent.name == SUBAGENTS else None


def state_of(folder: Path) -> tuple[int, int]:
    """The size of all events, and a time after which no file has changed, in nanoseconds."""
    size = changed = 0
    for _, path in _events(folder):
        status = _status(path)
        if status is not None:
            size, changed = size + status.st_size, max(changed, status.st_mtime_ns)
    about = [status for name in _ABOUT if (status := _status(folder / name)) is not None]
    return size, max([changed, *(status.st_mtime_ns for status in about)])


def events_in(folder: Path) -> list[dict[str, Any] | BadLine]:
    """The events in order; one that cannot be read is a BadLine."""
    found = [_event_in(path) for _, path in sorted(_events(folder))]
    if _unnumbered(folder) is not None:
        found.sort(key=lambda value: str(value.get("timestamp")) if isinstance(value, dict) else "")
    return [BadLine(line, value) if isinstance(value, str) else value for line, value in enumerate(found)]


def _unnumbered(folder: Path) -> re.Pattern[str] | None:
    """The names of events without numbers, if the folder is one of the server of version 1."""
    if folder.parent.name == _SANDBOXES:
        return _NAMED_EVENT
    return _DATED_EVENT if folder.parent.parts[-2:] == ("v1", EVENTS) else None


def _events(folder: Path) -> Iterator[tuple[int, Path]]:
    """The numbers and files of the events."""
    pattern = _unnumbered(folder)
    try:
        paths = list((folder if pattern is not None else folder / EVENTS).iterdir())
    except OSError:
        return
    for path in paths:
        if pattern is not None:
            match = pattern.fullmatch(path.name)
        else:
            match = _EVENT.fullmatch(path.name) or _OLD_EVENT.fullmatch(path.name)
        if match is not None:
            yield int(match[1]) if match.lastindex else 0, path


def _event_in(path: Path) -> dict[str, Any] | str:
    """The event in a file, or the reason why it cannot be read."""
    from memtui_core.readers.formats.jsonl import decode

    try:
        entries, reason = decode(path.read_bytes())
    except OSError as error:
        return error.strerror or str(error)
    return entries[0] if len(entries) == 1 and reason is None else reason or "not one JSON object"


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
