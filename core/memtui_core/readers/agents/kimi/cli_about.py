"""What the files beside a transcript of Kimi CLI say about it: the title, the working directory and the model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from memtui_core.errors import SourceUnreadable
from memtui_core.readers.agents.kimi.cli_files import META, OLD_STATE, STATE, SessionFiles
from memtui_core.readers.conversion.json_values import items, mapping, string
from memtui_core.readers.conversion.messages import title_records
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.formats.jsonl import LineReader, decode
from memtui_core.readers.records import TitleRank, TitleRecord

_FOLDERS: Final = "kimi.json"
"""The file with all working directories, beside the folder of the sessions."""
_NO_TITLE: Final = "Untitled"
_IN_SYSTEM_PROMPT: Final = re.compile(r"current working directory is `([^`\n]+)`")


def titles_of(files: SessionFiles) -> Iterator[TitleRecord]:
    """The title of a session, or the description of a subagent; none if there is none."""
    if files.agent:
        yield from title_records(object_beside(files.about / META).get("description"), TitleRank.AI)
        return
    for name, field in ((STATE, "custom_title"), (OLD_STATE, "title")):
        about = object_beside(files.about / name)
        title = (string(about.get(field)) or "").strip()
        if title and title != _NO_TITLE:
            rank = TitleRank.AI if about.get("title_generated") is True else TitleRank.CUSTOM
            yield from title_records(title, rank)
            return


def working_directory_of(files: SessionFiles) -> str:
    """The folder of a session: its worktree, the folder whose hash is in its path, or that of the system prompt."""
    state = object_beside((files.about.parent.parent if files.agent else files.about) / STATE)
    return string(state.get("worktree_path")) or _hashed_folder(files.bucket) or _folder_in_prompt(files.contexts)


def model_of(files: SessionFiles) -> str | None:
    """The model of a subagent that has one of its own; nothing says which one the session itself used."""
    spec = mapping(object_beside(files.about / META).get("launch_spec")) if files.agent else {}
    return string(spec.get("effective_model"))


def _hashed_folder(bucket: Path) -> str:
    """The working directory of the sessions in a folder, which is named after its hash; empty if unknown."""
    digest = bucket.name.rpartition("_")[2]
    for entry in items(object_beside(bucket.parent.parent / _FOLDERS).get("work_dirs")):
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
