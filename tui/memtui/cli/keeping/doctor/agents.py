"""Where the transcripts of each agent were looked for, and what was found."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui_core.queries.sources import AgentCounts, SourceRow


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


def agent_lines(
    agents: Sequence[SearchedAgent], rows: Sequence[SourceRow], mirrors: Path, width: int | None
) -> Iterator[str]:
    """A line for each agent that is on this machine or in the index; those that are not found on one line.

    `mirrors` is the folder with what came from other machines, `width` the columns of the terminal, None if it is none.
    The line of those that are not found is cut to it; `--json` lists all of them, with the places.
    """
    from memtui.wording.formatting import plural
    from memtui_core.readers.base import container_of

    files = {agent.agent: {container_of(row.path) for row in rows if row.agent == agent.agent} for agent in agents}
    present = [agent for agent in agents if agent.sessions or agent.found or files[agent.agent]]
    yield "\nagents"
    longest = max((len(agent.name) for agent in present), default=0)
    for agent in present:
        counts = f"{plural(agent.sessions, 'session'):>12} {plural(len(files[agent.agent]), 'file'):>12}"
        where = ", ".join(_places(agent, files[agent.agent], mirrors))
        note = "; tested on samples only" if agent.samples_only else ""
        yield f"         {agent.name:<{longest}} {counts}  {where}{note}"
    yield from _absent_line(agents, present, width)


def found_lines(agents: Sequence[SearchedAgent], width: int | None) -> Iterator[str]:
    """The same before anything is indexed: the agents that are on this machine, and where they are read."""
    present = [agent for agent in agents if agent.found]
    yield "agents"
    longest = max((len(agent.name) for agent in present), default=0)
    for agent in present:
        yield f"         {agent.name:<{longest}}  {', '.join(map(at_home, agent.found))}"
    yield from _absent_line(agents, present, width)


def _absent_line(agents: Sequence[SearchedAgent], present: Sequence[SearchedAgent], width: int | None) -> Iterator[str]:
    from memtui.wording.formatting import cut

    absent = [agent.name for agent in agents if agent.locations and agent not in present]
    if absent:
        line = f"         not found: {', '.join(absent)}"
        yield line if width is None else cut(line, width)


def _places(agent: SearchedAgent, files: Collection[Path], mirrors: Path) -> Iterator[str]:
    """Where the files of an agent are: its own places of which some are, and others; its places if it has no files."""
    inside = {place: {file for file in files if file.is_relative_to(place)} for place in agent.locations}
    yield from (at_home(place) for place, own in inside.items() if own or (not files and place in agent.found))
    others = set(files).difference(*inside.values())
    named = {file for file in others if not file.is_relative_to(mirrors)}
    if others - named:
        yield "other machines"
    if named or not (files or agent.found):
        yield "files that you named"


def at_home(path: str | Path) -> str:
    """A path with `~` for the home folder of the user."""
    try:
        return f"~/{Path(path).relative_to(Path.home()).as_posix()}"
    except ValueError:
        return str(path)
