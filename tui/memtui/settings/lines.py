"""On which lines of a TOML file its keys stand, which the parser of Python does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from memtui.settings.kinds import Keys


def lines_of_keys(text: str) -> dict[Keys, int]:
    """The 1-based line of each table, key and key of an inline table in a valid file."""
    found: dict[Keys, int] = {}
    table: Keys = ()
    entry, begin = "", 0
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        entry, begin = (f"{entry}\n{line}", begin) if entry else (line, number)
        data = _parsed(entry)
        if data is None:
            # A text or a list that goes on.
            continue
        is_header, entry = entry.lstrip().startswith("["), ""
        if not data:
            continue
        if is_header:
            table = max(_keys(data), key=len)
        for keys in _keys(data):
            found.setdefault(keys if is_header else (*table, *keys), begin)
    return found


def line_of(lines: Mapping[Keys, int], keys: Keys) -> int | None:
    """The line of a key, or of the table in which it stands."""
    return next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), None)


def _parsed(entry: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(entry)
    except tomllib.TOMLDecodeError:
        return None


def _keys(data: Mapping[str, Any], before: Keys = ()) -> Iterator[Keys]:
    for key, value in data.items():
        yield (*before, key)
        if isinstance(value, dict):
            yield from _keys(value, (*before, key))
