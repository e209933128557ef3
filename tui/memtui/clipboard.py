"""The clipboard of this machine, for terminals that do not take what a program copies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress


def copy_here(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Copy by the desktop's own means; False where there are none, or where the person sits at another machine."""
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return False
    import pyperclip

    with suppress(pyperclip.PyperclipException, OSError):
        pyperclip.copy(text)
        return True
    return False
