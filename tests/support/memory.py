"""What a test leaves behind is freed before the next one, and given back to the system.

An app leaves tens of thousands of objects that refer to each other. Python itself would keep those of many apps until
it looks at old objects, and look at all that stays again and again.
"""

from __future__ import annotations

import ctypes
import gc
import sys

from memtui_core.system.machine import release_memory

_APP = 10_000
"""New objects from which on a test may have had an app."""
_LONG_RUN = 300_000
"""New objects from which on Python looks at them itself, as in a test that opens much in one app."""
_M_ARENA_MAX = -8
"""The number of this option of glibc's `mallopt`."""
_ARENAS = 2


def collect_seldom() -> None:
    """Prepare a process that runs tests.

    Each thread takes memory from an arena, which is rarely empty again: with as many as glibc likes, a worker needs
    nearly twice as much.
    """
    gc.set_threshold(_LONG_RUN, 1, 1)
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is not None:
        set_option(_M_ARENA_MAX, _ARENAS)


def keep_all() -> None:
    """Take everything that is there for what stays."""
    gc.collect()
    gc.freeze()


def collect_app() -> None:
    """Free an app that has ended."""
    if gc.get_count()[0] > _APP:
        keep_all()


def collect_file() -> None:
    """Free what a file of tests has shared, and give back to the system what is free."""
    release_memory()
    gc.freeze()
