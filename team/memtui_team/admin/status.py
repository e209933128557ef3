"""The state of the team's server, as a device sees it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from memtui_team.connection import is_private
from memtui_team.errors import NotInTeam
from memtui_team.schema import RANKING_INDEX

if TYPE_CHECKING:
    import psycopg

_SERVER = f"""
    SELECT current_setting('server_version') AS version,
        (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
        (SELECT extversion FROM pg_extension WHERE extname = 'pg_textsearch') AS textsearch,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch') AS has_textsearch,
        to_regclass('memtui.{RANKING_INDEX}') IS NOT NULL AS ranks,
        pg_database_size(current_database()) AS bytes
"""
_MEMBER = """
    SELECT m.name, d.name, d.is_lead FROM memtui.devices d JOIN memtui.members m ON m.id = d.member
    WHERE d.id = memtui.this_device()
"""
_OWN = """
    SELECT array(SELECT g.name FROM memtui.groups g JOIN memtui.group_members gm ON gm."group" = g.id
            WHERE gm.member = memtui.this_member() ORDER BY 1),
        array(SELECT DISTINCT key FROM memtui.projects ORDER BY 1),
        count(*), coalesce(sum(turns), 0), max(pushed_at)
    FROM memtui.sessions WHERE device = ANY ((SELECT memtui.own_devices())::int[])
"""


class DeviceIdentity(NamedTuple):
    """As whom a login is known to the team."""

    member: str
    device: str
    is_lead: bool


class TeamStatus(NamedTuple):
    """The state of the server, and what a device and its member have there."""

    server: str
    """The version of PostgreSQL."""
    vector: str
    """The version of pgvector."""
    textsearch: str
    """The version of pg_textsearch; empty if the database does not have it."""
    is_private: bool
    """Whether nobody on the way can read the connection."""
    ranking: str
    """What ranks hits by words: `bm25` or `ts_rank_cd`."""
    advice: str
    """What to do for a better ranking; empty for nothing."""
    schema: int
    size: int
    """Bytes of the database."""
    member: str
    device: str
    is_lead: bool
    groups: tuple[str, ...]
    projects: tuple[str, ...]
    """The keys of the projects that the device may read."""
    sessions: int
    """Those of all devices of the member, which are on the server."""
    turns: int
    pushed_at: datetime | None


def identity(connection: psycopg.Connection) -> DeviceIdentity:
    """As whom the connection is logged in. Raises NotInTeam."""
    row = connection.execute(_MEMBER).fetchone()
    if row is None:
        raise NotInTeam("This login is no device of the team.")
    return DeviceIdentity(*row)


def team_status(connection: psycopg.Connection) -> TeamStatus:
    """The state of the server and of the device. Raises NotInTeam."""
    who = identity(connection)
    server = connection.execute(_SERVER).fetchone()
    schema = connection.execute("SELECT value FROM memtui.meta WHERE key = 'schema'").fetchone()
    assert server is not None
    assert schema is not None
    version, vector, textsearch, has_textsearch, ranks, size = server
    own = None if who.is_lead else connection.execute(_OWN).fetchone()
    groups, projects, sessions, turns, pushed_at = own or ((), (), 0, 0, None)
    return TeamStatus(
        server=version.split()[0],
        vector=vector or "",
        textsearch=textsearch or "",
        is_private=is_private(connection),
        ranking="bm25" if ranks else "ts_rank_cd",
        advice="" if ranks else ranking_advice(is_there=has_textsearch),
        schema=int(schema[0]),
        size=size,
        member=who.member,
        device=who.device,
        is_lead=who.is_lead,
        groups=tuple(groups),
        projects=tuple(projects),
        sessions=sessions,
        turns=int(turns),
        pushed_at=pushed_at,
    )


def ranking_advice(*, is_there: bool) -> str:
    """What makes the server rank by BM25; `is_there` says whether pg_textsearch is installed on it."""
    steps = [
        *([] if is_there else ["install pg_textsearch on the server"]),
        "add pg_textsearch to shared_preload_libraries and restart the server, unless it is there",
        "run memtui team init URL again, as a superuser",
    ]
    return f"For BM25 the administrator does this: {'; '.join(steps)}."
