"""Whose a session is that a colleague shares."""

from __future__ import annotations

from memtui.wording.formatting import machine_mark
from memtui_core.model import Hit, Session


def owner(of: Session | Hit) -> str:
    """The colleague and the machine, as `bob (laptop)`, or the machine; empty for a session of this machine."""
    return f"{of.member} ({of.machine})" if of.member and of.machine else of.member or of.machine


def owner_mark(of: Session | Hit) -> str:
    """The same as it stands beside the project: a machine of one's own has its mark."""
    return owner(of) if of.member else machine_mark(of.machine)


def only_there(session: Session, what: str) -> str:
    """A sentence that something is on the machine of a colleague."""
    return f"{what} on {session.member}'s machine {session.machine}. Here the session can be read."
