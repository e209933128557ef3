"""Statistics as a block: totals, cost, a calendar, and bars of projects, models, tools and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

from memtui.render.rows import Row, wrap
from memtui.views.stats.bars import agents, files, models, projects, tools
from memtui.views.stats.blocks import Spans, StatsBlock, beside, stacked
from memtui.views.stats.filters import Filters
from memtui.views.stats.heat_map import heat_map
from memtui.wording.formatting import date_and_year, day_and_month, plural, tokens
from memtui.wording.usage_text import cost_text

if TYPE_CHECKING:
    from memtui_core.index.statistics import Prices, Statistics, Totals

TWO_COLUMNS: Final = 110
"""The width in cells from which bars are placed side by side."""
_GAP: Final = 4
_FACT_GAP: Final = "  "
_BLANK: Final = StatsBlock([()])


def report(statistics: Statistics, prices: Prices, label: str, today: date, width: int, notes: str = "") -> StatsBlock:
    """The whole report for a pane of some width in cells; `label` names the project, `notes` stand below the totals."""
    filters = Filters(statistics, label)
    head = StatsBlock([((label, "strong"), (f" · {span_name(statistics)}", "muted")), ()])
    calendar = heat_map(statistics.calendar, today, filters, width)
    totals = statistics.totals
    if not totals.turns:
        nothing: list[Spans] = [(("No turn in this time. d changes the days.", "muted"),), *_wrapped(notes, width), ()]
        return stacked(head, StatsBlock(nothing), calendar)
    facts = [*_facts(total_facts(totals), width), *_facts(token_facts(totals), width)]
    return stacked(
        head,
        StatsBlock([*facts, *_cost(statistics, prices, width), *_wrapped(notes, width), ()]),
        calendar,
        _BLANK,
        _shares(statistics, prices, filters, width),
    )


def _shares(statistics: Statistics, prices: Prices, filters: Filters, width: int) -> StatsBlock:
    half = (width - _GAP) // 2 if width >= TWO_COLUMNS else width
    rest = width - half - _GAP if width >= TWO_COLUMNS else width
    left = _separated(*(block(statistics, prices, filters, half) for block in (projects, models, agents)))
    right = _separated(tools(statistics, filters, rest), files(statistics, filters, rest))
    return beside(left, right, half + _GAP) if width >= TWO_COLUMNS else _separated(left, right)


def _separated(*blocks: StatsBlock) -> StatsBlock:
    """Blocks below each other with a blank line between them; empty ones are left out."""
    filled = [block for block in blocks if block.lines]
    return stacked(*[part for block in filled for part in (block, _BLANK)][:-1])


def _cost(statistics: Statistics, prices: Prices, width: int) -> list[Spans]:
    """What it cost, and by which prices; nothing if no model is known."""
    if not statistics.models:
        return []
    text = cost_text(statistics.models, prices)
    amount = text.partition(" · ")[0] if "$" in text and not prices.problem else ""
    row = Row(((amount, "strong"), (text.removeprefix(amount), "error" if prices.problem else "muted")))
    return [line.spans for line in wrap([row], width)]


def _wrapped(text: str, width: int) -> list[Spans]:
    """A line of facts that matter less; nothing for an empty one."""
    return [line.spans for line in wrap([Row(((text, "muted"),))], width)] if text else []


def span_name(statistics: Statistics) -> str:
    """The time of statistics: `last 7 days · 15 Aug – 21 Aug 2026`; that of all ends with the last day with a turn."""
    days = statistics.days
    series = [day for day in statistics.series if days is not None or day.turns]
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
    if not (totals.new_tokens or totals.output_tokens):
        return []
    facts = [f"{tokens(totals.new_tokens)} tokens in", f"{tokens(totals.output_tokens)} out"]
    return [*facts, f"{tokens(totals.cache_read_tokens)} read from cache"]


def rows_of(lines: Iterable[Spans]) -> list[Row]:
    """Lines as rows that are not wrapped."""
    return [Row(spans, wrap="none") for spans in lines]


def message_rows(text: str) -> list[Row]:
    """A text in the place of the report."""
    return rows_of(((line, "muted"),) for line in text.splitlines())


def _facts(facts: Sequence[str], width: int) -> list[Spans]:
    """Facts on as few lines as possible, with bold numbers."""
    lines: list[Spans] = []
    used = width
    for fact in facts:
        if used + len(_FACT_GAP) + len(fact) > width:
            lines.append(())
            used = -len(_FACT_GAP)
        count, _, noun = fact.partition(" ")
        gap: Spans = ((_FACT_GAP, ""),) if lines[-1] else ()
        lines[-1] += (*gap, (count, "strong"), (f" {noun}", "muted"))
        used += len(_FACT_GAP) + len(fact)
    return lines
