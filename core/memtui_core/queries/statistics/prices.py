"""What the tokens of models cost, by a dated table that the user can replace."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from memtui_core.errors import PricesInvalid
from memtui_core.queries.sources import SourceRow
from memtui_core.queries.statistics.counts import ModelUse
from memtui_core.store.tables import MODEL_SEPARATOR
from memtui_core.text.controls import one_line

_BUILT_IN: Final = Path(__file__).with_name("prices.toml")
_VERSION: Final = re.compile(r"[-@:](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)")
"""What may follow the name of a model: its date, or `latest`."""
_FIELDS: Final = ("input", "output", "cache_write", "cache_read")
"""The prices of a model, in the order of `Price`."""
_FREE: Final = "<synthetic>"
"""The model of the messages that Claude Code writes itself."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens of a model cost, in US dollars."""

    input: float
    output: float
    cache_write: float
    cache_read: float
    date: date
    """The day on which it was listed."""
    source: str = ""
    """Where it was listed; empty if the table does not say."""

    def of(self, use: ModelUse) -> float:
        """What the tokens of a model cost."""
        return (
            use.input_tokens * self.input
            + use.output_tokens * self.output
            + use.cache_write_tokens * self.cache_write
            + use.cache_read_tokens * self.cache_read
        ) / 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of models by name."""

    by_model: Mapping[str, Price]
    problem: str = ""
    """Why there are no prices: the file and what is wrong with it."""

    def price(self, model: str) -> Price | None:
        """The price of a model; None if the table has no row for it."""
        name = model.rpartition("/")[2].lower()
        versions = (known for known in self.by_model if name.startswith(known))
        return next(
            (self.by_model[known] for known in versions if name == known or _VERSION.fullmatch(name[len(known) :])),
            None,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What the work of some models cost, as far as their prices and tokens are known."""

    dollars: float | None
    """The sum over `priced_turns`; None if there are none."""
    turns: int
    """All turns that the models answered."""
    priced_turns: int
    """Those of them that are in the sum."""
    unpriced: tuple[str, ...]
    """The models without a price, whose turns are not in the sum."""
    days: tuple[date, ...]
    """The days of the prices, the first one first."""

    @property
    def is_whole(self) -> bool:
        """Whether the sum leaves nothing out."""
        return self.priced_turns == self.turns


def total_cost(models: Sequence[ModelUse], prices: Prices) -> Cost:
    """What all models cost together.

    The tokens of turns that several models answered are known only as a sum: the cheapest of these models counts.
    """
    dollars, priced_turns = 0.0, 0
    unpriced: dict[str, None] = {}
    days: set[date] = set()
    for use in models:
        by_name = {name: prices.price(name) for name in use.model.split(MODEL_SEPARATOR) if name != _FREE}
        known = [price for price in by_name.values() if price is not None]
        if len(known) < len(by_name):
            unpriced |= dict.fromkeys(name for name, price in by_name.items() if price is None)
        elif counted := use.turns - (use.turns_without_tokens if known else 0):
            dollars += min((price.of(use) for price in known), default=0.0)
            priced_turns += counted
            days |= {price.date for price in known}
    turns = sum(use.turns for use in models)
    return Cost(dollars if priced_turns else None, turns, priced_turns, tuple(unpriced), tuple(sorted(days)))


def load_prices(own: Path) -> Prices:
    """The prices of the user's own file if it exists, otherwise those that are included.

    A file that is not valid leaves no prices, and says why: the user replaced the included ones on purpose.
    """
    try:
        return _read_prices(own if own.is_file() else _BUILT_IN)
    except PricesInvalid as error:
        return Prices({}, one_line(str(error)))


def prices_health(own: Path) -> list[SourceRow]:
    """The user's table as a row of the list of sources; empty without one."""
    if not own.is_file():
        return []
    problem = load_prices(own).problem.removeprefix(f"{own}: ")
    return [SourceRow(str(own), "memtui", (), "error" if problem else "ok", 0, (), problem or None)]


def _read_prices(path: Path) -> Prices:
    """The prices of a file. Raises PricesInvalid."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PricesInvalid(f"{path}: {error.strerror or error}.") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PricesInvalid(f"{path}: not valid TOML: {error}.") from error
    day, source, models = table.get("date"), table.get("source", ""), table.get("models")
    if day is not None and type(day) is not date:
        raise PricesInvalid(f"{path}: date must be the day of the prices, such as 2026-02-15.")
    if not isinstance(models, dict):
        raise PricesInvalid(f"{path}: models must be a table: [models]")
    general = {"date": day, "source": source}
    return Prices({name.lower(): _price(path, name, row, general) for name, row in models.items()})


def _price(path: Path, name: str, row: Any, general: Mapping[str, Any]) -> Price:
    if not isinstance(row, dict):
        raise PricesInvalid(f"{path}: models.{name} must be a table, such as {{ input = 5, output = 25 }}.")
    for field in ("input", "output"):
        if field not in row:
            raise PricesInvalid(f"{path}: models.{name} has no {field}.")
    about = {field: row.get(field, known) for field, known in general.items()}
    if type(about["date"]) is not date:
        raise PricesInvalid(f"{path}: models.{name}.date must be the day of the price, such as 2026-02-15.")
    if not isinstance(about["source"], str):
        raise PricesInvalid(f"{path}: models.{name}.source must be a text, not {about['source']!r:.40}.")
    prices = {field: number for field, number in row.items() if field not in about}
    for field, number in prices.items():
        if field not in _FIELDS:
            known = ", ".join((*_FIELDS, *about))
            raise PricesInvalid(f"{path}: models.{name}.{field} is unknown; there are {known}.")
        if type(number) not in (int, float) or not 0 <= number < float("inf"):
            raise PricesInvalid(f"{path}: models.{name}.{field} must be a number from 0 on, not {number!r:.40}.")
    about["source"] = one_line(about["source"])
    fields = about | {field: float(prices.get(field, prices["input"])) for field in _FIELDS}
    return Price(**fields)
