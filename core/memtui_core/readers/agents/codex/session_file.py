"""Write a session that Codex can resume: a rollout with the texts of the user and the assistant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.readers.agents.codex.file_names import SESSIONS
from memtui_core.readers.new_session import NewSession, SessionFile
from memtui_core.system.locations import folder_of

_ORIGINATOR: Final = "memtui"
_VERSION: Final = "0.147.0"
"""The version of Codex whose lines these are."""
_PARTS: Final = {"user": "input_text", "assistant": "output_text"}


def session_file(environ: Mapping[str, str], session: NewSession) -> SessionFile:
    """The rollout of a session in the folder of Codex."""
    lines = (orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in _lines(session))
    return SessionFile(rollout_path(environ, session.session_id, session.messages[0].at), b"".join(lines))


def rollout_path(environ: Mapping[str, str], session_id: str, at: datetime) -> Path:
    """Where Codex keeps the rollout of a session that began at a time."""
    home = folder_of(environ.get("CODEX_HOME")) or Path.home() / ".codex"
    # Codex names folders and files by the local time.
    local = at.astimezone()
    name = f"rollout-{local:%Y-%m-%dT%H-%M-%S}-{session_id}.jsonl"
    return home / SESSIONS / f"{local:%Y}" / f"{local:%m}" / f"{local:%d}" / name


def _lines(session: NewSession) -> Iterator[dict[str, Any]]:
    begin = time_text(session.messages[0].at)
    meta: dict[str, Any] = {
        "id": session.session_id,
        "timestamp": begin,
        "cwd": session.cwd,
        "originator": _ORIGINATOR,
        "cli_version": _VERSION,
        "source": "cli",
    }
    if session.branch:
        meta["git"] = {"branch": session.branch}
    yield {"timestamp": begin, "type": "session_meta", "payload": meta}
    for message in session.messages:
        time = time_text(message.at)
        content = [{"type": _PARTS[message.role], "text": message.text}]
        payload: dict[str, Any] = {"type": "message", "role": message.role, "content": content}
        yield {"timestamp": time, "type": "response_item", "payload": payload}
        # The event is what Codex displays, and what it lists sessions by.
        event: dict[str, Any] = {"type": "agent_message", "message": message.text}
        if message.role == "user":
            event = {"images": [], "local_images": [], "text_elements": [], **event, "type": "user_message"}
        yield {"timestamp": time, "type": "event_msg", "payload": event}
    yield name_line(session.session_id, session.title, session.messages[-1].at)


def name_line(session_id: str, name: str, at: datetime) -> dict[str, Any]:
    """The line that names a session."""
    payload = {"type": "thread_name_updated", "thread_id": session_id, "thread_name": name}
    return {"timestamp": time_text(at), "type": "event_msg", "payload": payload}


def time_text(at: datetime) -> str:
    """A time as Codex writes it."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
