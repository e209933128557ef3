"""Which items of a review matter; a module of its own, because a hook needs it and nothing else of the queries."""

from __future__ import annotations

from typing import Final

MAIN_WEIGHT: Final = 1.4
"""The weight from which on something that a summary lacks is listed first.

Of the rows from this weight on, 7 of 10 were useful to a reader and half of them mattered, of all rows a third and a
quarter (bench/review).
"""
MOST_MAIN: Final = 12
"""And how many items at most."""
MAIN_ITEMS: Final = f"i.is_lost AND i.rank <= {MOST_MAIN} AND i.weight >= {MAIN_WEIGHT}"
"""The condition of SQL for them, of rows `i` of `review_items`."""
