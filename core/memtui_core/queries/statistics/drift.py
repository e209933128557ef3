"""What agents write that memtui does not know yet: newer versions, and entries of unknown kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memtui_core.queries.sources import AgentCounts, version_numbers
from memtui_core.readers.registry import reader_of

_MOST_KINDS: Final = 4
"""Kinds of entries that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the transcripts of an agent differ from those that its reader was made for."""

    agent: str
    name: str
    version: str
    """The newest version that wrote a session; empty if the sessions name none."""
    tested: str
    """The newest version whose transcripts the reader was tested on; empty if that is unknown."""
    kinds: Mapping[str, int]
    """The number of entries of each kind that the reader does not know, the most frequent first."""
    kinds_version: str
    """The newest version that wrote a session with such entries; empty if the sessions name none."""

    @property
    def is_newer(self) -> bool:
        """Whether the version is newer than any that the reader was tested on."""
        return bool(self.tested) and version_numbers(self.version) > version_numbers(self.tested)

    def sentences(self) -> list[str]:
        """What to say about it."""
        said = []
        if self.kinds:
            count = len(self.kinds)
            shown = ", ".join(list(self.kinds)[:_MOST_KINDS]) + (", …" if count > _MOST_KINDS else "")
            kinds = "a kind of entries" if count == 1 else f"{count} kinds of entries"
            versions = f" (up to {self.kinds_version})" if self.kinds_version else ""
            said.append(f"{self.name}{versions} writes {kinds} that memtui does not know, and keeps: {shown}")
        if self.is_newer:
            newest = f"the newest version that memtui was tested on, {self.tested}"
            said.append(f"{self.name} {self.version} is newer than {newest}")
        return said


def drifts_of(counts: Mapping[str, AgentCounts]) -> list[Drift]:
    """The agents about which there is something to say, given what the index has of each."""
    drifts = []
    for agent, count in counts.items():
        reader = reader_of(agent)
        if reader is not None:
            drift = Drift(
                agent,
                reader.name,
                count.newest_version,
                reader.tested_version,
                count.unknown_entries,
                count.unknown_version,
            )
            drifts += [drift] if drift.sentences() else []
    return drifts
