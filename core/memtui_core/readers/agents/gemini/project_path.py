"""The folder in which a session of Gemini CLI ran: its entries have no path, only the hash of one.

The path is in a file beside the folder of the sessions, or in the list of projects. If neither is there, the folders of
the files that tools name are tried: the hash tells the right one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.gemini.file_names import project_folder
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.formats.beside import object_beside

_ABSOLUTE: Final = re.compile(r"(?:/|[A-Za-z]:[\\/])[^\s\"'`<>|*?,;()\[\]{}]{1,400}")
_MOST_PATHS: Final = 400
_LONGEST_TEXT: Final = 20_000
"""Characters of a text in which paths are looked for."""
_DEEPEST: Final = 40


def working_directory(path: Path, header: dict[str, Any], entries: list[Any]) -> str:
    """The folder of the session in a file; empty if it is unknown."""
    folder, project_hash = project_folder(path), string(header.get("projectHash")) or ""
    if folder is not None and (root := _written_root(folder, project_hash)):
        return root
    for candidate in _candidates(header, entries):
        if _hash(candidate) == project_hash:
            return candidate
    return next((value for value in items(header.get("directories")) if isinstance(value, str)), "")


def _written_root(folder: Path, project_hash: str) -> str:
    try:
        if root := (folder / ".project_root").read_text("utf-8", "replace").strip():
            return root
    except OSError:
        pass
    projects = mapping(object_beside(folder.parent.parent / "projects.json").get("projects"))
    return next((root for root, name in projects.items() if name == folder.name or _hash(root) == project_hash), "")


def _candidates(header: dict[str, Any], entries: list[Any]) -> Iterator[str]:
    """The folders that contain the files that the session names, each once."""
    seen: set[str] = set()
    named = (value for value in items(header.get("directories")) if isinstance(value, str))
    for number, path in enumerate((*named, *_paths(entries))):
        if number == _MOST_PATHS:
            return
        while path and path not in seen and len(seen) < _MOST_PATHS * _DEEPEST:
            seen.add(path)
            yield path
            path = path[: max(path.rfind("/"), path.rfind("\\"), 0)]


def _paths(entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        for call in map(mapping, items(mapping(entry).get("toolCalls"))):
            for text in (*mapping(call.get("args")).values(), *_outputs(call)):
                if isinstance(text, str):
                    yield from (match[0].rstrip(".:") for match in _ABSOLUTE.finditer(text, 0, _LONGEST_TEXT))


def _outputs(call: dict[str, Any]) -> Iterator[Any]:
    for part in items(call.get("result")):
        yield mapping(mapping(mapping(part).get("functionResponse")).get("response")).get("output")


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()
