"""When a failure ends: at the first pass of the same command."""

from __future__ import annotations

import pytest

from memtui_core.queries.activity.episodes import Run, acts, episodes, same_command

CHECK = "npm run check"


def runs(*told: tuple[str, int]) -> list[Run]:
    """Runs of commands in turns of their own, each with the key of its error, or 0 if it passed."""
    return [
        Run(number, 0, "failure" if key else "pass", name, key, f"error {key}" if key else "", number, 1, None)
        for number, (name, key) in enumerate(told, 1)
    ]


def told(*of: tuple[str, int]) -> list[tuple[int, int, int, int | None, int | None]]:
    """The episodes as turns: first, last, times, gone, passed."""
    return [
        (
            episode.first.number,
            episode.last.number,
            episode.times,
            episode.gone.number if episode.gone else None,
            episode.passed.number if episode.passed else None,
        )
        for episode in episodes(runs(*of))
    ]


@pytest.mark.parametrize(
    ("passed", "failed", "same"),
    [
        (CHECK, CHECK, True),
        ("pytest", "pytest tests/test_cart.py", True),
        ("pytest tests/test_cart.py", "pytest", False),
        ("npm ci && npm test", "npm test", True),
        ("npm test", "npm ci && npm test", False),
        ("cd web && npm test", "npm test", False),
        ("cd web && npm test", "cd api && npm test", False),
        ("cd web && npm ci && npm test", "cd web && npm test cart.test.ts", True),
        ("git push", "git push --tags", False),
        ("docker compose", "docker compose up", False),
        ("pytest", "pytest-watch", False),
        ("cd web", "cd web", True),
        ("pytest a.py b.py c.py d.py …", "pytest a.py b.py c.py d.py …", False),
        ("pytest tests/test_cart.py", "pytest tests/test_cart.py tests/test_tax.py", False),
        ("npm run check", "npm run check cart", True),
        ("black --check", "black --check src", True),
        ("python -m unittest", "python -m unittest cart", True),
        ("cargo test cart", "cargo test cart tax", False),
        ("pytest", "pytest a.py b.py c.py d.py …", True),
    ],
)
def test_a_pass_counts_for_a_failure_if_it_has_all_of_its_programs(passed: str, failed: str, same: bool) -> None:
    assert same_command(passed, failed) == same


def test_an_episode_ends_with_the_first_pass() -> None:
    assert told((CHECK, 7), (CHECK, 7), ("npm ci", 0), (CHECK, 0), (CHECK, 0)) == [(1, 2, 2, 4, 4)]
    assert told((CHECK, 7), ("npm ci", 0)) == [(1, 1, 1, None, None)]


def test_an_error_is_gone_when_the_command_has_another_one() -> None:
    assert told((CHECK, 7), (CHECK, 8), (CHECK, 0)) == [(1, 1, 1, 2, 3), (2, 2, 1, 3, 3)]
    assert told((CHECK, 7), (CHECK, 8), (CHECK, 7), (CHECK, 0)) == [(1, 3, 2, 4, 4), (2, 2, 1, 3, 4)]


def test_an_error_that_comes_back_after_a_pass_is_another_episode() -> None:
    assert told((CHECK, 7), (CHECK, 0), (CHECK, 7)) == [(1, 1, 1, 2, 2), (3, 3, 1, None, None)]


def test_only_wanted_errors_have_episodes() -> None:
    found = episodes(runs((CHECK, 7), (CHECK, 8), (CHECK, 0)), {8})
    assert [(episode.first.key, episode.passed and episode.passed.number) for episode in found] == [(8, 3)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("npm install", True),
        ("npm ci", True),
        ("npm run ci", False),
        ("npm install && git commit", True),
        ("cd web && npm install && npm test", True),
        ("eslint --fix src && git push", True),
        ("git checkout cart.ts && npm test", True),
        ("cd web && git add . && git commit", False),
        ("npm test && git commit", False),
        ("git pull && npm test", False),
        ("cd web && pytest tests", False),
        ("gh pr create", False),
    ],
)
def test_a_command_acts_if_one_of_its_programs_does(name: str, expected: bool) -> None:
    assert acts(name) == expected
