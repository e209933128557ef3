"""Tell what the user typed from what Cursor adds to a prompt: the time, rules, open files, the state of the machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Final

from memtui_core.readers.conversion.user_text import between

_QUERY: Final = ("<user_query>", "</user_query>")
_TIME: Final = ("<timestamp>", "</timestamp>")
_WRITTEN_TIME: Final = re.compile(
    r"(\w{3,9} \d{1,2}, \d{4}),? (?:at )?(\d{1,2}:\d{2}(?::\d{2})? ?[AP]M)"
    r"(?: \(UTC([+-]\d{1,2})?(?::(\d{2}))?\))?"
)
_PROGRAM_TAG: Final = re.compile(
    r"<(?:user_info|rules|open_and_recently_viewed_files|attached_files|git_status|system_reminder|system_notification"
    r"|agent_transcripts|agent_skills|project_layout|additional_data|external_links|cursor_commands|linter_errors"
    r"|manually_attached_skills|mcp_instructions|terminal_files_information)\b"
)


@dataclass(frozen=True, slots=True)
class UserText:
    """The parts of a user's text."""

    typed: str
    added: str
    """The text of the program."""
    at: datetime | None


def split(text: str) -> UserText:
    """The parts of a text; one without `<user_query>` was typed, unless it begins with another of Cursor's tags."""
    written, text = between(text, *_TIME)
    at = _time_of(written) if written else None
    typed, rest = between(text, *_QUERY)
    if typed is not None:
        return UserText(typed.strip(), rest.strip(), at)
    text = text.strip()
    return UserText("", text, at) if _PROGRAM_TAG.match(text) else UserText(text, "", at)


def _time_of(text: str) -> datetime | None:
    """The time in `Sunday, Jul 26, 2026, 1:06 PM (UTC+3)`; None for anything else."""
    match = _WRITTEN_TIME.search(text[:200])
    if match is None:
        return None
    hours, minutes = int(match[3] or 0), int(match[4] or 0)
    for month in ("%b", "%B"):
        for clock in ("%I:%M%p", "%I:%M:%S%p"):
            try:
                at = datetime.strptime(f"{match[1]} {match[2].replace(' ', '')}", f"{month} %d, %Y {clock}")
                zone = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes))
                return at.replace(tzinfo=zone).astimezone(UTC)
            except (ValueError, OverflowError):
                continue
    return None
