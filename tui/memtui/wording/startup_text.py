"""The texts that the screen shows while there is no session."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memtui.wording.formatting import agent_full_name, plural, read_percent
from memtui_core.model import Progress, Stats
from memtui_core.system.locations import data_dir

if TYPE_CHECKING:
    from memtui_core.readers.locations import Location

OPENING = "Opening the index …"
CHOOSING = "enter chooses a session, ctrl+q ends without a choice"


def searched_text(locations: Sequence[Location]) -> str:
    """What was searched for sessions: the named paths, and the agents whose own folders were."""
    paths = [str(location.path) for location in locations if location.agent is None]
    names = dict.fromkeys(agent_full_name(location.agent) for location in locations if location.agent is not None)
    return "\n".join([*(["the folders of " + ", ".join(names)] if names else []), *paths])


def reading_text(progress: Progress | None) -> str:
    """The text while the first sessions are read."""
    share = f" {read_percent(progress)} %" if progress is not None and progress.total else ""
    return f"Reading your sessions …{share}\n\nThe newest come first."


def no_sessions_text(folder: Path, sources_text: str, stats: Stats | None) -> str:
    """The text for an index without sessions: the searched folders, and what to do.

    `stats` is None before anything was indexed.
    """
    text = f"No sessions found in\n{sources_text}\n\n"
    if stats is not None and stats.sources:
        failed = stats.bad_sources or stats.skipped_lines
        empty = "contains no session" if stats.sources == 1 else "contain no session"
        count = stats.bad_sources or stats.sources
        option = "" if folder == data_dir() else f" --data-dir {shlex.quote(str(folder))}"
        text += f"{plural(count, 'file')} there {'could not be read' if failed else empty}.\n"
        text += f"memtui doctor{option}\nsays why.\n\n"
    return f"{text}memtui --source FOLDER looks elsewhere,\nmemtui demo shows sample sessions."
