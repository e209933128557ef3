"""The texts, calls and results in databases of Kilo, which has the tables of OpenCode."""

from __future__ import annotations

from pathlib import Path

from bench.agents import opencode
from bench.agents._counts import Counts

AGENT = "kilo"
REASONS = opencode.REASONS


def expected(folder: Path) -> Counts:
    """The assistant's texts, and the ids of the calls and results."""
    return opencode.counted(folder, AGENT)
