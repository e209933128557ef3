"""The review of a compaction on the screen, and the way from compaction to compaction."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot

from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.review_list import ReviewList
from memtui.widgets.transcript import Transcript
from support.indexes import update
from support.screens import app_on, settled, transcript
from support.transcripts import Script

SIZES = [(140, 40), (80, 24)]
SUMMARY = """\
This session is being continued from a previous conversation that ran out of context.

1. Primary Request:
Asked: the retry helper in `src/retry.py`.

2. Pending:
Nothing.
"""


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def listed(pilot: Pilot[None]) -> list[str]:
    """The rows of the review, spaces run together."""
    return [" ".join(str(option.prompt).split()) for option in pilot.app.screen.query_one(ReviewList).options]


def plain(title: object) -> str:
    """What a border says."""
    return Content.from_markup(str(title)).plain


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """Data folder of an index of a session of two compactions."""
    script = Script()
    script.user("write the retry helper")
    script.calls("Write", {"file_path": "/home/ana/code/shop/src/retry.py", "content": "x = 1"}, "t1")
    script.result("ok", "t1")
    script.user("and the quota parser")
    script.calls("Write", {"file_path": "/home/ana/code/shop/src/quota.py", "content": "y = 1"}, "t2")
    script.result("ok", "t2")
    script.says("Both are written.")
    script.compacts(SUMMARY)
    script.user("go on")
    script.calls("Read", {"file_path": "/home/ana/code/shop/src/quota.py"}, "t3")
    script.result("     1→y = 1", "t3")
    script.compacts(SUMMARY)
    script.user("and finish")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


@pytest.mark.parametrize("size", SIZES)
async def test_s5_06_a_review_shows_what_was_lost_and_leads_to_its_turn(work: Path, size: tuple[int, int]) -> None:
    async with app_on(work).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter")
        review = pilot.app.screen.query_one(ReviewList)
        assert pilot.app.focused is review
        assert plain(review.border_title) == "[lost 2] kept 2 read again 1 summary turns"
        assert listed(pilot) == ["edited src/quota.py 2", "request and the quota parser 2"]
        await press(pilot, "enter")
        assert isinstance(pilot.app.focused, Transcript)
        assert (transcript(pilot).number, transcript(pilot).matches.words) == (2, ("quota.py",))
        await press(pilot, "escape", "right_square_bracket")
        assert pilot.app.focused is review
        assert listed(pilot) == ["edited src/retry.py 1", "request write the retry helper 1"]
        await press(pilot, "right_square_bracket")
        assert listed(pilot) == ["read src/quota.py 4"]
        await press(pilot, "escape")
        assert isinstance(pilot.app.focused, CompactionList)


async def test_compactions_are_filtered_and_sorted_and_tell_the_share_kept(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3")
        compactions = pilot.app.screen.query_one(CompactionList)
        shown = [" ".join(str(option.prompt).split()) for option in compactions.options]
        assert [row.removeprefix("⧉ write the retry helper").split(" d ", 1)[1] for row in shown] == [
            "2 turns in 30 s · auto · shop 150k tokens → 258 characters · kept 0%",
            "2 turns in 1 m · auto · shop 150k tokens → 258 characters · kept 41%",
        ]
        titles = []
        for _ in range(7):
            await press(pilot, "s")
            titles.append((compactions.border_title, [key[1] for key in compactions._keys if isinstance(key, tuple)]))
        assert [title for title, _ in titles] == [
            f"compactions by {name}" for name in ("tokens", "turns", "time", "length", "project", "kept", "last")
        ]
        assert dict(titles)["compactions by time"] == [3, 5]
        await press(pilot, "slash", *"retry", "enter")
        assert (pilot.app.focused, compactions.border_subtitle) == (compactions, "2")
        await press(pilot, "slash", "x")
        assert (compactions.option_count, compactions.border_subtitle) == (0, "0")
        await press(pilot, "escape")
        assert compactions.option_count == 2
        await press(pilot, "escape")
        assert pilot.app.focused is compactions


async def test_s5_06_a_sentence_leads_to_its_turns_and_a_turn_to_its_sentence(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter", *["right_square_bracket"] * 3)
        sentence = next(place for place, row in enumerate(listed(pilot)) if row.startswith("Asked"))
        assert listed(pilot)[sentence] == "Asked: the retry helper in `src/retry.py`. → 1"
        await press(pilot, *["j"] * sentence)
        assert transcript(pilot).number == 1
        await press(pilot, "right_square_bracket")
        assert listed(pilot) == [
            "1 write the retry helper “Asked: the retry helper in `src/retry.p…”",
            "2 and the quota parser the summary does not mention it",
        ]


async def test_s5_06_the_segments_stand_in_one_line(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter")
        review = pilot.app.screen.query_one(ReviewList)
        assert plain(review.border_subtitle).endswith("% kept · [1–2] ⧉ 3–4 ⧉ 5–6")
        await press(pilot, "escape", "k", "enter")
        assert plain(review.border_subtitle).endswith("% kept · 1–2 ⧉ [3–4] ⧉ 5–6")


async def test_c_goes_from_compaction_to_compaction(work: Path) -> None:
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        places = []
        for key in ("c", "c", "c", "C"):
            await press(pilot, key)
            places.append(transcript(pilot).number)
        assert places == [3, 5, 5, 3]
