"""The report of `memtui doctor --report`: which agents write what, without a text of the user."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from memtui_core.queries.sources import AgentCounts, SourceRow
from memtui_core.readers.base import container_of
from memtui_core.readers.registry import reader_of
from memtui_core.readers.structure import TEXT, is_kind, structures

_MOST_FILES: Final = 20
"""Files of an agent that are looked at, the newest ones."""
_LEADS: Final = frozenset({"message", "event", "request", "response", "node", "system", "without", "a"})
"""What readers put before the word for a kind: `message tool`, `system:hint`, `without a type`."""


def structure_report(
    rows: Iterable[SourceRow], counts: Mapping[str, AgentCounts], version: str
) -> list[dict[str, Any]]:
    """The report as JSON, an object for each agent; `version` is that of memtui."""
    files: dict[str, set[Path]] = {}
    for row in rows:
        if reader_of(row.agent) is not None and row.state != "gone":
            files.setdefault(row.agent, set()).add(container_of(row.path))
    about = {"memtui": version, "system": sys.platform}
    return [about | _of_agent(agent, own, counts.get(agent)) for agent, own in sorted(files.items())]


def _of_agent(agent: str, files: set[Path], counts: AgentCounts | None) -> dict[str, Any]:
    paths = [path for folder in files for path in (sorted(folder.iterdir()) if folder.is_dir() else (folder,))]
    newest = sorted((path for path in paths if path.is_file()), key=lambda path: (-path.stat().st_mtime, path))
    return {
        "agent": agent,
        "version": counts.newest_version if counts else "",
        "files": len(files),
        "sessions": counts.sessions if counts else 0,
        "unknown_entries": _kinds(counts.unknown_entries) if counts else {},
        "structures": structures(newest[:_MOST_FILES]),
    }


def _kinds(entries: Mapping[str, int]) -> dict[str, int]:
    """The number of entries of each kind; those whose kind may be a text of the user are counted together."""
    kinds: Counter[str] = Counter()
    for kind, count in entries.items():
        *leads, word = re.split("[ :]", kind)
        kinds[kind if is_kind(word) and _LEADS.issuperset(leads) else TEXT] += count
    return dict(kinds)
