"""The end of a process that works for another one: it must not outlive it.

Whoever starts such a process keeps the other end of its standard input open. It closes when the starter ends, also
when it is killed, on every system.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

GRACE: Final = 6.0
"""Seconds that a process has to finish what it does, once it is not needed any more."""


def end_with_starter(stop: Callable[[], object] | None = None, grace: float = GRACE) -> None:
    """End this process when its standard input, which nothing else may read, is closed.

    `stop` asks the process to end by itself, within `grace` seconds; without it the process ends at once.
    """
    # Not sys.stdin: a waiting thread that holds its lock would abort the interpreter at exit.
    threading.Thread(target=_wait, args=(stop, grace), name="memtui-starter", daemon=True).start()


def end_within(seconds: float, code: int = 1) -> None:
    """End this process after some seconds, whatever it does then."""
    timer = threading.Timer(seconds, os._exit, [code])
    timer.daemon = True
    timer.start()


def _wait(stop: Callable[[], object] | None, grace: float) -> None:
    with suppress(OSError):
        while os.read(0, 1024):
            pass
    if stop is None:
        os._exit(1)
    end_within(grace)
    stop()
