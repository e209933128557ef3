"""The file with the prompts of all sessions of Codex: a line is `{"session_id", "ts": seconds, "text"}`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path

from memtui_core.readers.agents.codex.file_names import ARCHIVE, SESSIONS, id_in
from memtui_core.readers.conversion.json_values import epoch_seconds, string
from memtui_core.readers.formats.jsonl import Entry
from memtui_core.readers.formats.prompt_history import KeptPrompt


def prompt_in(entry: Entry) -> KeptPrompt | None:
    """The prompt in a line."""
    text, session = string(entry.get("text")), string(entry.get("session_id"))
    return KeptPrompt(session, text, epoch_seconds(entry.get("ts"))) if text and session else None


def on_disk(path: Path, sessions: Mapping[str, KeptPrompt]) -> set[str]:
    """Those sessions of which there is a rollout of the day of their first prompt, or one that was put away."""
    names = {name for folder in _folders(path.parent, sessions) for name in _ids(folder)}
    return {session for session in sessions if session in names}


def _folders(home: Path, sessions: Mapping[str, KeptPrompt]) -> set[Path]:
    # A folder has the date of the computer on which the session began, and it may have begun the evening before.
    days = {first.at + timedelta(days=shift) for first in sessions.values() if first.at for shift in (-1, 0, 1)}
    return {home / ARCHIVE, *(home / SESSIONS / f"{day:%Y/%m/%d}" for day in days)}


def _ids(folder: Path) -> Iterator[str]:
    try:
        for path in folder.iterdir():
            yield id_in(path.name).partition("_")[0]
    except OSError:
        return
