"""What the tasks of Roo Code hold."""

from __future__ import annotations

from bench.agents.cline import REASONS, expected

__all__ = ["AGENT", "REASONS", "expected"]

AGENT = "roo"
