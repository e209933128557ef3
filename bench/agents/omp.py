"""What the files of Oh My Pi contain: the same entries as those of Pi."""

from bench.agents._reasons import INSTRUCTIONS
from bench.agents.pi import expected

AGENT = "omp"
REASONS = {
    "*<session_init>*": INSTRUCTIONS,
    "*.details.*": "details repeat the text of the result, in the form for the screen",
    "*<custom>.data.*": "an event repeats the input of a call",
}

__all__ = ["AGENT", "REASONS", "expected"]
