"""Statistics as rows: totals, charts of the days, and tables of tools, files and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from memtui.formatting import cut, date_and_year, day_and_month, middle_cut, number, plural, tokens
from memtui.render.rows import Row, Span
from memtui.views.stats.plots import bar, buckets, chart, names

if TYPE_CHECKING:
    from memtui_core.queries.statistics import ModelUse, Statistics, ToolUse, Totals

TWO_COLUMNS: Final = 110
"""Cells from which tables stand side by side."""
_GAP: Final = 4
_TOOLS: Final = 12
_FILES: Final = 20
"""Rows of a table; what is left out is counted under it."""
_NAMES: Final = 32
"""Most cells of a name that a bar follows."""

_MODEL_HEADS: Final[tuple[str, ...]] = ("turns", "in", "out", "cache read", "written")
_MODEL_WIDTHS: Final[tuple[int, ...]] = (5, 5, 5, 10, 7)
_ROOMY: Final = 56
"""Cells from which models have all their columns; below, those of the cache are left out."""

Spans = tuple[Span, ...]


def report(statistics: Statistics, label: str, width: int, height: int) -> list[Row]:
    """All of it for a pane of some size in cells; `label` names what it speaks of."""
    head: list[Spans] = [((label, "strong"), (f" · {span_name(statistics)}", "muted")), ()]
    totals = statistics.totals
    if not totals.turns:
        return _rows([*head, (("No turn in this time. d shows another one.", "muted"),)])
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


def words(text: str) -> list[Row]:
    """Words where there are no numbers."""
    return _rows([((line, "muted"),) for line in text.splitlines()])


def span_name(statistics: Statistics) -> str:
    """The days that statistics speak of: `last 7 days · 15 Aug – 21 Aug 2026`."""
    days, series = statistics.days, statistics.series
    name = "all time" if days is None else "today" if days == 1 else f"last {days} days"
    if not series:
        return name
    first, last = series[0].day, series[-1].day
    start = day_and_month(first) if first.year == last.year else date_and_year(first)
    return f"{name} · {start} – {date_and_year(last)}"


def total_facts(totals: Totals) -> list[str]:
    """What there is in all, each a number and a noun."""
    facts = [plural(totals.sessions, "session")]
    if totals.subagents:
        facts.append(plural(totals.subagents, "subagent"))
    facts += [plural(totals.turns, "turn"), plural(totals.tool_calls, "tool call"), plural(totals.errors, "error")]
    return [*facts, plural(totals.files, "file")]


def token_facts(totals: Totals) -> list[str]:
    """Tokens in all; nothing where no model answered."""
    if not (totals.input_tokens or totals.output_tokens):
        return []
    read, written = totals.cache_read_tokens, totals.cache_write_tokens
    facts = [f"{tokens(totals.input_tokens)} tokens in", f"{tokens(totals.output_tokens)} out"]
    return [*facts, f"{tokens(read)} read from cache", f"{tokens(written)} written to it"]


def _rows(lines: Iterable[Spans]) -> list[Row]:
    return [Row(spans, wrap="none") for spans in lines]


def _facts(facts: Sequence[str], width: int) -> list[Spans]:
    """As many on a line as fit, the numbers bold."""
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
    unit, found = buckets(series, width - axis - 2)
    turns, sessions = [one.turns for one in found], [one.sessions for one in found]
    axis = len(number(max(turns)))
    tall = max(3, min(8, height // 5))
    under = names(found, unit)
    active = sum(1 for day in series if day.turns)
    each = "" if unit == "day" else f", most in one {unit}"
    return [
        (("turns", "turns strong"), (f" per {unit} · on {number(active)} of {plural(len(series), 'day')}", "muted")),
        *chart(turns, width, tall, "turns", axis, under),
        (),
        (("sessions", "sessions strong"), (f" per day{each}", "muted")),
        *chart(sessions, width, max(2, tall // 2), "sessions", axis),
        (),
    ]


def _tools(tools: Sequence[ToolUse], width: int) -> list[Spans]:
    shown = tools[:_TOOLS]
    if not shown:
        return []
    name = min(_NAMES, max(12, width // 3), max(len("tools"), *(cell_len(tool.tool) for tool in shown)))
    numbers = ("calls", "errors")
    room = max(0, width - name - sum(len(text) + 2 for text in numbers) - 3)
    lines = [_head("tools", width, numbers)]
    for tool in shown:
        drawn = bar(tool.calls, shown[0].calls, room)
        errors = (f"  {number(tool.errors):>6}", "error" if tool.errors else "muted")
        calls = (f"  {number(tool.calls):>5}", "")
        lines.append(
            ((_padded(middle_cut(tool.tool, name), name + 1), ""), (f"{drawn:{room + 2}}", "calls"), calls, errors)
        )
    return lines + _left_out(len(tools) - len(shown), "tool")


def _files(statistics: Statistics, width: int) -> list[Spans]:
    """Of all projects, each file with its own where there is room."""
    shown = statistics.files[:_FILES]
    if not shown:
        return []
    numbers = ("edited", "read", "mentioned")
    room = width - sum(len(text) + 2 for text in numbers)
    widest = max(cell_len(file.project) for file in shown)
    project = min(16, widest) if statistics.root is None and room >= 40 else 0
    lines = [_head("files", width, numbers)]
    for file in shown:
        path_room = room - (project + 2 if project else 0)
        where = (f"{_padded(cut(file.project, project), project)}  ", "muted") if project else ("", "")
        path = (_padded(middle_cut(file.path, path_room), path_room), "")
        lines.append((where, path, *_counts(numbers, (file.edited, file.read, file.mentioned))))
    return lines + _left_out(statistics.totals.files - len(shown), "file")


def _models(models: Sequence[ModelUse], width: int) -> list[Spans]:
    if not models:
        return []
    columns = len(_MODEL_HEADS) if width >= _ROOMY else 3
    heads, widths = _MODEL_HEADS[:columns], _MODEL_WIDTHS[:columns]
    lines = [_head("tokens by model", width, [f"{text:>{w}}" for text, w in zip(heads, widths, strict=True)])]
    room = width - sum(widths) - 2 * len(widths)
    for model in models:
        counts = (model.input_tokens, model.output_tokens, model.cache_read_tokens, model.cache_write_tokens)
        texts = [number(model.turns), *map(tokens, counts)]
        cells = "".join(f"  {text:>{w}}" for text, w in zip(texts, widths, strict=False))
        lines.append(((_padded(cut(model.model, room), room), ""), (cells, "")))
    return lines


def _head(title: str, width: int, numbers: Sequence[str]) -> Spans:
    right = "".join(f"  {text}" for text in numbers)
    return (title, "heading"), (f"{right:>{max(0, width - len(title))}}", "muted")


def _counts(names_: Sequence[str], counts: Sequence[int]) -> Spans:
    """Counts under their names; a nought says less than a blank would, so it is dim."""
    return tuple(
        (f"  {number(count):>{len(name)}}", "" if count else "muted")
        for name, count in zip(names_, counts, strict=True)
    )


def _left_out(count: int, noun: str) -> list[Spans]:
    return [((f"… {plural(count, f'more {noun}')}", "muted"),)] if count > 0 else []


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - cell_len(text))


def _beside(left: Sequence[Spans], right: Sequence[Spans], width: int) -> list[Spans]:
    """Two columns, the left one `width` cells wide."""
    lines = []
    for index in range(max(len(left), len(right))):
        one = left[index] if index < len(left) else ()
        missing = width - sum(cell_len(text) for text, _ in one) + _GAP
        lines.append((*one, (" " * missing, ""), *right[index]) if index < len(right) else one)
    return lines
