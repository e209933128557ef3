"""The tool mem-fix: how the same error was mended earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memtui.agents.mcp.call_scope import SCOPE, call_scope
from memtui.agents.mcp.token_limit import ToolAnswer, fit_items
from memtui.agents.mcp.tool import Arguments, BadArgument, Tool, max_length, number, text

if TYPE_CHECKING:
    from datetime import datetime

    from memtui.agents.mcp.backend import BackendState
    from memtui_core.index.recall import KnownError

_ERROR = text("error", "The error, or the whole output of the command.", required=True)
_LIMIT = number("limit", "Maximum cases.", 5, 20)
_MOST_CASES: Final = 40
"""Cases that are looked at."""
_MOST_LINES: Final = 12
"""Lines of a change."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    from memtui.system import clock
    from memtui_core.queries.current_project import project_root
    from memtui_core.system import locations

    index, output, limit = state.required_index, _ERROR.read(arguments), _LIMIT.read(arguments)
    if not output.strip():
        raise BadArgument("The argument error is empty.")
    scope = call_scope(state, arguments)
    # Cases of the project of the working folder come first, also if all projects are asked for.
    current = project_root(state.snapshot, locations.current_folder())
    found = [
        one
        for one in index.recall.fixes(output, scope.root or current, _MOST_CASES)
        if scope.root in {None, one.session.root} and one.session.session_id != scope.excluded_session
    ]
    if not found:
        return ToolAnswer("This error did not come up in any session, nor a similar one.").with_notes(scope.note)
    listed = [_case_text(one, clock.now()) for one in found[:limit]]
    beyond = len(found) - len(listed)
    limit_note = f"Left out: {beyond} cases beyond the limit of {limit}; ask with a greater limit." if beyond else ""
    kind = "this" if found[0].is_same else "a similar"

    def make_answer(shown: int) -> ToolAnswer:
        head = f"Found {shown} of {len(found)} case(s) of {kind} error:\n"
        return (
            ToolAnswer("\n".join([head, *listed[:shown]]))
            .as_quoted()
            .with_notes("mem-show reads a turn; the code may have changed since.", limit_note)
        )

    return fit_items(len(listed), make_answer, max_length(arguments), "cases", "ask with a greater max_tokens")


def _case_text(error: KnownError, now: datetime) -> str:
    from memtui.render.known_error import changed_lines, facts, verdict
    from memtui_core.text.controls import one_line

    reference = f"{one_line(error.session.session_id)}:{error.turn}"
    lines = changed_lines(error.mended) if error.mended is not None else []
    rest = [f"… {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    return "\n".join(
        [
            " · ".join((f"- {reference}", *facts(error, now))),
            f"  Error: {one_line(error.text)}",
            f"  {verdict(error)}",
            *(f"    {line}" for line in (*lines[:_MOST_LINES], *rest)),
        ]
    )


FIX = Tool(
    name="mem-fix",
    title="How an error was mended earlier",
    description="Use this when a command fails: it finds earlier cases of the same error, and what was changed until"
    " the same command passed.",
    arguments=(_ERROR, _LIMIT, *SCOPE),
    answer=_answer,
    read_only=True,
    quotes=True,
)
