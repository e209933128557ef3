"""What a process has cost so far, by the operating system's own count (Linux)."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """Bytes given to the disk, and seconds of processor time."""

    bytes: int
    seconds: float

    def since(self, before: Cost) -> Cost:
        """What came on top."""
        return Cost(self.bytes - before.bytes, self.seconds - before.seconds)


def cost(pid: int) -> Cost:
    """The cost of a process that runs."""
    counts = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return Cost(int(counts["write_bytes"]), (int(fields[11]) + int(fields[12])) / _TICKS)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def memory(pid: int) -> float:
    """Megabytes in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def watcher(data: Path, sources: list[Path]) -> subprocess.Popen[bytes]:
    """`memtui index --watch` without vectors, until its standard input closes."""
    arguments = [sys.executable, "-m", "memtui", "index", "--watch", "--quiet", "--until-eof", "--no-embed"]
    for source in sources:
        arguments += ["--source", str(source)]
    return subprocess.Popen([*arguments, "--data-dir", str(data)], stdin=subprocess.PIPE)
