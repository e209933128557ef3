"""The status line names what a key does at the row with the cursor, and leaves it out where it does nothing."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from memtui.widgets.status.key_line import KeyLine
from support.indexes import update
from support.screens import app_on, browse, settled, tree, type_text
from support.transcripts import Script


def named(pilot: Pilot[None], action: str) -> set[str]:
    """The names that the status line has for the keys of an action of the focused pane, or of the transcript."""
    browse_screen = browse(pilot)
    hints = {hint.key: hint.name for hint in browse_screen.query_one(KeyLine).keys}
    bound = browse_screen.active_bindings.items()
    return {hints[key] for key, active in bound if key in hints and active.binding.action == action}


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def test_enter_is_named_by_what_it_does_with_the_row(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "g")
        assert tree(pilot).cursor_node is not None
        names = [named(pilot, "select_cursor")]
        await press(pilot, "right", "j")
        names.append(named(pilot, "select_cursor"))
        await press(pilot, "2", "grave_accent", "g")
        names.append(named(pilot, "select"))
        await press(pilot, "enter")
        names.append(named(pilot, "select"))
        await press(pilot, "3")
        names.append(named(pilot, "select"))
        await press(pilot, "4")
        names.append(named(pilot, "select"))
        assert names == [{"Project"}, {"Read"}, {"Fold"}, {"Unfold"}, {"Review"}, {"Read"}]


async def test_a_row_of_a_review_that_leads_nowhere_has_no_key(tmp_path: Path) -> None:
    script = Script()
    script.user("never round prices in the parser")
    script.says("I round them where they are shown.")
    script.calls("Bash", {"command": "make docs"})
    script.compacts("Nothing.")
    script.user("Go on")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "enter")
        names = [(named(pilot, "select"), named(pilot, "turn(1)"))]
        await press(pilot, "G")
        names.append((named(pilot, "select"), named(pilot, "turn(1)")))
        await press(pilot, "space")
        names.append((named(pilot, "select"), named(pilot, "turn(1)")))
        # Nothing was kept: the words that say so lead nowhere.
        await press(pilot, "l")
        names.append((named(pilot, "select"), named(pilot, "turn(1)")))
        assert names == [({"Read"}, set()), ({"Unfold"}, set()), ({"Fold"}, set()), (set(), set())]


async def test_a_next_match_is_named_only_where_something_is_searched(sample_index: Path) -> None:
    action = "in_transcript('match(1)')"
    async with app_on(sample_index).run_test(size=(300, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j")
        assert named(pilot, action) == set()
        await press(pilot, "slash")
        await type_text(pilot, "backoff")
        await press(pilot, "down")
        assert named(pilot, action) == {"Match"}
        await press(pilot, "enter")
        assert named(pilot, "match(1)") == {"Match"}
        await press(pilot, "escape", "escape", "escape")
        await press(pilot, "k")
        assert named(pilot, action) == set()
