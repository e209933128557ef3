"""Which items of a review matter, and how they are written; a module of its own, because a hook loads nothing else."""

from __future__ import annotations

from typing import Final

RULES: Final = 2
"""The version of the rules by which reviews are made; a stored review of an older version counts as not made."""
MAIN_WEIGHT: Final = 1.4
"""The weight from which on something that a summary lacks is listed first.

Of the rows from this weight on, three of four were useful to a reader and every second one mattered, of the others one
in four and one in eight (bench/review).
"""
MOST_MAIN: Final = 12
"""And how many items at most."""
DETAILS: Final = ("edited", "failed", "error", "command", "url", "file", "identifier", "read")
"""The kinds of what was done, the most important one first: they are never among the items that matter."""
MAIN_ITEMS: Final = f"i.is_lost AND i.rank <= {MOST_MAIN} AND i.weight >= {MAIN_WEIGHT} AND i.kind NOT IN {DETAILS}"
"""The condition of SQL for them, of rows `i` of `review_items`."""
CLAIMED: Final = " · the summary says: "
"""Stands in an item between what happened and the sentence of the summary that says otherwise."""
