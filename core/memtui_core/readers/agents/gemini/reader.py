"""The reader of Gemini CLI: its locations and commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from memtui_core.readers.agent import FileReader
from memtui_core.readers.agents.gemini.file_names import is_chat_file, is_private
from memtui_core.readers.agents.gemini.profile import PROFILE
from memtui_core.readers.base import Retention
from memtui_core.readers.conversion.json_values import mapping
from memtui_core.readers.copying import Copying
from memtui_core.readers.formats.first_entry import begins_with, first_entry
from memtui_core.system.locations import folder_of, home_in

DEFAULT_DAYS: Final = 30
"""The default of Gemini CLI for `maxAge`."""
_MAX_AGE: Final = "general.sessionRetention.maxAge"
_AGE: Final = re.compile(r"(\d{1,5})([hdwm])")
_HOURS: Final = {"h": 1, "d": 24, "w": 7 * 24, "m": 30 * 24}
_SUFFIXES: Final = frozenset({".json", ".jsonl"})


class Gemini(FileReader):
    """The reader of Gemini CLI: a document, or lines that amend each other, for each session."""

    agent = "gemini"
    name = "Gemini CLI"
    short_name = "gemini"
    label = "ge"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.gemini/tmp/", "/.gemini/history/")
    copying = Copying(beside=(".gemini/projects.json", ".gemini/tmp/*/.project_root"))
    reading = "memtui_core.readers.agents.gemini.transcript:GeminiReading"
    resume: Sequence[str] = ("gemini", "--resume")
    start: Sequence[str] = ("gemini", "--prompt-interactive")
    connection = "memtui_core.readers.agents.gemini.connection:CONNECTION"

    def default_locations(self, environ: Mapping[str, str]) -> Sequence[Path]:
        """The folders `chats` of all projects, in `.gemini` in `GEMINI_CLI_HOME` or in the home folder."""
        home = folder_of(environ.get("GEMINI_CLI_HOME")) or home_in(environ)
        return [home / ".gemini" / "tmp"]

    def accepts(self, path: Path) -> bool:
        """Whether it is a session by its path, or by its first keys."""
        if path.suffix not in _SUFFIXES:
            return False
        if is_chat_file(path):
            return True
        if is_private(path):
            return False
        entry = first_entry(path)
        if entry:
            return _is_header(entry)
        return begins_with(path, b'"sessionId"', b'"projectHash"')

    def subagent_locations(self, path: Path) -> Sequence[Path]:
        """The folder with the id of the session, of which the file name has only the start."""
        short_id = path.stem.rpartition("-")[2]
        try:
            return [folder for folder in path.parent.glob(f"{short_id}*") if folder.is_dir()] if short_id else []
        except (OSError, ValueError):
            return []

    def retention(self, location: Path) -> Retention | None:
        """The value of `maxAge` in the user's settings, or its default; None if sessions are not deleted."""
        if (location.parent.name, location.name) != (".gemini", "tmp") or not location.exists():
            return None
        settings = location.parent / "settings.json"
        days = _days(settings)
        return None if days is None else Retention(self.agent, self.name, days, settings, _MAX_AGE)


def _days(settings: Path) -> int | None:
    import orjson

    try:
        content = orjson.loads(settings.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return DEFAULT_DAYS
    kept = mapping(mapping(mapping(content).get("general")).get("sessionRetention"))
    if kept.get("enabled") is False:
        return None
    match = _AGE.fullmatch(kept["maxAge"]) if isinstance(kept.get("maxAge"), str) else None
    return max(1, int(match[1]) * _HOURS[match[2]] // 24) if match else DEFAULT_DAYS


def _is_header(entry: Mapping[str, object]) -> bool:
    is_header = "projectHash" in entry or {"startTime", "lastUpdated"} <= entry.keys()
    return is_header and isinstance(entry.get("sessionId"), str) and not {"uuid", "type"} & entry.keys()
