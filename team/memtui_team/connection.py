"""Connections to the team's server, and its errors as sentences without a password."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from memtui_core.text.controls import one_line
from memtui_team.address import TeamAddress
from memtui_team.errors import NotInTeam, TeamError, TeamUnreachable
from memtui_team.schema import Migration, check_schema

if TYPE_CHECKING:
    import psycopg

__all__ = [
    "TeamAddress",
    "connect",
    "connect_as_admin",
    "is_private",
    "place_of",
    "reported_errors",
]

INSTALL: Final = "Install it with: pip install 'memtui[team]'"
_FORM: Final = "postgresql://USER:PASSWORD@HOST/DATABASE"
_LONGEST: Final = 200
"""Characters of a message of the server that are shown."""
_SETTINGS: Final = {
    "application_name": "memtui",
    # A connection over which nothing comes any more is noticed after a minute: the defaults need two hours.
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 4,
    "tcp_user_timeout": 60_000,
}
_BUSY: Final = ("too many", "starting up", "shutting down", "not yet accepting", "in recovery", "remaining connection")
"""Parts of a refusal that is over after a while."""


def connect(url: str, *, timeout: float = 3.0, known: Sequence[Migration] = ()) -> psycopg.Connection:
    """A connection of a device to the team's server, with autocommit.

    `timeout` is in seconds for each address of the host, at least 2, which libpq has as its minimum; a URL with
    `connect_timeout` overrides it. How long a statement may take is set for the role of the device, as poolers refuse
    such settings of a connection. Raises TeamUnreachable, TeamTooOld, TeamTooNew, NotInTeam, or TeamError.
    """
    connection = connect_as_admin(url, timeout=timeout)
    try:
        with reported_errors():
            check_schema(connection, known)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_as_admin(url: str, *, timeout: float = 10.0) -> psycopg.Connection:
    """A connection with autocommit to a server that may have no schema yet. Raises TeamUnreachable or TeamError."""
    try:
        import psycopg
    except ImportError as error:
        raise TeamError(f"A team needs psycopg. {INSTALL}") from error
    parameters = _parameters(url)
    settings = {"connect_timeout": max(2, round(timeout)), **_SETTINGS, **parameters}
    try:
        # What is prepared on one connection of a pooler is unknown on the next one.
        return psycopg.connect(**settings, autocommit=True, prepare_threshold=None)
    except psycopg.Error as error:
        raise _not_connected(error, parameters) from None


def driver() -> None:
    """Import the driver, which takes longer than connecting. Raises TeamError if it is not installed."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise TeamError(f"A team needs psycopg. {INSTALL}") from error


def place_of(url: str) -> str:
    """The host, the port and the database of a URL, as `host:port/database`. Raises TeamError if it is none."""
    parameters = _parameters(url)
    port = f":{parameters['port']}" if "port" in parameters else ""
    return f"{parameters.get('host') or 'localhost'}{port}/{parameters.get('dbname', '')}"


def is_private(connection: psycopg.Connection) -> bool:
    """Whether nobody on the way can read a connection: it is encrypted, or does not leave the machine."""
    if connection.pgconn.ssl_in_use:
        return True
    # Empty for a socket of the file system.
    address = connection.info.hostaddr
    return not address or ipaddress.ip_address(address.partition("%")[0]).is_loopback


@contextmanager
def reported_errors() -> Iterator[None]:
    """Raise errors of the server within a block as TeamError or TeamUnreachable."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise team_error(error) from error


def team_error(error: psycopg.Error) -> TeamError:
    """An error of a statement as an error of the team."""
    import psycopg

    message = one_line(error.diag.message_primary or "", _LONGEST)
    state = error.sqlstate or ""
    if state[:2] in ("08", "57") and state != "57014":
        return TeamUnreachable("The connection to the team's server was lost.")
    if state == "57014":
        return TeamError("The team's server took too long.")
    if state[:2] == "53":
        return TeamUnreachable(f"The team's server has no room or no memory: {message}")
    if message:
        return TeamError(f"The team's server refused: {message}")
    if isinstance(error, psycopg.OperationalError):
        return TeamUnreachable("The connection to the team's server was lost.")
    return TeamError(f"The team's server cannot be used: {type(error).__name__}")


def _parameters(url: str) -> dict[str, Any]:
    """What a URL says. Raises TeamError, which does not quote it: whatever is wrong, there may be a password in it."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise TeamError(f"A team needs psycopg. {INSTALL}") from error

    scheme, _, rest = url.partition("://")
    before, _, after = rest.partition("@")
    # In postgresql://ana:p@ss@host libpq reads the host `ss@host`, and its messages would say so.
    is_ambiguous = "@" in after.partition("?")[0] or (bool(after) and "/" in before and "?" not in before)
    parameters: dict[str, Any] = {}
    if scheme in ("postgresql", "postgres") and not is_ambiguous:
        with suppress(psycopg.Error):
            parameters = conninfo_to_dict(url)
    if not parameters:
        raise TeamError(f"This is not the address of a server: {_FORM}. In a password, @ is %40 and / is %2F.")
    return parameters


def _not_connected(error: psycopg.Error, parameters: dict[str, Any]) -> TeamError:
    """Why there is no connection. libpq has no codes for that, only its messages and those of the server."""
    host = parameters.get("host") or "localhost"
    text = one_line(str(error)).partition(" Is the server running")[0]
    _, refused, reason = text.rpartition("FATAL:")
    reason = reason if refused else text.rpartition("failed: ")[2]
    password = str(parameters.get("password") or "")
    reason = one_line(reason.replace(password, "***") if password else reason, _LONGEST).rstrip(".")
    if refused and "not permitted to log in" in reason:
        return NotInTeam(f"This device is no longer in the team: {host} refuses its login.")
    if refused and not any(part in reason for part in _BUSY):
        return TeamError(f"The team's server {host} refuses the login: {reason}")
    return TeamUnreachable(f"The team's server {host} cannot be reached: {reason}")
