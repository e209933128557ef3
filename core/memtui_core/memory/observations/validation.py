"""Validation of the fields of an observation: limits, plain text and redacted secrets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui_core.errors import BadObservation
from memtui_core.model import OBSERVATION_TYPES
from memtui_core.store.observation import (
    MAX_ENTRIES,
    MAX_ENTRY,
    MAX_NARRATIVE,
    MAX_TITLE,
    ObservationContent,
)
from memtui_core.text.controls import one_line, plain
from memtui_core.text.redaction import redact

_LISTS = ("facts", "concepts", "files_modified", "files_read")
FIELDS = ("type", "title", "narrative", "subtitle", *_LISTS)
"""The fields that can be given."""


def validated_content(fields: Mapping[str, Any], previous: ObservationContent | None = None) -> ObservationContent:
    """The content that `fields` describe; a field that is missing or None keeps its value in `previous`.

    Raises BadObservation for a missing or empty title or narrative, a title of more than MAX_TITLE characters, an
    unknown type, and a value that is not a string or not a list of strings.
    """
    unknown = sorted(set(fields) - set(FIELDS))
    if unknown:
        raise BadObservation(f"An observation has no {unknown[0]!r}; it has {', '.join(FIELDS)}.")
    texts = {name: _text(fields, name, previous) for name in ("title", "narrative", "subtitle")}
    lists = {name: _list(fields, name, previous) for name in _LISTS}
    return ObservationContent(
        type=validated_type(fields.get("type") or (previous.type if previous else None)),
        title=texts["title"],
        narrative=texts["narrative"],
        subtitle=texts["subtitle"],
        facts=lists["facts"],
        concepts=lists["concepts"],
        files_modified=lists["files_modified"],
        files_read=lists["files_read"],
    )


def validated_type(value: object) -> str:
    """The value, if it is one of OBSERVATION_TYPES. Raises BadObservation."""
    if not isinstance(value, str) or value not in OBSERVATION_TYPES:
        problem = "missing" if value is None else f"{value!r}"
        raise BadObservation(f"The type is {problem}; it must be one of {', '.join(OBSERVATION_TYPES)}.")
    return value


def _text(fields: Mapping[str, Any], name: str, previous: ObservationContent | None) -> str:
    value = fields.get(name)
    if value is None:
        previous_text: str = getattr(previous, name) if previous else ""
        if not previous_text and name != "subtitle":
            raise BadObservation(f"The {name} is missing.")
        return previous_text
    if not isinstance(value, str):
        raise BadObservation(f"The {name} must be a text, not {_kind(value)}.")
    text = plain(value).strip() if name == "narrative" else one_line(value)
    if not text and name != "subtitle":
        raise BadObservation(f"The {name} is empty.")
    max_length = MAX_NARRATIVE if name == "narrative" else MAX_TITLE if name == "title" else MAX_ENTRY
    if len(text) > max_length:
        raise BadObservation(f"The {name} has {len(text)} characters; at most {max_length} fit.")
    return redact(text)


def _list(fields: Mapping[str, Any], name: str, previous: ObservationContent | None) -> tuple[str, ...]:
    value = fields.get(name)
    if value is None:
        previous_entries: tuple[str, ...] = getattr(previous, name) if previous else ()
        return previous_entries
    label = name.partition("_")[0]
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise BadObservation(f"The {label} must be a list of texts, not {_kind(value)}.")
    entries = tuple(dict.fromkeys(redact(entry) for item in value if (entry := one_line(item))))
    if len(entries) > MAX_ENTRIES:
        raise BadObservation(f"There are {len(entries)} {label}; at most {MAX_ENTRIES} fit.")
    if any(len(entry) > MAX_ENTRY for entry in entries):
        raise BadObservation(f"One of the {label} has more than {MAX_ENTRY} characters.")
    return entries


def _kind(value: object) -> str:
    """Name of a value's type for an error message."""
    if isinstance(value, (list, tuple)):
        return "a list with other values"
    return {str: "a text", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "an object")
