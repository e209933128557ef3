"""The names of transcript files: `<session>.jsonl`, and `agent-<id>.jsonl` for a subagent.

The file of a subagent is in `<session>/subagents/`, in older versions next to the file of its session.
"""

from __future__ import annotations

import re
from pathlib import Path

from memtui_core.readers.base import Identity
from memtui_core.readers.records import SessionFacts

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SUBAGENTS = "subagents"
_SUMMARY_WRITER = "agent-acompact-"
"""Subagents that write a compaction summary. They repeat the text of their session and are hidden."""


def is_subagent_file(path: Path) -> bool:
    """Whether a file contains the entries of one subagent only."""
    return path.name.startswith("agent-")


def identify(path: Path, facts: SessionFacts, sidechain: str = "") -> Identity:
    """The identity of the session in a file, or of one of its sidechains. The folder is named after the project."""
    nested = path.parent.name == _SUBAGENTS
    folder = (path.parent.parent.parent if nested else path.parent).name
    if is_subagent_file(path):
        session_id, parent = path.stem, facts.session_id or (path.parent.parent.name if nested else None)
    else:
        session_id, parent = (path.stem if _UUID.fullmatch(path.stem) else facts.session_id or path.stem), None
    if sidechain:
        session_id, parent = sidechain, session_id
    return Identity(session_id, parent, folder, hidden=session_id.startswith(_SUMMARY_WRITER))
