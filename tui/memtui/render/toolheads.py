"""The one line that tells of a tool call: `▸ Edit src/upload.py +12 −3`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from memtui.formatting import cut, middle_cut, plural
from memtui.render.calls import Call
from memtui.render.clean import clean
from memtui.render.diff import counts
from memtui.render.rows import Row, Span
from memtui_core.tools.families import LISTINGS, text_of

SHOWN = 6
"""Calls that a summary names before it folds the others away."""
_GAP = "   "
_CHANGED_FOLDER = re.compile(r"\s*cd (?:[^\s;&|'\"]+|'[^']*'|\"[^\"]*\")\s*(?:&&|;|\n)\s*(?=\S)")
"""What many commands begin with alike; the whole command shows when the call is opened."""


def head(call: Call, width: int, opened: bool = False) -> tuple[Span, ...]:
    """Sign, tool, what it worked on and what came of it, in at most `width` cells."""
    sign = ("✗ ", "error") if call.tool.is_error else ("▾ " if opened else "▸ ", "tool")
    note = outcome(call)
    name = short_name(call.name)
    room = width - 2 - len(name) - sum(len(text) + 1 for text, _ in note) - 1
    subject = _subject(call, max(room, 8))
    spans: list[Span] = [sign, (name, "error" if call.tool.is_error else "tool")]
    if subject:
        spans += [(" ", ""), (subject, "")]
    for text, style in note:
        spans += [(" ", ""), (text, style)]
    return tuple(spans)


def short_name(name: str) -> str:
    """The name of a tool; of one that a server lends, the server and the tool: `github: create_issue`."""
    if name.startswith("mcp__"):
        server, _, tool = name[5:].partition("__")
        name = f"{server}: {tool}" if tool else server
    return cut(clean(name).replace("\n", " "), 40)


def _subject(call: Call, width: int) -> str:
    family = call.tool.family
    if family == "shell":
        return cut(_line(_CHANGED_FOLDER.sub("", call.tool.command, count=1)), width)
    if family == "search":
        pattern = _line(text_of(call.tool.fields, ("pattern", "query")))
        path = "" if pattern and call.name.lower() in LISTINGS else _line(call.path)
        return cut(f"{pattern} in {path}" if path else pattern, width) if pattern else middle_cut(path, width)
    if family in {"read", "edit", "write"}:
        more = f" and {len(call.paths) - 1} more" if len(call.paths) > 1 else ""
        return middle_cut(_line(call.path), max(8, width - len(more))) + more
    if family == "plan" and listed_todos(call) is not None:
        return ""
    return cut(_line(call.tool.subject or call.path), width)


def listed_todos(call: Call) -> list[dict[str, Any]] | None:
    """The things to do that a call lists; None for a call that lists none."""
    items = call.tool.fields.get("todos", call.tool.fields.get("plan"))
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else None


def outcome(call: Call) -> tuple[Span, ...]:
    """What came of a call: `120 ln`, `+12 −3`, `(exit 1)`."""
    if call.tool.is_orphan:
        return (("(call not in the transcript)", "muted"),)
    if call.result is None:
        return (("(no result)", "muted"),)
    if call.tool.is_error:
        code = call.tool.exit_code
        return (("(error)" if code is None else f"(exit {code})", "error"),)
    if call.changes:
        added, removed = counts(call.changes)
        signs = (("+" + str(added), "added"),) if added else ()
        return (*signs, ("−" + str(removed), "removed")) if removed else signs
    found = _count(call)
    return ((found, "muted"),) if found else ()


def _count(call: Call) -> str:
    lines = len(call.output)
    if call.tool.family == "read":
        return f"{lines:,} ln"
    if call.tool.family == "search":
        nothing = lines <= 1 and call.output and call.output[0].startswith("No ")
        return "nothing" if nothing or not lines else plural(lines, "line")
    if call.tool.family == "plan" and (todos := listed_todos(call)) is not None:
        return f"{sum(todo.get('status') == 'completed' for todo in todos)}/{len(todos)} done"
    return ""


def _line(text: str) -> str:
    """The first line of a text that says something; what follows shows as `…`."""
    lines = [line for line in clean(text[:2000]).strip().split("\n") if line.strip()]
    return (lines[0].strip() + (" …" if len(lines) > 1 else "")) if lines else ""


def flow(calls: Sequence[Call], width: int) -> list[Row]:
    """Several calls on as few lines as they need; failed ones are always named, of the others the first few."""
    budget = max(0, SHOWN - sum(call.tool.is_error for call in calls))
    hidden = len(calls) - SHOWN
    rows: list[Row] = []
    current: list[Span] = []
    used, left_out = 0, 0
    items: list[tuple[Span, ...]] = []
    for call in calls:
        if hidden > 1 and not call.tool.is_error and budget <= 0:
            left_out += 1
            continue
        budget -= not call.tool.is_error
        items.append(head(call, min(width, 48 if len(calls) > 1 else width)))
    if left_out:
        items.append((("▸ ", "tool"), (f"{left_out} more", "muted")))
    first, fold = calls[0].seq, run_fold(calls[0].seq)
    for item in items:
        length = sum(map(_cells, item))
        if current and used + len(_GAP) + length > width:
            rows.append(Row(tuple(current), first, wrap="none", fold=fold))
            current, used = [], 0
        if current:
            current.append((_GAP, ""))
            used += len(_GAP)
        current += item
        used += length
    rows.append(Row(tuple(current), first, wrap="none", fold=fold))
    return rows


def run_fold(seq: int) -> int:
    """What a click on a summary of several calls toggles; below -1, so that it is no `seq`."""
    return -2 - seq


def _cells(span: Span) -> int:
    return cell_len(span[0])
