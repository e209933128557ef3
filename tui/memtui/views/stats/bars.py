"""The shares of projects, models and tools as bars, and the files that were touched most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from memtui.render.rows import Span
from memtui.system import clock
from memtui.views.stats.blocks import SearchLink, Spans, StatsBlock
from memtui.views.stats.filters import Filters
from memtui.widgets.requests.target import TurnSearch
from memtui.wording.formatting import age, agent_full_name, date_and_year, dollars, fitted, number, plural, tokens
from memtui.wording.numbers import percent
from memtui.wording.path_text import middle_cut
from memtui.wording.usage_text import cost_facts
from memtui_core.text.controls import stored

if TYPE_CHECKING:
    from memtui_core.index.statistics import Cost, ModelUse, Prices, Statistics

_MAX_BARS: Final = 12
_MAX_FILES: Final = 20
"""Rows at most; a line below counts the others."""
_LEAST_BAR: Final = 5
"""Cells of a bar; where there is less room, the least important columns are left out."""
_FULL_BAR: Final = 12
"""Cells of a bar, from which long names take what is more."""
_PROJECT: Final = 16
"""Cells of a project beside the path of a file; longer ones take up to a third, and what the paths leave."""
_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_BAR: Final = "━"
_HALF_BAR: Final = "╸"


def bar(value: float, maximum: float, width: int) -> str:
    """A horizontal bar of `width` cells for `maximum`; every value above 0 is visible."""
    if value <= 0 or maximum <= 0 or width <= 0:
        return ""
    whole, half = divmod(max(1, round(min(value, maximum) * width * 2 / maximum)), 2)
    return _BAR * whole + _HALF_BAR * half


def sparkline(values: Sequence[int]) -> str:
    """One character for each value, a dot for 0."""
    maximum = max(values, default=0)
    return "".join(_EIGHTHS[max(1, round(value * 8 / maximum))] if value > 0 else "·" for value in values)


@dataclass(frozen=True, slots=True)
class _Bar:
    """A row: its name, its value, the texts of its columns, and what the cursor shows and opens."""

    name: str
    value: int
    columns: tuple[str, ...]
    text: str
    search: TurnSearch


def projects(statistics: Statistics, prices: Prices, filters: Filters, width: int) -> StatsBlock:
    """The turns by project, with what they cost."""
    from memtui_core.index.statistics import total_cost

    total = statistics.totals.turns
    rows = []
    for use in statistics.projects:
        cost = total_cost(use.models, prices)
        facts = [use.project, f"{plural(use.turns, 'turn')} in {plural(use.sessions, 'session')}"]
        if not prices.problem:
            facts += cost_facts(cost)
        columns = (percent(use.turns, total), *price_column(cost, prices), number(use.turns), number(use.sessions))
        rows.append(_Bar(use.project, use.turns, columns, " · ".join(facts), filters.project(use)))
    return _bars("projects", ("share", *price_head(prices), "turns", "sessions"), rows, width, "project")


def models(statistics: Statistics, prices: Prices, filters: Filters, width: int) -> StatsBlock:
    """The turns by model, with what they cost and their tokens."""
    from memtui_core.index.statistics import total_cost

    total = sum(use.turns for use in statistics.models)
    rows = []
    for use in statistics.models:
        cost = total_cost([use], prices)
        facts = [use.model, plural(use.turns, "turn")]
        if not prices.problem:
            facts += [*cost_facts(cost), *price_sources(use, prices)]
        read, written = use.cache_read_tokens, use.cache_write_tokens
        counts = (use.new_tokens, use.output_tokens, read, written)
        columns = (percent(use.turns, total), *price_column(cost, prices), number(use.turns), *map(tokens, counts))
        rows.append(_Bar(use.model, use.turns, columns, " · ".join(facts), filters.whole_value("model", use.model)))
    price = price_head(prices)
    heads = ("share", *price, "turns", "in", "out", "cache read", "written")
    by_priority = (*price, "turns", "out", "share", "in", "cache read", "written")
    return _bars("models", heads, rows, width, "model", by_priority)


def agents(statistics: Statistics, prices: Prices, filters: Filters, width: int) -> StatsBlock:
    """The turns by agent, with tokens, costs and the last turn; nothing if all are of one agent."""
    from memtui_core.index.statistics import total_cost

    if len(statistics.agents) < 2:
        return StatsBlock()
    now = clock.now()
    rows = []
    for use in statistics.agents:
        cost = total_cost(use.models, prices)
        name, last = agent_full_name(use.agent), age(use.last, now)
        facts = [name, f"{plural(use.turns, 'turn')} in {plural(use.sessions, 'session')}"]
        if not prices.problem:
            facts += cost_facts(cost)
        amount = tokens(sum(model.new_tokens + model.output_tokens for model in use.models))
        columns = (
            percent(use.turns, statistics.totals.turns), *price_column(cost, prices), number(use.turns),
            number(use.sessions), amount, last,
        )  # fmt: skip
        rows.append(_Bar(name, use.turns, columns, " · ".join(facts), filters.whole_value("agent", use.agent)))
    price = price_head(prices)
    heads = ("share", *price, "turns", "sessions", "tokens", "last")
    return _bars("agents", heads, rows, width, "agent", ("sessions", "turns", *price, "last", "tokens", "share"))


def tools(statistics: Statistics, filters: Filters, width: int) -> StatsBlock:
    """The calls by tool."""
    total = sum(use.calls for use in statistics.tools)
    rows = [
        _Bar(
            use.tool,
            use.calls,
            (percent(use.calls, total), number(use.calls), number(use.errors)),
            f"{use.tool} · {plural(use.calls, 'call')}, {plural(use.errors, 'error')}",
            filters.whole_value("tool", use.tool),
        )
        for use in statistics.tools
    ]
    return _bars("tools", ("share", "calls", "errors"), rows, width, "tool")


def files(statistics: Statistics, filters: Filters, width: int) -> StatsBlock:
    """The table of files; in statistics of all projects with the project of each file, if there is room."""
    shown = statistics.files[:_MAX_FILES]
    if not shown:
        return StatsBlock()
    heads = ("edited", "read", "mentioned")
    left_width = width - sum(len(head) + 2 for head in heads)
    longest_project, longest_path = (
        max(map(cell_len, names)) for names in zip(*((file.project, file.path) for file in shown), strict=True)
    )
    has_projects = statistics.root is None and left_width >= 40
    project_width = (
        min(longest_project, max(_PROJECT, left_width // 3, left_width - 2 - longest_path)) if has_projects else 0
    )
    path_width = max(1, left_width - (project_width + 2 if project_width else 0))
    lines: list[Spans] = [_head("files", width, [f"{head:>{len(head)}}" for head in heads])]
    links = []
    for file in shown:
        project: Span = (f"{fitted(file.project, project_width)}  " if project_width else "", "muted")
        counts = [
            (f"  {number(count):>{len(head)}}", "" if count else "muted")
            for head, count in zip(heads, (file.edited, file.read, file.mentioned), strict=True)
        ]
        path = fitted(middle_cut(file.path, path_width), path_width)
        text = f"{file.path} · {plural(file.turns, 'turn')}"
        key = ("file", file.path, file.root, stored(file.project))
        links.append(SearchLink(len(lines), 0, width, left_width, text, filters.file(file), key))
        lines.append((project, (path, ""), *counts))
    return StatsBlock([*lines, *_left_out(statistics.totals.files - len(shown), "file")], links)


def price_sources(use: ModelUse, prices: Prices) -> list[str]:
    """The day and the source of the price of a model: `price of 15 Feb 2026 from https://…`; empty without a price."""
    price = prices.price(use.model)
    if price is None:
        return []
    return [f"price of {date_and_year(price.date)}{f' from {price.source}' if price.source else ''}"]


def price_head(prices: Prices) -> tuple[str, ...]:
    """The head of the column of costs; none if there are no prices."""
    return () if prices.problem else ("cost",)


def price_column(cost: Cost, prices: Prices) -> tuple[str, ...]:
    """What something cost: `$12.30`, `$12.30 for 67 %` of its turns, or `unknown`; no column if there are no prices."""
    if prices.problem:
        return ()
    if cost.dollars is None:
        return ("unknown",)
    whole = dollars(cost.dollars)
    return (whole if cost.is_whole else f"{whole} for {percent(cost.priced_turns, cost.turns)}",)


def _bars(
    title: str, heads: Sequence[str], rows: Sequence[_Bar], width: int, noun: str, by_priority: Sequence[str] = ()
) -> StatsBlock:
    """A table with a bar in each row; `by_priority` are the heads, most important first, if not in order."""
    shown = rows[:_MAX_BARS]
    if not shown:
        return StatsBlock()
    longest = max(len(title), *(cell_len(row.name) for row in shown))
    name_width = min(longest, max(8, width * 2 // 5))
    cells = [max(len(head), *(len(row.columns[index]) for row in shown)) for index, head in enumerate(heads)]
    columns, bar_width = _fitting(heads, cells, by_priority or heads, width - name_width - 1)
    wider = max(0, min(longest - name_width, bar_width - _FULL_BAR))
    name_width, bar_width = name_width + wider, bar_width - wider
    lines: list[Spans] = [_head(title, width, [f"{heads[column]:>{cells[column]}}" for column in columns])]
    links = []
    for row in shown:
        drawn = f" {bar(row.value, shown[0].value, bar_width):{bar_width}}"
        texts = ((column, row.columns[column]) for column in columns)
        counts = tuple((f"  {text:>{cells[column]}}", _column_style(heads[column], text)) for column, text in texts)
        links.append(SearchLink(len(lines), 0, width, name_width, row.text, row.search, (noun, row.name)))
        lines.append(((fitted(row.name, name_width), ""), (drawn, "share"), *counts))
    return StatsBlock([*lines, *_left_out(len(rows) - len(shown), noun)], links)


def _fitting(
    heads: Sequence[str], cells: Sequence[int], by_priority: Sequence[str], width: int
) -> tuple[list[int], int]:
    """The columns that fit beside a bar, as many of the most important ones as possible, and the cells of the bar."""
    columns: list[int] = []
    for column in map(heads.index, by_priority):
        if width - cells[column] - 2 < _LEAST_BAR:
            break
        width -= cells[column] + 2
        columns.append(column)
    return sorted(columns), max(0, width)


def _column_style(head: str, text: str) -> str:
    if head == "errors":
        return "muted" if text == "0" else "error"
    return "muted" if text == "unknown" else ""


def _head(title: str, width: int, columns: Sequence[str]) -> Spans:
    right = "".join(f"  {column}" for column in columns)
    return (title, "heading"), (f"{right:>{max(0, width - len(title))}}", "muted")


def _left_out(count: int, noun: str) -> list[Spans]:
    return [((f"… {plural(count, f'more {noun}')}", "muted"),)] if count > 0 else []
