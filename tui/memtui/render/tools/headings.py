"""The headings of tool calls, each on one line: `▸ Bash  Run the tests  pytest -q          exit 1 · 12 s`."""

from __future__ import annotations

from typing import Final

from memtui.render.clean import clean
from memtui.render.rows import UNWRAPPED, Span, cells_of
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.subjects import shows_command, subject
from memtui.render.turns.part import PROSE
from memtui.wording.formatting import cut, duration

NO_RESULT: Final[Span] = ("no result", "muted")
"""The outcome of a call without a result in the transcript."""
GAP: Final = "  "
"""Between the columns of a heading."""
_LEAST: Final = 8
"""Cells that a subject gets however narrow the line is."""
_LONG: Final = 1.0
"""Seconds from which on a duration is shown."""


def heading(call: RenderedCall, width: int, opened: bool = False) -> tuple[Span, ...]:
    """The sign, the tool, what it was called for, and at the right how it failed and how long it took.

    It takes at most `width` cells. In lines that are not wrapped the facts at the right follow the rest.
    """
    sign = ("✗ ", "error") if call.tool.is_error else ("▾ " if opened else "▸ ", "tool")
    name = (short_name(call.name), "error" if call.tool.is_error else "tool")
    right = _right(call)
    spans: list[Span] = [sign, name]
    if about := subject(call, _room(call, width), opened):
        spans += [(GAP, ""), *about]
    if right:
        free = 0 if width >= UNWRAPPED else line_width(width) - cells_of(spans) - cells_of(right)
        spans += [(" " * max(len(GAP), free), ""), *right]
    return tuple(spans)


def heads_command(call: RenderedCall, width: int) -> bool:
    """Whether a heading of `width` cells shows all of the shell command, so that it need not be repeated."""
    return shows_command(call, _room(call, width))


def short_name(name: str) -> str:
    """The name of a tool; for a tool of an MCP server, the server and the tool: `github: create_issue`."""
    if name.startswith("mcp__"):
        server, _, tool = name[5:].partition("__")
        name = f"{server}: {tool}" if tool else server
    return cut(clean(name).replace("\n", " "), 40)


def line_width(width: int) -> int:
    """Cells of the line of a call: as many as prose has, as at the end of a wider one nobody would look for facts."""
    return width if width >= UNWRAPPED else min(width, PROSE)


def _room(call: RenderedCall, width: int) -> int:
    """The cells for the subject of a call."""
    right = _right(call)
    used = 2 + cells_of([(short_name(call.name), "")]) + len(GAP) + (cells_of(right) + len(GAP) if right else 0)
    return max(_LEAST, line_width(width) - used)


def _right(call: RenderedCall) -> tuple[Span, ...]:
    """How the call failed, and how long it took if that was long: `exit 1 · 12 s`."""
    tool = call.tool
    if tool.is_orphan:
        return (("call not in the transcript", "muted"),)
    if tool.result is None:
        return (NO_RESULT,)
    spans: list[Span] = []
    if tool.exit_code:
        spans.append((f"exit {tool.exit_code}", "error" if tool.is_error else "muted"))
    elif tool.is_error:
        spans.append(("rejected" if tool.rejected else "error", "error"))
    if (seconds := tool.seconds) is not None and seconds >= _LONG:
        spans += [(" · ", "muted")] * bool(spans) + [(duration(seconds), "muted")]
    return tuple(spans)
