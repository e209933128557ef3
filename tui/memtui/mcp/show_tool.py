"""The tool mem-show: turns as Markdown, as many as fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memtui.mcp.arguments import Arguments, BadArgument, parse_turns
from memtui.mcp.backend import BackendState
from memtui.mcp.token_limit import ToolAnswer, truncated
from memtui_core.export import render
from memtui_core.model import Session, Turn
from memtui_core.text.token_estimate import CHARS_PER_TOKEN

_MAX_TURNS = 200
"""Maximum turns that one call reads."""
_NOTES_LENGTH = 320
"""Characters reserved for the notes."""


@dataclass(frozen=True, slots=True)
class _DetailLevel:
    """Which parts of the turns are shown."""

    thinking: bool
    tools: bool


def show(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-show`: the turns of a range. If they are too long, thinking is left out, then tools, then later turns."""
    index, turn_range = state.required_index, parse_turns(arguments.text("turns", required=True))
    requested = _DetailLevel(arguments.flag("thinking", False), arguments.flag("tools", True))
    session = index.find_session(turn_range.session)
    first, last = turn_range.first or 1, min(turn_range.last or session.turns, session.turns)
    if first > session.turns:
        raise BadArgument(f"{session.session_id} has {session.turns} turns.")
    turns = index.whole_turns(session.key, first, min(last, first + _MAX_TURNS - 1))
    max_length = arguments.max_tokens * CHARS_PER_TOKEN
    level, count = _fitting(session, turns, requested, max_length - min(_NOTES_LENGTH, max_length // 2))
    last_shown = turns[count - 1].number
    text = render(session, turns[:count], "markdown", thinking=level.thinking, tools=level.tools)
    session_id = session.session_id
    shown_range = f"{first}-{last_shown}" if last_shown > first else f"{first}"
    rest = f"{last_shown + 1}-{last}"
    answer = ToolAnswer(text).with_notes(
        f"Source: {session_id}:{shown_range}, of {session.turns} turns.",
        _omitted_note(requested, level),
        f"Left out: turns {rest}; ask for {session_id}:{rest}." if last_shown < last else "",
    )
    return truncated(answer, max_length, "ask with a greater max_tokens")


def _fitting(session: Session, turns: list[Turn], requested: _DetailLevel, max_length: int) -> tuple[_DetailLevel, int]:
    """The highest level at which all turns fit, otherwise the lowest; and how many turns fit, at least one."""
    levels = list(_levels(requested))
    for level in levels:
        count = _count_fitting(session, turns, level, max_length)
        if count == len(turns):
            return level, count
    return levels[-1], max(1, count)


def _levels(requested: _DetailLevel) -> Iterator[_DetailLevel]:
    """The requested level and all lower ones."""
    yield requested
    if requested.thinking and requested.tools:
        yield _DetailLevel(False, True)
    if requested.thinking or requested.tools:
        yield _DetailLevel(False, False)


def _count_fitting(session: Session, turns: list[Turn], level: _DetailLevel, max_length: int) -> int:
    """How many turns fit. Each is measured with the title, which the text has only once: the sum is an upper bound."""
    length = 0
    for count, turn in enumerate(turns):
        length += len(render(session, [turn], "markdown", thinking=level.thinking, tools=level.tools))
        if length > max_length:
            return count
    return len(turns)


def _omitted_note(requested: _DetailLevel, level: _DetailLevel) -> str:
    omitted = []
    if requested.thinking and not level.thinking:
        omitted.append("thinking")
    if requested.tools and not level.tools:
        omitted.append("tool calls")
    return f"Left out: {' and '.join(omitted)}; ask for fewer turns or with a greater max_tokens." if omitted else ""
