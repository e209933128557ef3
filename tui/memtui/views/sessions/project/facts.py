"""What a project is and took, in words, and its activity as a line of days."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from memtui.views.stats.bars import sparkline
from memtui.wording.formatting import agent_name, date_and_year, day_and_month, number, plural, tokens
from memtui.wording.numbers import worked
from memtui.wording.path_text import middle_cut
from memtui.wording.usage_text import cost_facts

if TYPE_CHECKING:
    from memtui_core.index.sessions import ProjectOverview
    from memtui_core.index.statistics import DayCount, Prices

_SEPARATOR: Final = " · "
_WEEK: Final = 7
_MONTH_NAME: Final = 3
"""Cells of the name of a month."""


def head_lines(overview: ProjectOverview, prices: Prices, now: datetime, width: int) -> list[str]:
    """What the project is, and below it what it took; as many lines as that needs."""
    agents = ", ".join(f"{agent_name(agent)} {number(count)}" for agent, count in overview.agents)
    facts = [
        middle_cut(overview.project.root, width),
        plural(overview.sessions, "session"),
        agents if len(overview.agents) > 1 else agents.rpartition(" ")[0],
        plural(overview.subagents, "subagent") if overview.subagents else "",
        f"{number(overview.archived)} archived" if overview.archived else "",
        plural(overview.turns, "turn"),
        _span(overview.first, overview.last, now),
    ]
    usage = list(_usage_facts(overview, prices))
    lines = [*_joined(facts, width), *_joined(usage, width)]
    return lines if len(lines) <= 2 else list(_joined([*facts, *usage], width))


def _usage_facts(overview: ProjectOverview, prices: Prices) -> Iterator[str]:
    """What the project took: tokens, about what they cost, and the time in which agents worked."""
    from memtui_core.index.statistics import total_cost

    models = overview.models
    if written := sum(use.output_tokens for use in models):
        yield f"{tokens(sum(use.new_tokens for use in models))} tokens in"
        yield f"{tokens(written)} out"
    if models and not prices.problem:
        yield from cost_facts(total_cost(models, prices))
    if overview.active:
        yield f"{worked(overview.active.total_seconds())} of work"


def _span(first: datetime | None, last: datetime | None, now: datetime) -> str:
    """From when to when: `12 Jul – today`, in other years `12 Jul 2025 – 3 Feb 2026`; empty without times."""
    if first is None or last is None:
        return ""
    today, start, end = (at.astimezone().date() for at in (now, first, last))
    names = dict.fromkeys("today" if day == today else _day(day, today) for day in (start, end))
    return " – ".join(names)


def _day(day: date, today: date) -> str:
    return day_and_month(day) if day.year == today.year else date_and_year(day)


def _joined(facts: Iterable[str], width: int) -> Iterator[str]:
    """Facts on as few lines as there is room for."""
    line = ""
    for fact in filter(None, facts):
        longer = f"{line}{_SEPARATOR}{fact}" if line else fact
        if line and cell_len(longer) > width:
            yield line
            line = fact
        else:
            line = longer
    if line:
        yield line


def activity_lines(days: Sequence[DayCount], width: int) -> tuple[str, str]:
    """The turns of each day, as many whole weeks as fit, and the months below their first days."""
    shown = days[-max(1, min(len(days), width) // _WEEK) * _WEEK :]
    starts = [index for index, one in enumerate(shown) if not index or one.day.day == 1]
    months = ""
    for start, following in zip(starts, [*starts[1:], len(shown)], strict=True):
        if following - start > _MONTH_NAME:
            months = f"{months:<{start}}{shown[start].day:%b}"
    return sparkline([one.turns for one in shown]), months
