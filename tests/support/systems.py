"""Marks for tests of what only some systems have."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Final

import pytest

unix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs, signals, modes and shell scripts")
HOME_VARIABLE: Final = "USERPROFILE" if sys.platform == "win32" else "HOME"
"""The variable with the home folder."""
reads_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked at in /proc")


def drops_root() -> list[str]:
    """What a command begins with so that root may not read everything in it; skips the test where that cannot be."""
    if sys.platform == "win32":
        pytest.skip("Windows has no modes of folders")
    else:
        import os

        if os.geteuid() != 0:
            return []
        if not shutil.which("setpriv"):
            pytest.skip("root may read everything")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def apply_time_zone() -> None:
    """Have TZ take effect; a process on Windows takes it at its start only."""
    if sys.platform != "win32":
        time.tzset()
