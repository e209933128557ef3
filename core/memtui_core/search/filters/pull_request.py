"""The filter by the number of a pull request: `pr:14`, `pr:#14`."""

from __future__ import annotations

from memtui_core.search.filters.completions import selected_values
from memtui_core.search.filters.filter import Condition, Filter, FilterContext, FilterNotApplied


def _turns(value: str, context: FilterContext) -> Condition:
    number = value.removeprefix("#")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise FilterNotApplied(f"pr:{value} is not a number")
    return Condition("s.key IN (SELECT session FROM pr_links WHERE number = ?)", [int(number)])


PR = Filter(
    name="pr",
    leaves="the sessions of a pull request",
    examples=("14",),
    turns=_turns,
    observations=None,
    completions=selected_values("SELECT number::VARCHAR FROM pr_links GROUP BY number ORDER BY number DESC"),
    on_session=True,
)
