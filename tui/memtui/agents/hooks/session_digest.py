"""The digest that an agent gets at the start of a session: what was done last in its project, and what is open there.

It is made of a small file of the indexer: an agent waits for it, and opening the index would take longer than all else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.reminder_text import NOTICE, age, cut
from memtui_core.queries.current_project import project_at
from memtui_core.store.marks.reminder_log import ReminderLog
from memtui_core.system import locations
from memtui_core.system.own_folders import DIGEST
from memtui_core.text.controls import one_line

MAX_BYTES: Final = 1536
_QUOTE, _TITLE, _FILES = 120, 70, 200
"""Characters of a quotation, of a title, and of the files of a session."""
_ENDS: Final = {
    "question": "asked",
    "unanswered": "no answer to",
    "interrupted": "interrupted at",
    "stopped": "stopped in the middle at",
    "error": "ended with an error",
}
_WAYS: Final = {"answer": "chose", "plan": "approved the plan"}
"""What the user did; they said all else."""
_HEADINGS: Final = ("Last sessions of this project", "Checks whose last run failed", "What the user decided last")


def session_digest(call: HookCall, folder: Path, now: datetime | None = None) -> str:
    """The digest for a session that starts; empty if there is nothing new to say, and for a subagent.

    What the session got before, as one that is resumed did, is left out. At most MAX_BYTES bytes and whole rows only.
    """
    if call.agent or _is_off():
        return ""
    log = ReminderLog(folder)
    try:
        projects = json.loads((folder / DIGEST).read_bytes())["projects"]
        text, cited = digest_text(projects, call, log.keys(call.session), now or datetime.now(UTC))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if text:
        log.record(call.session, event=call.event, keys=cited, references=cited, text=text)
    return text


def _is_off() -> bool:
    """Whether the settings turn it off; only if they name it are they parsed, which takes longer than all else."""
    path = locations.config_file()
    try:
        if b"digest" not in path.read_bytes():
            return False
    except OSError:
        return False
    from memtui.settings.config import load_config

    return not load_config(path).digest


def digest_text(projects: dict[str, Any], call: HookCall, sent: set[str], now: datetime) -> tuple[str, list[str]]:
    """The text, and the turns that it cites."""
    folders = [(root, cwd, tree or None) for root, one in projects.items() for cwd, tree in one["folders"]]
    project = project_at(None, call.cwd, folders)
    if project is None:
        return "", []
    found = projects[project.root]
    sections = [
        [(_reference(row), make(row, now)) for row in found[name] if row["id"] != call.session]
        for name, make in (("sessions", _session), ("failures", _failure), ("decisions", _decision))
    ]
    chosen: list[list[str]] = [[] for _ in sections]
    cited: dict[str, None] = {}
    # One of each in turn: none takes the room of the others.
    for rows in zip_longest(*sections):
        for place, row in enumerate(rows):
            if row is None or row[0] in sent:
                continue
            chosen[place].append(row[1])
            if len(_text(chosen).encode()) > MAX_BYTES:
                chosen[place].pop()
            else:
                cited[row[0]] = None
    return _text(chosen), list(cited)


def _text(sections: Sequence[Sequence[str]]) -> str:
    parts = [
        "\n".join([f"## {heading}", "", *lines, ""])
        for heading, lines in zip(_HEADINGS, sections, strict=True)
        if lines
    ]
    return "\n".join([NOTICE, "", *parts]) if parts else ""


def _session(row: dict[str, Any], now: datetime) -> str:
    end = _ENDS.get(row["kind"], "")
    if now.timestamp() < row["runs_until"]:
        end = "runs now"
    said = ": ".join(filter(None, (end, _quoted(row["quote"]) if end else "")))
    files = _first(row["files"])
    return _line(row, now, one_line(row["title"], _TITLE), said, files and f"opened {files}")


def _first(paths: Sequence[str]) -> str:
    """As many of the first paths as have room, separated by commas; paths are not cut."""
    text = ""
    for path in paths:
        longer = f"{text}, {one_line(path)}" if text else one_line(path)
        if len(longer) > _FILES:
            return f"{text}, …" if text else ""
        text = longer
    return text


def _failure(row: dict[str, Any], now: datetime) -> str:
    return _line(row, now, f"`{one_line(row['command'], _TITLE).replace('`', chr(39))}`", _quoted(row["error"]))


def _decision(row: dict[str, Any], now: datetime) -> str:
    quote, about = _quoted(row["quote"]), _quoted(row["about"])
    if row["way"] == "rejected" and about:
        return _line(row, now, f"refused {about}", f"said {quote}" if quote else "")
    return _line(row, now, f"{_WAYS.get(row['way'], 'said')} {quote}", about and f"about {about}")


def _line(row: dict[str, Any], now: datetime, *facts: str) -> str:
    at = age(datetime.fromtimestamp(row["at"], UTC), now)
    return f"- {' · '.join(filter(None, (at, *facts)))} [{_reference(row)}]"


def _quoted(text: str) -> str:
    return f'"{cut(one_line(text, _QUOTE), _QUOTE)}"' if text else ""


def _reference(row: dict[str, Any]) -> str:
    return f"{one_line(row['id'], 80)}:{row['turn']}"
