"""The filters by a name or a number: project, agent, machine, session, branch, tool, model and pull request."""

from __future__ import annotations

from collections.abc import Callable

from memtui_core.search.filters.filter import (
    Condition,
    Filter,
    FilterContext,
    FilterNotApplied,
    column_values,
    fixed_values,
    selected_values,
)
from memtui_core.store.tables import MODEL_SEPARATOR
from memtui_core.text.machine_folders import HERE
from memtui_core.text.machine_folders import MACHINE as MACHINE_OF
from memtui_core.text.paths import query_path


def _in_project(value: str, context: FilterContext) -> Condition:
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
    turns=_in_project,
    observations=lambda value, context: lambda one: one.project.lower().startswith(value.lower()),
    completions=column_values("s.project"),
    on_session=True,
)


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
_MACHINE = f"coalesce(nullif(lower({MACHINE_OF.format('s')}), ''), '{HERE}')"
MACHINE = Filter(
    name="machine",
    leaves="the sessions of a machine, by the beginning of its name, here: `here`; after `machine:=` by the whole name",
    examples=(HERE, "laptop"),
    turns=_compared(f"starts_with({_MACHINE}, ?)"),
    whole_value=f"{_MACHINE} = ?",
    observations=None,
    completions=column_values(_MACHINE),
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


def _of_pull_request(value: str, context: FilterContext) -> Condition:
    number = value.removeprefix("#")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise FilterNotApplied(f"pr:{value} is not a number")
    return Condition("s.key IN (SELECT session FROM pr_links WHERE number = ?)", [int(number)])


PR = Filter(
    name="pr",
    leaves="the sessions of a pull request",
    examples=("14",),
    turns=_of_pull_request,
    observations=None,
    completions=selected_values("SELECT number::VARCHAR FROM pr_links GROUP BY number ORDER BY number DESC"),
    on_session=True,
)


def _of_commit(value: str, context: FilterContext) -> Condition:
    # What people copy is longer or shorter than what git printed in the session.
    return Condition(
        "t.id IN (SELECT turn FROM facts WHERE kind = 'commit' AND (contains(lower(text), ?)"
        " OR (length(?) >= 4 AND name <> '' AND (starts_with(name, ?) OR starts_with(?, name)))))",
        [value.lower()] * 4,
    )


COMMIT = Filter(
    name="commit",
    leaves="turns that made a commit, by the beginning of its id or a part of its subject",
    examples=("3f2a9c1",),
    turns=_of_commit,
    observations=None,
    completions=selected_values(
        "SELECT f.name FROM facts f JOIN turns t ON t.id = f.turn JOIN sessions s ON s.key = f.session"
        " WHERE f.kind = 'commit' AND f.name <> '' AND NOT s.hidden"
        " GROUP BY f.name ORDER BY max(credible(t.started_at)) DESC NULLS LAST, f.name"
    ),
)
