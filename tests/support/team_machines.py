"""Machines of a team's members: each has transcripts, an index of them, and pushes what it shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import stored_columns
from memtui_team.address import TeamAddress
from memtui_team.admin.devices import DEVICE
from memtui_team.content import SESSION_TABLES, TURN_TABLES, decode
from memtui_team.push.pusher import Pusher, PushPlan, PushResult
from memtui_team.sharing import SessionChoices, Sharing
from support.indexes import embed, review, update
from support.teams import Team
from support.transcripts import Script

Rows = list[tuple[Any, ...]]


class SessionRows(NamedTuple):
    """All that a server or an index has of a session."""

    session: dict[str, Rows]
    turns: dict[int, dict[str, Rows]]
    """By number."""
    mentions: dict[int, Rows]
    """Path, kind and whether it is a folder, sorted, by the number of the turn."""
    vectors: dict[int, dict[int, list[float]]]
    """By the number of the turn and that of the chunk, with 16 bits a number."""


class Machine:
    """A data folder of a device."""

    def __init__(self, folder: Path, url: str) -> None:
        self.transcripts = folder / "transcripts"
        self.data = folder / "data"
        self.address = TeamAddress(url)
        self.data.mkdir(parents=True, exist_ok=True)
        self.address.save(self.data)

    def write(self, script: Script, name: str | None = None) -> None:
        """Write a transcript."""
        script.write(self.transcripts, name)

    def index(self, *, vectors: bool = False) -> None:
        """Bring the index up to date."""
        update(self.data, self.transcripts)
        review(self.data)
        if vectors:
            embed(self.data)

    def sharing(
        self,
        *share: str,
        groups: Mapping[str, Sequence[str]] | None = None,
        exclude: Exclusions = NOTHING,
    ) -> Sharing:
        """The settings with the choices of this machine."""
        return Sharing.of(self.data, share, groups or {}, exclude)

    def choose(self, session_id: str, choice: Any) -> None:
        """What the key `p` does."""
        SessionChoices(self.data).choose("claude-code", session_id, choice)

    def plan(self, sharing: Sharing, *, agreed: bool = True) -> PushPlan:
        """What a push would do."""
        with Pusher(self.data, self.address, sharing) as pusher, closing(pusher.open_snapshot()) as snapshot:
            return pusher.plan(snapshot, agreed=agreed)

    def push(
        self, sharing: Sharing, after: Callable[[int, int, PushResult], None] = lambda *_: None
    ) -> PushResult | None:
        """Push, agreed to everything; None if there was nothing new."""
        with Pusher(self.data, self.address, sharing) as pusher:
            if pusher.has_nothing_new():
                return None
            with closing(pusher.open_snapshot()) as snapshot:
                plan = pusher.plan(snapshot, agreed=True)
                pusher.agree(plan)
                return pusher.push(snapshot, plan, after)

    def rows(self) -> dict[tuple[str, str], SessionRows]:
        """All sessions of the index by id and id of the parent, as plain queries read them."""
        with closing(Snapshot(DataDir(self.data))) as snapshot:
            tables = {
                table: snapshot.rows(f"SELECT {stored_columns(table)} FROM {table} ORDER BY ALL")
                for table in (*SESSION_TABLES, *TURN_TABLES)
            }
            vectors = _vectors(snapshot)
        places = {(row[1], row[2]): row[0] for row in tables["compactions"]}
        found: dict[tuple[str, str], SessionRows] = {}
        for session in tables["sessions"]:
            key = session[0]
            own = {
                "sessions": [session],
                "compactions": [row for row in tables["compactions"] if row[0] == key],
                "pr_links": [row for row in tables["pr_links"] if row[0] == key],
                "forks": [row for row in tables["forks"] if row[0] == key],
                "reviews": [row for row in tables["reviews"] if places.get((row[0], row[1])) == key],
                "review_items": [row for row in tables["review_items"] if places.get((row[0], row[1])) == key],
            }
            rows = found[session[2], session[3] or ""] = SessionRows(_sorted(own), {}, {}, {})
            for turn in tables["turns"]:
                if turn[1] == key:
                    _add_turn(rows, turn, tables, vectors)
        return found


def _add_turn(
    rows: SessionRows, turn: tuple[Any, ...], tables: dict[str, Rows], vectors: dict[int, list[float]]
) -> None:
    key, number = turn[0], turn[3]
    own = {
        "turns": [(*turn[:-1], 0)],
        "blocks": [row for row in tables["blocks"] if row[0] == key],
        "file_mentions": [row for row in tables["file_mentions"] if row[1] == key],
        "agent_calls": [row for row in tables["agent_calls"] if row[1] == key],
        "chunks": [row for row in tables["chunks"] if row[0] == key],
    }
    rows.turns[number] = _sorted(own)
    rows.mentions[number] = sorted({(row[3], row[5], row[6]) for row in own["file_mentions"]})
    rows.vectors[number] = {row[1]: vectors[row[2]] for row in own["chunks"] if row[2] in vectors}


def _vectors(snapshot: Snapshot) -> dict[int, list[float]]:
    from memtui_core.store.vectors.access import vectors_of

    stored = vectors_of(snapshot)
    if stored is None:
        return {}
    return {
        number: [float(value) for value in vector.astype(np.float16)]
        for number, vector in zip(stored.hashes.tolist(), stored.floats(), strict=True)
    }


def received(team: Team, member: str = "ana", device: str = DEVICE) -> dict[tuple[str, str], SessionRows]:
    """All sessions that the server has of a device, decoded."""
    with team.admin() as connection:
        sessions = connection.execute(
            "SELECT s.id, s.session_id, s.parent_id, s.content FROM memtui.sessions s"
            " JOIN memtui.devices d ON d.id = s.device JOIN memtui.members m ON m.id = d.member"
            " WHERE m.name = %s AND d.name = %s",
            [member, device],
        ).fetchall()
        found: dict[tuple[str, str], SessionRows] = {}
        for key, session_id, parent_id, content in sessions:
            rows = found[session_id, parent_id] = SessionRows(_sorted(decode(content)), {}, {}, {})
            turns = connection.execute("SELECT id, number, content FROM memtui.turns WHERE session = %s", [key])
            for turn, number, own in turns.fetchall():
                assert number not in rows.turns
                rows.turns[number] = _sorted(decode(own))
                rows.mentions[number] = sorted(
                    connection.execute("SELECT path, kind, is_dir FROM memtui.mentions WHERE turn = %s", [turn])
                )
                vectors = connection.execute(
                    "SELECT chunk, vector::text FROM memtui.vectors WHERE turn = %s", [turn]
                ).fetchall()
                rows.vectors[number] = {
                    chunk: [float(np.float16(value)) for value in text.strip("[]").split(",")]
                    for chunk, text in vectors
                }
                assert len(vectors) == len(rows.vectors[number])
        [[orphans]] = connection.execute(
            "SELECT (SELECT count(*) FROM memtui.mentions WHERE turn NOT IN (SELECT id FROM memtui.turns))"
            " + (SELECT count(*) FROM memtui.vectors WHERE turn NOT IN (SELECT id FROM memtui.turns))"
        ).fetchall()
        assert orphans == 0
    return found


def _sorted(content: dict[str, Rows]) -> dict[str, Rows]:
    return {table: sorted(rows, key=repr) for table, rows in content.items()}
