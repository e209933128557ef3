"""Tell what the user typed from what Antigravity adds to a prompt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memtui_core.readers.conversion.json_values import object_from, string

_REQUEST: Final = ("<USER_REQUEST>", "</USER_REQUEST>")
_METADATA: Final = ("<ADDITIONAL_METADATA>", "</ADDITIONAL_METADATA>")
_SETTINGS: Final = ("<USER_SETTINGS_CHANGE>", "</USER_SETTINGS_CHANGE>")


@dataclass(frozen=True, slots=True)
class UserText:
    """The parts of a user's text."""

    typed: str
    added: str
    """The text of the program."""
    cwd: str


def split(text: str) -> UserText:
    """The parts of a text; one without `<USER_REQUEST>` was typed."""
    metadata, text = _cut(text, *_METADATA)
    settings, text = _cut(text, *_SETTINGS)
    request, rest = _cut(text, *_REQUEST)
    typed, around = (request, rest) if request else (text, "")
    added = [part.strip() for part in (metadata, settings, around) if part.strip()]
    return UserText(typed.strip(), "\n".join(added), _working_directory(metadata))


def _cut(text: str, begin: str, end: str) -> tuple[str, str]:
    """The text between two tags, and the text around them; nothing if they are not there."""
    first, last = text.find(begin), text.rfind(end)
    if first < 0 or last < first:
        return "", text
    return text[first + len(begin) : last], text[:first] + text[last + len(end) :]


def _working_directory(metadata: str) -> str:
    return string(object_from(metadata).get("cwd")) or ""
