"""Servers for the tests of pushing: each is started once for a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.postgres import KINDS, PostgresServer, missing, running_server
from support.teams import Team, make_team


@pytest.fixture(scope="module", params=KINDS)
def any_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A server of each kind."""
    if reason := missing(request.param):
        pytest.skip(reason)
    with running_server(request.param, tmp_path_factory.mktemp("server") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A server, where the kind does not matter."""
    if reason := missing("bm25"):
        pytest.skip(reason)
    with running_server("bm25", tmp_path_factory.mktemp("server") / "data") as server:
        yield server


@pytest.fixture
def team(server: PostgresServer) -> Team:
    """A new team of ana and bob."""
    return make_team(server)
