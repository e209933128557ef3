"""The tool mem-handoff: a session or the history of a file; if it is too long, older tool results are left out."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from memtui.agents.mcp.project_path import project_path
from memtui.agents.mcp.token_limit import ToolAnswer, truncated
from memtui.agents.mcp.tool import Arguments, BadArgument, Tool, max_length, parse_turns, text
from memtui.agents.mcp.tools.show import REFERENCE
from memtui_core.errors import MemtuiError
from memtui_core.system import locations

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui_core.index.index import Index
    from memtui_core.memory.handoff.model import Handoff, HandoffOptions

_SESSION = text("session", f"The session, or some of its turns: {REFERENCE}.")
_FILE = text("file", "A file, instead of a session.")
_NOTES_LENGTH = 200
"""Characters reserved for the notes."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    from memtui_core.memory.handoff.model import HandoffOptions

    index = state.required_index
    session, file = _SESSION.read(arguments).strip(), _FILE.read(arguments).strip()
    if bool(session) == bool(file):
        raise BadArgument("Give either a session or a file.")
    longest = max_length(arguments)
    options = HandoffOptions(max_tool_context_chars=longest)
    made = _file_handoff(index, file, options) if file else _session_handoff(index, session, options)
    text = made.text()
    excess = len(text) + _NOTES_LENGTH - longest
    while excess > 0 and made.limit > 0:
        made = replace(made, limit=max(0, made.limit - excess))
        text = made.text()
        excess = len(text) + _NOTES_LENGTH - longest
    if not text:
        return ToolAnswer("Nothing to hand off.")
    omitted = made.omitted() if made.limit > 0 else len(made.items)
    advice = "ask with a greater max_tokens" + ("" if file else f", or for some turns: {made.session_id}:FIRST-LAST")
    note = f"Left out: {omitted} of {len(made.items)} older results; {advice}." if omitted else ""
    source = f"Source: {made.session_id}:{made.first}-{made.last}"
    return truncated(ToolAnswer(text).as_quoted().with_notes(source, note), longest, advice)


def _session_handoff(index: Index, text: str, options: HandoffOptions) -> Handoff:
    turn_range = parse_turns(text)
    session = index.sessions.with_turns(turn_range.session)
    if turn_range.first is not None and turn_range.first > session.turns:
        raise BadArgument(f"{session.session_id} has {session.turns} turns.")
    return index.handoffs.of_session(session.key, turn_range.first, turn_range.last, options)


def _file_handoff(index: Index, path: str, options: HandoffOptions) -> Handoff:
    """The hand-off of a file in the current project, otherwise in any project."""
    relative, current = project_path(index, path), index.sessions.project_at(locations.current_folder())
    if current is not None:
        with suppress(MemtuiError):
            return index.handoffs.of_file(relative, current.root, options)
    return index.handoffs.of_file(relative, None, options)


HANDOFF = Tool(
    name="mem-handoff",
    title="Continue the work of another session",
    description="Use this to continue the work of another session, or to work on a file: it returns one text with the"
    " requests, the work and the open ends, or with the last known content of the file and its changes.",
    arguments=(_SESSION, _FILE),
    answer=_answer,
    read_only=True,
    quotes=True,
)
