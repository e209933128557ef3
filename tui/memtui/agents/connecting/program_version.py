"""The version of an agent's program."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from typing import Final

_SECONDS: Final = 10
"""The longest time for which a program is waited for."""
_VERSION: Final = re.compile(rb"(?<![\w.])\d+(?:\.\d+)+")


@cache
def program_version(path: str) -> tuple[int, ...] | None:
    """What a program answers to `--version`, such as (2, 1, 197); None if it names no version."""
    try:
        answer = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    found = _VERSION.search(answer.stdout)
    return tuple(map(int, found[0].split(b"."))) if found else None
