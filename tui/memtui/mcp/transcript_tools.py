"""The tools for transcripts: mem-files and mem-handoff."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from memtui.mcp.arguments import Arguments, BadArgument, parse_turns
from memtui.mcp.backend import BackendState
from memtui.mcp.call_scope import call_scope
from memtui.mcp.token_limit import ToolAnswer, fit_items, truncated
from memtui_core.errors import MemtuiError
from memtui_core.handoff import Handoff, HandoffOptions
from memtui_core.index import Index
from memtui_core.model import FileTouch, Turn
from memtui_core.system import locations
from memtui_core.text.controls import one_line
from memtui_core.text.paths import is_absolute, query_path
from memtui_core.text.token_estimate import CHARS_PER_TOKEN

_MAX_REQUEST = 160
"""Maximum characters of the request of a turn."""
_NOTES_LENGTH = 200
"""Characters reserved for the notes of a hand-off."""


def files(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-files`: the turns that touched a file, edits first, each with its request."""
    index = state.required_index
    path = arguments.text("path", required=True).strip()
    limit = arguments.number("limit", 10, 50)
    if not path:
        raise BadArgument("The argument path is empty.")
    scope = call_scope(state, arguments)
    touches = index.file_touches(project_path(index, path), scope.root)
    touched_turns = _by_turn([touch for touch in touches.rows if touch.session_id != scope.excluded_session])
    if not touched_turns:
        return ToolAnswer(f"No turn touched a file like {one_line(path, _MAX_REQUEST)}.").with_notes(scope.note)
    path_note = f"{touches.note}." if touches.note else ""
    total, listed, requests = len(touched_turns), touched_turns[:limit], _Requests(index)
    limit_note = f"Left out: {total - limit} turns beyond the limit of {limit}; ask with a greater limit."

    def make_answer(shown: int) -> ToolAnswer:
        lines = [f"Found {shown} of {total} turn(s) that touched {one_line(path, _MAX_REQUEST)}:\n"]
        lines += [_turn_text(turn, requests.of(turn.touch)) for turn in listed[:shown]]
        return ToolAnswer("\n".join(lines)).with_notes(
            path_note, "mem-show reads a turn.", limit_note if total > limit else ""
        )

    advice = "ask with a greater max_tokens, or for a longer path"
    return fit_items(len(listed), make_answer, arguments.max_tokens * CHARS_PER_TOKEN, "turns", advice)


def handoff(state: BackendState, arguments: Arguments) -> ToolAnswer:
    """`mem-handoff`: a session or the history of a file; if it is too long, older tool results are left out."""
    index = state.required_index
    session, file = arguments.text("session").strip(), arguments.text("file").strip()
    if bool(session) == bool(file):
        raise BadArgument("Give either a session or a file.")
    max_length = arguments.max_tokens * CHARS_PER_TOKEN
    options = HandoffOptions(max_tool_context_chars=max_length)
    made = _file_handoff(index, file, options) if file else _session_handoff(index, session, options)
    text = made.text()
    excess = len(text) + _NOTES_LENGTH - max_length
    while excess > 0 and made.limit > 0:
        made = replace(made, limit=max(0, made.limit - excess))
        text = made.text()
        excess = len(text) + _NOTES_LENGTH - max_length
    if not text:
        return ToolAnswer("Nothing to hand off.")
    omitted = made.omitted() if made.limit > 0 else len(made.items)
    advice = "ask with a greater max_tokens" + ("" if file else f", or for some turns: {made.session_id}:FIRST-LAST")
    note = f"Left out: {omitted} of {len(made.items)} older results; {advice}." if omitted else ""
    source = f"Source: {made.session_id}:{made.first}-{made.last}"
    return truncated(ToolAnswer(text).with_notes(source, note), max_length, advice)


def project_path(index: Index, path: str) -> str:
    """A path as the index stores it: relative to the current project, or to another project that contains it."""
    if not (is_absolute(path) or path.startswith(("./", "../", ".\\", "..\\"))):
        return path
    current = index.project_at(locations.current_folder())
    if current is not None and (relative := current.relative(path)):
        return relative
    roots = sorted((project.root for project in index.projects() if project.root), key=len, reverse=True)
    absolute = query_path(path)
    return next((absolute[len(root) + 1 :] for root in roots if absolute.startswith(f"{root}/")), path)


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


class _Requests:
    """The requests of turns, read session by session."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._turns_by_session: dict[int, dict[int, Turn]] = {}

    def of(self, touch: FileTouch) -> str:
        """The beginning of the request of a touch's turn."""
        if touch.session not in self._turns_by_session:
            self._turns_by_session[touch.session] = {turn.number: turn for turn in self._index.turns(touch.session)}
        turn = self._turns_by_session[touch.session].get(touch.turn)
        return one_line(turn.user_text, _MAX_REQUEST) if turn is not None else ""


def _turn_text(turn: _TouchedTurn, request: str) -> str:
    touch = turn.touch
    day = f"{touch.at:%Y-%m-%d}" if touch.at else "unknown"
    head = f"- {touch.session_id}:{touch.turn} · {day} · {touch.kind} {touch.path} ({', '.join(turn.tools)})"
    title = one_line(touch.title, _MAX_REQUEST)
    return "\n".join([f"{head} · {title}", *([f"  Asked: {request}"] if request else [])])


def _session_handoff(index: Index, text: str, options: HandoffOptions) -> Handoff:
    turn_range = parse_turns(text)
    session = index.find_session(turn_range.session)
    if turn_range.first is not None and turn_range.first > session.turns:
        raise BadArgument(f"{session.session_id} has {session.turns} turns.")
    return index.handoff(session.key, turn_range.first, turn_range.last, options)


def _file_handoff(index: Index, path: str, options: HandoffOptions) -> Handoff:
    """The hand-off of a file in the current project, otherwise in any project."""
    relative, current = project_path(index, path), index.project_at(locations.current_folder())
    if current is not None:
        with suppress(MemtuiError):
            return index.file_handoff(relative, current.root, options)
    return index.file_handoff(relative, None, options)
