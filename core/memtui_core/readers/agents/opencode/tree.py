"""A session in a tree of JSON files, which OpenCode wrote before it had a database (see `file_names`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.opencode.database import StoredSession
from memtui_core.readers.agents.opencode.file_names import flat_parts, message_folder, part_folders
from memtui_core.readers.agents.opencode.values import moment
from memtui_core.readers.base import Transcript
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.records import BadLine


def transcript_of(agent: str, session: Path) -> list[Transcript]:
    """The session of a file; its size is the number of its files, and 0 without a message."""
    try:
        newest = session.stat().st_mtime_ns
    except OSError:
        return []
    size, session_id = 1, _id_in(session)
    for path, changed in _files(message_folder(session, session_id)):
        size += 1
        newest = max(newest, changed)
        for folder in part_folders(session, session_id, path.stem):
            parts = list(_files(folder))
            size += len(parts)
            newest = max([newest, *(changed for _, changed in parts)])
    return [Transcript(agent, session, 0 if size == 1 else size, newest)]


def load(session: Path) -> StoredSession:
    """The session of a file. Raises SourceUnreadable."""
    info = _value(session)
    if not isinstance(info, dict):
        raise SourceUnreadable(f"{session}: {info}")
    session_id = _id_in(session)
    entries: list[Any] = []
    flat = _flat(session)
    for path, _ in _files(message_folder(session, session_id)):
        message = _value(path)
        bad = [] if isinstance(message, dict) else [BadLine(len(entries), f"a message is {message}")]
        message = message if isinstance(message, dict) else {}
        message_id = string(message.get("id")) or path.stem
        parts = [*bad, *items(message.pop("parts", None)), *flat.get(message_id, [])]
        for name in dict.fromkeys((message_id, path.stem)):
            for folder in part_folders(session, session_id, name):
                for file, _ in _files(folder):
                    part = _value(file)
                    parts.append(part if isinstance(part, dict) else BadLine(len(entries), f"a part is {part}"))
        entries.append({"info": message, "parts": parts})
    return StoredSession(info, sorted(entries, key=_order))


def _order(entry: Any) -> float:
    created = None if isinstance(entry, BadLine) else moment(mapping(entry["info"].get("time")).get("created"))
    return created.timestamp() if created is not None else 0


def _flat(session: Path) -> dict[str, list[Any]]:
    """The parts that are not in a folder of their message, by message."""
    parts: dict[str, list[Any]] = {}
    for path, _ in _files(flat_parts(session)):
        part = _value(path)
        if isinstance(part, dict) and (message := string(part.get("messageID"))):
            parts.setdefault(message, []).append(part)
    return parts


def _id_in(session: Path) -> str:
    """The id of a session, which is the name of its folder of messages, and nearly always that of its file."""
    if message_folder(session, session.stem).exists():
        return session.stem
    value = _value(session)
    return string(value.get("id")) or session.stem if isinstance(value, dict) else session.stem


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    """The JSON files in a folder by name, with the time of the last change; none if there is no folder."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry for entry in found if entry.name.endswith(".json")), key=lambda one: one.name)
            for entry in entries:
                yield Path(entry.path), entry.stat().st_mtime_ns
    except OSError:
        return


def _value(path: Path) -> dict[str, Any] | str:
    """The object in a file; otherwise the reason why there is none."""
    try:
        objects, reason = decode(path.read_bytes())
    except OSError as error:
        return error.strerror or str(error)
    return objects[0] if objects and not reason else reason or "empty"
