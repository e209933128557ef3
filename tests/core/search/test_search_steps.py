"""What a search has read and given back when it is given up, or when the first screen is full."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.model import SearchResult
from support.indexes import update
from support.transcripts import Script


class GivenUp(Exception):
    """A newer query waits."""


@pytest.fixture(scope="module")
def far_apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index with six turns about a zebra, in five sessions and no two of them near each other."""
    folder = tmp_path_factory.mktemp("far_apart")
    for session in range(5):
        script = Script(f"{session}0000000-0000-4000-8000-000000000000", prefix=f"e{session}-")
        for number in range(180 if session == 0 else 90):
            script.user(f"Look for the {'zebra' if number % 90 == 0 else 'horse'}, number {session}-{number}")
            script.says("It is there.")
        script.write(folder / "source")
    update(folder / "data", folder / "source")
    return folder / "data"


def checks(index: Index, most: int = 1_000) -> int:
    """How often a search asks whether to go on; it is given up when it asks more than `most` times."""
    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked > most:
            raise GivenUp

    with suppress(GivenUp):
        index.search("zebra", 10, check_cancelled=check)
    return asked


def test_a_search_that_is_given_up_reads_no_more_texts_and_keeps_those_it_has_read(far_apart: Path) -> None:
    index = Index.open(far_apart)
    # After the words, the paths and the details, and before each of the six texts.
    assert checks(index, most=5) == 6
    assert checks(index) == 3 + 4
    assert checks(index) == 3
    assert checks(Index.open(far_apart)) == 3 + 6


def test_the_best_hits_of_the_first_groups_come_before_the_texts_of_the_others_are_read(far_apart: Path) -> None:
    shown: list[SearchResult] = []
    asked = []

    def on_screen(result: SearchResult) -> None:
        shown.append(result)
        asked.append("on screen")

    index = Index.open(far_apart)
    whole = index.search("zebra", 10, screen=2, on_screen=on_screen, check_cancelled=lambda: asked.append("check"))
    assert asked == ["check"] * (3 + 2) + ["on screen"] + ["check"] * 4
    groups = [hit.group for hit in whole.hits]
    assert sorted(groups.count(group) for group in set(groups)) == [1, 1, 1, 1, 2]
    found = {groups.index(group) for group in list(dict.fromkeys(groups))[:2]}
    bare = [replace(hit, snippet="", spans=(), why=(), passages=()) for hit in whole.hits]
    first = tuple(hit if place in found else bare[place] for place, hit in enumerate(whole.hits))
    assert shown == [replace(whole, hits=first)]
    assert all(hit.snippet and hit.passages and hit.why for hit in whole.hits)
    assert whole.hits == index.search("zebra", 10).hits


def test_a_prepared_search_reads_only_what_the_query_is_about(far_apart: Path) -> None:
    index = Index.open(far_apart)
    index.search.prepare()
    statements: list[str] = []
    rows = index.snapshot.rows

    def counted(sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        statements.append(sql)
        return rows(sql, parameters)

    index.snapshot.rows = counted  # type: ignore[method-assign]
    assert len(index.search("zebra", 10, engines=("lexicon",)).hits) == 6
    # The details, and a text each.
    assert len(statements) == 1 + 6
