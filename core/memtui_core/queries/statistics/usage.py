"""What sessions used: tokens by model, and time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Final

from memtui_core.queries.activity.working_time import read_times
from memtui_core.queries.statistics.counts import ModelUse, models_by
from memtui_core.queries.statistics.prices import Cost, Prices, total_cost
from memtui_core.store.tables import RowSource, key_condition

_COUNTS: Final = [field.name for field in fields(ModelUse) if field.name != "model"]


@dataclass(frozen=True, slots=True)
class SessionUsage:
    """What a session used, its subagents included unless something else is said."""

    models: tuple[ModelUse, ...] = ()
    """The models of the session itself, by turns, most first."""
    subagents: int = 0
    """The number of its subagents, theirs included."""
    subagent_models: tuple[ModelUse, ...] = ()
    """The models of its subagents."""
    wall: timedelta | None = None
    """From its first entry to its last one; None if the transcript has no times."""
    active: timedelta | None = None
    """The time in which the agent worked, without that of subagents, which work meanwhile: the turns without what is
    longer than PAUSE between two entries. None if the transcript has no times."""

    @property
    def input_tokens(self) -> int:
        """The tokens that were read anew, without those that were written to a cache."""
        return sum(use.input_tokens for use in self._all)

    @property
    def output_tokens(self) -> int:
        """The tokens that the models wrote."""
        return sum(use.output_tokens for use in self._all)

    @property
    def cache_read_tokens(self) -> int:
        """The tokens that were read from a cache."""
        return sum(use.cache_read_tokens for use in self._all)

    @property
    def cache_write_tokens(self) -> int:
        """The tokens that were read anew and written to a cache."""
        return sum(use.cache_write_tokens for use in self._all)

    @property
    def new_tokens(self) -> int:
        """As of `ModelUse`."""
        return sum(use.new_tokens for use in self._all)

    def cost(self, prices: Prices) -> Cost:
        """What the tokens cost, as far as prices and tokens are known."""
        return total_cost(self._all, prices)

    @property
    def _all(self) -> Sequence[ModelUse]:
        return (*self.models, *self.subagent_models)


def read_usage(source: RowSource, keys: Collection[int]) -> dict[int, SessionUsage]:
    """What some sessions used, by key."""
    if not keys:
        return {}
    times = read_times(source, keys)
    tops = with_subagents(source, keys)
    models: dict[int, list[ModelUse]] = defaultdict(list)
    # A join with all turns would take much longer.
    for key, use in models_by(source, "t.session", f"FROM turns t WHERE {key_condition('t.session', tops)}"):
        models[key].append(use)
    below: dict[int, list[int]] = defaultdict(list)
    for key, top in tops.items():
        if key != top:
            below[top].append(key)
    return {
        key: SessionUsage(
            tuple(models[key]),
            len(below[key]),
            summed(use for subagent in below[key] for use in models[subagent]),
            *times.get(key, (None, None)),
        )
        for key in keys
    }


def with_subagents(source: RowSource, keys: Collection[int]) -> dict[int, int]:
    """Sessions and all that they started, each with the session of the given ones that is above it."""
    tops = {key: key for key in keys}
    newest = list(keys)
    while newest:
        rows = source.rows(f"SELECT key, parent FROM sessions WHERE {key_condition('parent', newest)} AND NOT hidden")
        found = {key: tops[parent] for key, parent in rows if key not in tops}
        tops |= found
        newest = list(found)
    return tops


def summed(uses: Iterable[ModelUse]) -> tuple[ModelUse, ...]:
    """The use of each model, summed over several sessions, by turns, most first."""
    total: dict[str, ModelUse] = {}
    for use in uses:
        before = total.get(use.model, ModelUse(use.model, 0, 0, 0, 0, 0))
        counts = {name: getattr(before, name) + getattr(use, name) for name in _COUNTS}
        total[use.model] = ModelUse(use.model, **counts)
    return tuple(sorted(total.values(), key=lambda use: (-use.turns, use.model)))
