"""What the tasks of Roo Code hold."""

from __future__ import annotations

from bench.agents import cline
from bench.agents.cline import expected

__all__ = ["AGENT", "REASONS", "expected"]

AGENT = "roo"
REASONS = {**cline.REASONS, "history_item.json:task": "the first prompt, which the history of the task has in full"}
