"""The team's server of a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    import psycopg

    from memtui_team.address import TeamAddress

Command = TypeVar("Command", bound=Callable[..., Any])

ADMIN_VARIABLE: Final = "MEMTUI_TEAM_ADMIN_URL"
_NOTE: Final = "with which memtui team init was run; else the one that it kept"


def admin_url_option(command: Command) -> Command:
    """The option `--url` of a command of the administrator."""
    option = click.option("--url", default="", envvar=ADMIN_VARIABLE, help=f"The URL {_NOTE} (or {ADMIN_VARIABLE}).")
    return option(command)


@contextmanager
def as_admin(url: str, data_dir: Path | None) -> Iterator[tuple[psycopg.Connection, str]]:
    """A connection of the administrator to the team's server, and its URL. Raises TeamError."""
    from memtui_core.system import locations
    from memtui_team.address import load_admin_url
    from memtui_team.connection import connect_as_admin, reported_errors
    from memtui_team.errors import TeamError
    from memtui_team.schema import check_schema

    url = url or load_admin_url(locations.data_dir(data_dir))
    if not url:
        raise TeamError(f"The URL of the administrator is missing. Give it by --url or {ADMIN_VARIABLE}.")
    with connect_as_admin(url) as connection, reported_errors():
        check_schema(connection)
        yield connection, url


@contextmanager
def as_admin_or_member(url: str, data_dir: Path | None) -> Iterator[psycopg.Connection]:
    """A connection of the administrator, or of this device where nobody is one. Raises TeamError."""
    from memtui_core.system import locations
    from memtui_team.address import TeamAddress, load_admin_url
    from memtui_team.connection import connect, reported_errors

    folder = locations.data_dir(data_dir)
    address = None if url or load_admin_url(folder) else TeamAddress.load(folder)
    if address is None:
        with as_admin(url, data_dir) as (connection, _):
            yield connection
        return
    with connect(address.url) as connection, reported_errors():
        yield connection


def joined_address(data_dir: Path | None) -> TeamAddress:
    """The team that was joined. Raises TeamError if none was."""
    from memtui_core.system import locations
    from memtui_team.address import TeamAddress
    from memtui_team.errors import TeamError

    address = TeamAddress.load(locations.data_dir(data_dir))
    if address is None:
        raise TeamError("No team was joined. Join one with: memtui team join")
    return address
