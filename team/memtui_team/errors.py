"""Every error that memtui_team raises on purpose.

TeamError             the team's server refused something, or cannot be used as it is
├── TeamUnreachable   the server cannot be reached, or the connection was lost
├── TeamTooOld        the server's schema is older than this memtui needs
├── TeamTooNew        the server's schema is newer than this memtui knows
└── NotInTeam         the login is no device of the team: never invited, or revoked
"""

from __future__ import annotations

from memtui_core.errors import MemtuiError


class TeamError(MemtuiError):
    """The base of all errors of a team; its text is a message for the user and never contains a password."""


class TeamUnreachable(TeamError):
    """The team's server cannot be reached, or the connection was lost."""


class TeamTooOld(TeamError):
    """The schema of the team's server is older than this memtui needs."""


class TeamTooNew(TeamError):
    """The schema of the team's server is newer than this memtui knows."""


class NotInTeam(TeamError):
    """The login is no device of the team: it was never invited, or it was revoked."""
