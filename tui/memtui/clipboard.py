"""The clipboard of the desktop, for terminals that ignore the escape sequence with which a program copies."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress


def copy_to_desktop(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Copy a text to the desktop's clipboard; False if there is none, or if the user is connected from elsewhere."""
    if environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"):
        return False
    import pyperclip

    with suppress(pyperclip.PyperclipException, OSError):
        pyperclip.copy(text)
        return True
    return False
