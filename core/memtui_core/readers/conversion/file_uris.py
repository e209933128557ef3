"""Addresses of files, in which programs with an editor write the folder of a session."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import unquote

from memtui_core.readers.conversion.json_values import mapping, string

_FILE: Final = re.compile(r"file:(?://([^/]*))?(/.*)", re.DOTALL)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""The start of an address; a single letter is a drive."""
_DRIVE: Final = re.compile(r"/[A-Za-z]:")
_HERE: Final = frozenset({"", "localhost"})


def path_in(text: str) -> str:
    """The path in a text that is a path, or the address of a file; empty for another address."""
    return path_of(text) if _SCHEME.match(text) else text


def path_of(uri: Any) -> str:
    """The path of a file's address: `file:///...`, or an object with its parts; empty for anything else."""
    if isinstance(uri, str):
        match = _FILE.fullmatch(uri)
        if match is None:
            return ""
        host, path = match[1] or "", unquote(match[2])
        return _without_slash(path) if host in _HERE else f"//{host}{path}"
    parts = mapping(uri)
    if string(parts.get("scheme")) not in (None, "file"):
        return ""
    path = string(parts.get("fsPath")) or string(parts.get("path")) or ""
    return _without_slash(path) if path else path_of(string(parts.get("external")) or "")


def _without_slash(path: str) -> str:
    """A path without the slash before a drive: `/c:/code`."""
    return path[1:] if _DRIVE.match(path) else path
