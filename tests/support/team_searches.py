"""Searches on a team's server, as one of its members runs them."""

from __future__ import annotations

from pathlib import Path

from memtui_core.index.index import Index
from memtui_core.model import SearchResult
from memtui_team.address import TeamAddress
from memtui_team.admin.devices import DEVICE
from memtui_team.search.joined import JoinedTeam, join
from support.indexes import embed, update
from support.team_machines import Machine
from support.teams import Team
from support.transcripts import Script

SHOP = "/home/ana/code/shop"
OWN_SESSION = "99999999-9999-4999-8999-999999999999"


class Colleague:
    """A member with an index of one session, who searches what others share."""

    def __init__(self, folder: Path, team: Team, member: str = "bob", device: str = DEVICE, *, own: str = "") -> None:
        script = Script(OWN_SESSION, f"/home/{member}/code/shop", "q")
        script.user(own or "Water the plants")
        script.says("They are watered.")
        script.write(folder / "transcripts")
        update(folder / "data", folder / "transcripts")
        embed(folder / "data")
        self.index = Index.open(folder / "data")
        TeamAddress(team.url(member, device), "", member, device).save(folder / "data")
        joined = join(self.index)
        assert joined is not None
        self.team: JoinedTeam = joined

    def search(self, text: str, *, live: bool = False) -> SearchResult:
        """The result of a query."""
        return self.team.search(text, 20, live=live)

    def found(self, text: str, *, live: bool = False) -> list[tuple[str, int]]:
        """The sessions, by the first letters of their ids, and the turns of colleagues that a query finds."""
        return [(hit.session_id[:1], hit.turn) for hit in self.search(text, live=live).hits if hit.session < 0]


def share(folder: Path, team: Team, *scripts: Script, member: str = "ana", device: str = DEVICE) -> Machine:
    """Push sessions from a machine of a member, all of their projects, with vectors."""
    machine = Machine(folder, team.url(member, device))
    for script in scripts:
        machine.write(script)
    machine.index(vectors=True)
    machine.push(machine.sharing(*{Path(script.cwd).name for script in scripts}))
    return machine
