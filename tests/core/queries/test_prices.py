"""What models cost, by the included table and by one of the user."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pytest

import memtui_core.queries.statistics.prices
from memtui_core.queries.sources import SourceRow
from memtui_core.queries.statistics.counts import ModelUse
from memtui_core.queries.statistics.prices import Cost, Price, Prices, load_prices, prices_health, total_cost

DAY, LATER = date(2026, 2, 15), date(2026, 3, 1)
OPUS, HAIKU = Price(5, 25, 6.25, 0.5, DAY), Price(1, 5, 1.25, 0.1, LATER)
TABLE = Prices({"opus-4": Price(15, 75, 18.75, 1.5, DAY), "opus-4-5": OPUS, "haiku": HAIKU})
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
        ("opus-4-20250514", Price(15, 75, 18.75, 1.5, DAY)),
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
        (ModelUse("<synthetic>", 3, 0, 0, 0, 0, 3), 0.0),
        (ModelUse("opus-5", 1, 0, 1, 0, 0), None),
        # Without tokens it is not free, but unknown.
        (ModelUse("opus-4-5", 2, 0, 0, 0, 0, 2), None),
        (ModelUse("opus-5", 2, 0, 0, 0, 0, 2), None),
    ],
)
def test_what_the_tokens_of_a_model_cost(use: ModelUse, cost: float | None) -> None:
    assert total_cost([use], TABLE).dollars == cost


def test_the_sum_says_of_how_many_turns_it_is_and_names_the_models_that_it_leaves_out() -> None:
    models = [
        ModelUse("opus-5", 9, 1, 1, 1, 1),
        ModelUse("haiku", 4, MILLION, 0, 0, 0, 1),
        ModelUse("haiku + opus-5", 1, 1, 1, 1, 1),
        ModelUse("haiku + glm-4.6", 1, 1, 1, 1, 1),
        ModelUse("opus-4-5", 2, 0, MILLION, 0, 0),
    ]
    assert total_cost(models, TABLE) == Cost(26.0, 17, 5, ("opus-5", "glm-4.6"), (DAY, LATER))
    assert total_cost(models[:1], TABLE) == Cost(None, 9, 0, ("opus-5",), ())
    assert [total_cost(some, TABLE).is_whole for some in (models, models[-1:], [])] == [False, True, True]


def test_each_row_of_the_included_table_has_its_day_and_its_source(tmp_path: Path) -> None:
    prices = load_prices(tmp_path / "prices.toml")
    known = {
        model: prices.price(model) for model in ("claude-opus-4-5-20251101", "claude-opus-4-1-20250805", "gpt-5", "x")
    }
    anthropic = "https://www.anthropic.com/pricing"
    assert known == {
        "claude-opus-4-5-20251101": Price(5, 25, 6.25, 0.5, DAY, anthropic),
        "claude-opus-4-1-20250805": Price(15, 75, 18.75, 1.5, DAY, anthropic),
        # Without a price of its own, what is written to the cache costs as much as other input.
        "gpt-5": Price(1.25, 10, 1.25, 0.125, DAY, "https://openai.com/api/pricing"),
        "x": None,
    }
    rows = tomllib.loads(
        Path(memtui_core.queries.statistics.prices.__file__).with_name("prices.toml").read_text("utf-8")
    )
    assert {tuple(row)[-2:] for row in rows["models"].values()} == {("date", "source")}
    for model, price in prices.by_model.items():
        assert 0 < price.cache_read <= price.input <= price.cache_write <= price.output, model
    page = " ".join((Path(__file__).parents[3] / "docs" / "stats.md").read_text("utf-8").split())
    for day in {price.date for price in prices.by_model.values()}:
        assert f"listed on {day.day} {day:%B %Y}" in page


def test_a_file_of_the_user_replaces_the_table(tmp_path: Path) -> None:
    own = tmp_path / "prices.toml"
    own.write_text(
        'date = 2026-11-01\nsource = "our bill"\n[models]\nOwn = { input = 2, output = 3, cache_read = 1 }\n'
        'other = { input = 1, output = 1, date = 2026-12-01, source = "a\\u001b[31m\\nmail" }\n'
    )
    own_price = Price(2, 3, 2, 1, date(2026, 11, 1), "our bill")
    assert load_prices(own) == Prices({"own": own_price, "other": Price(1, 1, 1, 1, date(2026, 12, 1), "a mail")})


NOT_A_NUMBER = "models.a.output must be a number from 0 on, not "


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("date = ", "not valid TOML: Invalid value (at end of document)."),
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
            "models.a.cached is unknown; there are input, output, cache_write, cache_read, date, source.",
        ),
        (
            "[models]\na = { input = 1, output = 1, date = 3 }",
            "models.a.date must be the day of the price, such as 2026-02-15.",
        ),
        (
            "[models]\na = { input = 1, output = 1 }",
            "models.a.date must be the day of the price, such as 2026-02-15.",
        ),
        (
            "date = 2026-02-15\nsource = 3\n[models]\na = { input = 1, output = 1 }",
            "models.a.source must be a text, not 3.",
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
    assert prices == Prices({}, f"{own}: {problem}")
    assert total_cost([ModelUse("haiku", 1, 1, 0, 0, 0)], prices) == Cost(None, 1, 0, ("haiku",), ())
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
