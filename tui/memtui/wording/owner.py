"""Whose a session is that a colleague shares."""

from __future__ import annotations

from memtui_core.model import Hit, Session


def owner(of: Session | Hit) -> str:
    """The colleague and the machine, as `bob (laptop)`; empty for a session of this machine."""
    return f"{of.member} ({of.machine})" if of.member and of.machine else of.member or of.machine


def only_there(session: Session, what: str) -> str:
    """A sentence that something is on the machine of a colleague."""
    return f"{what} on {session.member}'s machine {session.machine}. Here the session can be read."
