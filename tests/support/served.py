"""`memtui mcp` in a process that tells what it holds: run this file with the arguments of the command."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from pathlib import Path

from memtui.__main__ import main

SCALE = "MEMTUI_TEST_SCALE"
"""Names the pipe that each SIGUSR1 is answered in: bytes that the heap has given out, objects that Python tracks."""


_FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class _Heap(ctypes.Structure):
    """What glibc's mallinfo2 tells."""

    _fields_ = [(name, ctypes.c_size_t) for name in _FIELDS]


def can_weigh() -> bool:
    """Whether this system tells what its heap has given out."""
    return sys.platform == "linux" and hasattr(ctypes.CDLL(None), "mallinfo2")


def _weigh(*_: object) -> None:
    """Resident memory would go up and down by 20 MB with what allocators keep; what is given out does not."""
    gc.collect()
    told = ctypes.CDLL(None).mallinfo2
    told.restype = _Heap
    heap = told()
    Path(os.environ[SCALE]).write_text(f"{heap.uordblks + heap.hblkhd} {len(gc.get_objects())}", "utf-8")


if __name__ == "__main__":
    if can_weigh() and SCALE in os.environ:
        signal.signal(signal.SIGUSR1, _weigh)
    sys.stderr.write(f"pid {os.getpid()}\n")
    sys.stderr.flush()
    sys.argv.insert(1, "mcp")
    main()
