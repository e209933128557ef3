"""What the tasks of Roo Code hold."""

from __future__ import annotations

from bench.agents.cline import expected

__all__ = ["AGENT", "expected"]

AGENT = "roo"
