"""What tests of pushing share."""

from __future__ import annotations

import pytest

from support.postgres import PostgresServer
from support.teams import Team, make_team


@pytest.fixture
def team(one_server: PostgresServer) -> Team:
    """A new team of ana and bob."""
    return make_team(one_server)
