"""What terminals and pipes of Linux, macOS and Windows do differently. Imports next to nothing."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from textual.driver import Driver


def is_closed(stream: TextIO | None) -> bool:
    """Whether the reader of a pipe has closed it; False where that is known only when something is written."""
    if sys.platform == "win32" or stream is None:
        # Windows has no `poll`.
        return stream is None
    import select

    poll = select.poll()
    try:
        poll.register(stream.fileno(), 0)
    except (OSError, ValueError):
        return False
    return any(event & (select.POLLERR | select.POLLHUP | select.POLLNVAL) for _, event in poll.poll(0))


def own_driver() -> type[Driver] | None:
    """The driver that ends the app when its terminal is gone; None for Windows, where that of Textual does."""
    if sys.platform != "win32":
        from memtui.system.terminal_driver import TerminalDriver

        return TerminalDriver
    return None


LEAST_SIZE: Final = (40, 10)
"""The columns and rows with less of which the app shows too little of anything."""


def obstacle(environment: Mapping[str, str], encoding: str, size: tuple[int, int]) -> str:
    """Why the app cannot be shown in a terminal, and what to do, in a sentence or two; empty if it can.

    `encoding` is that of what is written to it, `size` its columns and rows, 0 for unknown ones.
    """
    if (kind := environment.get("TERM", "")) in ("dumb", "unknown"):
        return (
            f"The app needs a terminal that can move the cursor, and TERM is {kind}. Start it in another terminal, or"
            " set TERM if yours can, such as TERM=xterm-256color. The commands work here, too: memtui --help"
        )
    if encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
        return (
            f"The app needs UTF-8, and this terminal is set to {encoding}. Choose a locale with UTF-8, such as"
            " LC_ALL=C.UTF-8, or set PYTHONUTF8=1 if the terminal shows UTF-8 all the same."
        )
    if any(0 < own < least for own, least in zip(size, LEAST_SIZE, strict=True)):
        columns, rows = LEAST_SIZE
        return (
            f"The terminal has {size[0]} columns and {size[1]} rows, and the app needs {columns} and {rows}."
            " Make it larger, or its font smaller."
        )
    return _obstacle_of_windows()


def _obstacle_of_windows() -> str:
    """Why a console of Windows cannot show the app: an old one takes no sequences that move the cursor."""
    if sys.platform == "win32":
        import ctypes

        kernel, mode = ctypes.windll.kernel32, ctypes.c_ulong()
        console = ctypes.c_void_p(kernel.GetStdHandle(_STDERR))
        takes_sequences = kernel.GetConsoleMode(console, ctypes.byref(mode)) and kernel.SetConsoleMode(
            console, mode.value | _SEQUENCES
        )
        if not takes_sequences:
            return (
                "This console does not show terminal programs. Start memtui in Windows Terminal, or turn off the legacy"
                " console in its properties."
            )
        kernel.SetConsoleMode(console, mode.value)
    return ""


_STDERR: Final = -12
_SEQUENCES: Final = 0x0004
"""Windows: `ENABLE_VIRTUAL_TERMINAL_PROCESSING`."""
