"""The files with conversations in an export: `conversations.json`, or `conversations-000.json` and so on."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.conversion.json_values import items, mapping
from memtui_core.readers.formats.conversations import Conversation, id_in_file
from memtui_core.readers.formats.document import content_of, json_document

_CONVERSATIONS: Final = re.compile(r"conversations(?:-\d+)?\.json")
_DAMAGED: Final = (OSError, EOFError, ValueError, zipfile.BadZipFile, zlib.error, struct.error, RuntimeError)
"""Errors of an archive that is damaged, encrypted, or compressed in an unknown way."""
_HEAD: Final = 200_000
"""Bytes in which the keys of the first conversation are searched for."""


def may_be_export(path: Path) -> bool:
    """Whether the name of a file is that of an export."""
    return path.suffix == ".zip" or _CONVERSATIONS.fullmatch(path.name) is not None


def begins_with(path: Path, key: str) -> bool:
    """Whether the first conversations of an export have a key; False if the file cannot be read."""
    marker = f'"{key}"'.encode()
    try:
        if not path.is_file():
            return False
        if path.suffix != ".zip":
            with path.open("rb") as file:
                return marker in file.read(_HEAD)
        with zipfile.ZipFile(path) as archive:
            for name in _names(archive)[:1]:
                with archive.open(name) as member:
                    return marker in member.read(_HEAD)
    except _DAMAGED:
        return False
    return False


def conversations(path: Path, convert: Callable[[dict[str, Any], str], Conversation]) -> list[Conversation]:
    """The conversations of an export; one without an id gets that of its place in the file. Raises SourceUnreadable."""
    found = []
    for place, value in enumerate(_written(path), 1):
        spare_id = id_in_file(path, f"{path.stem}-{place}")
        conversation = convert(mapping(value), spare_id)
        if conversation.entries or conversation.id != spare_id:
            found.append(conversation)
    return found


def _written(path: Path) -> list[Any]:
    """The conversations as they are written."""
    if path.suffix != ".zip":
        return items(json_document(content_of(path), path))
    found: list[Any] = []
    try:
        with zipfile.ZipFile(path) as archive:
            for name in _names(archive):
                found += items(json_document(archive.read(name), f"{path}: {name}"))
    except _DAMAGED as error:
        raise SourceUnreadable(f"{path}: {error}") from error
    return found


def _names(archive: zipfile.ZipFile) -> list[str]:
    return sorted(name for name in archive.namelist() if _CONVERSATIONS.fullmatch(name.rpartition("/")[2]))
