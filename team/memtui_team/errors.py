"""Every error of the team's memory; each text is a message for the user and never contains a password."""

from __future__ import annotations

from memtui_core.errors import MemtuiError


class TeamError(MemtuiError):
    """Something on the team's server, or in what it has, does not work."""


class TeamUnreachable(TeamError):
    """The team's server does not answer."""
