"""The groups of a team: who belongs to them, and which projects are shared with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from memtui_core.text.controls import label
from memtui_team.errors import TeamError

if TYPE_CHECKING:
    import psycopg


class TeamGroup(NamedTuple):
    """A group, with the names of its members and the keys of the projects that it reads."""

    name: str
    members: tuple[str, ...]
    projects: tuple[str, ...]


def list_groups(connection: psycopg.Connection) -> list[TeamGroup]:
    """All groups that the login may see, by their names."""
    rows = connection.execute(
        """
        SELECT g.name,
            array(SELECT m.name FROM memtui.group_members gm JOIN memtui.members m ON m.id = gm.member
                WHERE gm."group" = g.id ORDER BY 1),
            array(SELECT DISTINCT p.key FROM memtui.project_groups pg JOIN memtui.projects p ON p.id = pg.project
                WHERE pg."group" = g.id ORDER BY 1)
        FROM memtui.groups g ORDER BY 1
        """
    ).fetchall()
    return [TeamGroup(name, tuple(members), tuple(projects)) for name, members, projects in rows]


def add_members(connection: psycopg.Connection, group: str, members: Sequence[str]) -> bool:
    """Add members to a group, and return whether the group is new. Raises TeamError for unknown members."""
    if not group.strip() or label(group) != group:
        raise TeamError(f"{label(group)!r} cannot be the name of a group.")
    with connection.transaction():
        added = connection.execute(
            "INSERT INTO memtui.groups (name) VALUES (%s) ON CONFLICT DO NOTHING RETURNING id", [group]
        ).fetchone()
        (group_id,) = group_ids(connection, [group])
        connection.cursor().executemany(
            'INSERT INTO memtui.group_members ("group", member) VALUES (%s, %s) ON CONFLICT DO NOTHING',
            [(group_id, member) for member in _member_ids(connection, members)],
        )
    return added is not None


def remove_members(connection: psycopg.Connection, group: str, members: Sequence[str]) -> None:
    """Remove members from a group. Raises TeamError for an unknown group, or unknown members."""
    with connection.transaction():
        (group_id,) = group_ids(connection, [group])
        connection.execute(
            'DELETE FROM memtui.group_members WHERE "group" = %s AND member = ANY (%s)',
            [group_id, _member_ids(connection, members)],
        )


def remove_group(connection: psycopg.Connection, group: str) -> None:
    """Remove a group; what was shared with it alone is then read by nobody. Raises TeamError for an unknown one."""
    with connection.transaction():
        connection.execute("DELETE FROM memtui.groups WHERE id = ANY (%s)", [group_ids(connection, [group])])


def share_project(connection: psycopg.Connection, project: str, group: str) -> None:
    """Let a group read a project, whoever shared it. Raises TeamError for unknown names."""
    with connection.transaction():
        (group_id,) = group_ids(connection, [group])
        connection.cursor().executemany(
            'INSERT INTO memtui.project_groups (project, "group", by_admin) VALUES (%s, %s, true)'
            " ON CONFLICT DO NOTHING",
            [(found, group_id) for found in _project_ids(connection, project)],
        )


def unshare_project(connection: psycopg.Connection, project: str, group: str) -> None:
    """Take a project from a group until a member shares it again with the group. Raises TeamError for unknown names."""
    with connection.transaction():
        (group_id,) = group_ids(connection, [group])
        connection.execute(
            'DELETE FROM memtui.project_groups WHERE project = ANY (%s) AND "group" = %s',
            [_project_ids(connection, project), group_id],
        )


def group_ids(connection: psycopg.Connection, names: Sequence[str]) -> list[int]:
    """The ids of groups, in the order of the names. Raises TeamError for one that does not exist."""
    known: dict[str, int] = dict(connection.execute("SELECT name, id FROM memtui.groups ORDER BY name").fetchall())
    return _known(known, names, "group")


def _member_ids(connection: psycopg.Connection, names: Sequence[str]) -> list[int]:
    known: dict[str, int] = dict(connection.execute("SELECT name, id FROM memtui.members ORDER BY name").fetchall())
    return _known(known, names, "member")


def _known(known: dict[str, int], names: Sequence[str], kind: str) -> list[int]:
    for name in names:
        if name not in known:
            listed = ", ".join(map(label, known)) or "none"
            raise TeamError(f"There is no {kind} {label(name)}. The team's {kind}s: {listed}.")
    return [known[name] for name in names]


def _project_ids(connection: psycopg.Connection, project: str) -> list[int]:
    """All projects with a key, or with a name that only one key has."""
    rows = connection.execute("SELECT id, key, name FROM memtui.projects ORDER BY key, id").fetchall()
    found = [row for row in rows if row[1] == project] or [row for row in rows if row[2] == project]
    keys = sorted({key for _, key, _ in found})
    if not found:
        listed = ", ".join(sorted({label(key) for _, key, _ in rows})) or "none"
        raise TeamError(f"There is no project {label(project)}. Projects: {listed}.")
    if len(keys) > 1:
        raise TeamError(f"There are several projects {label(project)}. Use one of: {', '.join(map(label, keys))}.")
    return [row[0] for row in found]
