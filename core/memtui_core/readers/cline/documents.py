"""The JSON files of a task or a session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.json_values import items, mapping
from memtui_core.readers.jsonl import decode


def value_in(path: Path) -> Any:
    """The value of a file. Raises SourceUnreadable."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SourceUnreadable(f"{path}: {error.strerror or error}") from error
    # An object around the value, because broken texts are repaired in objects only.
    entries, reason = decode(b'{"value":' + content + b"}")
    if reason or len(entries) != 1 or entries[0].keys() != {"value"}:
        raise SourceUnreadable(f"{path}: not JSON")
    return entries[0]["value"]


def object_in(path: Path) -> dict[str, Any]:
    """The object in a file that can be absent; empty if it cannot be read."""
    try:
        return mapping(value_in(path))
    except SourceUnreadable:
        return {}


def list_in(path: Path) -> list[Any]:
    """The list in a file that can be absent; empty if it cannot be read."""
    try:
        return items(value_in(path))
    except SourceUnreadable:
        return []
