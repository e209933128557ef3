"""The processors of the machine, the number of threads for a model, and a lower priority for background work."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Final

MOST_THREADS: Final = 4
"""The most threads of one model: a text of 256 tokens is too little work for more."""
_NICENESS: Final = 10
"""A busy program of normal priority gets about nine times as much time of a processor."""
_THIS_PROCESS: Final = -1
"""Windows: the pseudo handle of the current process."""


def processors(cgroups: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")) -> int:
    """The processors that this process may use, at least 1: its affinity, and on Linux the quota of its cgroup v2."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota(cgroups, membership)
    return max(1, count if quota is None else min(count, int(quota)))


def model_threads(count: int) -> int:
    """The threads for embedding many texts, given the processors: of more than 2, one is left to the user."""
    return count if count <= 2 else min(count - 1, MOST_THREADS)


def lower_priority() -> None:
    """Lower the priority of this process."""
    if sys.platform == "win32":
        import ctypes
        import subprocess

        kernel = ctypes.windll.kernel32
        kernel.SetPriorityClass(ctypes.c_void_p(_THIS_PROCESS), subprocess.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(_NICENESS)


def _quota(cgroups: Path, membership: Path) -> float | None:
    """The smallest quota, in processors, in `cpu.max` of the cgroup and its parents; None if there is no quota."""
    try:
        lines = membership.read_text("utf-8").splitlines()
    except OSError:
        return None
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None:
        return None
    quotas = []
    for folder in (cgroups / own, *(cgroups / own).parents):
        if not folder.is_relative_to(cgroups):
            break
        try:
            quota, period = (folder / "cpu.max").read_text("utf-8").split()
            if quota != "max":
                quotas.append(int(quota) / int(period))
        except (OSError, ValueError):
            continue
    return min(quotas, default=None)


def release_memory() -> None:
    """Return freed memory to the system; glibc keeps most of it for the process otherwise, which may wait for hours."""
    gc.collect()
    if sys.platform == "linux":
        import ctypes

        # Other C libraries have no such function.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
