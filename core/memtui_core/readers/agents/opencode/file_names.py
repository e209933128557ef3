"""The files of OpenCode, told apart by their paths.

<data>/opencode.db, opencode-<channel>.db                   databases
<data>/storage/session/<project>/<session>.json             a tree of JSON files, with
<data>/storage/message/<session>/<message>.json             the messages of the session, and
<data>/storage/part/<message>/<part>.json                   the parts of the messages
<data>/project/<folder>/storage/session/info/<session>.json an older tree, with
<data>/project/<folder>/storage/session/message/<session>/<message>.json
<data>/project/<folder>/storage/session/part/<session>/<message>/<part>.json
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_IN_TREE: Final = re.compile(
    r"(?:^|/)(storage[^/]*)/(?:session/[^/]+/[^/]+|(?:session/)?message/[^/]+/[^/]+|(?:session/)?part/(?:[^/]+/){0,2}[^/]+)\.json"
)
_INFO: Final = "info"


def is_database(path: Path, agent: str) -> bool:
    """Whether a file is a database of the agent, or the log or index of one."""
    name = path.name
    return name.startswith(agent) and re.fullmatch(r"[\w.-]+\.db(?:-wal|-shm|-journal)?", name) is not None


def is_in_tree(path: Path) -> bool:
    """Whether a file is in a tree of JSON files."""
    return _IN_TREE.search(path.as_posix()) is not None and path.suffix == ".json"


def is_session(path: Path) -> bool:
    """Whether a file in a tree is that of a session, not of a message or part."""
    return path.parent.parent.name == "session" and path.parent.parent.parent.name.startswith("storage")


def session_file(path: Path) -> Path:
    """The file of the session to which a message in a tree belongs; otherwise the file itself."""
    folder = path.parent.parent
    if folder.name != "message" or not is_in_tree(path):
        return path
    sessions = folder.parent if folder.parent.name == "session" else folder.parent / "session"
    return next(
        (file for file in sorted(sessions.glob(f"*/{_escaped(path.parent.name)}.json")) if is_session(file)), path
    )


def message_folder(session: Path, session_id: str) -> Path:
    """The folder with the messages of a session, given its file."""
    return _branch(session, "message") / session_id


def part_folders(session: Path, session_id: str, message_id: str) -> list[Path]:
    """The folders that can have the parts of a message."""
    parts = _branch(session, "part")
    return [parts / session_id / message_id] if session.parent.name == _INFO else [parts / message_id]


def flat_parts(session: Path) -> Path:
    """The folder in which some trees have the parts of all messages."""
    return _branch(session, "part")


def _branch(session: Path, name: str) -> Path:
    sessions = session.parent.parent
    return sessions / name if session.parent.name == _INFO else sessions.parent / name


def _escaped(name: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", name)
