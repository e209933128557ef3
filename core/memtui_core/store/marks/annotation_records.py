"""The records of the log of annotations, one JSON object a line, and what follows from them.

Records can be joined in any order, also those of several machines. A pin, a title and an archive are what the last
record of their kind says, by time and then by id. Tags and notes are sets: a record adds one, and a later record that
changes or removes it names the records that it replaces. What another machine has added meanwhile is not among these,
and stays.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

import orjson

from memtui_core.errors import BadAnnotation
from memtui_core.model import Annotations, UserNote
from memtui_core.text.controls import one_line, plain
from memtui_core.text.redaction import redact

AnnotationKind = Literal[
    "pinned", "unpinned", "archived", "unarchived", "renamed", "tagged", "untagged", "noted", "note_removed"
]
"""renamed: an empty text takes the title away. noted: with `replaces`, the changed text of a note."""
KINDS: Final[frozenset[str]] = frozenset(AnnotationKind.__args__)  # type: ignore[attr-defined]
MAX_TITLE, MAX_TAG, MAX_NOTE = 200, 40, 4000
"""The most characters of a title, of a tag and of a note."""
MAX_TAGS, MAX_NOTES = 20, 50
"""The most tags and notes of a session or a turn."""
_NOT_IN_TAGS: Final = re.compile(r"[\s\",]")


class AnnotationTarget(NamedTuple):
    """A session, or a turn of it, by what stays when the index is made again."""

    agent: str
    session_id: str
    turn: int = 0
    """The number that the turn had when the record was written; 0 for the session."""
    turn_at: datetime | None = None
    """When the turn started: it has this time also after a turn before it was found."""


class AnnotationRecord(NamedTuple):
    """One record."""

    kind: AnnotationKind
    id: str
    at: datetime
    target: AnnotationTarget
    text: str = ""
    """The title, the tag or the note."""
    replaces: tuple[str, ...] = ()
    """The ids of the records that count no more."""
    since: datetime | None = None
    """When the note was first written, if this record changes it."""
    machine: str = ""
    """The name of the computer that wrote it."""
    by: str = ""
    """With what it was written: the app, the shell, or the tool of an agent."""

    @property
    def order(self) -> tuple[datetime, str]:
        """Records of one kind count in this order."""
        return self.at, self.id

    def line(self) -> bytes:
        """The record as a line of the log, without a line end."""
        target = self.target
        value: dict[str, Any] = {"kind": self.kind, "agent": target.agent, "session": target.session_id}
        if target.turn:
            value |= {"turn": target.turn, "turn_at": target.turn_at}
        optional = {"text": self.text, "replaces": self.replaces, "since": self.since}
        value |= {name: each for name, each in optional.items() if each}
        # Id and time come last: so no two lines end alike, and the end of a log identifies the log.
        value |= {"machine": self.machine, "by": self.by, "id": self.id, "at": self.at}
        return orjson.dumps(value, option=orjson.OPT_UTC_Z)


class BadAnnotationRecord(ValueError):
    """A line is not a valid record; the text is the reason."""


def read_annotation(line: bytes) -> tuple[str, AnnotationRecord | None]:
    """The id of a line and its record; None for a record of a kind that a later version wrote.

    Raises BadAnnotationRecord.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadAnnotationRecord("not JSON") from error
    if not isinstance(value, dict):
        raise BadAnnotationRecord("not a JSON object")
    record_id, at = _text(value, "id"), _time(value, "at")
    if not record_id or at is None:
        raise BadAnnotationRecord("no id or no time")
    kind = value.get("kind")
    if kind not in KINDS:
        return record_id, None
    agent, session_id = _text(value, "agent"), _text(value, "session")
    if not session_id:
        raise BadAnnotationRecord("no session")
    turn, replaces = value.get("turn", 0), value.get("replaces", [])
    if type(turn) is not int or turn < 0:
        raise BadAnnotationRecord("turn is no number of a turn")
    if not isinstance(replaces, list) or not all(isinstance(one, str) for one in replaces):
        raise BadAnnotationRecord("replaces is not a list of ids")
    text = plain(_text(value, "text"))
    if kind != "noted":
        text = one_line(text)
    return record_id, AnnotationRecord(
        kind=kind,
        id=record_id,
        at=at,
        target=AnnotationTarget(agent, session_id, turn, _time(value, "turn_at") if turn else None),
        text=text,
        replaces=tuple(replaces),
        since=_time(value, "since"),
        machine=one_line(_text(value, "machine")),
        by=one_line(_text(value, "by")),
    )


def folded(records: Iterable[AnnotationRecord], replaced: Collection[str]) -> Annotations:
    """What records of one session or turn say together; those with the ids of `replaced` count no more."""
    title, pinned, archived = "", False, False
    tags: dict[str, None] = {}
    notes: list[UserNote] = []
    for record in sorted(records, key=lambda record: record.order):
        if record.kind == "renamed":
            title = record.text
        elif record.kind in {"pinned", "unpinned"}:
            pinned = record.kind == "pinned"
        elif record.kind in {"archived", "unarchived"}:
            archived = record.kind == "archived"
        elif record.id in replaced or not record.text:
            continue
        elif record.kind == "tagged":
            tags[record.text] = None
        elif record.kind == "noted":
            changed_at = record.at if record.since is not None else None
            notes.append(UserNote(record.id, record.text, record.since or record.at, changed_at, record.by))
    notes.sort(key=lambda note: (note.created_at, note.id))
    return Annotations(title, pinned, archived, tuple(tags), tuple(notes))


def checked_title(text: str) -> str:
    """A title on one line, without secrets; empty for none. Raises BadAnnotation if it is too long."""
    return _fitting("title", redact(one_line(text)), MAX_TITLE)


def checked_note(text: str) -> str:
    """The text of a note, without secrets and what could act on a terminal. Raises BadAnnotation."""
    text = redact(plain(text).strip())
    if not text:
        raise BadAnnotation("The note is empty.")
    return _fitting("note", text, MAX_NOTE)


def checked_tag(text: str) -> str:
    """A tag in lower case, without a `#` before it. Raises BadAnnotation."""
    tag = one_line(unicodedata.normalize("NFC", text)).removeprefix("#").lower()
    if not tag:
        raise BadAnnotation("The tag is empty.")
    if _NOT_IN_TAGS.search(tag):
        raise BadAnnotation(f"The tag {tag!r} has a blank, a comma or a quote; join words by a hyphen.")
    return _fitting("tag", tag, MAX_TAG)


def _fitting(name: str, text: str, most: int) -> str:
    if len(text) > most:
        raise BadAnnotation(f"The {name} has {len(text):,} characters; at most {most:,} fit.")
    return text


def _text(value: Mapping[str, Any], name: str) -> str:
    text = value.get(name, "")
    if not isinstance(text, str):
        raise BadAnnotationRecord(f"{name} is not a text")
    return text


def _time(value: Mapping[str, Any], name: str) -> datetime | None:
    text = value.get(name)
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError) as error:
        raise BadAnnotationRecord(f"{name} is not a time") from error
    if at.tzinfo is None:
        raise BadAnnotationRecord(f"{name} has no zone")
    return at
