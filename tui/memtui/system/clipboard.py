"""The clipboard: of tmux, of the terminal at the other end of a connection, or of the desktop; otherwise a file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from memtui_core.system.atomic_files import write_atomically

Route = Literal["tmux", "terminal", "desktop"]
FILE_NAME: Final = "clipboard.txt"
MAX_SEQUENCE: Final = 74_994
"""Bytes that a terminal takes with OSC 52: in base64 they are just below the limit of 100,000."""
_TIMEOUT: Final = 5
"""Seconds for a program that copies."""


def routes(environment: Mapping[str, str], size: int) -> tuple[Route, ...]:
    """The ways to copy so many bytes in an environment, the best first; if none of them works, a file is left."""
    inner: tuple[Route, ...] = ("tmux",) if environment.get("TMUX") else ()
    if not (environment.get("SSH_CONNECTION") or environment.get("SSH_TTY")):
        return (*inner, "desktop")
    return (*inner, "terminal") if size <= MAX_SEQUENCE else inner


def copy(
    text: str, folder: Path, to_terminal: Callable[[str], None], environment: Mapping[str, str] = os.environ
) -> str:
    """Copy a text, and return where it went, for the user; `folder` is where a file is written. Raises OSError.

    `to_terminal` sends OSC 52, to which a terminal does not answer.
    """
    data = text.encode("utf-8", "replace")
    for route in routes(environment, len(data)):
        if route == "tmux" and _copy_to_tmux(data):
            return "the tmux buffer"
        if route == "desktop" and _copy_to_desktop(text):
            return "the clipboard"
        if route == "terminal":
            to_terminal(text)
            return "the clipboard of your terminal (OSC 52)"
    path = folder / FILE_NAME
    write_atomically(path, data)
    path.chmod(0o600)
    if len(data) > MAX_SEQUENCE:
        return str(path)
    to_terminal(text)
    return f"{path}, and to your terminal if it takes OSC 52"


def _copy_to_tmux(data: bytes) -> bool:
    """Load the buffer of tmux, which also passes it on to the terminal (`-w`, since tmux 3.2)."""
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            ["tmux", "load-buffer", "-w", "-"], input=data, check=True, capture_output=True, timeout=_TIMEOUT
        )
        return True
    return False


def _copy_to_desktop(text: str) -> bool:
    """Copy with the clipboard program of the desktop; False if there is none."""
    import pyperclip

    with suppress(pyperclip.PyperclipException, OSError):
        copy_text, _ = pyperclip.determine_clipboard()
        copy_text(text)
        return True
    return False
