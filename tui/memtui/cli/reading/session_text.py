"""Sessions for the shell, rendered as the app renders them: what was said, and a line for each tool call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memtui.cli.output import Styled
from memtui.render.options import RenderOptions, ThinkingLevel, ToolsLevel
from memtui.render.rows import UNWRAPPED, Row, wrap
from memtui.render.turns.part import PROSE
from memtui.render.turns.parts import parts
from memtui.wording.annotated import ARCHIVED, NOTE, PIN, tags_text
from memtui.wording.formatting import agent_full_name, agent_name, day, plural, time_of_day
from memtui.wording.owner import owner
from memtui_core.export.turn_parts import selected_blocks
from memtui_core.text.machine_folders import shown_root

if TYPE_CHECKING:
    from memtui.render.turns.part import Part
    from memtui_core.model import Session, Turn

_UNWRAPPED: Final = 100 * UNWRAPPED
"""Cells of a line that is not wrapped."""
_RULE: Final = 80
"""Cells of a rule over the line, if lines are not wrapped."""
_BEFORE: Final = "── "

Lines = Sequence[Sequence[Styled]]


def session_text(
    session: Session,
    turns: Sequence[Turn],
    width: int | None,
    *,
    thinking: bool,
    tools: bool,
    full: bool = False,
    resume: str = "",
    used: str = "",
) -> Iterator[Lines]:
    """A session and some of its turns, part by part; thinking and tool calls can be left out.

    If it is `full`, with thinking and with all that tools were called with and returned. Lines are wrapped to `width`
    cells, or not at all. `resume` is the command that resumes a session of another machine, `used` what the session
    used.
    """
    yield [line for styled in _head(session, turns, resume, used) for line in _wrapped(styled, width)]
    options = render_options(session, turns, *(("full", "full") if full else ("summary", "hidden")))
    date = ""
    for turn in turns:
        before, date = date, day(turn.started_at) if turn.started_at else date
        blocks = selected_blocks(turn, thinking=thinking, tools=tools)
        yield turn_rule(session, turn, width)
        for part in parts(turn, blocks, options, new_day=date != before, last=True):
            yield part_lines(part, width)


def render_options(
    session: Session, turns: Sequence[Turn], tools: ToolsLevel, thinking: ThinkingLevel
) -> RenderOptions:
    """How turns of a session are rendered, at some levels of detail."""
    digits = len(str(max((turn.number for turn in turns), default=1)))
    root = shown_root(session.root, session.worktree, session.cwd)
    return RenderOptions(agent_name(session.agent), digits, root, tools, thinking)


def turn_rule(session: Session, turn: Turn, width: int | None) -> Lines:
    """What stands before a turn: a blank line, and a line with the argument that shows the turn."""
    rule = f"{_BEFORE}{session.session_id}:{turn.number} ──"
    return [[], [(rule if width is None else rule + "─" * (min(width, PROSE) - len(rule)), "rule")]]


def _wrapped(line: Sequence[Styled], width: int | None) -> Lines:
    return [line] if width is None else [one.spans for one in wrap([Row(tuple(line), hang=0)], width)]


def _head(session: Session, turns: Sequence[Turn], resume: str, used: str) -> Lines:
    """The title, where and when the session was, how much it is, and what the user has added to it."""
    branch = f"branch {session.branch_or_worktree}" if session.branch_or_worktree else ""
    place = (session.project, agent_full_name(session.agent), branch, owner(session), _time(session))
    facts = [" · ".join(filter(None, place)), _size(session, turns), *([used] if used else []), session.session_id]
    facts += [f"resume on {session.machine}: {resume}"] if resume else []
    facts += [f"the agent's title: {session.agent_title}"] if session.agent_title else []
    facts += [ARCHIVED] if session.archived else []
    added = [tags_text(session.tags)] if session.tags else []
    added += [
        f"{NOTE if not number else '  '}{line}"
        for note in session.notes
        for number, line in enumerate(note.splitlines())
    ]
    title = f"{PIN if session.pinned else ''}{session.title}"
    return [[(title, "strong")], *([(fact, "muted")] for fact in facts), *([(text, "you")] for text in added)]


def _time(session: Session) -> str:
    """`13 Feb 2026 14:02–15:30`, with both dates if the session ended on another day."""
    start, end = (f"{day(at)} {time_of_day(at)}".strip() for at in (session.started_at, session.ended_at))
    if not start or not end or start == end:
        return start or end
    same_day = day(session.started_at) == day(session.ended_at)
    return f"{start}–{time_of_day(session.ended_at)}" if same_day else f"{start} – {end}"


def _size(session: Session, turns: Sequence[Turn]) -> str:
    """`14 turns · 43 tools`, or `turn 2 of 14` if not all are shown."""
    sizes = [plural(session.turns, "turn")]
    if turns and len(turns) < session.turns:
        last = f"–{turns[-1].number}" if len(turns) > 1 else ""
        sizes = [f"turn{'s' if last else ''} {turns[0].number}{last} of {session.turns}"]
    sizes += [plural(session.tool_calls, "tool")] if session.tool_calls else []
    return " · ".join(sizes)


def part_lines(part: Part, width: int | None) -> Lines:
    """A part of a turn as lines, wrapped to a width in cells, or not at all."""
    if width is not None:
        lines = part.wrapped(part.rows(width), width)
    else:
        is_head = not part.indent
        lines = wrap(part.rows(_RULE if is_head else _UNWRAPPED), _UNWRAPPED, part.indent)
    return [line.spans if line.text.strip() else () for line in lines]
