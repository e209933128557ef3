"""memtui's server in the text of an agent's settings in TOML: a table at the end, and every other byte unchanged.

The standard library reads TOML and does not write it. The result is read again, and must differ in nothing else.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from memtui.agents.connecting.change import Uneditable
from memtui.agents.connecting.entries import SERVER, is_own_server
from memtui.agents.connecting.json_settings import has_fields, other_settings
from memtui.settings.toml_text import toml_text

_HEADER = re.compile(r"^[ \t]*\[\[?([^\]\r\n]+)\]\]?[ \t]*(?:#[^\r\n]*)?\r?$", re.MULTILINE)
_COMMENTS = re.compile(r"(?<=\n)(?:[ \t]*(?:#[^\r\n]*)?\r?\n)+\Z")
"""Comments and blank lines at the end."""
_BLANK_LINE = re.compile(r"(\A|\n)\r?\n\Z")


def parse(text: str) -> dict[str, Any]:
    """The table in a text. Raises Uneditable."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Uneditable(f" is not valid TOML and is left alone: {error}") from error


def with_server(text: str, names: Sequence[str], entry: Mapping[str, Any] | None) -> str:
    """The settings with `entry` as the server of memtui in the table at `names`, or without it. Raises Uneditable.

    A server of the same name that memtui did not write stays.
    """
    before = parse(text)
    servers = _table(before, names)
    present = servers.get(SERVER)
    outdated = present is not None and is_own_server(present) and not has_fields(present, entry)
    line_end = "\r\n" if "\r\n" in text else "\n"
    if outdated:
        text = _without_table(text, [*names, SERVER])
    if entry is not None and (present is None or outdated):
        text = _with_table(text, [*names, SERVER], entry, line_end)
    expected = present if present is not None and not outdated else entry
    try:
        after = tomllib.loads(text)
    except ValueError:
        after = {}
    if other_settings(after, names) != other_settings(before, names) or _table(after, names).get(SERVER) != expected:
        raise Uneditable(f": {'.'.join(names)} is not written as [tables]; the file is left alone.")
    return text


def _table(value: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    for depth, name in enumerate(names, 1):
        value = value.get(name, {})
        if not isinstance(value, dict):
            raise Uneditable(f": {'.'.join(names[:depth])} is not a table; the file is left alone.")
    return value


def _with_table(text: str, names: Sequence[str], entry: Mapping[str, Any], line_end: str) -> str:
    lines = [f"[{'.'.join(names)}]", *(f"{key} = {toml_text(value)}" for key, value in entry.items())]
    gap = "" if not text else line_end if text.endswith("\n") else 2 * line_end
    return text + gap + "".join(f"{line}{line_end}" for line in lines)


def _without_table(text: str, names: Sequence[str]) -> str:
    """The text without the table and the tables in it."""
    headers = [
        (match.start(), match.end(), _keys(match[1]))
        for match in _HEADER.finditer(text)
        if _is_whole(text[: match.start()])
    ]
    ends = [*(start for start, _, _ in headers[1:]), len(text)]
    for (start, after_header, keys), end in reversed(list(zip(headers, ends, strict=True))):
        if keys[: len(names)] != list(names):
            continue
        if end < len(text):
            # Comments and blank lines before the next table belong to that.
            end = after_header + len(_COMMENTS.sub("", text[after_header:end]))
        before, rest = text[:start], text[end:]
        if not rest or rest[0] in "\r\n":
            before = _BLANK_LINE.sub(r"\1", before)
        text = before + rest
    return text


def _is_whole(text: str) -> bool:
    """Whether a text is TOML by itself: what follows it does not stand in a string or a list of it."""
    try:
        tomllib.loads(text)
    except ValueError:
        return False
    return True


def _keys(dotted: str) -> list[str]:
    """The keys of a header, without quotes."""
    return [key.strip().strip("\"'") for key in dotted.split(".")]
