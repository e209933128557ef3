"""Where the transcripts of each agent were looked for, and what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui_core.queries.sources import AgentCounts


@dataclass(frozen=True, slots=True)
class SearchedAgent:
    """An agent that memtui can read."""

    agent: str
    name: str
    locations: tuple[Path, ...]
    """The agent's own folders and files on this machine, existing or not."""
    samples_only: bool
    sessions: int
    unknown_entries: Mapping[str, int]

    @property
    def found(self) -> tuple[Path, ...]:
        """The locations that exist."""
        return tuple(path for path in self.locations if path.exists())

    def as_json(self) -> dict[str, Any]:
        """The agent as JSON."""
        return {
            "agent": self.agent,
            "name": self.name,
            "locations": [{"path": str(path), "exists": path in self.found} for path in self.locations],
            "sessions": self.sessions,
            "samples_only": self.samples_only,
            "unknown_entries": dict(self.unknown_entries),
        }


def searched_agents(counts: Mapping[str, AgentCounts]) -> list[SearchedAgent]:
    """All agents: those with sessions first, then those with a folder on this machine, then by name."""
    from memtui_core.readers.locations import default_locations
    from memtui_core.readers.registry import all_readers

    locations = default_locations()
    agents = []
    for reader in all_readers():
        own = tuple(location.path for location in locations if location.agent == reader.agent)
        count = counts.get(reader.agent)
        sessions, unknown = (count.sessions, count.unknown_entries) if count else (0, {})
        agents.append(SearchedAgent(reader.agent, reader.name, own, reader.samples_only, sessions, unknown))
    return sorted(agents, key=lambda agent: (-agent.sessions, not agent.found, agent.name.casefold()))


def agent_lines(agents: Sequence[SearchedAgent]) -> Iterator[str]:
    """A line for each agent, and what its reader did not know."""
    from memtui.formatting import plural

    yield "\nagents"
    width = max(len(agent.name) for agent in agents)
    for agent in agents:
        state = plural(agent.sessions, "session") if agent.sessions or agent.found else "not found"
        where = ", ".join(map(str, agent.found or agent.locations)) or "files that you name"
        note = "  (reader tested on samples only)" if agent.samples_only and (agent.sessions or agent.found) else ""
        yield f"         {agent.name:<{width}}  {state:>12}  {where}{note}"
        if agent.unknown_entries:
            kinds = ", ".join(f"{kind} {count}" for kind, count in agent.unknown_entries.items())
            yield f"         {'':<{width}}  unknown entries, kept as they are: {kinds}"
