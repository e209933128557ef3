"""How the usage of sessions is written in a row: what they cost, and how long the agent worked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from memtui.wording.formatting import date_and_year, plural
from memtui.wording.numbers import about, dollars, duration, percent, tokens, worked

if TYPE_CHECKING:
    from memtui_core.index.statistics import Cost, ModelUse, Prices, SessionUsage


@dataclass(frozen=True, slots=True)
class Spending:
    """The money and the time of a session, or of several."""

    dollars: float | None
    """None if the cost is unknown."""
    is_whole: bool
    """Whether `dollars` leaves nothing out."""
    seconds: float
    """In which the agent worked; 0 if that is unknown."""

    @property
    def cost(self) -> str:
        """`≈ $0.42`; `> $0.42` if that is not all; empty if it is unknown."""
        return "" if self.dollars is None else about(self.dollars, is_all=self.is_whole)

    @property
    def time(self) -> str:
        """`48 s`, `12 min`, `1 h 16 m`; empty for less than a second."""
        return worked(self.seconds) if self.seconds >= 1 else ""


def spending(usage: SessionUsage, prices: Prices) -> Spending:
    """What a session cost by a table of prices, and how long its agent worked."""
    cost = usage.cost(prices)
    return Spending(cost.dollars, cost.is_whole, usage.active.total_seconds() if usage.active is not None else 0)


def together(several: Iterable[Spending]) -> Spending:
    """The sum over some sessions."""
    spent = list(several)
    dollars = [one.dollars for one in spent if one.dollars is not None]
    is_whole = all(one.dollars is not None and one.is_whole for one in spent)
    return Spending(sum(dollars) if dollars else None, is_whole, sum(one.seconds for one in spent))


def token_text(usage: SessionUsage) -> str:
    """`38k in · 4k out · 1.2M read from cache`; empty if the transcript does not tell the tokens."""
    if not (usage.new_tokens or usage.output_tokens or usage.cache_read_tokens):
        return ""
    read = f" · {tokens(usage.cache_read_tokens)} read from cache" if usage.cache_read_tokens else ""
    return f"{tokens(usage.new_tokens)} in · {tokens(usage.output_tokens)} out{read}"


def usage_facts(usage: SessionUsage, prices: Prices) -> list[tuple[str, str]]:
    """What a session used, as names and texts: its tokens, cost and time; empty texts for what is unknown."""
    several = f" · with {plural(usage.subagents, 'subagent')}" if usage.subagents else ""
    used = token_text(usage)
    models = (*usage.models, *usage.subagent_models)
    return [
        ("Tokens", f"{used}{several}" if used else ""),
        ("Cost", cost_text(models, prices) if models else ""),
        ("Time", time_text(usage)),
    ]


def time_text(usage: SessionUsage) -> str:
    """`12 min of work in 2 h 5 m`; empty without times."""
    if usage.wall is None or usage.active is None:
        return ""
    return f"{worked(usage.active.total_seconds())} of work in {duration(usage.wall.total_seconds())}"


def cost_facts(cost: Cost) -> list[str]:
    """A cost in words, and what it leaves out: `about $12.30 for 67 % of the turns`, `no price for claude-opus-5`."""
    if cost.dollars is None:
        facts = ["cost unknown"]
    else:
        amount = dollars(cost.dollars) if cost.dollars < 0.01 else f"about {dollars(cost.dollars)}"
        facts = [amount if cost.is_whole else f"{amount} for {percent(cost.priced_turns, cost.turns)} of the turns"]
    if cost.unpriced:
        facts.append(f"no price for {', '.join(cost.unpriced)}")
    elif not cost.is_whole:
        facts.append(f"no tokens for {plural(cost.turns - cost.priced_turns, 'turn')}")
    return facts


def cost_text(models: Sequence[ModelUse], prices: Prices) -> str:
    """The cost in words: `about $12.30 for 67 % of the turns · no price for claude-opus-5 · prices of 15 Feb 2026`."""
    from memtui_core.index.statistics import total_cost

    if prices.problem:
        return f"no cost · {prices.problem}"
    cost = total_cost(models, prices)
    facts = cost_facts(cost)
    if cost.days:
        facts.append(price_days(cost.days))
    return " · ".join(facts)


def price_days(days: Sequence[date]) -> str:
    """The days of prices, the first one first: `prices of 15 Feb 2026`, or `prices of 1 Jan 2026 to 15 Feb 2026`."""
    return f"prices of {' to '.join(map(date_and_year, dict.fromkeys((days[0], days[-1]))))}"
