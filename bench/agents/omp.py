"""What the files of Oh My Pi contain: the same entries as those of Pi."""

from bench.agents._reasons import INSTRUCTIONS
from bench.agents.pi import expected

AGENT = "omp"
REASONS = {
    "*<session_init>*": INSTRUCTIONS,
    "*.details.*": "the text of a result is what the model got, details are for the screen",
    "*<custom>.data.*": "an event has the input of a call as the program changed it",
}

__all__ = ["AGENT", "REASONS", "expected"]
