"""Memory that was freed goes back to the system."""

from __future__ import annotations

import gc
import sys


def release_memory() -> None:
    """Return freed memory to the system; glibc keeps most of it for the process otherwise, which may wait for hours."""
    gc.collect()
    if sys.platform == "linux":
        import ctypes

        # Other C libraries have no such function.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
