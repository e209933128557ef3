"""Write a session that Codex can resume: a rollout with the texts of the user and the assistant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from memtui_core.readers.codex.file_names import SESSIONS
from memtui_core.system.locations import folder_of

Role = Literal["user", "assistant"]
ORIGINATOR: Final = "memtui"
_PARTS: Final = {"user": "input_text", "assistant": "output_text"}


def session_path(environ: Mapping[str, str], session_id: str, at: datetime) -> Path:
    """The path of the rollout of a session that starts at a time, in the folder of Codex."""
    home = folder_of(environ.get("CODEX_HOME")) or Path.home() / ".codex"
    # Codex names folders and files by the local time.
    local = at.astimezone()
    name = f"rollout-{local:%Y-%m-%dT%H-%M-%S}-{session_id}.jsonl"
    return home / SESSIONS / f"{local:%Y}" / f"{local:%m}" / f"{local:%d}" / name


def session_lines(
    session_id: str, cwd: str, at: datetime, messages: Sequence[tuple[Role, str]], version: str
) -> list[bytes]:
    """The lines of a rollout, each with its newline; `version` is that of the installed Codex, `session_id` a UUID."""
    return [
        orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in _lines(session_id, cwd, at, messages, version)
    ]


def _lines(
    session_id: str, cwd: str, at: datetime, messages: Sequence[tuple[Role, str]], version: str
) -> Iterator[dict[str, Any]]:
    time = at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    meta = {
        "id": session_id,
        "timestamp": time,
        "cwd": cwd,
        "originator": ORIGINATOR,
        "cli_version": version,
        "source": "cli",
    }
    yield {"timestamp": time, "type": "session_meta", "payload": meta}
    for role, text in messages:
        content = [{"type": _PARTS[role], "text": text}]
        yield {
            "timestamp": time,
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": content},
        }
        # The event is what Codex displays, and what it lists sessions by.
        event = (
            {"type": "user_message", "message": text, "images": [], "local_images": [], "text_elements": []}
            if role == "user"
            else {"type": "agent_message", "message": text}
        )
        yield {"timestamp": time, "type": "event_msg", "payload": event}
