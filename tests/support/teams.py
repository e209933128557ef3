"""Teams on real servers: members with devices, each with a login of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final

import psycopg

from memtui_team.admin.devices import DEVICE, Invitation, invite, revoke
from memtui_team.admin.groups import add_members
from memtui_team.connection import connect, connect_as_admin
from memtui_team.schema import Migration, install
from support.postgres import PostgresServer

MEMBERS: Final[Mapping[str, Sequence[str]]] = {"ana": ("everyone",), "bob": ("everyone",)}
"""Two members who may read each other's projects."""


class Team:
    """A team in a database of its own."""

    def __init__(self, server: PostgresServer, *, known: Sequence[Migration] = ()) -> None:
        database = server.new_database()
        self.take(server, database, server.url(database))
        with self.admin() as connection:
            self.ranks = install(connection, known)

    def take(self, server: PostgresServer, database: str, admin_url: str) -> None:
        """Use a team that is there."""
        self.server = server
        self.database = database
        self.admin_url = admin_url
        self._invitations: dict[tuple[str, str], Invitation] = {}

    def add(self, member: str, device: str = DEVICE, groups: Sequence[str] = (), *, is_lead: bool = False) -> str:
        """Invite a device of a member, and return its URL; groups are made as they are needed."""
        with self.admin() as connection:
            for group in groups:
                add_members(connection, group, [])
            invitation = invite(connection, self.admin_url, member, device, groups, is_lead=is_lead)
        self._invitations[member, device] = invitation
        return invitation.url

    def revoke(self, member: str, device: str = "") -> None:
        """Revoke a device, or all devices of a member."""
        with self.admin() as connection:
            revoke(connection, member, device)

    def url(self, member: str, device: str = DEVICE) -> str:
        """The URL of a device."""
        return self._invitations[member, device].url

    def role(self, member: str, device: str = DEVICE) -> str:
        """The login role of a device."""
        return self._invitations[member, device].role

    @contextmanager
    def connected(
        self, member: str, device: str = DEVICE, *, known: Sequence[Migration] = ()
    ) -> Iterator[psycopg.Connection]:
        """A connection of a device."""
        with connect(self.url(member, device), known=known) as connection:
            yield connection

    @contextmanager
    def admin(self) -> Iterator[psycopg.Connection]:
        """A connection of the administrator, who owns everything."""
        with connect_as_admin(self.admin_url) as connection:
            yield connection


def make_team(
    server: PostgresServer, members: Mapping[str, Sequence[str]] = MEMBERS, *, known: Sequence[Migration] = ()
) -> Team:
    """A team with members, who have one device each, by the groups to which they belong."""
    team = Team(server, known=known)
    for member, groups in members.items():
        team.add(member, groups=groups)
    return team


MONTH: Final = date(2026, 11, 1)


def push_session(connection: psycopg.Connection, project: str, groups: Sequence[str], session_id: str) -> int:
    """Push a session with one turn, one mention and one vector, whose texts are made of its id; return its id there."""
    connection.execute("SELECT memtui.open_month(%s)", [MONTH])
    opened = connection.execute("SELECT memtui.open_project(%s, %s, %s)", [project, project, list(groups)]).fetchone()
    device = connection.execute("SELECT memtui.this_device()").fetchone()
    assert opened is not None
    assert device is not None
    with connection.transaction():
        session = connection.execute(
            "INSERT INTO memtui.sessions (device, project, agent, session_id, title, turns, version, content)"
            " VALUES (%s, %s, 'claude-code', %s, %s, 1, '1', %s) RETURNING id",
            [device[0], opened[0], session_id, f"title of {session_id}", session_id.encode()],
        ).fetchone()
        assert session is not None
        keys = (session[0], device[0], opened[0])
        turn = connection.execute(
            "INSERT INTO memtui.turns (month, session, device, project, number, agent, kind, started_at, tool_calls,"
            " errors, input_tokens, output_tokens, digest, words, content)"
            " VALUES (%s, %s, %s, %s, 1, 'claude-code', 'prompt', %s, 2, 1, 10, 20, %s, %s::tsvector, %s)"
            " RETURNING id",
            [MONTH, *keys, MONTH, b"", f"'words':1 '{session_id}':2", session_id.encode()],
        ).fetchone()
        assert turn is not None
        connection.execute(
            "INSERT INTO memtui.mentions (month, turn, session, device, project, path, kind, is_dir)"
            " VALUES (%s, %s, %s, %s, %s, %s, 'edit', false)",
            [MONTH, turn[0], *keys, f"/src/{session_id}.py"],
        )
        connection.execute(
            "INSERT INTO memtui.vectors (month, turn, chunk, session, device, project, vector)"
            " VALUES (%s, %s, 1, %s, %s, %s, %s)",
            [MONTH, turn[0], *keys, str([len(session_id), *[1.0] * 383])],
        )
        connection.execute(
            "INSERT INTO memtui.terms (month, turn, session, device, project, agent, started_at, terms)"
            " VALUES (%s, %s, %s, %s, %s, 'claude-code', %s, %s)",
            [MONTH, turn[0], *keys, MONTH, f"terms {session_id}"],
        )
    return int(session[0])


def found_turns(query: str) -> str:
    """The call that finds the turns of other devices with words, besides the first hundred of all that may be read."""
    also = "ARRAY(SELECT generate_series(1, 100))::bigint[]"
    weights = "ARRAY[0.1, 0.2, 0.4, 1]::real[]"
    return (
        f"memtui.find_turns(ARRAY['{query}'::tsquery], ARRAY['{query}'::tsquery], {weights}, NULL, {also},"
        " NULL, NULL, NULL, NULL, 100)"
    )
