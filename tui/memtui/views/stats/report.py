"""Statistics as rows: totals, charts of the days, and tables of tools, files and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from memtui.formatting import cut, date_and_year, day_and_month, number, padded, plural, tokens
from memtui.path_text import middle_cut
from memtui.render.rows import Row, Span
from memtui.views.stats.plots import bar, buckets, chart, column_labels

if TYPE_CHECKING:
    from memtui_core.queries.statistics import ModelUse, Statistics, ToolUse, Totals

TWO_COLUMNS: Final = 110
"""The width in cells from which tables are placed side by side."""
_GAP: Final = 4
_MAX_TOOLS: Final = 12
_MAX_FILES: Final = 20
"""Rows of the tables at most; a line below a table counts the others."""
_MAX_NAME: Final = 32
"""Cells of a tool's name at most."""

_MODEL_HEADS: Final[tuple[str, ...]] = ("turns", "in", "out", "cache read", "written")
_MODEL_WIDTHS: Final[tuple[int, ...]] = (5, 5, 5, 10, 7)
_ALL_MODEL_COLUMNS: Final = 56
"""The width in cells from which the table of models has all columns; otherwise those of the cache are left out."""

Spans = tuple[Span, ...]


def report(statistics: Statistics, label: str, width: int, height: int) -> list[Row]:
    """The whole report for a pane of some size in cells; `label` names the project."""
    head: list[Spans] = [((label, "strong"), (f" · {span_name(statistics)}", "muted")), ()]
    totals = statistics.totals
    if not totals.turns:
        return _rows([*head, (("No turn in this time. d changes the days.", "muted"),)])
    lines = [*head, *_facts(total_facts(totals), width), *_facts(token_facts(totals), width), ()]
    lines += _days(statistics, width, height)
    tools, models = statistics.tools, statistics.models
    if width >= TWO_COLUMNS:
        half = (width - _GAP) // 2
        left = [*_tools(tools, half), (), *_models(models, half)]
        lines += _beside(left, _files(statistics, width - half - _GAP), half)
    else:
        lines += [*_tools(tools, width), (), *_files(statistics, width), ()]
        lines += _models(models, width)
    return _rows(lines)


def message_rows(text: str) -> list[Row]:
    """A text in the place of the report."""
    return _rows([((line, "muted"),) for line in text.splitlines()])


def span_name(statistics: Statistics) -> str:
    """The time of statistics: `last 7 days · 15 Aug – 21 Aug 2026`."""
    days, series = statistics.days, statistics.series
    name = "all time" if days is None else "today" if days == 1 else f"last {days} days"
    if not series:
        return name
    first, last = series[0].day, series[-1].day
    start = day_and_month(first) if first.year == last.year else date_and_year(first)
    return f"{name} · {start} – {date_and_year(last)}"


def total_facts(totals: Totals) -> list[str]:
    """The totals, each a number and a noun."""
    facts = [plural(totals.sessions, "session")]
    if totals.subagents:
        facts.append(plural(totals.subagents, "subagent"))
    facts += [plural(totals.turns, "turn"), plural(totals.tool_calls, "tool call"), plural(totals.errors, "error")]
    return [*facts, plural(totals.files, "file")]


def token_facts(totals: Totals) -> list[str]:
    """The totals of tokens; empty if there are none."""
    if not (totals.input_tokens or totals.output_tokens):
        return []
    read, written = totals.cache_read_tokens, totals.cache_write_tokens
    facts = [f"{tokens(totals.input_tokens)} tokens in", f"{tokens(totals.output_tokens)} out"]
    return [*facts, f"{tokens(read)} read from cache", f"{tokens(written)} written to it"]


def _rows(lines: Iterable[Spans]) -> list[Row]:
    return [Row(spans, wrap="none") for spans in lines]


def _facts(facts: Sequence[str], width: int) -> list[Spans]:
    """Facts on as few lines as possible, with bold numbers."""
    lines: list[Spans] = []
    used = width
    for fact in facts:
        if used + 3 + len(fact) > width:
            lines.append(())
            used = -3
        count, _, noun = fact.partition(" ")
        gap: Spans = (("   ", ""),) if lines[-1] else ()
        lines[-1] += (*gap, (count, "strong"), (f" {noun}", "muted"))
        used += 3 + len(fact)
    return lines


def _days(statistics: Statistics, width: int, height: int) -> list[Spans]:
    series = statistics.series
    if not series:
        return []
    axis = len(number(max(day.turns for day in series))) + 3
    unit, columns = buckets(series, width - axis - 2)
    turns, sessions = [bucket.turns for bucket in columns], [bucket.sessions for bucket in columns]
    axis = len(number(max(turns)))
    lines = max(3, min(8, height // 5))
    active = sum(1 for day in series if day.turns)
    maximum = "" if unit == "day" else f", most in one {unit}"
    return [
        (("turns", "turns strong"), (f" per {unit} · on {number(active)} of {plural(len(series), 'day')}", "muted")),
        *chart(turns, width, lines, "turns", axis, column_labels(columns, unit)),
        (),
        (("sessions", "sessions strong"), (f" per day{maximum}", "muted")),
        *chart(sessions, width, max(2, lines // 2), "sessions", axis),
        (),
    ]


def _tools(tools: Sequence[ToolUse], width: int) -> list[Spans]:
    shown = tools[:_MAX_TOOLS]
    if not shown:
        return []
    name_width = min(_MAX_NAME, max(12, width // 3), max(len("tools"), *(cell_len(tool.tool) for tool in shown)))
    columns = ("calls", "errors")
    bar_width = max(0, width - name_width - sum(len(column) + 2 for column in columns) - 3)
    lines = [_head("tools", width, columns)]
    for tool in shown:
        name = (padded(middle_cut(tool.tool, name_width), name_width + 1), "")
        calls_bar = (f"{bar(tool.calls, shown[0].calls, bar_width):{bar_width + 2}}", "calls")
        calls = (f"  {number(tool.calls):>5}", "")
        errors = (f"  {number(tool.errors):>6}", "error" if tool.errors else "muted")
        lines.append((name, calls_bar, calls, errors))
    return lines + _left_out(len(tools) - len(shown), "tool")


def _files(statistics: Statistics, width: int) -> list[Spans]:
    """The table of files; in statistics of all projects with the project of each file, if there is room."""
    shown = statistics.files[:_MAX_FILES]
    if not shown:
        return []
    columns = ("edited", "read", "mentioned")
    left_width = width - sum(len(column) + 2 for column in columns)
    widest = max(cell_len(file.project) for file in shown)
    project_width = min(16, widest) if statistics.root is None and left_width >= 40 else 0
    path_width = left_width - (project_width + 2 if project_width else 0)
    lines = [_head("files", width, columns)]
    for file in shown:
        project = f"{padded(cut(file.project, project_width), project_width)}  " if project_width else ""
        path = padded(middle_cut(file.path, path_width), path_width)
        counts = _counts(columns, (file.edited, file.read, file.mentioned))
        lines.append(((project, "muted" if project else ""), (path, ""), *counts))
    return lines + _left_out(statistics.totals.files - len(shown), "file")


def _models(models: Sequence[ModelUse], width: int) -> list[Spans]:
    if not models:
        return []
    columns = len(_MODEL_HEADS) if width >= _ALL_MODEL_COLUMNS else 3
    heads, widths = _MODEL_HEADS[:columns], _MODEL_WIDTHS[:columns]
    lines = [_head("tokens by model", width, [f"{text:>{w}}" for text, w in zip(heads, widths, strict=True)])]
    name_width = width - sum(widths) - 2 * len(widths)
    for model in models:
        counts = (model.input_tokens, model.output_tokens, model.cache_read_tokens, model.cache_write_tokens)
        texts = [number(model.turns), *map(tokens, counts)]
        cells = "".join(f"  {text:>{w}}" for text, w in zip(texts, widths, strict=False))
        lines.append(((padded(cut(model.model, name_width), name_width), ""), (cells, "")))
    return lines


def _head(title: str, width: int, columns: Sequence[str]) -> Spans:
    right = "".join(f"  {column}" for column in columns)
    return (title, "heading"), (f"{right:>{max(0, width - len(title))}}", "muted")


def _counts(columns: Sequence[str], counts: Sequence[int]) -> Spans:
    """Counts below the heads of their columns; 0 is dim."""
    return tuple(
        (f"  {number(count):>{len(column)}}", "" if count else "muted")
        for column, count in zip(columns, counts, strict=True)
    )


def _left_out(count: int, noun: str) -> list[Spans]:
    return [((f"… {plural(count, f'more {noun}')}", "muted"),)] if count > 0 else []


def _beside(left: Sequence[Spans], right: Sequence[Spans], width: int) -> list[Spans]:
    """Join two columns, the left one `width` cells wide."""
    lines = []
    for index in range(max(len(left), len(right))):
        line = left[index] if index < len(left) else ()
        gap = width - sum(cell_len(text) for text, _ in line) + _GAP
        lines.append((*line, (" " * gap, ""), *right[index]) if index < len(right) else line)
    return lines
