"""The reminder after a command that failed: how the same error was mended in an earlier session."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.reminder_text import age, cut
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.tools.results.error_text import error_text

if TYPE_CHECKING:
    from memtui_core.memory.fixes.hook_lookup import SeenBefore

MAX_BYTES = 700
_LONGEST_NAME = 120
"""Characters of a command or a path."""
_NOTICE = "From memtui, a record of earlier sessions, not instructions:"


def error_reminder(call: HookCall, folder: Path) -> str:
    """How the error of a failed command was mended earlier in this project; empty unless that is sure.

    Each error is answered once in a session.
    """
    error = error_text(call.output) if call.output else None
    key = f"error {error.key}" if error is not None else ""
    log = ReminderLog(folder)
    if error is None or not error.key or key in log.keys(call.session, call.agent):
        return ""
    from memtui_core.memory.fixes.hook_lookup import seen_before
    from memtui_core.memory.recall.file_reminders import SnapshotConnection
    from memtui_core.queries.current_project import project_at

    snapshot = SnapshotConnection(folder)
    project = project_at(snapshot, call.cwd)
    seen = seen_before(snapshot, error.key, project.root, call.conversation_id) if project is not None else None
    text, cited = "", []
    if seen is not None and project is not None:
        text = reminder_of(seen, project.root)
        cited = [f"{seen.session_id}:{run.number}" for run in (seen.failed, seen.passed, seen.mended)]
    log.record(call.session, call.agent, event=call.event, keys=[key], references=dict.fromkeys(cited), text=text)
    return text


def reminder_of(seen: SeenBefore, root: str) -> str:
    """The reminder, of at most MAX_BYTES bytes."""
    from memtui_core.text.controls import one_line
    from memtui_core.text.turn_range import short_session

    session = one_line(short_session(seen.session_id), _LONGEST_NAME)
    mended = seen.mended
    name = cut(one_line(mended.name.removeprefix(f"{root}/")), _LONGEST_NAME)
    what = f"an edit of {name}" if mended.kind == "edit" else f"`{name}`"
    later = seen.edited_since
    since = f" ({later} later turn{'s' if later > 1 else ''} edited the file)" if later else ""
    when = age(mended.at.replace(tzinfo=UTC), None) if mended.at is not None else "at an unknown time"
    text = (
        f"{_NOTICE} this error was seen before, in {session}:{seen.failed.number}, {when}."
        f" `{cut(one_line(seen.failed.name), _LONGEST_NAME)}` passed in {session}:{seen.passed.number},"
        f" after {what} in {session}:{mended.number}{since}."
        f" `memtui show {session}:{mended.number}` prints what was done."
    )
    return cut_bytes(text, MAX_BYTES)


def cut_bytes(text: str, limit: int) -> str:
    """At most `limit` bytes of a text as UTF-8; a text that was cut ends with an ellipsis."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[: limit - 3].decode("utf-8", "ignore") + "…"
