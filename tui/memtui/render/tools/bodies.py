"""The input and result of a tool call as rows: all, or a few lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from memtui.render.clean import clean, clip, more, plain_rows, shortened
from memtui.render.markdown.blocks import markdown_rows
from memtui.render.markdown.code import code_rows, language_of
from memtui.render.rows import Row, Span, prefixed
from memtui.render.tools.calls import RenderedCall
from memtui.render.tools.diff import diff_rows, output_rows
from memtui.render.tools.headings import heads_command
from memtui.render.tools.subjects import MARKS, listed
from memtui.wording.formatting import cut
from memtui_core.tools.results.failures import rejection_message, telling_start
from memtui_core.tools.results.questions import answers, asked_questions, questions_of
from memtui_core.tools.shell.diff_output import diff_lines, prints_diff
from memtui_core.tools.vocabulary import Family, text_of

SHORT = 8
"""Lines of a result at the short level."""
_SCRIPT = 12
"""Lines of the command of a failed call that is not unfolded."""
_SHOW_ERRORS = frozenset({"read", "edit", "write", "plan"})
"""Families whose body shows the result only of a failed call."""
_NO_LIMIT = 1_000_000
_INDENT: tuple[Span, ...] = (("  ", ""),)
_PROMPT: tuple[tuple[Span, ...], tuple[Span, ...]] = ((("$ ", "prompt"),), _INDENT)
"""Before the first line of a command, and before the others."""


def body(call: RenderedCall, width: int, full: bool, heading_width: int | None = None) -> list[Row]:
    """The rows below the heading of a call, for a width in cells.

    What a heading of `heading_width` cells shows in full is not repeated; None if the call has no heading.
    """
    limit = _NO_LIMIT if full else SHORT
    if call.tool.is_orphan:
        return _output(call, limit)
    if call.tool.family == "shell":
        is_short_failure = call.tool.is_error and not full
        command = _command(call, heading_width, _SCRIPT if is_short_failure else limit)
        return command + (_telling_lines(call) if is_short_failure else _output(call, limit, tail=True))
    render = _questions if asked_questions(call.tool) else _BODIES.get(call.tool.family, _other)
    rows = render(call, width, limit)
    if call.tool.is_error and call.tool.family in _SHOW_ERRORS:
        rows += _output(call, limit)
    return rows


def failure(call: RenderedCall, heading_width: int) -> list[Row]:
    """What a failed call did and why it failed, below a heading of this width: its command, and a few lines of output.

    If the user rejected the call, what they wrote about it.
    """
    is_whole = not call.tool.command or heads_command(call, heading_width)
    # Colours for code take long to import, and the first paint may show a failed call.
    command = [] if is_whole else plain_rows(call.tool.command, "", call.seq)
    rows = prefixed(_limited(command, _SCRIPT, call.seq), *_PROMPT)
    if call.tool.rejected:
        said = rejection_message(call.tool.output)
        return rows + (_limited(plain_rows(said, "error", call.seq), SHORT, call.seq) if said else [])
    return rows + _telling_lines(call)


def _change(call: RenderedCall, width: int, limit: int) -> list[Row]:
    changes = call.changes
    shown = changes[:limit] if len(changes) > limit + 1 else changes
    rows = diff_rows(shown, call.seq)
    if len(shown) < len(changes):
        rows.append(_hidden(len(changes) - len(shown), call.seq))
    return rows or _other(call, width, limit)


def _read(call: RenderedCall, width: int, limit: int) -> list[Row]:
    if call.tool.is_error:
        return []
    lines, hidden, _ = clip(call.lines_read, limit)
    texts, numbers = [text for _, text in lines], [number for number, _ in lines]
    rows = code_rows(texts, numbers, language_of(call.path), call.seq)
    return [*rows, _hidden(hidden, call.seq)] if hidden else rows


def _command(call: RenderedCall, heading_width: int | None, limit: int) -> list[Row]:
    """The whole command of a shell, unless the heading shows it."""
    if not call.tool.command or (heading_width is not None and heads_command(call, heading_width)):
        return []
    command = clean(call.tool.command).strip("\n").split("\n")
    lines, hidden, _ = clip(command, 3 if limit == SHORT else limit)
    rows = code_rows(lines, [None] * len(lines), "bash", call.seq)
    rows += [_hidden(hidden, call.seq)] if hidden else []
    return prefixed(rows, *_PROMPT)


def _telling_lines(call: RenderedCall) -> list[Row]:
    """Some lines of the output of a failed call, which say what went wrong; if they are not all, none is wrapped."""
    lines = call.output
    start = telling_start(lines, SHORT)
    start, end = start if start > 1 else 0, start + SHORT
    end = end if end < len(lines) - 1 else len(lines)
    rows = plain_rows("\n".join(lines[start:end]), "output" if call.tool.command else "error", call.seq)
    if len(rows) < len(lines):
        rows = [replace(row, wrap="none") for row in rows]
    above, below = [_hidden(start, call.seq)] * (start > 0), [_hidden(len(lines) - end, call.seq)] * (end < len(lines))
    return [*above, *rows, *below]


def _output(call: RenderedCall, limit: int, tail: bool = False) -> list[Row]:
    """The text of a result; with `tail` also its end, where a command shows its errors."""
    if call.result is None and not call.tool.is_orphan:
        return []
    style = "error" if call.tool.is_error and call.tool.family != "shell" else "output"
    lines = list(zip(call.output, diff_lines(call.output, prints_diff(call.tool.command)), strict=True))
    head, hidden, end = clip(lines, limit // 2 if tail else limit, limit - limit // 2 if tail else 0)
    rows = output_rows(head, style, call.seq)
    if hidden:
        rows += [_hidden(hidden, call.seq), *output_rows(end, style, call.seq)]
    return rows or [Row((("(no output)", "muted"),), call.seq)]


def _list(call: RenderedCall, width: int, limit: int) -> list[Row]:
    return _output(call, limit)


def _task(call: RenderedCall, width: int, limit: int) -> list[Row]:
    seq = call.seq
    prompt = _limited(markdown_rows(text_of(call.tool.fields, ("prompt", "description")), width, seq), limit // 2, seq)
    if call.result is None:
        return prompt
    answer = markdown_rows(call.result.text, width, seq) if not call.tool.is_error else _output(call, limit)
    sign = (("◌ ", "muted"),)
    return [*prompt, *prefixed(_limited(answer, limit, seq), sign, (("  ", ""),))]


def _web(call: RenderedCall, width: int, limit: int) -> list[Row]:
    prompt = text_of(call.tool.fields, ("prompt",))
    rows = [Row(((_flat(prompt), "muted"),), call.seq)] if prompt else []
    if call.result is None or call.tool.is_error:
        return rows + _output(call, limit)
    return rows + _limited(markdown_rows(call.result.text, width, call.seq), limit, call.seq)


def _plan(call: RenderedCall, width: int, limit: int) -> list[Row]:
    rows: list[Row] = []
    for todo in call.todos.values() if listed(call) else ():
        style = "struck muted" if todo.status == "completed" else "strong" if todo.status == "in_progress" else ""
        mark = MARKS.get(todo.status, "☐")
        rows.append(Row(((_flat(todo.text), style),), call.seq, ((mark + " ", "bullet"),), (("  ", ""),)))
    return _limited(rows, limit, call.seq) if rows else _other(call, width, limit)


def _questions(call: RenderedCall, width: int, limit: int) -> list[Row]:
    """The questions with their options, of which those in the answer are marked; an answer of the user's own below."""
    rows: list[Row] = []
    given = dict(answers(call.tool))
    for asked in questions_of(call.tool):
        question = str(asked.get("question", ""))
        rows.append(Row(((_flat(question), "strong"),), call.seq, (("? ", "prompt"),), _INDENT))
        answer, options = _flat(given.get(question, "")), asked.get("options")
        was_chosen = False
        for one in [one for one in options if isinstance(one, dict)] if isinstance(options, list) else ():
            label, reason = (_flat(str(one.get(name) or "")) for name in ("label", "description"))
            # Of several chosen options the answer is a list.
            is_chosen = bool(label) and f", {label}, " in f", {answer}, "
            was_chosen |= is_chosen
            spans = ((label, "strong" if is_chosen else ""), (f"  {reason}" if reason else "", "muted"))
            rows.append(Row(spans, call.seq, (("  ● " if is_chosen else "  ○ ", "bullet"),), (("    ", ""),)))
        if answer and not was_chosen:
            rows.append(Row(((answer, "strong"),), call.seq, (("  → ", "bullet"),), (("    ", ""),)))
    if call.tool.is_error or not given:
        rows += _output(call, limit)
    return rows


def _other(call: RenderedCall, width: int, limit: int) -> list[Row]:
    rows = [row for key, value in call.tool.fields.items() for row in _pair(key, value, call.seq)]
    if not rows and call.block.text not in {"", "{}"}:
        rows = plain_rows(call.block.text, "", call.seq)
    if call.tool.is_error and call.tool.family in _SHOW_ERRORS:
        return _limited(rows, limit, call.seq)
    return _limited(rows, limit, call.seq) + (_output(call, limit) if call.result is not None else [])


def _pair(key: str, value: Any, seq: int, depth: int = 0) -> list[Row]:
    """`key: value`; a text of several lines and a nested value are below their key."""
    name = ((f"{_flat(str(key))}:", "key"),)
    if not isinstance(value, dict | list) or not value:
        if isinstance(value, str) and "\n" in value.strip():
            return [Row(name, seq), *prefixed(plain_rows(value, "", seq), _INDENT, _INDENT)]
        return [Row((*name, (" ", ""), *_scalar(value)), seq, rest=_INDENT)]
    return [Row(name, seq), *prefixed(_nested(value, seq, depth + 1), _INDENT, _INDENT)]


def _nested(value: Any, seq: int, depth: int) -> list[Row]:
    """The items of an object or a list, in a list each after a dash."""
    if depth > 6:
        return [Row(((cut(json.dumps(value, ensure_ascii=False), 400), ""),), seq)]
    if isinstance(value, dict):
        return [row for key, item in value.items() for row in _pair(key, item, seq, depth)]
    rows: list[Row] = []
    for item in value:
        is_nested = isinstance(item, dict | list) and bool(item)
        item_rows = _nested(item, seq, depth + 1) if is_nested else [Row(_scalar(item), seq)]
        rows += prefixed(item_rows, (("- ", "bullet"),), _INDENT)
    return rows


def _scalar(value: Any) -> tuple[Span, ...]:
    if isinstance(value, str):
        text = clean(value).strip().replace("\n", " ")
        return tuple((part, own or "string") for part, own in shortened(text)) or (('""', "string"),)
    return ((json.dumps(value), "literal"),)


def _limited(rows: list[Row], limit: int, seq: int) -> list[Row]:
    if len(rows) <= limit + 1:
        return rows
    return [*rows[:limit], _hidden(len(rows) - limit, seq)]


def _hidden(count: int, seq: int) -> Row:
    return Row(((more(count), "muted"),), seq, fold=seq)


def _flat(text: str) -> str:
    return " ".join(clean(text[:4000]).split())


_BODIES: dict[Family, Callable[[RenderedCall, int, int], list[Row]]] = {
    "read": _read,
    "edit": _change,
    "write": _change,
    "search": _list,
    "web": _web,
    "task": _task,
    "plan": _plan,
}
