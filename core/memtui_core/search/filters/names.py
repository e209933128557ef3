"""The filters by a name, its beginning or a part of it: agent, session, branch, tool and model."""

from __future__ import annotations

from collections.abc import Callable

from memtui_core.search.filters.completions import column_values, fixed_values, selected_values
from memtui_core.search.filters.filter import Condition, Filter, FilterContext
from memtui_core.store.tables import MODEL_SEPARATOR


def _compared(sql: str) -> Callable[[str, FilterContext], Condition]:
    """The condition with the value, in lower case, as its parameter."""
    return lambda value, context: Condition(sql, [value.lower()])


def _calls(condition: str) -> str:
    """The condition that one of the tool calls `b` of a turn meets a condition."""
    return f"EXISTS (SELECT 1 FROM blocks b WHERE b.turn = t.id AND b.kind = 'tool_call' AND {condition})"


AGENT = Filter(
    name="agent",
    leaves="the sessions of an agent, by the beginning of its id; after `agent:=` by the whole id",
    examples=("",),
    turns=_compared("starts_with(lower(s.agent), ?)"),
    whole_value="lower(s.agent) = ?",
    observations=None,
    completions=column_values("s.agent"),
    on_session=True,
)
SESSION = Filter(
    name="session",
    leaves="a session, by the beginning of its id",
    examples=("5dbcdf60",),
    turns=_compared("starts_with(lower(s.session_id), ?)"),
    observations=lambda value, context: lambda one: one.session_id.lower().startswith(value.lower()),
    completions=fixed_values(),
    on_session=True,
)
BRANCH = Filter(
    name="branch",
    # Users often know only the last part of a branch: `feature/retry`.
    leaves="the sessions on a branch, by a part of its name; `branch:=main`: by the whole name",
    examples=("retry",),
    turns=_compared("contains(lower(s.branch), ?)"),
    whole_value="lower(s.branch) = ?",
    observations=None,
    completions=column_values("s.branch"),
    on_session=True,
)
TOOL = Filter(
    name="tool",
    leaves="turns that called a tool, by the beginning of its name; `tool:=Task`: by the whole name",
    examples=("Bash",),
    # Tools of MCP servers are called mcp__server__tool.
    turns=lambda value, context: Condition(
        _calls("(starts_with(lower(b.tool), ?) OR contains(lower(b.tool), ?))"), [value.lower(), f"__{value.lower()}"]
    ),
    whole_value=_calls("lower(b.tool) = ?"),
    observations=None,
    completions=selected_values(
        "SELECT tool FROM blocks WHERE kind = 'tool_call' GROUP BY tool ORDER BY count(*) DESC, tool"
    ),
)
MODEL = Filter(
    name="model",
    leaves='turns that a model answered, by a part of its name; `model:"=opus + haiku"`: by the whole names of all',
    examples=("opus",),
    # Joined by line ends, so that no value matches across two names.
    turns=_compared("contains(lower(array_to_string(t.models, chr(10))), ?)"),
    whole_value=f"lower(array_to_string(t.models, '{MODEL_SEPARATOR}')) = ?",
    observations=None,
    completions=selected_values(
        "SELECT model FROM (SELECT unnest(t.models) AS model, credible(t.started_at) AS started_at FROM turns t"
        " JOIN sessions s ON s.key = t.session WHERE NOT s.hidden)"
        " GROUP BY model ORDER BY max(started_at) DESC NULLS LAST, model"
    ),
)
