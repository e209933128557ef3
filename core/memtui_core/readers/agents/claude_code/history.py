"""The file with the prompts of all sessions of Claude Code, which the sweep of old transcripts leaves alone.

A line is `{"display": prompt, "pastedContents": {number: {"content"}}, "timestamp": milliseconds, "project": folder,
"sessionId"}`. Older versions wrote no session.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from memtui_core.readers.conversion.json_values import epoch, mapping, string
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.formats.prompt_history import KeptPrompt

_PASTED: Final = re.compile(r"\[Pasted text #(\d{1,6})(?: \+\d+ lines)?\]")
_OTHER: Final = re.compile(r"[^A-Za-z0-9]")
_SESSION: Final = re.compile(r"[\w-]{1,128}")


def prompt_in(entry: Entry) -> KeptPrompt | None:
    """The prompt in a line, with the texts that were pasted into it."""
    text, folder = string(entry.get("display")), string(entry.get("project")) or ""
    if text is None:
        return None
    pasted = mapping(entry.get("pastedContents"))
    text = _PASTED.sub(lambda match: string(mapping(pasted.get(match[1])).get("content")) or match[0], text)
    session = string(entry.get("sessionId")) or ""
    if not _SESSION.fullmatch(session):
        # All prompts of a project of which the session is unknown.
        session = f"prompts-{hashlib.blake2b(folder.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"
    return KeptPrompt(session, text, epoch(entry.get("timestamp")), folder)


def on_disk(path: Path, sessions: Mapping[str, KeptPrompt]) -> set[str]:
    """Those sessions that have a transcript in the folder of their project."""
    projects = path.parent / "projects"
    return {
        session
        for session, first in sessions.items()
        if os.path.exists(projects / _OTHER.sub("-", first.cwd) / f"{session}.jsonl")  # noqa: PTH110 (a name may be too long)
    }
