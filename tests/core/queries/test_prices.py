"""What models cost, by the included table and by one of the user."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from memtui_core.queries.prices import Cost, Price, Prices, load_prices, prices_health, total_cost
from memtui_core.queries.sources import SourceRow
from memtui_core.queries.statistics import ModelUse

OPUS, HAIKU = Price(5, 25, 6.25, 0.5), Price(1, 5, 1.25, 0.1)
TABLE = Prices(date(2026, 2, 15), {"opus-4": Price(15, 75, 18.75, 1.5), "opus-4-5": OPUS, "haiku": HAIKU})
MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "price"),
    [
        ("opus-4-5", OPUS),
        ("Opus-4-5", OPUS),
        ("opus-4-5-20251101", OPUS),
        ("opus-4-5@20251101", OPUS),
        ("opus-4-5-2025-11-01", OPUS),
        ("haiku-latest", HAIKU),
        ("anthropic/haiku", HAIKU),
        ("opus-4-20250514", Price(15, 75, 18.75, 1.5)),
        ("opus-4-6", None),
        ("opus-5", None),
        ("opus", None),
        ("haiku-4", None),
        ("", None),
    ],
)
def test_a_price_is_for_the_model_and_its_versions_only(model: str, price: Price | None) -> None:
    assert TABLE.price(model) == price


@pytest.mark.parametrize(
    ("use", "cost"),
    [
        (ModelUse("opus-4-5", 1, MILLION, 0, 0, 0), 5.0),
        (ModelUse("opus-4-5", 1, 0, MILLION, 0, 0), 25.0),
        (ModelUse("opus-4-5", 1, 0, 0, MILLION, 0), 0.5),
        (ModelUse("opus-4-5", 1, 0, 0, 0, MILLION), 6.25),
        (ModelUse("opus-4-5", 1, MILLION, MILLION, MILLION, MILLION), 36.75),
        # Of several models the cheapest counts, and all must have a price.
        (ModelUse("opus-4-5 + haiku", 1, MILLION, 0, 0, 0), 1.0),
        (ModelUse("opus-4-5 + opus-5", 1, MILLION, 0, 0, 0), None),
        (ModelUse("opus-4-5 + <synthetic>", 1, MILLION, 0, 0, 0), 5.0),
        (ModelUse("<synthetic>", 3, 0, 0, 0, 0), 0.0),
        (ModelUse("opus-5", 1, 0, 1, 0, 0), None),
    ],
)
def test_what_the_tokens_of_a_model_cost(use: ModelUse, cost: float | None) -> None:
    assert TABLE.cost(use) == cost


def test_the_sum_names_the_models_that_it_leaves_out() -> None:
    models = [ModelUse("opus-5", 9, 1, 1, 1, 1), ModelUse("haiku", 1, MILLION, 0, 0, 0)]
    assert total_cost(models, TABLE) == Cost(1.0, ("opus-5",), date(2026, 2, 15))


def test_the_included_table_has_a_date_and_prices(tmp_path: Path) -> None:
    prices = load_prices(tmp_path / "prices.toml")
    assert prices.as_of == date(2026, 2, 15)
    assert prices.price("claude-opus-4-5-20251101") == OPUS
    assert prices.price("claude-opus-4-1-20250805") == Price(15, 75, 18.75, 1.5)
    # Without a price of its own, what is written to the cache costs as much as other input.
    assert prices.price("gpt-5") == Price(1.25, 10, 1.25, 0.125)
    for model, price in prices.by_model.items():
        assert 0 < price.cache_read <= price.input <= price.cache_write <= price.output, model


def test_a_file_of_the_user_replaces_the_table(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text("date = 2026-11-01\n[models]\nOwn = { input = 2, output = 3, cache_read = 1 }\n")
    assert load_prices(own) == Prices(date(2026, 11, 1), {"own": Price(2, 3, 2, 1)})


NOT_A_NUMBER = "models.a.output must be a number from 0 on, not "


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("date = ", "not valid TOML: Invalid value (at end of document)."),
        ("[models]", "date must be the day of the prices, such as 2026-02-15."),
        ('date = "2026-02-15"', "date must be the day of the prices, such as 2026-02-15."),
        ("date = 2026-02-15", "models must be a table: [models]"),
        ("date = 2026-02-15\n[models]\na = 3", "models.a must be a table, such as { input = 5, output = 25 }."),
        ("date = 2026-02-15\n[models]\na = { input = 3 }", "models.a has no output."),
        ("date = 2026-02-15\n[models]\na = { input = 3, output = -1 }", f"{NOT_A_NUMBER}-1."),
        ("date = 2026-02-15\n[models]\na = { input = 3, output = true }", f"{NOT_A_NUMBER}True."),
        ('date = 2026-02-15\n[models]\na = { input = 3, output = "2" }', f"{NOT_A_NUMBER}'2'."),
        ("date = 2026-02-15\n[models]\na = { input = 3, output = inf }", f"{NOT_A_NUMBER}inf."),
        (
            "date = 2026-02-15\n[models]\na = { input = 1, output = 1, cached = 1 }",
            "models.a.cached is unknown; there are input, output, cache_write, cache_read.",
        ),
        (
            'date = 2026-02-15\n[models]\n"\\u001b[31ma\\nb" = { output = 1 }',
            "models.a b has no input.",
        ),
    ],
)
def test_a_broken_table_leaves_no_prices_and_says_what_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(text)
    prices = load_prices(own)
    assert prices == Prices(None, {}, f"{own}: {problem}")
    assert total_cost([ModelUse("haiku", 1, 1, 0, 0, 0)], prices) == Cost(0, ("haiku",), None)
    assert prices_health(own) == [SourceRow(str(own), "memtui", (), "error", 0, (), problem)]


def test_a_table_that_is_not_text_says_so(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_bytes(b"\xff")
    assert load_prices(own).problem.startswith(f"{own}: not valid TOML: 'utf-8' codec can't decode byte 0xff")


def test_a_table_is_among_the_sources_that_are_checked(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    assert prices_health(own) == []
    own.write_text("date = 2026-11-01\n[models]\n")
    assert prices_health(own) == [SourceRow(str(own), "memtui", (), "ok", 0, (), None)]
