"""Small changes to a program, and which of them its tests notice."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("mutmut", reason="the dependency group `mutation` is not installed")
pytest.importorskip("pytest_cov")

from bench.mutation.changes import ChangeablePlace, places
from bench.mutation.trial import BaselineFails, Checkout

PROGRAM = '''"""Prices."""

__all__ = ["price", "greeting"]


def price(count: int | None) -> int:
    """Ten cost less."""
    if count > 9:
        return count * 90
    return count


def greeting() -> str:
    return "hello"
'''
TESTS = """from shop import greeting, price


def test_prices():
    assert (price(2), price(20)) == (2, 1800)


def test_greeting():
    assert greeting()
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small project."""
    folder = tmp_path / "project"
    for name, text in {
        "core/shop.py": PROGRAM,
        "tests/test_shop.py": TESTS,
        "other.txt": "left out",
        ".gitignore": "*.txt\n__pycache__",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def test_a_change_survives_that_no_test_notices(checkout: Path, tmp_path: Path) -> None:
    copy = Checkout.of(checkout, tmp_path / "copy")
    assert not (copy.root / "other.txt").exists()
    baseline = copy.baseline("shop", ["tests/test_shop.py"])
    found = []
    for place in places(checkout, checkout / "core" / "shop.py"):
        for mutation in place.mutations:
            change = ChangeablePlace(place.path, place.module, [mutation]).change(random.Random(0))
            outcome = copy.attempt(change, baseline)
            found.append((change.line, change.diff.splitlines()[-1].strip("+ "), outcome.verdict, outcome.tests))
    assert sorted(found) == [
        (8, "if count > 10:", "survived", 1),
        (8, "if count >= 9:", "survived", 1),
        (9, "return count * 91", "killed", 1),
        (9, "return count / 90", "killed", 1),
        (14, 'return "HELLO"', "survived", 1),
        (14, 'return "XXhelloXX"', "survived", 1),
    ]
    for folder in (checkout, copy.root):
        assert (folder / "core" / "shop.py").read_text() == PROGRAM


def test_tests_that_fail_without_a_change_are_no_baseline(checkout: Path, tmp_path: Path) -> None:
    (checkout / "core" / "shop.py").write_text(PROGRAM.replace("hello", ""))
    copy = Checkout.of(checkout, tmp_path / "copy")
    with pytest.raises(BaselineFails, match=r"FAILED tests/test_shop\.py::test_greeting"):
        copy.baseline("shop", ["tests/test_shop.py"])
