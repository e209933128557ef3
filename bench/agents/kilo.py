"""The texts, calls and results in databases of Kilo, which has the tables of OpenCode."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from bench.agents import opencode

AGENT = "kilo"


def expected(folder: Path) -> dict[str, Counter[str]]:
    """The assistant's texts, and the ids of the calls and results."""
    return opencode.counted(folder, AGENT)
