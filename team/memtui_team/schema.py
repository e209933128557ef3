"""The versions of the server's schema: which migrations there are, and whether client and server fit together."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from memtui_team.errors import NotInTeam, TeamError, TeamTooNew, TeamTooOld

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.resources.abc import Traversable

    import psycopg

_CLIENTS: Final = re.compile(r"^-- Clients: (\d+)$", re.MULTILINE)


class Migration(NamedTuple):
    """A step of the schema."""

    number: int
    sql: str

    @property
    def oldest_client(self) -> int:
        """The least schema that a client must know to use this one: the line `-- Clients: N`, or its own number."""
        declared = _CLIENTS.search(self.sql)
        return int(declared[1]) if declared else self.number


def migrations(folder: Traversable | None = None) -> tuple[Migration, ...]:
    """All migrations in their order. Raises ValueError unless they are numbered 1, 2, 3 without a gap."""
    folder = folder or files("memtui_team") / "migrations"
    found = sorted(
        Migration(int(file.name.removesuffix(".sql")), file.read_text("utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    )
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the migrations are {[migration.number for migration in found]}")
    return tuple(found)


def check_schema(connection: psycopg.Connection, known: Sequence[Migration] = ()) -> None:
    """Check that this memtui can use the schema of the server.

    Raises TeamTooOld, TeamTooNew, NotInTeam for a login that is no device, or TeamError if there is no schema.
    """
    import psycopg

    newest = len(known or migrations())
    try:
        rows = connection.execute("SELECT key, value FROM memtui.meta").fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        raise TeamError("There is no team on this server. Its administrator runs: memtui team init URL") from None
    except psycopg.errors.InsufficientPrivilege:
        rows = []
    values: dict[str, str] = dict(rows)
    if "schema" not in values:
        raise NotInTeam("This login is no device of the team. Its administrator runs: memtui team invite MEMBER")
    schema, oldest_client = int(values["schema"]), int(values.get("oldest_client", values["schema"]))
    if schema < newest:
        raise TeamTooOld(
            f"The team's server has schema {schema}; this memtui needs {newest}."
            " The team's administrator upgrades it: memtui team init URL"
        )
    if oldest_client > newest:
        raise TeamTooNew(f"The team's server has schema {schema}; this memtui knows {newest}. Update memtui.")
