"""The transcript beside the hits: it shows the hit with the cursor, or says which one it is going to show."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from memtui.browse.reader import session_loader
from memtui.browse.search.hit_list import HitList
from memtui.render.inspect import InspectorCounts
from support.screens import app_on, browse, hold, settled, transcript, type_text

SIZE = (140, 40)
LOADING = "Loading the session …"


def hits(pilot: Pilot[None]) -> HitList:
    """The list of hits."""
    return pilot.app.screen.query_one(HitList)


def shown(pilot: Pilot[None]) -> tuple[str, str]:
    """The title of the transcript, and its first line."""
    pane = transcript(pilot)
    lines = [pane.render_line(y).text.strip("▌▎ ") for y in range(pane.size.height)]
    return str(pane.border_title), next(line for line in lines if line)


async def found(pilot: Pilot[None], query: str) -> list[str]:
    """Search, and go to the hits; their titles."""
    await settled(pilot)
    await pilot.press("slash")
    await type_text(pilot, query)
    await pilot.press("down")
    await settled(pilot)
    return [row.hit.title for row in hits(pilot)._rows]


async def test_title_and_text_are_of_the_hit_with_the_cursor_also_while_it_is_loaded(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await found(pilot, "retry")
        await pilot.press("j")
        await settled(pilot)
        second = shown(pilot)
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        titles = await found(pilot, "retry")
        assert len(set(titles[:4])) == 4
        assert (shown(pilot)[0], second[0]) == (titles[0], titles[1])
        first = shown(pilot)
        held = await hold(pilot, "open")
        # The second one is loaded, and shown when the cursor has rested; the third one is not beside the first.
        for index, title in ((1, titles[1]), (2, titles[2]), (3, titles[3])):
            await pilot.press("j")
            await pilot.pause()
            assert hits(pilot).highlighted == index
            assert shown(pilot) in {(title, LOADING), first, second}
        assert shown(pilot) == (titles[3], LOADING)
        assert (browse(pilot).reader.feed._current, browse(pilot).reader.rail.counts) == ((0, 0), InspectorCounts())
        held.set()
        await settled(pilot)
        title, text = shown(pilot)
        assert (title, text == LOADING) == (titles[3], False)
        hit = hits(pilot)._rows[3].hit
        assert browse(pilot).reader.feed._current == (hit.session, hit.turn)


async def test_a_search_that_ends_meanwhile_shows_what_was_shown_before_it(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        before = shown(pilot)
        await found(pilot, "retry")
        held = await hold(pilot, "open")
        await pilot.press("G")
        await pilot.pause()
        assert shown(pilot)[1] == LOADING
        await pilot.press("escape", "escape", "escape")
        held.set()
        await settled(pilot)
        assert shown(pilot) == before


async def test_a_cursor_that_moves_fast_loads_only_the_last(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[int] = []
    load = session_loader._load_session

    def counted(index: object, session: int, turn: int) -> object:
        loaded.append(session)
        return load(index, session, turn)  # type: ignore[arg-type]

    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        titles = await found(pilot, "the")
        rows = hits(pilot)._rows
        assert len(rows) > 9
        monkeypatch.setattr(session_loader, "_load_session", counted)
        for _ in range(8):
            hits(pilot).step(1)
        await settled(pilot)
        # The one with the cursor, then those beside it.
        assert loaded == [rows[at].hit.session for at in (8, 9, 7)]
        assert shown(pilot)[0] == titles[8]


async def test_the_hit_beside_is_shown_without_reading_the_index(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        titles = await found(pilot, "retry")
        held = await hold(pilot, "open")
        await pilot.press("j")
        await settled(pilot)
        title, text = shown(pilot)
        assert (title, text == LOADING) == (titles[1], False)
        held.set()


async def test_a_key_right_after_the_cursor_has_moved_is_for_the_hit_that_it_is_on(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await found(pilot, "retry")
        rows = hits(pilot)._rows
        held = await hold(pilot, "open")
        for key in ("j", "j", "j", "Y", "J"):
            pilot.app.post_message(events.Key(key, key))
        await pilot.pause()
        assert (shown(pilot)[1], pilot.app.clipboard) == (LOADING, "")
        held.set()
        await settled(pilot)
        hit = rows[3].hit
        assert pilot.app.clipboard == f"{hit.session_id}:{hit.turn}"
        assert (transcript(pilot).session.key, transcript(pilot).number > hit.turn) == (hit.session, True)  # type: ignore[union-attr]


async def test_alt_with_a_letter_right_after_a_query_is_for_its_first_hit(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        for key in "retry":
            pilot.app.post_message(events.Key(key, key))
        await pilot.pause()
        pilot.app.post_message(events.Key("alt+shift+y", None))
        await settled(pilot)
        assert pilot.app.clipboard.startswith(hits(pilot)._rows[0].hit.session_id)
