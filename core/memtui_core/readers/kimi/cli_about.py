"""What the files beside a transcript of Kimi CLI say about it: the title, the working directory and the model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.json_values import items, mapping, string
from memtui_core.readers.jsonl import LineReader, decode, json_content
from memtui_core.readers.kimi.cli_files import META, OLD_STATE, STATE, SessionFiles
from memtui_core.readers.records import TitleRank

_FOLDERS: Final = "kimi.json"
"""The file with all working directories, beside the folder of the sessions."""
_NO_TITLE: Final = "Untitled"
_IN_SYSTEM_PROMPT: Final = re.compile(r"current working directory is `([^`\n]+)`")


def title_of(files: SessionFiles) -> tuple[TitleRank, str] | None:
    """The title of a session, or the description of a subagent; None if there is none."""
    if files.agent:
        description = (string(_object_in(files.about / META).get("description")) or "").strip()
        return (TitleRank.AI, description) if description else None
    for name, field in ((STATE, "custom_title"), (OLD_STATE, "title")):
        about = _object_in(files.about / name)
        title = (string(about.get(field)) or "").strip()
        if title and title != _NO_TITLE:
            return TitleRank.AI if about.get("title_generated") is True else TitleRank.CUSTOM, title
    return None


def working_directory_of(files: SessionFiles) -> str:
    """The folder of a session: its worktree, the folder whose hash is in its path, or that of the system prompt."""
    state = _object_in((files.about.parent.parent if files.agent else files.about) / STATE)
    return string(state.get("worktree_path")) or _hashed_folder(files.bucket) or _folder_in_prompt(files.contexts)


def model_of(files: SessionFiles) -> str | None:
    """The model of a subagent that has one of its own; nothing says which one the session itself used."""
    spec = mapping(_object_in(files.about / META).get("launch_spec")) if files.agent else {}
    return string(spec.get("effective_model"))


def _hashed_folder(bucket: Path) -> str:
    """The working directory of the sessions in a folder, which is named after its hash; empty if unknown."""
    digest = bucket.name.rpartition("_")[2]
    for entry in items(_object_in(bucket.parent.parent / _FOLDERS).get("work_dirs")):
        folder = string(mapping(entry).get("path")) or ""
        if hashlib.md5(folder.encode("utf-8", "replace"), usedforsecurity=False).hexdigest() == digest:
            return folder
    return ""


def _folder_in_prompt(contexts: Sequence[Path]) -> str:
    """The working directory in the system prompt, which newer versions write into the first line of a context."""
    for path in contexts:
        try:
            entries = next((decode(line.raw)[0] for line in LineReader(path)), [])
        except SourceUnreadable:
            continue
        for entry in entries:
            found = _IN_SYSTEM_PROMPT.search(string(entry.get("content")) or "")
            if entry.get("role") == "_system_prompt" and found is not None:
                return found[1]
    return ""


def _object_in(path: Path) -> dict[str, Any]:
    """The object in a file; empty if it cannot be read."""
    try:
        return mapping(json_content(path.read_bytes()))
    except (OSError, ValueError):
        return {}
