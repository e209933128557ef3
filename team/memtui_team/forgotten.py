"""The sessions that were forgotten on this device, which the next push tells the server."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson

from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.system.atomic_files import sync
from memtui_team.errors import TeamError


class Forgotten:
    """A file of the data folder to which forgotten sessions are appended, one JSON object a line."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / "team" / "forgotten.jsonl"
        """The file that remembers them."""

    def add(self, identities: Iterable[tuple[str, str]]) -> None:
        """Remember sessions by their agent and id. Raises OSError."""
        lines = [
            orjson.dumps({"agent": agent, "session_id": session_id, "at": int(time.time())}) + b"\n"
            for agent, session_id in identities
        ]
        if not lines:
            return
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            if file.seek(0, 2):
                # The last line may be a part that a process left behind which was killed.
                file.seek(-1, 2)
                lines[:0] = [b"\n"] if file.read() != b"\n" else []
            file.write(b"".join(lines))
            sync(file)

    def identities(self) -> list[tuple[str, str]]:
        """Agent and id of each of them, in order. Raises TeamError if the file cannot be read."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TeamError(f"{self.path} cannot be read, so that nothing is shared: {error}") from error
        found: dict[tuple[str, str], None] = {}
        for line in data.splitlines():
            try:
                entry = orjson.loads(line)
                found[str(entry["agent"]), str(entry["session_id"])] = None
            except (ValueError, KeyError, TypeError):
                continue
        return list(found)


def tell_team(data_dir: Path, sessions: Sequence[tuple[str, str]]) -> None:
    """Remember, if a team was joined, which sessions the next push removes from its server, for all devices.

    `sessions` are agent and id of each. Raises TeamError and OSError.
    """
    from memtui_team.address import TeamAddress

    if sessions and TeamAddress.load(data_dir) is not None:
        Forgotten(data_dir).add(sessions)


def with_subagents(snapshot: Snapshot, session: int) -> list[tuple[str, str]]:
    """Agent and id of a session, and of all below it."""
    return snapshot.rows(
        "WITH RECURSIVE below(key) AS ("
        " SELECT ?::INTEGER UNION SELECT s.key FROM sessions s JOIN below b ON s.parent = b.key"
        ") SELECT agent, session_id FROM sessions WHERE key IN (SELECT key FROM below) ORDER BY key",
        [session],
    )
