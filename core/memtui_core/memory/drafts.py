"""What was given to be remembered, checked and without secrets; what is wrong is said in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtui_core.errors import BadObservation
from memtui_core.memory.values import ENTRIES, ENTRY, NARRATIVE, TITLE, TYPES, Content
from memtui_core.text.controls import one_line, plain
from memtui_core.text.redaction import redact

_LISTS = ("facts", "concepts", "files_modified", "files_read")
FIELDS = ("type", "title", "narrative", "subtitle", *_LISTS)
"""What a draft may give."""


def draft(given: Mapping[str, Any], before: Content | None = None) -> Content:
    """The content that was given; what was not given, or None, stays as it was `before` an edit.

    Raises BadObservation for a missing or empty title or narrative, a title of more than 80 characters, an
    unknown type, and anything that is no text or no list of texts.
    """
    unknown = sorted(set(given) - set(FIELDS))
    if unknown:
        raise BadObservation(f"An observation has no {unknown[0]!r}; it has {', '.join(FIELDS)}.")
    texts = {name: _text(given, name, before) for name in ("title", "narrative", "subtitle")}
    lists = {name: _list(given, name, before) for name in _LISTS}
    return Content(
        type=type_of(given.get("type") or (before.type if before else None)),
        title=texts["title"],
        narrative=texts["narrative"],
        subtitle=texts["subtitle"],
        facts=lists["facts"],
        concepts=lists["concepts"],
        files_modified=lists["files_modified"],
        files_read=lists["files_read"],
    )


def type_of(value: object) -> str:
    """A type as it is called. Raises BadObservation for any other."""
    if not isinstance(value, str) or value not in TYPES:
        said = "missing" if value is None else f"{value!r}"
        raise BadObservation(f"The type is {said}; it must be one of {', '.join(TYPES)}.")
    return value


def _text(given: Mapping[str, Any], name: str, before: Content | None) -> str:
    value = given.get(name)
    if value is None:
        kept: str = getattr(before, name) if before else ""
        if not kept and name != "subtitle":
            raise BadObservation(f"The {name} is missing.")
        return kept
    if not isinstance(value, str):
        raise BadObservation(f"The {name} must be a text, not {_kind(value)}.")
    text = plain(value).strip() if name == "narrative" else one_line(value)
    if not text and name != "subtitle":
        raise BadObservation(f"The {name} is empty.")
    longest = NARRATIVE if name == "narrative" else TITLE if name == "title" else ENTRY
    if len(text) > longest:
        raise BadObservation(f"The {name} has {len(text)} characters; at most {longest} fit.")
    return redact(text)


def _list(given: Mapping[str, Any], name: str, before: Content | None) -> tuple[str, ...]:
    value = given.get(name)
    if value is None:
        kept: tuple[str, ...] = getattr(before, name) if before else ()
        return kept
    label = name.partition("_")[0]
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise BadObservation(f"The {label} must be a list of texts, not {_kind(value)}.")
    entries = tuple(dict.fromkeys(redact(entry) for one in value if (entry := one_line(one))))
    if len(entries) > ENTRIES:
        raise BadObservation(f"There are {len(entries)} {label}; at most {ENTRIES} fit.")
    if any(len(entry) > ENTRY for entry in entries):
        raise BadObservation(f"One of the {label} has more than {ENTRY} characters.")
    return entries


def _kind(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "a list with something else in it"
    return {str: "a text", bool: "true or false", int: "a number", float: "a number"}.get(type(value), "an object")
