"""The tool mem-why: what led to a line of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memtui.agents.mcp.project_path import project_path
from memtui.agents.mcp.token_limit import ToolAnswer, truncated
from memtui.agents.mcp.tool import Arguments, BadArgument, Tool, max_length, text
from memtui_core.system import locations
from memtui_core.text.controls import one_line, plain

if TYPE_CHECKING:
    from memtui.agents.mcp.backend import BackendState
    from memtui_core.memory.blame.values import LineReason, LineWriter

_PLACE = text("place", "`FILE:LINE`; the file by its path from the working folder, or a whole path.", required=True)
_LONGEST_NAME: Final = 160
"""Characters of a path, a title and a line."""
_LONGEST_TEXT: Final = 1500
"""Characters of a request, and of what the agent said."""
_SHORT: Final = 10
"""Characters of the id of a commit."""


def _answer(state: BackendState, arguments: Arguments) -> ToolAnswer:
    path, _, number = _PLACE.read(arguments).strip().rpartition(":")
    if not (path and number.isascii() and number.isdigit() and len(number) < _SHORT):
        raise BadArgument("The argument place must name one line: src/cart.ts:12.")
    index, place = state.required_index, one_line(f"{path}:{number}", _LONGEST_NAME)
    lines = index.files.blame(Path(locations.current_folder()) / path)
    if not 1 <= int(number) <= len(lines):
        raise BadArgument(f"{one_line(path, _LONGEST_NAME)} has {len(lines)} lines.")
    line = lines[int(number) - 1]
    writer = line.writer
    # The text of the file is told only with a session of an allowed project that wrote it.
    if writer is None:
        return ToolAnswer(f"Nothing proves who wrote {place}.")
    day = f"{writer.at:%Y-%m-%d}" if writer.at else "unknown"
    commit = f"in commit {line.commit[:_SHORT]}" if line.commit else ""
    facts = (_turn(writer, writer.turn), commit, day, one_line(writer.title, _LONGEST_NAME))
    head = [f"{place}: {one_line(line.text, _LONGEST_NAME)}", f"Written in {' · '.join(filter(None, facts))}"]
    text = "\n".join([*head, *_parts(project_path(index, path), line.text, writer, index.files.why(writer))])
    answer = ToolAnswer(text).as_quoted().with_notes("mem-show reads a turn.")
    return truncated(answer, max_length(arguments), "ask with a greater max_tokens, or read the turn with mem-show")


def _turn(writer: LineWriter, number: int) -> str:
    return f"{one_line(writer.session_id)}:{number}"


def _parts(path: str, line: str, writer: LineWriter, reason: LineReason) -> Iterator[str]:
    from memtui.render.tools.line_reason import lines_around
    from memtui_core.index.files import patch_text

    for title, said in (
        (f"Request, in {_turn(writer, reason.request_turn)}", reason.request),
        ("Before the edit", reason.reasoning),
    ):
        if said.strip():
            yield from ("", f"{title}:", *(f"> {row}" for row in _cut(plain(said).strip()).split("\n")))
    if diff := patch_text(path, reason.hunks):
        yield from ("", "Edit:", *(f"    {plain(row)}" for row in lines_around(diff.splitlines(), line)))
    if reason.checks:
        yield from ("", "Checks after it:")
    for check in reason.checks:
        outcome = f" · {one_line(check.outcome_line)}" if check.outcome_line else ""
        yield f"- {check.outcome}: {one_line(check.command)}{outcome}"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT].rstrip()}…"


WHY = Tool(
    name="mem-why",
    title="Why a line is there",
    description="Use this before you change a line whose reason you do not see: it finds the request, the edit that"
    " wrote it, and the checks after it.",
    arguments=(_PLACE,),
    answer=_answer,
    read_only=True,
    quotes=True,
)
