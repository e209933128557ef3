"""Named steps at which a test can end a process, to see that what its death leaves is repaired.

`MEMTUI_FAULT=journal-appended:kill` kills the process when it comes to that step, and `journal-appended:kill:3` when it
comes there for the third time. Instead of `kill`, `stop` stops the process as ctrl-z does, `full` raises the error of a
full disk, and `raise` one that nothing expects. Without the variable a step costs one comparison.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from typing import Final, NamedTuple

VARIABLE: Final = "MEMTUI_FAULT"
"""The environment variable that names a step and what happens there."""
ACTIONS: Final = ("kill", "stop", "hang", "full", "raise")
_HANGING: Final = 60.0
"""Seconds of one of the pauses without end."""
KILLED: Final = 137
"""The exit code of a killed process where there is no signal that kills."""


class FaultRaised(Exception):
    """The error of the action `raise`."""


class _Fault(NamedTuple):
    """What happens at the step of a name."""

    name: str = ""
    action: str = ""
    passes: int = 0
    """How often the process comes to the step before."""


def fault_point(name: str) -> None:
    """Mark a step; does nothing unless the environment names it."""
    if name == _fault.name:
        _happen(name)


def arm(text: str) -> None:
    """Set what happens, in the form of the environment variable; nothing for an empty text. Raises ValueError."""
    global _fault
    _fault = _read(text)


def _read(text: str) -> _Fault:
    if not text:
        return _Fault()
    name, _, rest = text.partition(":")
    action, _, count = rest.partition(":")
    if action not in ACTIONS:
        raise ValueError(f"{VARIABLE}: {action!r} is none of {', '.join(ACTIONS)}")
    return _Fault(name, action, int(count or 1) - 1)


def _happen(name: str) -> None:
    global _fault
    if _fault.passes:
        _fault = _fault._replace(passes=_fault.passes - 1)
        return
    action, _fault = _fault.action, _Fault()
    while action == "hang":
        time.sleep(_HANGING)
    if action == "full":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    if action == "raise":
        raise FaultRaised(f"a fault at the step {name}")
    number = getattr(signal, "SIGKILL" if action == "kill" else "SIGSTOP", None)
    if number is None:
        os._exit(KILLED)
    os.kill(os.getpid(), number)


_fault = _read(os.environ.get(VARIABLE, ""))
