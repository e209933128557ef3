"""The tool mem-files: the turns that touched a file, edits first, each with its request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from memtui.agents.mcp.call_scope import SCOPE, call_scope
from memtui.agents.mcp.project_path import project_path
from memtui.agents.mcp.token_limit import ToolAnswer, fit_items
from memtui.agents.mcp.tool import Arguments, BadArgument, Tool, max_length, number, text
from memtui_core.text.controls import one_line

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui_core.model import FileTouch, Turn

_PATH = text("path", "The file: its path, or a part of it.", required=True)
_LIMIT = number("limit", "Maximum turns.", 10, 50)
_MAX_REQUEST = 160
"""Maximum characters of the request of a turn."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    index = state.required_index
    path = _PATH.read(arguments).strip()
    limit = _LIMIT.read(arguments)
    if not path:
        raise BadArgument("The argument path is empty.")
    scope = call_scope(state, arguments)
    touches = index.files.touches(project_path(index, path), scope.root)
    touched_turns = _by_turn([touch for touch in touches.rows if touch.session_id != scope.excluded_session])
    if not touched_turns:
        return ToolAnswer(f"No turn touched a file like {one_line(path, _MAX_REQUEST)}.").with_notes(scope.note)
    path_note = f"{touches.note}." if touches.note else ""
    total, turns_of = len(touched_turns), cache(index.sessions.turns)
    listed = [_turn_text(turn, turns_of) for turn in touched_turns[:limit]]
    limit_note = f"Left out: {total - limit} turns beyond the limit of {limit}; ask with a greater limit."

    def make_answer(shown: int) -> ToolAnswer:
        head = f"Found {shown} of {total} turn(s) that touched {one_line(path, _MAX_REQUEST)}:\n"
        return (
            ToolAnswer("\n".join([head, *listed[:shown]]))
            .as_quoted()
            .with_notes(path_note, "mem-show reads a turn.", limit_note if total > limit else "")
        )

    advice = "ask with a greater max_tokens, or for a longer path"
    return fit_items(len(listed), make_answer, max_length(arguments), "turns", advice)


@dataclass(frozen=True, slots=True)
class _TouchedTurn:
    """A turn that touched a file."""

    touch: FileTouch
    tools: tuple[str, ...]
    """The tools of all touches of the same kind."""


def _by_turn(touches: list[FileTouch]) -> list[_TouchedTurn]:
    """One entry for each turn and file, with the strongest kind of touch."""
    turns: dict[tuple[int, int, str], _TouchedTurn] = {}
    for touch in touches:
        key = (touch.session, touch.turn, touch.path)
        previous = turns.get(key)
        if previous is None:
            turns[key] = _TouchedTurn(touch, (touch.tool,))
        elif previous.touch.kind == touch.kind and touch.tool not in previous.tools:
            turns[key] = _TouchedTurn(previous.touch, (*previous.tools, touch.tool))
    return list(turns.values())


def _turn_text(turn: _TouchedTurn, turns_of: Callable[[int], list[Turn]]) -> str:
    touch = turn.touch
    requests = (other.user_text for other in turns_of(touch.session) if other.number == touch.turn)
    request = one_line(next(requests, ""), _MAX_REQUEST)
    day = f"{touch.at:%Y-%m-%d}" if touch.at else "unknown"
    head = f"- {touch.session_id}:{touch.turn} · {day} · {touch.kind} {touch.path} ({', '.join(turn.tools)})"
    title = one_line(touch.title, _MAX_REQUEST)
    return "\n".join([f"{head} · {title}", *([f"  Asked: {request}"] if request else [])])


FILES = Tool(
    name="mem-files",
    title="Who touched a file, and why",
    description="Use this before you change a file, to learn which turns edited or read it, and for which requests.",
    arguments=(_PATH, _LIMIT, *SCOPE),
    answer=_answer,
    read_only=True,
    quotes=True,
)
