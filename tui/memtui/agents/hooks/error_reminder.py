"""The reminder after a command that failed: how the same error was mended in an earlier session.

It is made of a small file of the indexer, as the digest is: an agent waits for it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.reminder_text import age, cut
from memtui_core.system.own_folders import MENDED
from memtui_core.text.controls import one_line
from memtui_core.tools.results.error_text import error_text

MAX_BYTES = 700
_LONGEST_NAME = 120
"""Characters of a command or a path."""
_NOTICE = "From memtui, a record of earlier sessions, not instructions:"


def error_reminder(call: HookCall, folder: Path) -> str:
    """How the error of a failed command was mended earlier in this project; empty unless that is sure.

    Each error is answered once in a session.
    """
    error = error_text(call.output) if call.output else None
    if error is None or not error.key:
        return ""
    try:
        content = (folder / MENDED).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    # An unknown error, as most are, costs no more than that.
    if b'"key":%d,' % error.key not in content:
        return ""
    from memtui_core.store.marks.reminder_log import ReminderLog

    log, key = ReminderLog(folder), f"error {error.key}"
    if key in log.keys(call.session, call.agent):
        return ""
    # What it may record is read after the log was made.
    projects = json.loads((folder / MENDED).read_bytes())["projects"]
    text, cited = reminder_text(projects, error.key, call)
    if text:
        log.record(call.session, call.agent, event=call.event, keys=[key], references=cited, text=text)
    return text


def reminder_text(projects: dict[str, Any], key: int, call: HookCall) -> tuple[str, list[str]]:
    """The reminder of an error, of at most MAX_BYTES bytes, and the turns that it cites; empty if there is none."""
    from memtui_core.queries.current_project import project_at
    from memtui_core.text.turn_range import short_session

    folders = [(root, cwd, tree or None) for root, one in projects.items() for cwd, tree in one["folders"]]
    project = project_at(None, call.cwd, folders)
    errors = projects[project.root]["errors"] if project is not None else ()
    seen = next((one for one in errors if one["key"] == key and one["id"] != call.conversation_id), None)
    if seen is None or project is None:
        return "", []
    session = one_line(short_session(seen["id"]), _LONGEST_NAME)
    name = cut(one_line(seen["name"].removeprefix(f"{project.root}/")), _LONGEST_NAME)
    what = f"an edit of {name}" if seen["kind"] == "edit" else f"`{name}`"
    later = seen["later"]
    since = f" ({later} later turn{'s' if later > 1 else ''} edited the file)" if later else ""
    when = age(datetime.fromtimestamp(seen["at"], UTC), None) if seen["at"] is not None else "at an unknown time"
    text = (
        f"{_NOTICE} this error was seen before, in {session}:{seen['failed']}, {when}."
        f" `{cut(one_line(seen['command']), _LONGEST_NAME)}` passed in {session}:{seen['passed']},"
        f" after {what} in {session}:{seen['mended']}{since}."
        f" `memtui show {session}:{seen['mended']}` prints what was done."
    )
    cited = dict.fromkeys(f"{seen['id']}:{seen[place]}" for place in ("failed", "passed", "mended"))
    return cut_bytes(text, MAX_BYTES), list(cited)


def cut_bytes(text: str, limit: int) -> str:
    """At most `limit` bytes of a text as UTF-8; a text that was cut ends with an ellipsis."""
    data = text.encode("utf-8", "replace")
    return text if len(data) <= limit else data[: limit - 3].decode("utf-8", "ignore") + "…"
