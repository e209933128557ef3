"""`memtui stats`: counts of sessions, turns, tools, files and tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from memtui.cli.opened import project_named
from memtui.cli.options import data_dir_option, json_option, reports_errors
from memtui.cli.output import fields_of, print_json, print_table, say, short_time, show, show_styled

if TYPE_CHECKING:
    from memtui_core.queries.statistics.counts import ModelUse, Statistics
    from memtui_core.queries.statistics.prices import Prices

_CHART_DAYS: Final = 30
"""Maximum days in the charts."""
_MAX_ROWS: Final = 15
"""Maximum rows of a table; `--json` prints more."""


@click.command()
@click.option(
    "--project", "name", metavar="NAME", help="Only this project: its name, the beginning of it, or its folder."
)
@click.option("--days", type=click.IntRange(1, 3660), help="Only the last N days, today included.")
@data_dir_option
@json_option
@reports_errors
def stats(name: str | None, days: int | None, data_dir: Path | None, as_json: bool) -> None:
    """Count sessions and turns by day, tools, files and tokens."""
    from memtui_core.queries.statistics.counts import statistics
    from memtui_core.queries.statistics.prices import load_prices
    from memtui_core.store.data_folder import DataDir
    from memtui_core.store.snapshot.reader import Snapshot
    from memtui_core.system import locations

    # Only the snapshot, not the whole index: the lexicon and the model are not needed.
    snapshot = Snapshot(DataDir(locations.data_dir(data_dir)))
    project = None if name is None else project_named(snapshot, name)
    result = statistics(snapshot, project.root if project else None, days)
    prices = load_prices(locations.prices_file())
    if as_json:
        if prices.problem:
            say(prices.problem)
        print_json([statistics_object(result, prices, project.name if project else None)])
    elif result.totals.turns:
        _print(result, prices, project.name if project else "all projects")
    else:
        say("Nothing to count.")


def statistics_object(result: Statistics, prices: Prices, project: str | None) -> dict[str, Any]:
    """Statistics as JSON; `days` and `project` are null if they are not restricted, `cost` without prices."""
    counts = fields_of(result, "root", "days", "totals", "series", "tools", "files", "models", "projects", "agents")
    return {"project": project, **counts, "cost": cost_object(result.models, prices)}


def cost_object(models: Sequence[ModelUse], prices: Prices) -> dict[str, Any] | None:
    """What models cost as JSON; None without prices."""
    from memtui_core.queries.statistics.prices import total_cost

    if prices.problem:
        return None
    cost = total_cost(models, prices)
    return {
        "dollars": None if cost.dollars is None else round(cost.dollars, 6),
        **fields_of(cost, "turns", "priced_turns", "unpriced"),
        "prices_as_of": cost.days[0] if cost.days else None,
    }


def _print(result: Statistics, prices: Prices, label: str) -> None:
    from memtui.views.stats.bars import price_column, price_head
    from memtui.views.stats.report import span_name, token_facts, total_facts
    from memtui.wording.numbers import percent
    from memtui.wording.usage_text import cost_text
    from memtui_core.queries.statistics.prices import total_cost

    show_styled((label, "strong"), (f" · {span_name(result)}", "muted"))
    show()
    show(", ".join(total_facts(result.totals)))
    if tokens := token_facts(result.totals):
        show(", ".join(tokens))
    if result.models:
        show(cost_text(result.models, prices))
    _print_days(result)
    projects = [
        (
            row.project,
            percent(row.turns, result.totals.turns),
            f"{row.turns:,}",
            f"{row.sessions:,}",
            *price_column(total_cost(row.models, prices), prices),
        )
        for row in result.projects
    ]
    _print_table(("project", "share", "turns", "sessions", *price_head(prices)), projects, right=(1, 2, 3, 4))
    _print_agents(result, prices)
    tools = [
        (row.tool, percent(row.calls, result.totals.tool_calls), f"{row.calls:,}", f"{row.errors:,}")
        for row in result.tools
    ]
    _print_table(("tool", "share", "calls", "errors"), tools, right=(1, 2, 3))
    files = [(row.path, str(row.edited), str(row.read), str(row.mentioned), row.project) for row in result.files]
    _print_table(("file", "edited", "read", "mentioned", "project"), files, right=(1, 2, 3), total=result.totals.files)
    _print_models(result, prices)


def _print_days(result: Statistics) -> None:
    from memtui.views.stats.bars import sparkline
    from memtui.wording.formatting import date_and_year, day_and_month

    last = max((index for index, day in enumerate(result.series) if day.turns), default=-1)
    # Up to the last day with work: of a project that rests nothing would be seen.
    series = result.series[: last + 1][-_CHART_DAYS:]
    if not series:
        return
    rows = []
    for title, counts in (("turns", [day.turns for day in series]), ("sessions", [day.sessions for day in series])):
        rows.append((title, sparkline(counts), f"most {max(counts):,}"))
    show()
    days = f"{day_and_month(series[0].day)} – {date_and_year(series[-1].day)}"
    print_table([*rows, ("", days, "")], styles=("", "", "muted"))


def _print_models(result: Statistics, prices: Prices) -> None:
    from memtui.views.stats.bars import price_column, price_head
    from memtui.wording.formatting import tokens
    from memtui_core.queries.statistics.prices import total_cost

    rows = []
    for row in result.models:
        counts = (row.new_tokens, row.output_tokens, row.cache_read_tokens, row.cache_write_tokens)
        rows.append(
            (row.model, f"{row.turns:,}", *map(tokens, counts), *price_column(total_cost([row], prices), prices))
        )
    heads = ("model", "turns", "in", "out", "cache read", "cache written", *price_head(prices))
    _print_table(heads, rows, right=(1, 2, 3, 4, 5, 6))


def _print_agents(result: Statistics, prices: Prices) -> None:
    """Print the work of each agent, if there are several."""
    from memtui.views.stats.bars import price_column, price_head
    from memtui.wording.formatting import agent_full_name, tokens
    from memtui.wording.numbers import percent
    from memtui_core.queries.statistics.prices import total_cost

    rows = []
    for row in result.agents if len(result.agents) > 1 else ():
        amount = tokens(sum(model.new_tokens + model.output_tokens for model in row.models))
        counts = (percent(row.turns, result.totals.turns), f"{row.turns:,}", f"{row.sessions:,}", amount)
        cost = price_column(total_cost(row.models, prices), prices)
        rows.append((agent_full_name(row.agent), *counts, *cost, short_time(row.last)))
    heads = ("agent", "share", "turns", "sessions", "tokens", *price_head(prices), "last")
    _print_table(heads, rows, right=tuple(range(1, len(heads) - 1)))


def _print_table(
    head: tuple[str, ...], rows: Sequence[tuple[str, ...]], right: tuple[int, ...], total: int | None = None
) -> None:
    """Print a table of the first rows, and how many of `total` rows (default: all given) are left out."""
    if rows:
        show()
        print_table([head, *rows[:_MAX_ROWS]], right, head=True)
        if (more := (len(rows) if total is None else total) - _MAX_ROWS) > 0:
            show_styled((f"… {more:,} more", "muted"))
