"""mem-show: turns as Markdown, as much of them as fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memtui.mcp.arguments import Arguments, BadArgument, reference
from memtui.mcp.bounds import TOKEN, Answer, clamped
from memtui.mcp.memory import View
from memtui_core.export import render
from memtui_core.index import Index
from memtui_core.model import Session, Turn

_AT_ONCE = 200
"""Turns that one call reads."""
_NOTES = 320
"""Room for what is told of the turns."""


@dataclass(frozen=True, slots=True)
class _Level:
    """What of the turns is shown."""

    thinking: bool
    tools: bool


def show(view: View, arguments: Arguments) -> Answer:
    """`mem-show`: the turns that a reference names; thinking gives way first, then tool calls, then later turns."""
    index, wanted = view.indexed, reference(arguments.text("turns", required=True))
    asked = _Level(arguments.flag("thinking", False), arguments.flag("tools", True))
    session = index.find_session(wanted.session)
    first, last = wanted.first or 1, min(wanted.last or session.turns, session.turns)
    if first > session.turns:
        raise BadArgument(f"{session.session_id} has {session.turns} turns.")
    turns = _turns(index, session, first, min(last, first + _AT_ONCE - 1))
    room = arguments.tokens * TOKEN
    level, kept = _fitting(session, turns, asked, room - min(_NOTES, room // 2))
    through = turns[kept - 1].number
    text = render(session, turns[:kept], "markdown", thinking=level.thinking, tools=level.tools)
    name = session.session_id
    span = f"{first}-{through}" if through > first else f"{first}"
    answer = Answer(text).noting(
        f"Source: {name}:{span}, of {session.turns} turns.",
        _abridged(asked, level),
        f"Left out: turns {through + 1}-{last}; ask for {name}:{through + 1}-{last}." if through < last else "",
    )
    return clamped(answer, room, "ask with a greater max_tokens")


def _turns(index: Index, session: Session, first: int, last: int) -> list[Turn]:
    blocks = index.blocks(session.key, first, last)
    heads = [turn for turn in index.turns(session.key) if first <= turn.number <= last]
    return [replace(turn, blocks=blocks.get(turn.number, ())) for turn in heads]


def _fitting(session: Session, turns: list[Turn], asked: _Level, room: int) -> tuple[_Level, int]:
    """The richest level at which all turns fit, else the barest with as many as do, at least one."""
    levels = list(_levels(asked))
    for level in levels:
        kept = _how_many(session, turns, level, room)
        if kept == len(turns):
            return level, kept
    return levels[-1], max(1, kept)


def _levels(asked: _Level) -> Iterator[_Level]:
    yield asked
    if asked.thinking and asked.tools:
        yield _Level(False, True)
    if asked.thinking or asked.tools:
        yield _Level(False, False)


def _how_many(session: Session, turns: list[Turn], level: _Level, room: int) -> int:
    """How many turns fit. Each is measured with the title, which is at the top once only: that errs on our side."""
    used = 0
    for count, turn in enumerate(turns):
        used += len(render(session, [turn], "markdown", thinking=level.thinking, tools=level.tools))
        if used > room:
            return count
    return len(turns)


def _abridged(asked: _Level, level: _Level) -> str:
    lost = [
        name
        for name, was, now in (("thinking", asked.thinking, level.thinking), ("tool calls", asked.tools, level.tools))
        if was and not now
    ]
    return f"Left out: {' and '.join(lost)}; ask for fewer turns or with a greater max_tokens." if lost else ""
