"""The headings of tool calls, each on one line: `▸ Edit src/upload.py +12 −3`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from rich.cells import cell_len

from memtui.render.clean import clean
from memtui.render.links import file_link
from memtui.render.rows import Row, Span, cells_of
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.diff import counts
from memtui.wording.formatting import cut, plural
from memtui.wording.path_text import middle_cut
from memtui_core.tools.vocabulary import text_of, vocabulary

_Item = tuple[RenderedCall | None, tuple[Span, ...]]
"""A call with its heading, or the number of the calls that are folded."""

NO_RESULT: Final[Span] = ("(no result)", "muted")
"""The outcome of a call without a result in the transcript."""
SHOWN = 6
"""Calls that a summary names; the others are folded."""
_GAP = "   "
_SHARE = 48
"""Cells of a call in a line of several; it gets more if the line has room."""
_CD_PREFIX = re.compile(r"\s*cd (?:[^\s;&|'\"]+|'[^']*'|\"[^\"]*\")\s*(?:&&|;|\n)\s*(?=\S)")
"""The `cd` with which many commands start; the whole command is shown when the call is unfolded."""


def heading(call: RenderedCall, width: int, opened: bool = False) -> tuple[Span, ...]:
    """The sign, the tool, its subject and its outcome, in at most `width` cells."""
    sign = ("✗ ", "error") if call.tool.is_error else ("▾ " if opened else "▸ ", "tool")
    result = outcome(call)
    name = short_name(call.name)
    free = width - 2 - len(name) - sum(len(text) + 1 for text, _ in result) - 1
    if call.subagent is not None:
        hint = _subagent(call, call.subagent.turns, free)
        result, free = (*result, (hint, "muted")), free - len(hint) - 1
    subject = _subject_spans(call, max(free, 8))
    spans: list[Span] = [sign, (name, "error" if call.tool.is_error else "tool")]
    if subject:
        spans += [(" ", ""), *subject]
    for text, style in result:
        spans += [(" ", ""), (text, style)]
    return tuple(spans)


def short_name(name: str) -> str:
    """The name of a tool; for a tool of an MCP server, the server and the tool: `github: create_issue`."""
    if name.startswith("mcp__"):
        server, _, tool = name[5:].partition("__")
        name = f"{server}: {tool}" if tool else server
    return cut(clean(name).replace("\n", " "), 40)


def _subject_spans(call: RenderedCall, width: int) -> tuple[Span, ...]:
    """What a call acts on; the path of a file that exists is a link to it."""
    if call.tool.family not in {"read", "edit", "write"}:
        subject = _subject(call, width)
        return ((subject, ""),) if subject else ()
    more = f" and {len(call.paths) - 1} more" if len(call.paths) > 1 else ""
    path = middle_cut(_line(call.path), max(8, width - len(more)))
    return tuple(span for span in ((path, file_link(call.written_path, call.root)), (more, "")) if span[0])


def _subject(call: RenderedCall, width: int) -> str:
    family = call.tool.family
    if family == "shell":
        return cut(_line(_CD_PREFIX.sub("", call.tool.command, count=1)), width)
    if family == "search":
        pattern = _line(text_of(call.tool.fields, ("pattern", "query")))
        path = "" if pattern and call.name.lower() in vocabulary().names.listings else _line(call.path)
        if not pattern or not path:
            return cut(pattern, width) if pattern else middle_cut(path, width)
        place = f" in {middle_cut(path, max(width - cell_len(pattern) - 4, width // 2))}"
        return cut(pattern, max(1, width - cell_len(place))) + place
    if family == "plan" and listed_todos(call) is not None:
        return ""
    return cut(_line(call.tool.subject or call.path), width)


def listed_todos(call: RenderedCall) -> list[dict[str, Any]] | None:
    """The to-dos that a call lists; None for a call without a list."""
    items = call.tool.fields.get("todos", call.tool.fields.get("plan"))
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else None


def outcome(call: RenderedCall) -> tuple[Span, ...]:
    """The outcome of a call: `120 ln`, `+12 −3`, `(exit 1)`."""
    if call.tool.is_orphan:
        return (("(call not in the transcript)", "muted"),)
    if call.result is None:
        return (NO_RESULT,)
    if call.tool.is_error:
        code = call.tool.exit_code
        return (("(error)" if code is None else f"(exit {code})", "error"),)
    if call.changes:
        added, removed = counts(call.changes)
        signs = (("+" + str(added), "added"),) if added else ()
        return (*signs, ("−" + str(removed), "removed")) if removed else signs
    count = _count(call)
    return ((count, "muted"),) if count else ()


def _subagent(call: RenderedCall, turns: int, width: int) -> str:
    """The key that opens the session of a subagent, and its length; shorter if the subject would be cut for it."""
    hint = f"· S opens its session · {plural(turns, 'turn')}"
    return hint if cell_len(_subject(call, width)) + len(hint) < width else f"· S opens it · {plural(turns, 'turn')}"


def _count(call: RenderedCall) -> str:
    lines = len(call.output)
    if call.tool.family == "read":
        return f"{lines:,} ln"
    if call.tool.family == "search":
        is_empty = lines <= 1 and call.output and call.output[0].startswith("No ")
        return "nothing" if is_empty or not lines else plural(lines, "line")
    if call.tool.family == "plan" and (todos := listed_todos(call)) is not None:
        return f"{sum(todo.get('status') == 'completed' for todo in todos)}/{len(todos)} done"
    return ""


def _line(text: str) -> str:
    """The first line of a text that is not blank; further lines are shown as `…`."""
    lines = [line for line in clean(text[:2000]).strip().split("\n") if line.strip()]
    return (lines[0].strip() + (" …" if len(lines) > 1 else "")) if lines else ""


def summary_rows(calls: Sequence[RenderedCall], width: int) -> list[Row]:
    """Several calls on as few lines as possible; all failed calls and the first few others are named."""
    budget = max(0, SHOWN - sum(call.tool.is_error for call in calls))
    hidden = len(calls) - SHOWN
    omitted = 0
    items: list[_Item] = []
    for call in calls:
        if hidden > 1 and not call.tool.is_error and budget <= 0:
            omitted += 1
            continue
        budget -= not call.tool.is_error
        items.append((call, heading(call, min(width, _SHARE))))
    if omitted:
        items.append((None, (("▸ ", "tool"), (f"{omitted} more", "muted"))))
    lines: list[list[_Item]] = []
    free = 0
    for item in items:
        needed = len(_GAP) + cells_of(item[1])
        if not lines or needed > free:
            lines.append([])
            free = width + len(_GAP)
        lines[-1].append(item)
        free -= needed
    first, fold = calls[0].seq, run_fold(calls[0].seq)
    return [Row(_spread(line, width), first, wrap="none", fold=fold) for line in lines]


def _spread(line: Sequence[_Item], width: int) -> tuple[Span, ...]:
    """The items of a line; the cells that they leave free show more of the calls that were cut."""
    free = width - sum(cells_of(spans) for _, spans in line) - len(_GAP) * (len(line) - 1)
    spread: list[Span] = []
    for call, spans in line:
        cells = cells_of(spans)
        longer = heading(call, cells + free) if call is not None and free > 0 else spans
        free -= cells_of(longer) - cells
        spread += [(_GAP, ""), *longer] if spread else longer
    return tuple(spread)


def run_fold(seq: int) -> int:
    """The fold that a click on a summary of several calls toggles; less than -1, so that it differs from any `seq`."""
    return -2 - seq
