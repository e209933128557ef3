"""The tools over what was done: mem-show, mem-files and mem-handoff."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from memtui.mcp.arguments import Arguments, BadArgument, reference
from memtui.mcp.asking import asking
from memtui.mcp.bounds import TOKEN, Answer, as_many, clamped
from memtui.mcp.memory import View
from memtui_core.errors import MemtuiError
from memtui_core.handoff import Handoff, HandoffOptions
from memtui_core.index import Index
from memtui_core.model import FileTouch, Turn
from memtui_core.system import locations
from memtui_core.text.controls import one_line
from memtui_core.text.paths import is_absolute, query_path

_REQUEST = 160
"""Characters shown of what was asked."""
_MARKS = 200
"""Room for what a hand-off says of itself."""


def files(view: View, arguments: Arguments) -> Answer:
    """`mem-files`: the turns that touched a file, edits first, each with what was asked."""
    index = view.indexed
    path = arguments.text("path", required=True).strip()
    limit = arguments.number("limit", 10, 50)
    if not path:
        raise BadArgument("The argument path is empty.")
    asked = asking(view, arguments)
    found = index.file_touches(relative(index, path), asked.root)
    touched = _by_turn([touch for touch in found.rows if touch.session_id != asked.without])
    if not touched:
        return Answer(f"No turn touched a file like {one_line(path, _REQUEST)}.").noting(asked.narrowed)
    told = f"{found.note}." if found.note else ""
    shown, requests = touched[:limit], _Requests(index)

    def made(count: int) -> Answer:
        lines = [f"Found {count} of {len(touched)} turn(s) that touched {one_line(path, _REQUEST)}:\n"]
        lines += [_touch_text(one, requests.of(one.touch)) for one in shown[:count]]
        more = f"Left out: {len(touched) - len(shown)} turns beyond the limit of {limit}; ask with a greater limit."
        return Answer("\n".join(lines)).noting(
            told, "mem-show reads a turn.", more if len(touched) > len(shown) else ""
        )

    how = "ask with a greater max_tokens, or for a longer path"
    return as_many(len(shown), made, arguments.tokens * TOKEN, "turns", how)


def handoff(view: View, arguments: Arguments) -> Answer:
    """`mem-handoff`: what a session did, or what became of a file; older results give way."""
    index = view.indexed
    session, file = arguments.text("session").strip(), arguments.text("file").strip()
    if bool(session) == bool(file):
        raise BadArgument("Give either a session or a file.")
    room = arguments.tokens * TOKEN
    options = HandoffOptions(max_tool_context_chars=room)
    made = _of_file(index, file, options) if file else _of_session(index, session, options)
    text = made.text()
    over = len(text) + _MARKS - room
    while over > 0 and made.limit > 0:
        made = replace(made, limit=max(0, made.limit - over))
        text = made.text()
        over = len(text) + _MARKS - room
    if not text:
        return Answer("Nothing to hand off.")
    lost = made.omitted() if made.limit > 0 else len(made.items)
    how = "ask with a greater max_tokens" + ("" if file else f", or for some turns: {made.session_id}:FIRST-LAST")
    note = f"Left out: {lost} of {len(made.items)} older results; {how}." if lost else ""
    cited = f"Source: {made.session_id}:{made.first}-{made.last}"
    return clamped(Answer(text).noting(cited, note), room, how)


def relative(index: Index, path: str) -> str:
    """A path as the index stores it: below the project of the working folder, else below any that holds it."""
    if not (is_absolute(path) or path.startswith(("./", "../", ".\\", "..\\"))):
        return path
    here = index.project_at(locations.current_folder())
    if here is not None and (found := here.relative(path)):
        return found
    roots = sorted((one.root for one in index.projects() if one.root), key=len, reverse=True)
    whole = query_path(path)
    return next((whole[len(root) + 1 :] for root in roots if whole.startswith(f"{root}/")), path)


@dataclass(frozen=True, slots=True)
class _Touched:
    """A turn that touched a file, by one tool or several."""

    touch: FileTouch
    tools: tuple[str, ...]


def _by_turn(touches: list[FileTouch]) -> list[_Touched]:
    """Each turn once a file, as the strongest of what it did to it."""
    found: dict[tuple[int, int, str], _Touched] = {}
    for touch in touches:
        key = (touch.session, touch.turn, touch.path)
        before = found.get(key)
        if before is None:
            found[key] = _Touched(touch, (touch.tool,))
        elif before.touch.kind == touch.kind and touch.tool not in before.tools:
            found[key] = _Touched(before.touch, (*before.tools, touch.tool))
    return list(found.values())


class _Requests:
    """What was asked in turns, read a session at a time."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[int, dict[int, Turn]] = {}

    def of(self, touch: FileTouch) -> str:
        """The first words of the request of a touch's turn."""
        if touch.session not in self._known:
            self._known[touch.session] = {turn.number: turn for turn in self._index.turns(touch.session)}
        turn = self._known[touch.session].get(touch.turn)
        return one_line(turn.user_text, _REQUEST) if turn is not None else ""


def _touch_text(one: _Touched, request: str) -> str:
    touch = one.touch
    day = f"{touch.at:%Y-%m-%d}" if touch.at else "unknown"
    head = f"- {touch.session_id}:{touch.turn} · {day} · {touch.kind} {touch.path} ({', '.join(one.tools)})"
    title = one_line(touch.title, _REQUEST)
    return "\n".join([f"{head} · {title}", *([f"  Asked: {request}"] if request else [])])


def _of_session(index: Index, session: str, options: HandoffOptions) -> Handoff:
    wanted = reference(session)
    found = index.find_session(wanted.session)
    if wanted.first is not None and wanted.first > found.turns:
        raise BadArgument(f"{found.session_id} has {found.turns} turns.")
    return index.handoff(found.key, wanted.first, wanted.last, options)


def _of_file(index: Index, path: str, options: HandoffOptions) -> Handoff:
    """The file of that path in the project of this folder, else in any."""
    wanted, here = relative(index, path), index.project_at(locations.current_folder())
    if here is not None:
        with suppress(MemtuiError):
            return index.file_handoff(wanted, here.root, options)
    return index.file_handoff(wanted, None, options)
