"""Write a session as Claude Code does, to be resumed by its id."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

from memtui_core.readers.new_session import NewSession, SessionFile

_VERSION: Final = "2.1.0"
"""The version of Claude Code whose entries these are."""
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")


def session_file(projects: Path, session: NewSession) -> SessionFile:
    """The file of a session in the folder `projects`."""
    lines = [orjson.dumps(entry) for entry in _entries(session)]
    path = projects / folder_name(session.cwd) / f"{session.session_id}.jsonl"
    return SessionFile(path, b"\n".join(lines) + b"\n")


def folder_name(cwd: str) -> str:
    """The name of the folder in which Claude Code keeps the sessions of a working directory."""
    return _OTHER.sub("-", cwd)


def title_entry(session_id: str, title: str) -> dict[str, Any]:
    """The entry with the title that the user gave to a session."""
    return {"type": "custom-title", "customTitle": title, "sessionId": session_id}


def _entries(session: NewSession) -> Iterator[dict[str, Any]]:
    parent = None
    for message in session.messages:
        entry_id = str(uuid.uuid4())
        body: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.role == "assistant":
            # Texts that were not written by a model have this name.
            body = {
                "id": f"msg_{uuid.uuid4().hex}",
                "type": "message",
                "role": message.role,
                "model": "<synthetic>",
                "content": [{"type": "text", "text": message.text}],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "usage": {"input_tokens": 0, "output_tokens": 0},
            }
        yield {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": session.cwd,
            "sessionId": session.session_id,
            "version": _VERSION,
            "gitBranch": session.branch or "",
            "type": message.role,
            "message": body,
            "uuid": entry_id,
            "timestamp": message.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        }
        parent = entry_id
    yield title_entry(session.session_id, session.title)
