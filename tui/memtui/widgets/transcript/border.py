"""What the lower border of the transcript says."""

from __future__ import annotations

from textual.content import Content

from memtui.system import clock
from memtui.widgets.find_bar import match_text
from memtui.widgets.transcript.open_session import OpenSession
from memtui.wording.formatting import plural
from memtui_core.model import session_status


def border_facts(opened: OpenSession) -> Content:
    """That it is followed, new turns, the way back from a subagent, other levels of detail, the turn and its match."""
    options, count = opened.document.options, len(opened.document.turns)
    is_subagent = opened.session is not None and opened.session.parent is not None
    facts = [
        "S back to its call" if is_subagent else "",
        f"tools {options.tools}" if options.tools != "summary" else "",
        f"thinking {options.thinking}" if options.thinking != "line" else "",
        f"turn {opened.cursor.number} of {count}" if opened.cursor.number and count > 1 else "",
        _position(opened),
    ]
    contents = [Content(fact) for fact in facts if fact]
    if is_following(opened):
        contents.insert(0, Content.styled("following", "$text-accent"))
    if opened.new_turns.count:
        new_turns = f"↓ {plural(opened.new_turns.count, 'new turn')}"
        contents.insert(0, Content(new_turns).stylize("@click=bottom"))
    return Content(" · ").join(contents)


def is_following(opened: OpenSession) -> bool:
    """Whether the end is kept in view, of a session that may still grow."""
    if opened.session is None or not opened.viewport.at_end:
        return False
    return session_status(opened.session.ended_at, clock.now()) != "completed"


def _position(opened: OpenSession) -> str:
    """`passage 1 of 7`, or during a find `match 2 of 20`; empty without a passage and before a match is counted."""
    matches = opened.matches
    if matches.pattern is None:
        return opened.passages.position
    return match_text(matches.position(), matches.total) if matches.total or opened.finder.complete else ""
