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
    path = projects / _OTHER.sub("-", session.cwd) / f"{session.session_id}.jsonl"
    return SessionFile(path, b"\n".join(lines) + b"\n")


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
    yield {"type": "custom-title", "customTitle": session.title, "sessionId": session.session_id}
