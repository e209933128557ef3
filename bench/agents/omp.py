"""What the files of Oh My Pi contain: the same entries as those of Pi."""

from bench.agents.pi import expected

AGENT = "omp"

__all__ = ["AGENT", "expected"]
