"""The metadata of a session of Mistral Vibe: ids, times, title, folder, model and tokens."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from memtui_core.readers.agents.vibe.file_names import META, parent_folder
from memtui_core.readers.conversion.json_values import items, mapping, string, timestamp
from memtui_core.readers.conversion.messages import tokens_in
from memtui_core.readers.formats.beside import object_beside
from memtui_core.readers.records import TitleRank, Usage

_NO_TITLE: Final = "Untitled session"
_CUT: Final = "…"
"""The end of a title that is the start of the first prompt."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a session's metadata say; the messages have none of it."""

    session_id: str
    parent_id: str | None
    """The session that this one continues, or the one that started it."""
    started: datetime | None
    saved: datetime | None
    """When the last message was saved."""
    cwds: tuple[str, ...]
    """The folder in which the session began, and the one in which it is now."""
    branch: str | None
    title: str
    rank: TitleRank
    model: str | None
    usage: Usage | None
    """The tokens of the whole session."""


def metadata_of(value: Any, fallback: str) -> Metadata:
    """The metadata in a JSON value; the fallback is the session id if it has none."""
    fields = mapping(value)
    folder = string(mapping(fields.get("environment")).get("working_directory"))
    stats = mapping(fields.get("stats"))
    title = (string(fields.get("title")) or "").strip()
    return Metadata(
        string(fields.get("session_id")) or fallback,
        string(fields.get("parent_session_id")),
        timestamp(fields.get("start_time")),
        timestamp(fields.get("end_time")),
        tuple(dict.fromkeys(one for one in (string(fields.get("origin_directory")), folder) if one)),
        string(fields.get("git_branch")),
        "" if title == _NO_TITLE or title.endswith(_CUT) else title,
        TitleRank.CUSTOM if fields.get("title_source") == "manual" else TitleRank.AI,
        _model(fields),
        tokens_in(stats, ("session_prompt_tokens", "session_completion_tokens")),
    )


def starter_of(messages: Path, about: Metadata) -> str | None:
    """The session that started a subagent; None for other sessions."""
    folder = parent_folder(messages)
    if folder is None:
        return None
    return about.parent_id or metadata_of(object_beside(folder / META), folder.name).session_id


def _model(fields: dict[str, Any]) -> str | None:
    """The name of the model, which the configuration gives an alias."""
    config = mapping(fields.get("config"))
    alias = string(config.get("active_model"))
    named = (mapping(model) for model in items(config.get("models")))
    return next((string(model.get("name")) for model in named if alias and model.get("alias") == alias), alias)
