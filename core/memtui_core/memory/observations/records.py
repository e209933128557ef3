"""The records of the observation log, one JSON object a line, and the observations that result from them.

A record of the kind `observation` saves an observation, `observation_edited` gives it a new revision,
`observation_forgotten` hides it and `observation_restored` shows it again. Records of other kinds are ignored.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

import orjson

from memtui_core.model import OBSERVATION_TYPES
from memtui_core.store.observation import Observation, ObservationContent
from memtui_core.system.line_log import LogLine
from memtui_core.text.controls import plain

Kind = Literal["observation", "observation_edited", "observation_forgotten", "observation_restored"]
_KINDS: tuple[Kind, ...] = ("observation", "observation_edited", "observation_forgotten", "observation_restored")
_TEXTS = ("type", "title", "narrative", "subtitle")
_LISTS = ("facts", "concepts", "files_modified", "files_read")


class ObservationRecord(NamedTuple):
    """One record."""

    kind: Kind
    id: str
    """Id of the observation."""
    at: datetime
    content: ObservationContent | None = None
    """None unless the observation was saved or edited."""
    session_id: str = ""
    root: str = ""
    tool_name: str = ""


class BadRecord(ValueError):
    """A line is not a valid record; the text is the reason."""


def saved_record(observation: Observation) -> bytes:
    """The record of a new observation."""
    head = {"session_id": observation.session_id, "root": observation.root, "tool_name": observation.tool_name}
    return _record("observation", observation.id, observation.created_at, {**head, **asdict(observation.content)})


def edited_record(observation_id: str, at: datetime, content: ObservationContent) -> bytes:
    """The record of a new revision."""
    return _record("observation_edited", observation_id, at, asdict(content))


def forgotten_record(observation_id: str, at: datetime) -> bytes:
    """The record that hides an observation."""
    return _record("observation_forgotten", observation_id, at)


def restored_record(observation_id: str, at: datetime) -> bytes:
    """The record that shows a forgotten observation again."""
    return _record("observation_restored", observation_id, at)


def parse_record(line: bytes) -> ObservationRecord | None:
    """Parse a line; None for a record of another kind. Raises BadRecord."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadRecord("not JSON") from error
    if not isinstance(value, dict):
        raise BadRecord("not a JSON object")
    kind = value.get("kind")
    if kind not in _KINDS:
        return None
    try:
        at = datetime.fromisoformat(_text(value, "at"))
    except ValueError as error:
        raise BadRecord("no valid time") from error
    if at.tzinfo is None or not _text(value, "id"):
        raise BadRecord("no id" if at.tzinfo else "a time without a zone")
    content = _content(value) if kind in ("observation", "observation_edited") else None
    return ObservationRecord(
        kind, _text(value, "id"), at, content, *(_text(value, name) for name in ("session_id", "root", "tool_name"))
    )


def _record(kind: Kind, observation_id: str, at: datetime, fields: dict[str, Any] | None = None) -> bytes:
    # Id and time come last: so no two lines end alike, and the end of a log identifies the log.
    return orjson.dumps({"kind": kind, **(fields or {}), "id": observation_id, "at": at}, option=orjson.OPT_UTC_Z)


def _content(value: dict[str, Any]) -> ObservationContent:
    """The content of a record. Texts over the limits are accepted: another version of memtui wrote them."""
    kind, title, narrative, subtitle = (_text(value, name) for name in _TEXTS)
    if kind not in OBSERVATION_TYPES or not title or not narrative:
        raise BadRecord("no type, title or narrative")
    return ObservationContent(kind, title, narrative, subtitle, *(_texts(value, name) for name in _LISTS))


def _text(value: dict[str, Any], name: str) -> str:
    """A text without control characters: the line may have been written by another program."""
    text = value.get(name, "")
    if not isinstance(text, str):
        raise BadRecord(f"{name} is not a text")
    return plain(text)


def _texts(value: dict[str, Any], name: str) -> tuple[str, ...]:
    texts = value.get(name, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadRecord(f"{name} is not a list of texts")
    return tuple(map(plain, texts))


class LogState:
    """All observations, including the forgotten ones, in the order in which they were saved."""

    def __init__(self) -> None:
        self.observations: dict[str, Observation] = {}
        """By id."""
        self.ends: dict[str, int] = {}
        """By id, the offset in the log after the last record of the observation."""
        self.skipped: list[tuple[int, str]] = []
        """Line number, from 1, and reason of each line that could not be applied."""

    def apply(self, line: LogLine) -> None:
        """Apply one line; records of another kind change nothing."""
        try:
            record = parse_record(line.text)
            if record is not None:
                self.observations[record.id] = self._applied(record)
                self.ends[record.id] = line.end
        except BadRecord as error:
            self.skipped.append((line.number, str(error)))

    def _applied(self, record: ObservationRecord) -> Observation:
        previous = self.observations.get(record.id)
        if record.kind == "observation":
            if previous is not None:
                raise BadRecord(f"{record.id} is already saved")
            assert record.content is not None
            return Observation(record.id, record.session_id, record.root, record.at, record.content, record.tool_name)
        if previous is None:
            raise BadRecord(f"{record.id} was never saved")
        if record.content is not None:
            return replace(previous, content=record.content, revision=previous.revision + 1, edited_at=record.at)
        return replace(previous, forgotten_at=record.at if record.kind == "observation_forgotten" else None)
