"""The file about a session: `key: value` lines of YAML, of which only plain and quoted values are read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_LONGEST: Final = 1 << 16
"""Bytes; the file has less than one thousand."""
_BLOCKS: Final = frozenset({"|", "|-", "|+", ">", ">-", ">+"})
"""Values that begin on the next line."""


def workspace_of(path: Path) -> dict[str, str]:
    """The values of the file by their key; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            lines = file.read(_LONGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    values: dict[str, str] = {}
    for number, line in enumerate(lines):
        key, colon, value = line.partition(":")
        if not colon or not key or key[0] in " \t#-":
            continue
        value = value.strip()
        if value in _BLOCKS:
            value = lines[number + 1].strip() if number + 1 < len(lines) and lines[number + 1][:1] == " " else ""
        values[key.strip()] = _unquoted(value)
    return values


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return value if value not in {"null", "~"} else ""
