"""What the names of transcripts say: `<session>.jsonl`, and `agent-<id>.jsonl` of a subagent.

A subagent's file lies in `<session>/subagents/`, in older versions beside its session's.
"""

from __future__ import annotations

import re
from pathlib import Path

from memtui_core.readers.base import Identity
from memtui_core.readers.records import Facts

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SUBAGENTS = "subagents"
_SUMMARY_WRITER = "agent-acompact-"
"""Subagents that write a compaction summary: they repeat their session's text and are kept out of sight."""


def is_subagent_file(path: Path) -> bool:
    """Whether a subagent's entries, and no others, stand in a file."""
    return path.name.startswith("agent-")


def identify(path: Path, facts: Facts, sidechain: str = "") -> Identity:
    """The session that a file and its first entries name, or that of a sidechain in the file.

    The file's folder is named after that of the project.
    """
    nested = path.parent.name == _SUBAGENTS
    folder = (path.parent.parent.parent if nested else path.parent).name
    if is_subagent_file(path):
        session_id, parent = path.stem, facts.session_id or (path.parent.parent.name if nested else None)
    else:
        session_id, parent = (path.stem if _UUID.fullmatch(path.stem) else facts.session_id or path.stem), None
    if sidechain:
        session_id, parent = sidechain, session_id
    return Identity(session_id, parent, folder, hidden=session_id.startswith(_SUMMARY_WRITER))
