"""The schema of the team's server: its migrations, their installation, and whether client and server fit together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from memtui_team.errors import NotInTeam, TeamError, TeamTooNew, TeamTooOld

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    import psycopg

OLDEST_SERVER: Final = 160_000
"""The least `server_version_num`: PostgreSQL 16, the first one in which a role can be granted without SET."""
OLDEST_VECTOR: Final = (0, 7)
"""The least version of pgvector: the first one with `halfvec`."""
EVERYONE: Final = "everyone"
"""The group to which members belong unless others are named."""
RANKING_INDEX: Final = "turns_terms"
_RANKING_FILE: Final = "ranking.sql"
"""What makes BM25, beside the migrations: it fails unless `shared_preload_libraries` has pg_textsearch."""

_CLIENTS: Final = re.compile(r"^-- Clients: (\d+)$", re.MULTILINE)
_LOCK: Final = 0x6D656D747569
"""The advisory lock of installations: `memtui` in ASCII."""
_ROLES: Final = ("memtui_member", "memtui_lead")
_STATE: Final = """
    SELECT current_setting('server_version_num')::int AS server,
        (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
        (SELECT default_version FROM pg_available_extensions WHERE name = 'vector') AS vector_available,
        (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
            WHERE e.extname = 'vector') AS vector_schema,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch') AS has_ranking,
        (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
            WHERE e.extname = 'pg_textsearch') AS ranking_schema,
        to_regclass('memtui.turns_terms') IS NOT NULL AS ranks,
        EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
            WHERE e.extname = 'pg_textsearch' AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
                AND has_function_privilege('public', d.objid, 'EXECUTE')) AS scores_are_open,
        to_regclass('memtui.meta') IS NOT NULL AS installed,
        (SELECT array_agg(rolname::text) FROM pg_roles WHERE rolname IN ('memtui_member', 'memtui_lead')) AS roles,
        current_user::text AS login, current_database()::text AS database,
        (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS is_superuser,
        (SELECT rolcreaterole FROM pg_roles WHERE rolname = current_user) AS creates_roles,
        has_database_privilege(current_database(), 'CREATE') AS creates_schemas,
        coalesce((SELECT bool_or(trusted) FROM pg_available_extension_versions WHERE name = 'vector'), false)
            AS vector_trusted,
        (SELECT array_agg(rolname::text) FROM pg_roles WHERE rolname IN ('memtui_member', 'memtui_lead')
            AND NOT pg_has_role(current_user, oid, 'MEMBER WITH ADMIN OPTION')) AS foreign_roles,
        (SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'memtui') AS is_owner,
        CASE WHEN to_regnamespace('public') IS NULL THEN false
            ELSE has_schema_privilege('public', 'public', 'CREATE') END AS public_is_open
"""


class Migration(NamedTuple):
    """A step of the schema."""

    number: int
    sql: str

    @property
    def oldest_client(self) -> int:
        """The least schema that a client must know to use this one: the line `-- Clients: N`, or its own number."""
        declared = _CLIENTS.search(self.sql)
        return int(declared[1]) if declared else self.number


class Installation(NamedTuple):
    """What an installation will do on a server: nothing if it has no statements."""

    schema: int
    """The schema that the server has; 0 for none."""
    sql: str
    ranking_sql: str
    """What adds BM25, in which the server may fail; empty if it has it, or no pg_textsearch."""
    notes: tuple[str, ...]
    """What the administrator should know of the server."""


def migrations(folder: Traversable | None = None) -> tuple[Migration, ...]:
    """All migrations in their order. Raises ValueError unless they are numbered 1, 2, 3 without a gap."""
    folder = folder or files("memtui_team") / "migrations"
    found = sorted(
        Migration(int(file.name.removesuffix(".sql")), file.read_text("utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".sql") and file.name != _RANKING_FILE
    )
    if [migration.number for migration in found] != list(range(1, len(found) + 1)):
        raise ValueError(f"the migrations are {[migration.number for migration in found]}")
    return tuple(found)


def ranking_sql(schema: str | None = None) -> str:
    """The statements that add BM25; `schema` is the one that pg_textsearch has, if it is there."""
    text = (files("memtui_team") / "migrations" / _RANKING_FILE).read_text("utf-8")
    return text.replace("public.", f"{_quoted(schema)}.") if schema not in (None, "public") else text


def check_schema(connection: psycopg.Connection, known: Sequence[Migration] = ()) -> None:
    """Check that this memtui can use the schema of the server.

    Raises TeamTooOld, TeamTooNew, NotInTeam for a login that is no device, or TeamError if there is no schema.
    """
    import psycopg

    newest = len(known or migrations())
    try:
        values = _meta(connection)
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        raise TeamError("There is no team on this server. Its administrator runs: memtui team init URL") from None
    except psycopg.errors.InsufficientPrivilege:
        values = {}
    if "schema" not in values:
        raise NotInTeam("This login is no device of the team. Its administrator runs: memtui team invite MEMBER")
    schema = int(values["schema"])
    if schema < newest:
        raise TeamTooOld(
            f"The team's server has schema {schema}; this memtui needs {newest}."
            " The team's administrator upgrades it: memtui team init URL"
        )
    if int(values["oldest_client"]) > newest:
        raise _too_new(schema, newest)


def plan_installation(connection: psycopg.Connection, known: Sequence[Migration] = ()) -> Installation:
    """What must be done on a server, which is not changed.

    Raises TeamTooNew, or TeamError if the server is too old, lacks pgvector, or the login lacks a right.
    """
    known = known or migrations()
    state = _state(connection)
    _check_server(state)
    schema = int(_meta(connection)["schema"]) if state["installed"] else 0
    if schema > len(known):
        raise _too_new(schema, len(known))
    needed = known[schema:]
    is_complete = state["ranks"] and not (state["scores_are_open"] and state["is_superuser"])
    ranking = ranking_sql(state["ranking_schema"]) if state["has_ranking"] and not is_complete else ""
    if needed or ranking:
        _check_rights(state, is_new=not schema)
    return Installation(schema, _script(state, needed) if needed else "", ranking, tuple(_notes(state)))


def install(connection: psycopg.Connection, known: Sequence[Migration] = ()) -> bool:
    """Install or upgrade the schema, all of it or nothing; return whether searches are ranked by BM25.

    What the server has is left alone. Raises TeamError as `plan_installation` does.
    """
    import psycopg

    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        planned = plan_installation(connection, known)
        if planned.sql:
            connection.execute(planned.sql.encode())
    if planned.ranking_sql:
        try:
            with connection.transaction():
                connection.execute(planned.ranking_sql.encode())
        except psycopg.Error:
            return False
    return bool(_state(connection)["ranks"])


def _script(state: dict[str, Any], needed: Sequence[Migration]) -> str:
    """The statements of an installation, which psql runs as well."""
    lines = ["-- The roles that devices belong to; nobody can log in as these."]
    lines += [f"CREATE ROLE {role} NOLOGIN;" for role in _ROLES if role not in (state["roles"] or ())]
    if len(lines) == 1:
        lines.clear()
    if state["vector"] is None:
        lines += ["CREATE EXTENSION vector WITH SCHEMA public;"]
    elif _version(state["vector"]) < OLDEST_VECTOR:
        lines += ["ALTER EXTENSION vector UPDATE;"]
    vector_schema = _quoted(state["vector_schema"] or "public")
    if state["vector_schema"] not in (None, "public"):
        lines += [f"GRANT USAGE ON SCHEMA {vector_schema} TO {', '.join(_ROLES)};"]
    lines += [f"SET LOCAL search_path = {vector_schema};", ""]
    for migration in needed:
        lines += [migration.sql]
        if migration.number == 1:
            lines += [f"INSERT INTO memtui.groups (name) VALUES ('{EVERYONE}');"]
    lines += [
        f"INSERT INTO memtui.meta VALUES ('schema', '{needed[-1].number}'),"
        f" ('oldest_client', '{max(migration.oldest_client for migration in needed)}')",
        "    ON CONFLICT (key) DO UPDATE SET value = excluded.value;",
        "",
    ]
    return "\n".join(lines)


def _check_server(state: dict[str, Any]) -> None:
    if state["server"] < OLDEST_SERVER:
        raise TeamError(f"The server is PostgreSQL {state['server'] // 10_000}; a team needs 16 or newer.")
    least = ".".join(map(str, OLDEST_VECTOR))
    found = state["vector_available"]
    if found is None:
        raise TeamError(f"The server has no pgvector. Install version {least} or newer there, then try again.")
    if _version(state["vector"] or found) < OLDEST_VECTOR and _version(found) < OLDEST_VECTOR:
        raise TeamError(f"The server has pgvector {found}; a team needs {least} or newer.")


def _check_rights(state: dict[str, Any], *, is_new: bool) -> None:
    """Raise TeamError with all rights that the login lacks, and who can give them."""
    if state["is_superuser"]:
        return
    login, database = _quoted(state["login"]), _quoted(state["database"])
    missing = []
    if not state["creates_roles"]:
        missing.append(f"ALTER ROLE {login} CREATEROLE;")
    if is_new and not state["creates_schemas"]:
        missing.append(f"GRANT CREATE ON DATABASE {database} TO {login};")
    if state["vector"] is None and not (state["vector_trusted"] and state["creates_schemas"]):
        missing.append("CREATE EXTENSION vector;")
    missing += [f"GRANT {role} TO {login} WITH ADMIN OPTION;" for role in state["foreign_roles"] or ()]
    if state["is_owner"] is False:
        missing.append(f"ALTER SCHEMA memtui OWNER TO {login};")
    if missing:
        raise TeamError(
            f"{state['login']} lacks rights. A superuser of the server runs in {state['database']}: {' '.join(missing)}"
        )


def _notes(state: dict[str, Any]) -> list[str]:
    notes = []
    if state["public_is_open"]:
        notes.append(
            "Every login can create functions in the schema public, which others may run by mistake."
            " Run: REVOKE CREATE ON SCHEMA public FROM PUBLIC;"
        )
    if state["ranks"] and state["scores_are_open"]:
        notes.append(
            "Every login can ask pg_textsearch whether any turn has a word. A superuser closes that by running"
            " memtui team init again."
        )
    return notes


def _state(connection: psycopg.Connection) -> dict[str, Any]:
    from psycopg.rows import dict_row

    with connection.cursor(row_factory=dict_row) as cursor:
        state = cursor.execute(_STATE).fetchone()
    assert state is not None
    return state


def _meta(connection: psycopg.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM memtui.meta").fetchall())


def _too_new(schema: int, newest: int) -> TeamTooNew:
    return TeamTooNew(f"The team's server has schema {schema}; this memtui knows {newest}. Update memtui.")


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def _quoted(name: str) -> str:
    from psycopg import sql

    return sql.Identifier(name).as_string()
