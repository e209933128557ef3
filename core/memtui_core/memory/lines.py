"""Observations as lines of JSON, and back.

A line is one thing that happened: `observation` was saved, `observation_edited` to a new revision,
`observation_forgotten` or `observation_restored`. Lines of another kind belong to somebody else.
"""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson

from memtui_core.memory.values import TYPES, Content, Observation
from memtui_core.text.controls import plain

Kind = Literal["observation", "observation_edited", "observation_forgotten", "observation_restored"]
_KINDS: tuple[Kind, ...] = ("observation", "observation_edited", "observation_forgotten", "observation_restored")
_TEXTS = ("type", "title", "narrative", "subtitle")
_LISTS = ("facts", "concepts", "files_modified", "files_read")


class Entry(NamedTuple):
    """One line."""

    kind: Kind
    id: str
    at: datetime
    content: Content | None = None
    """Of a saved or edited one."""
    session_id: str = ""
    root: str = ""
    tool_name: str = ""


class BadLine(ValueError):
    """A line that says nothing that could be understood; its text is the reason."""


def saved(observation: Observation) -> bytes:
    """The line of a new observation."""
    head = {"session_id": observation.session_id, "root": observation.root, "tool_name": observation.tool_name}
    return _line("observation", observation.id, observation.created_at, {**head, **asdict(observation.content)})


def edited(observation_id: str, at: datetime, content: Content) -> bytes:
    """The line of a new revision."""
    return _line("observation_edited", observation_id, at, asdict(content))


def forgotten(observation_id: str, at: datetime) -> bytes:
    """The line that hides an observation."""
    return _line("observation_forgotten", observation_id, at)


def restored(observation_id: str, at: datetime) -> bytes:
    """The line that shows it again."""
    return _line("observation_restored", observation_id, at)


def parse(line: bytes) -> Entry | None:
    """What a line says; None for one of another kind. Raises BadLine."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadLine("not JSON") from error
    if not isinstance(value, dict):
        raise BadLine("not a JSON object")
    kind = value.get("kind")
    if kind not in _KINDS:
        return None
    try:
        at = datetime.fromisoformat(_text(value, "at"))
    except ValueError as error:
        raise BadLine("no time") from error
    if at.tzinfo is None or not _text(value, "id"):
        raise BadLine("no id" if at.tzinfo else "a time without a zone")
    content = _content(value) if kind in ("observation", "observation_edited") else None
    return Entry(
        kind, _text(value, "id"), at, content, *(_text(value, name) for name in ("session_id", "root", "tool_name"))
    )


def _line(kind: Kind, observation_id: str, at: datetime, rest: dict[str, Any] | None = None) -> bytes:
    # Id and time stand last: so no two lines end alike, and the end of a log tells whether it is the same log.
    return orjson.dumps({"kind": kind, **(rest or {}), "id": observation_id, "at": at}, option=orjson.OPT_UTC_Z)


def _content(value: dict[str, Any]) -> Content:
    """Longer texts than a draft may have are taken as they are: they were written by another version."""
    kind, title, narrative, subtitle = (_text(value, name) for name in _TEXTS)
    if kind not in TYPES or not title or not narrative:
        raise BadLine("no type, title or narrative")
    return Content(kind, title, narrative, subtitle, *(_texts(value, name) for name in _LISTS))


def _text(value: dict[str, Any], name: str) -> str:
    """A text, made safe: others may have written the line than `saved`."""
    text = value.get(name, "")
    if not isinstance(text, str):
        raise BadLine(f"{name} is no text")
    return plain(text)


def _texts(value: dict[str, Any], name: str) -> tuple[str, ...]:
    found = value.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise BadLine(f"{name} is no list of texts")
    return tuple(map(plain, found))
