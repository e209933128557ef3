"""Vectors wait while a person types: by a clock that is set by hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.search.embed import open_model
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import Presence, Typing, TypingPause, has_readers
from support.indexes import update
from support.transcripts import Script

START = 1_800_000_000.0


class Clock:
    """Goes on only while somebody waits or works."""

    def __init__(self) -> None:
        self.now = START
        self.waits: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        assert len(self.waits) < 1000, "it waits for ever"
        self.now += seconds
        self.meanwhile()


class Desk:
    """A folder, a clock, and a person at the keys."""

    def __init__(self, folder: Path) -> None:
        self.data = DataDir(folder)
        self.clock = Clock()
        self.pause = TypingPause(self.data, self.clock, self.clock.wait)

    def key(self, ago: float = 0.0) -> None:
        """A key is pressed so many seconds before now."""
        self.data.typing.touch()
        os.utime(self.data.typing, (self.clock.now - ago, self.clock.now - ago))

    def paused(self, stopped: Callable[[], bool] = lambda: False) -> float:
        """Seconds that work had to wait."""
        before = self.clock.now
        self.pause.wait_while_typing(stopped)
        return self.clock.now - before


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Nobody has typed yet."""
    return Desk(tmp_path)


def test_nobody_types_and_nothing_waits(desk: Desk) -> None:
    assert desk.paused() == 0
    desk.key(ago=1.0)
    assert desk.paused() == 0
    # The clock was set back: an app that died cannot hold up work until then.
    desk.key(ago=-3600.0)
    assert desk.paused() == 0
    assert desk.clock.waits == []


def test_work_waits_until_a_second_after_the_last_key(desk: Desk) -> None:
    desk.key(ago=0.25)
    assert desk.paused() == pytest.approx(0.75)
    assert desk.paused() == 0
    desk.key()
    again = iter([True, False, False, False, False, False, False])
    desk.clock.meanwhile = lambda: desk.key() if next(again) else None
    assert desk.paused() == pytest.approx(1.2)
    # A look every 0.2 seconds, and none in between.
    assert len(desk.clock.waits) <= 11


def test_who_types_without_end_leaves_a_fifth_of_the_time_to_the_work(desk: Desk) -> None:
    desk.key()
    desk.clock.meanwhile = desk.key
    worked: list[float] = []
    while desk.clock.now < START + 60:
        desk.key()
        waited = desk.paused()
        if waited:
            assert waited == pytest.approx(4.0)
        desk.clock.now += 0.125
        worked.append(0.125)
    assert sum(worked) == pytest.approx(12.0, abs=0.5)


def test_who_stops_does_not_wait_for_the_person(desk: Desk) -> None:
    desk.key()
    desk.clock.meanwhile = desk.key
    assert desk.paused(lambda: len(desk.clock.waits) == 2) == pytest.approx(0.4)


def test_it_waits_between_two_pieces_of_one_turn(desk: Desk) -> None:
    script = Script()
    script.user("How does it work?")
    script.says("\n\n".join(f"Part {number}. " + "It works in another way there. " * 30 for number in range(4)))
    update(desk.data.path, script.write(desk.data.path / "src"))
    model = open_model()
    seen: list[int] = []
    with Indexer(desk.data.path) as indexer:
        indexer.pause = desk.pause

        class Slow:
            """The model, and after each text a person who presses a key."""

            name, dimension, tokens = model.name, model.dimension, staticmethod(model.tokens)
            made = 0

            def embed(self, texts: list[str]) -> list[object]:
                """As the model does."""
                self.made += len(texts)
                desk.key()
                return list(model.embed(texts))

        slow = Slow()
        desk.clock.meanwhile = lambda: seen.append(slow.made)
        list(indexer.embed(slow))  # type: ignore[arg-type]
        assert indexer.counts.texts_embedded == slow.made > 3
    # Five looks of 0.2 seconds before each piece but the first.
    assert sorted(set(seen)) == list(range(1, slow.made))
    assert sum(desk.clock.waits) == pytest.approx(slow.made - 1)


def test_an_app_touches_the_file_only_now_and_then(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    typing = Typing(data)
    typing.touch()
    assert data.typing.read_bytes() == b""
    os.utime(data.typing, (1, 1))
    typing.touch()
    assert data.typing.stat().st_mtime == 1
    Typing(data).touch()
    assert data.typing.stat().st_mtime > 1


@pytest.mark.parametrize(
    ("touched", "expected"),
    [(0.0, True), (-59.0, True), (-61.0, False), (59.0, True), (61.0, False), (3600.0 * 24 * 365, False)],
)
def test_a_reader_counts_for_a_minute_in_both_directions_of_the_clock(
    tmp_path: Path, touched: float, *, expected: bool
) -> None:
    data = DataDir(tmp_path)
    assert not has_readers(data, lambda: START)
    Presence(data).touch()
    os.utime(data.readers, (START + touched, START + touched))
    assert has_readers(data, lambda: START) is expected
