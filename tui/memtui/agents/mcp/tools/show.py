"""The tool mem-show: turns as Markdown, as many as fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtui.agents.mcp.token_limit import ToolAnswer, truncated
from memtui.agents.mcp.tool import Arguments, BadArgument, Tool, flag, max_length, parse_turns, text
from memtui_core.export.contents import Contents

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui_core.model import Session, Turn

REFERENCE = "`SESSION:TURN` or `SESSION:FIRST-LAST`, as other tools cite them; the beginning of an id is enough"
"""How turns are named, for agents."""
_TURNS = text("turns", f"{REFERENCE}.", required=True)
_TOOLS = flag("tools", "Include the tool calls and their results.", default=True)
_THINKING = flag("thinking", "Include the thinking of the agent.")
_MAX_TURNS = 200
"""Maximum turns that one call reads."""
_NOTES_LENGTH = 320
"""Characters reserved for the notes."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """The turns of a range. If they are too long, thinking is left out, then tools, then later turns."""
    from memtui_core.export.markdown import opening

    index, turn_range = state.required_index, parse_turns(_TURNS.read(arguments))
    requested = Contents(thinking=_THINKING.read(arguments), tools=_TOOLS.read(arguments))
    session = index.sessions.with_turns(turn_range.session)
    first, last = turn_range.first or 1, min(turn_range.last or session.turns, session.turns)
    if first > session.turns:
        raise BadArgument(f"{session.session_id} has {session.turns} turns.")
    turns = index.sessions.whole_turns(session.key, first, min(last, first + _MAX_TURNS - 1))
    longest = max_length(arguments)
    level, texts = _fitting(session, turns, requested, longest - min(_NOTES_LENGTH, longest // 2))
    shown = turns[: len(texts)]
    text = "\n\n".join([opening(session, shown), *texts]) + "\n"
    session_id, last_shown = session.session_id, shown[-1].number
    shown_range = f"{first}-{last_shown}" if last_shown > first else f"{first}"
    rest = f"{last_shown + 1}-{last}"
    answer = (
        ToolAnswer(text)
        .as_quoted()
        .with_notes(
            f"Source: {session_id}:{shown_range}, of {session.turns} turns.",
            _added_note(session, shown),
            _omitted_note(requested, level),
            f"Left out: turns {rest}; ask for {session_id}:{rest}." if last_shown < last else "",
        )
    )
    return truncated(answer, longest, "ask with a greater max_tokens")


def _added_note(session: Session, turns: Sequence[Turn]) -> str:
    """What the user has added to a session and to some of its turns."""
    from memtui_core.memory.formats import added_text

    targets: list[tuple[str, Session | Turn]] = [("Session", session)]
    targets += [(f"Turn {turn.number}", turn) for turn in turns]
    added = [(name, added_text(of.tags, of.notes, pinned=of.pinned)) for name, of in targets]
    return "\n".join(f"{name}: {text}" for name, text in added if text)


def _fitting(session: Session, turns: list[Turn], requested: Contents, longest: int) -> tuple[Contents, list[str]]:
    """The highest level at which all turns fit, otherwise the lowest; and those that fit as Markdown, at least one.

    Each turn is measured with the opening, which the answer has only once: the sum is an upper bound.
    """
    from memtui_core.export.markdown import opening, turn_section

    for level in _levels(requested):
        texts: list[str] = []
        length = 0
        for turn in turns:
            texts.append(turn_section(session, turn, level))
            length += len(opening(session, [turn])) + len(texts[-1]) + len("\n\n\n")
            if length > longest:
                break
        else:
            return level, texts
    return level, texts[:-1] or texts


def _levels(requested: Contents) -> Iterator[Contents]:
    """The requested level and all lower ones."""
    yield requested
    if requested.thinking and requested.tools:
        yield Contents(thinking=False)
    if requested.thinking or requested.tools:
        yield Contents(thinking=False, tools=False)


def _omitted_note(requested: Contents, level: Contents) -> str:
    omitted = []
    if requested.thinking and not level.thinking:
        omitted.append("thinking")
    if requested.tools and not level.tools:
        omitted.append("tool calls")
    return f"Left out: {' and '.join(omitted)}; ask for fewer turns or with a greater max_tokens." if omitted else ""


SHOW = Tool(
    name="mem-show",
    title="Read turns of a transcript",
    description="Use this to read the turns that another tool cited as SESSION:TURN.",
    arguments=(_TURNS, _TOOLS, _THINKING),
    answer=_answer,
    read_only=True,
    quotes=True,
)
