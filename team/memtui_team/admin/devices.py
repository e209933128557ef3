"""Devices of members: invited with a login role of their own, and revoked."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from memtui_core.text.controls import label
from memtui_team.admin.groups import group_ids
from memtui_team.errors import TeamError
from memtui_team.schema import EVERYONE

if TYPE_CHECKING:
    import psycopg

DEVICE: Final = "main"
"""The name of a member's device unless another one is given."""
_LONGEST_NAME: Final = 100
_LONGEST_ROLE: Final = 63
"""Bytes of the name of a role: PostgreSQL's NAMEDATALEN - 1."""
_ROLE_SETTINGS: Final = {
    "statement_timeout": ("5min",),
    "idle_in_transaction_session_timeout": ("1min",),
}
"""Of the login roles of devices: a pooler would refuse settings of a connection. Five minutes are those of a first push
over a slow line; searches set less for themselves."""
_OWN_FILES: Final = frozenset({"user", "password", "passfile", "service", "sslcert", "sslkey", "sslpassword", "sslcrl"})
"""What in the administrator's URL is the administrator's own."""


class Invitation(NamedTuple):
    """A device that can join now."""

    url: str
    """With the password, which is kept nowhere else."""
    member: str
    device: str
    role: str
    groups: tuple[str, ...]


def invite(
    connection: psycopg.Connection,
    url: str,
    member: str,
    device: str = DEVICE,
    groups: Sequence[str] = (),
    *,
    is_lead: bool = False,
) -> Invitation:
    """Make a login role for a device of a member, who gets into the groups; without any, a new one into `everyone`.

    `url` is the one of the administrator: the device gets its host and database. A device that was revoked is taken
    back with a new password. Raises TeamError for a name that cannot be one, an unknown group or a device that exists.
    """
    from psycopg import sql

    member, device = _name(member, "member"), _name(device, "device")
    password = secrets.token_urlsafe(24)
    with connection.transaction():
        connection.execute("LOCK TABLE memtui.devices IN SHARE ROW EXCLUSIVE MODE")
        member_id, is_new = _member(connection, member)
        chosen = tuple(groups) or ((EVERYONE,) if is_new else ())
        for group in group_ids(connection, chosen):
            connection.execute(
                'INSERT INTO memtui.group_members ("group", member) VALUES (%s, %s) ON CONFLICT DO NOTHING',
                [group, member_id],
            )
        role = _device_role(connection, member_id, member, device, is_lead=is_lead)
        identifier = sql.Identifier(role)
        # What the server may log is not the password, but what it stores of it.
        hashed = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
        command = "ALTER" if _role_exists(connection, role) else "CREATE"
        connection.execute(
            sql.SQL(command + " ROLE {} LOGIN PASSWORD {}").format(identifier, sql.Literal(hashed)),
        )
        own, other = ("memtui_lead", "memtui_member") if is_lead else ("memtui_member", "memtui_lead")
        if command == "ALTER":
            connection.execute(sql.SQL("REVOKE {} FROM {}").format(sql.Identifier(other), identifier))
        connection.execute(
            sql.SQL("GRANT {} TO {} WITH INHERIT TRUE, SET FALSE").format(sql.Identifier(own), identifier)
        )
        for name, values in {**_ROLE_SETTINGS, **_search_path(connection)}.items():
            connection.execute(
                sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} TO {}").format(
                    identifier,
                    sql.Identifier(connection.info.dbname),
                    sql.Identifier(name),
                    sql.SQL(", ").join(map(sql.Literal, values)),
                )
            )
    return Invitation(_device_url(connection, url, role, password), member, device, role, chosen)


def revoke(connection: psycopg.Connection, member: str, device: str = "") -> tuple[str, ...]:
    """Take the login of a device, or of all devices of a member, and end their connections; return the devices.

    What they have pushed stays. Raises TeamError for an unknown member or device.
    """
    from psycopg import sql

    with connection.transaction():
        rows = connection.execute(
            "UPDATE memtui.devices d SET revoked_at = now() FROM memtui.members m"
            " WHERE d.member = m.id AND m.name = %s AND (%s = '' OR d.name = %s) AND d.revoked_at IS NULL"
            " RETURNING d.name, d.role",
            [member, device, device],
        ).fetchall()
        if not rows:
            raise _unknown_device(connection, member, device)
        for _, role in rows:
            if _role_exists(connection, role):
                connection.execute(sql.SQL("ALTER ROLE {} NOLOGIN PASSWORD NULL").format(sql.Identifier(role)))
    _end_connections(connection, [role for _, role in rows])
    return tuple(sorted(name for name, _ in rows))


def _end_connections(connection: psycopg.Connection, roles: Sequence[str]) -> None:
    """End what the roles have open. They could do nothing there any more, but what they were doing goes on."""
    from psycopg import sql

    for role in roles:
        may = connection.execute(
            "SELECT pg_has_role(current_user, oid, 'USAGE') FROM pg_roles WHERE rolname = %s", [role]
        ).fetchone()
        if may is not None and not may[0]:
            connection.execute(
                sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT TRUE, SET FALSE").format(sql.Identifier(role))
            )
    connection.execute(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = ANY (%s)", [list(roles)]
    )


def _member(connection: psycopg.Connection, name: str) -> tuple[int, bool]:
    """The id of a member, who is added if there is none, and whether that was so."""
    found = connection.execute("SELECT id FROM memtui.members WHERE name = %s", [name]).fetchone()
    if found is not None:
        return found[0], False
    added = connection.execute("INSERT INTO memtui.members (name) VALUES (%s) RETURNING id", [name]).fetchone()
    assert added is not None
    return added[0], True


def _device_role(connection: psycopg.Connection, member_id: int, member: str, device: str, *, is_lead: bool) -> str:
    """The role of a device, which is added or no longer revoked. Raises TeamError if it is in the team already."""
    found = connection.execute(
        "SELECT role::text, revoked_at IS NULL FROM memtui.devices WHERE member = %s AND name = %s", [member_id, device]
    ).fetchone()
    if found is not None and found[1]:
        raise TeamError(
            f"{label(member)} has a device {label(device)} already. Name another one with --device, or revoke it first."
        )
    if found is not None:
        connection.execute(
            "UPDATE memtui.devices SET revoked_at = NULL, is_lead = %s WHERE member = %s AND name = %s",
            [is_lead, member_id, device],
        )
        return str(found[0])
    taken = {row[0] for row in connection.execute("SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'memtui%'")}
    taken |= {row[0] for row in connection.execute("SELECT role::text FROM memtui.devices")}
    role = role_name(member, device, taken)
    connection.execute(
        "INSERT INTO memtui.devices (member, name, role, is_lead) VALUES (%s, %s, %s, %s)",
        [member_id, device, role, is_lead],
    )
    return role


def role_name(member: str, device: str, taken: Iterable[str]) -> str:
    """A name for the login role of a device that no other role has: letters, digits and `_`, at most 63 of them."""
    parts = (_slug(member, 26), _slug(device, 24))
    base = "_".join(("memtui", *(part for part in parts if part)))
    used = {*taken, "memtui_member", "memtui_lead"}
    number, name = 1, base
    while name in used:
        number += 1
        name = f"{base[: _LONGEST_ROLE - len(str(number)) - 1]}_{number}"
    return name


def _slug(text: str, longest: int) -> str:
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "_", ascii_text)[:longest].strip("_")


def _name(text: str, kind: str) -> str:
    """A name as it is stored. Raises TeamError for one that cannot be shown as it is."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name or len(name) > _LONGEST_NAME or label(name) != name:
        raise TeamError(f"{label(text)!r} cannot be the name of a {kind}: 1 to {_LONGEST_NAME} visible characters.")
    return name


def _role_exists(connection: psycopg.Connection, role: str) -> bool:
    return connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [role]).fetchone() is not None


def _search_path(connection: psycopg.Connection) -> dict[str, tuple[str, ...]]:
    """The setting with which a role finds the operators of pgvector, if they are in a schema of their own."""
    found = connection.execute(
        "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
        " WHERE e.extname = 'vector' AND n.nspname <> 'public'"
    ).fetchone()
    return {} if found is None else {"search_path": ("public", found[0])}


def _device_url(connection: psycopg.Connection, url: str, role: str, password: str) -> str:
    """The administrator's URL as the one of a device."""
    from psycopg.conninfo import conninfo_to_dict

    options: dict[str, Any] = {name: value for name, value in conninfo_to_dict(url).items() if name not in _OWN_FILES}
    database = options.pop("dbname", None) or connection.info.dbname
    host, port = str(options.pop("host", "")), str(options.pop("port", ""))
    if not host or "/" in host or "," in host:
        # A socket, or several hosts: libpq takes both as options.
        options = {**({"host": host} if host else {}), **({"port": port} if port else {}), **options}
        place = ""
    else:
        place = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    query = f"?{urlencode(options, quote_via=quote)}" if options else ""
    return f"postgresql://{role}:{password}@{place}/{quote(str(database), safe='')}{query}"


def _unknown_device(connection: psycopg.Connection, member: str, device: str) -> TeamError:
    rows = connection.execute(
        "SELECT m.name, d.name FROM memtui.devices d JOIN memtui.members m ON m.id = d.member"
        " WHERE d.revoked_at IS NULL ORDER BY 1, 2"
    ).fetchall()
    known = ", ".join(f"{label(owner)} {label(name)}" for owner, name in rows) or "none"
    return TeamError(f"There is no device {label(f'{member} {device}').strip()} in the team. Devices: {known}.")
