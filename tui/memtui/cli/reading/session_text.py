"""Sessions for the shell, rendered as the app renders them: with diffs, highlighted code and all results in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memtui.cli.output import Styled, short_time
from memtui.render.options import RenderOptions, ThinkingLevel, ToolsLevel
from memtui.render.rows import wrap
from memtui.render.turns.parts import parts
from memtui.wording.annotated import ARCHIVED, NOTE, PIN, tags_text
from memtui.wording.formatting import agent_name, day
from memtui.wording.owner import owner
from memtui_core.export.turn_parts import selected_blocks
from memtui_core.text.machine_folders import shown_root

if TYPE_CHECKING:
    from memtui.render.turns.part import Part
    from memtui_core.model import Session, Turn

_UNWRAPPED: Final = 1_000_000
"""Cells of a line that is not wrapped."""
_RULE: Final = 80
"""Cells of a head whose rule would fill the line, if lines are not wrapped."""

Lines = Sequence[Sequence[Styled]]


def session_text(
    session: Session,
    turns: Sequence[Turn],
    width: int | None,
    *,
    thinking: bool,
    tools: bool,
    resume: str = "",
    used: str = "",
) -> Iterator[Lines]:
    """A session and some of its turns, part by part; thinking and tool calls can be left out.

    Lines are wrapped to `width` cells, or not at all. `resume` is the command that resumes a
    session of another machine, `used` what the session used.
    """
    names = filter(None, (session.session_id, session.project, owner(session), short_time(session.started_at)))
    facts = [" · ".join(names)]
    facts += [f"resume on {session.machine}: {resume}"] if resume else []
    facts += [f"the agent's title: {session.agent_title}"] if session.agent_title else []
    facts += [ARCHIVED] if session.archived else []
    facts += [used] if used else []
    added = [tags_text(session.tags)] if session.tags else []
    added += [
        f"{NOTE if not number else '  '}{line}"
        for note in session.notes
        for number, line in enumerate(note.splitlines())
    ]
    title = f"{PIN if session.pinned else ''}{session.title}"
    yield [[(title, "strong")], *([(fact, "muted")] for fact in facts), *([(text, "you")] for text in added)]
    options = render_options(session, turns, "full", "full")
    date = ""
    for turn in turns:
        before, date = date, day(turn.started_at) if turn.started_at else date
        blocks = selected_blocks(turn, thinking=thinking, tools=tools)
        yield turn_rule(session, turn)
        for part in parts(turn, blocks, options, new_day=date != before, last=True):
            yield part_lines(part, width)


def render_options(
    session: Session, turns: Sequence[Turn], tools: ToolsLevel, thinking: ThinkingLevel
) -> RenderOptions:
    """How turns of a session are rendered, at some levels of detail."""
    digits = len(str(max((turn.number for turn in turns), default=1)))
    root = shown_root(session.root, session.worktree, session.cwd)
    return RenderOptions(agent_name(session.agent), digits, root, tools, thinking)


def turn_rule(session: Session, turn: Turn) -> Lines:
    """What stands before a turn: a blank line, and how it is named."""
    return [[], [(f"── {session.session_id}:{turn.number} ──", "muted")]]


def part_lines(part: Part, width: int | None) -> Lines:
    """A part of a turn as lines, wrapped to a width in cells, or not at all."""
    if width is not None:
        lines = part.wrapped(part.rows(width), width)
    else:
        is_head = not part.indent
        lines = wrap(part.rows(_RULE if is_head else _UNWRAPPED), _UNWRAPPED, part.indent)
    return [line.spans if line.text.strip() else () for line in lines]
