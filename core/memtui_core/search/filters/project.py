"""The filter by project: `project:shop`, `project:~/code/shop`."""

from __future__ import annotations

from memtui_core.search.filters.completions import column_values
from memtui_core.search.filters.filter import Condition, Filter, FilterContext
from memtui_core.text.paths import query_path


def _turns(value: str, context: FilterContext) -> Condition:
    name = value.lower()
    if "/" in name or "\\" in name:
        # A folder distinguishes projects of the same name.
        return Condition("lower(s.root) = ?", [query_path(name).lower().rstrip("/")])
    # The exact name means that project only, even if the names of others start with it.
    return Condition(
        "(lower(s.project) = ? OR (starts_with(lower(s.project), ?)"
        " AND NOT EXISTS (SELECT 1 FROM sessions o WHERE lower(o.project) = ?)))",
        [name, name, name],
    )


PROJECT = Filter(
    name="project",
    leaves="the sessions of a project, by the beginning of its name or by its whole folder",
    examples=("shop",),
    turns=_turns,
    observations=lambda value, context: lambda one: one.project.lower().startswith(value.lower()),
    completions=column_values("s.project"),
    on_session=True,
)
