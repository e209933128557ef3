"""What the path of a file says.

An agent has a folder `agents/<agent>`. In `sessions` are `<session>.jsonl`, or `<session>-topic-<topic>.jsonl`, copies
from before a compaction in `<session>.checkpoint.<id>.jsonl`, and `<session>.jsonl.<reason>.<time>`, also compressed,
for a session that was reset or deleted and for a backup. The database of newer versions is in `agent`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from memtui_core.readers.formats.databases import database_of

STORE: Final = "sessions.json"
DATABASE: Final = "openclaw-agent.sqlite"
AGENTS: Final = "agents"
_HOMES: Final = ("openclaw", "clawdbot", "moltbot")
"""The names that the agent has had."""
_TIME: Final = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d{3})?Z"
_COPY: Final = re.compile(
    rf"(.+)(?:\.checkpoint\.[0-9a-f]{{8}}(?:-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}\.jsonl"
    rf"|\.jsonl\.corrupt-.*\.jsonl|\.jsonl\.(?:bak|reset|deleted)\.{_TIME}(?:\.zst)?)",
    re.IGNORECASE | re.DOTALL,
)
_TOPIC: Final = re.compile(r"-topic-[^.]+\Z")
_TRAJECTORY: Final = ".trajectory.jsonl"


def is_database(path: Path) -> bool:
    """Whether a file has the name and the place of the database of an agent, or of a file beside one."""
    return database_of(path).name == DATABASE and _is_agents(path.parent, "agent")


def is_session_file(path: Path) -> bool:
    """Whether a file has the name and the place of a file of a session."""
    return (path.suffix == ".jsonl" or copied_session(path) != "") and _is_agents(path.parent, "sessions")


def is_trajectory(path: Path) -> bool:
    """Whether a file logs the runs of a session, which repeats its transcript."""
    return path.name.endswith(_TRAJECTORY)


def copied_session(path: Path) -> str:
    """The session of which a file is a copy, or what is left of it; empty for other files."""
    match = _COPY.fullmatch(path.name)
    return match[1] if match else ""


def session_of(path: Path) -> str:
    """The session id in the name of a file, which may be a copy."""
    return copied_session(path) or _TOPIC.sub("", path.stem)


def is_in_home(path: Path) -> bool:
    """Whether a file is in a folder that is named after the agent."""
    return any(part.lstrip(".").startswith(_HOMES) for part in path.parts[:-1])


def _is_agents(folder: Path, name: str) -> bool:
    return folder.name == name and folder.parent.parent.name == AGENTS
