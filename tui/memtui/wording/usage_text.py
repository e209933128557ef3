"""How the usage of a session is written in a row: what it cost, and how long the agent worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtui.wording.numbers import about, tokens, worked

if TYPE_CHECKING:
    from memtui_core.index.statistics import Cost, SessionUsage


def cost_cell(cost: Cost) -> str:
    """What a session cost, by the table of prices: `≈ $0.42`; `> $0.42` if that is not all; empty if it is unknown."""
    if cost.dollars is None:
        return ""
    return about(cost.dollars, is_all=cost.is_whole)


def active_cell(usage: SessionUsage) -> str:
    """How long the agent worked: `12 min`; empty if it is unknown, or less than a second."""
    seconds = usage.active.total_seconds() if usage.active is not None else 0
    return worked(seconds) if seconds >= 1 else ""


def token_facts(usage: SessionUsage) -> list[str]:
    """The tokens of a session: `38k in`, `4k out`; empty if the transcript does not tell them."""
    if not (usage.new_tokens or usage.output_tokens):
        return []
    return [f"{tokens(usage.new_tokens)} in", f"{tokens(usage.output_tokens)} out"]
