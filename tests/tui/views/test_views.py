"""Files, compactions and pull requests over the sample sessions, and the way back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, OptionList

from memtui.browse.reader.history import HistoryEntry, NavigationHistory
from memtui.browse.screen import BrowseScreen
from memtui.browse.search.hit_list import HitList
from memtui.browse.search.searches_view import SearchList
from memtui.views.base import NEWEST
from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.review_list import ReviewList
from memtui.views.files.file_list import FileList
from memtui.views.files.file_timeline import FileTimeline
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.sessions.tree import SessionTree
from memtui.views.stats.stats_pane import StatsPane
from memtui.widgets.requests.target import Target
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.transcript.widget import TranscriptPane
from support.indexes import update
from support.screens import app_on, empty_text, is_shown, settled, transcript, tree, type_text
from support.transcripts import SESSION, Script, touched_file

SIZES = [(140, 40), (80, 24)]
SHOP_PULL = "https://github.com/harbor-example/shop-api/pull/{}"


def screen(pilot: Pilot[None]) -> BrowseScreen:
    """The screen."""
    found = pilot.app.screen
    assert isinstance(found, BrowseScreen)
    return found


def focused(pilot: Pilot[None]) -> Widget | None:
    """What has the focus."""
    return pilot.app.focused


def listed(rows: OptionList) -> list[str]:
    """The text of every row, spaces run together."""
    return [" ".join(str(option.prompt).split()) for option in rows.options]


def read(pilot: Pilot[None]) -> tuple[str, int]:
    """Title and turn of what is in the transcript."""
    shown = transcript(pilot).session
    assert shown is not None
    return shown.title, transcript(pilot).number


@pytest.mark.spec("S5.4")
async def test_a_file_leads_to_its_timeline_and_to_the_turn(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            await pilot.press("2")
            await settled(pilot)
            files = screen(pilot).query_one(FileList)
            assert pilot.app.focused is files
            # Two projects have such a file.
            assert re.fullmatch(r"ci.yml (?:.github/workflows shop-api|shop-a… · …/workflows) 3 17 h", listed(files)[0])
            await pilot.press("slash")
            await type_text(pilot, "uplaod.py")
            assert [row.split(" ")[:2] for row in listed(files)] == [["upload.py", "src"]]
            await pilot.press("enter", "enter")
            await settled(pilot)
            timeline = screen(pilot).query_one(FileTimeline)
            assert focused(pilot) is timeline
            assert listed(timeline)[timeline.highlighted or 0].startswith("✎ turn 8 +1 −1 Fix flaky uploads ")
            await pilot.press("enter")
            await settled(pilot)
            assert isinstance(pilot.app.focused, TranscriptPane)
            title, turn = read(pilot)
            assert (title, turn) == ("Fix flaky uploads", 8)
            assert str(transcript(pilot).border_subtitle).startswith(f"turn {turn} of 13")
            call = transcript(pilot).visible_call()
            assert call is not None
            assert (call.name, call.path) == ("Edit", "src/upload.py")
            places = []
            for _ in range(2):
                await pilot.press("escape")
                places.append(focused(pilot))
            assert places == [timeline, files]
            assert (files.border_title, len(listed(files))) == ("files, newest first · /uplaod.py", 1)
            await pilot.press("escape")
            await settled(pilot)
            assert (focused(pilot), files.border_title, len(listed(files)) > 1) == (files, "files, newest first", True)
            await pilot.press("escape")
            await settled(pilot)
            assert (screen(pilot).view, pilot.app.focused) == ("sessions", screen(pilot).query_one(SessionTree))


@pytest.mark.spec("S5.4")
async def test_a_file_tells_its_counts_its_sessions_and_its_first_and_last_touch(tmp_path: Path) -> None:
    few, all_counts = ["upload.py", "src", "2", "2 d"], ["upload.py", "src", "2", "3", "1", "2", "20 d", "2 d"]
    update(tmp_path / "data", *touched_file(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await settled(pilot)
        files = screen(pilot).query_one(FileList)
        timeline = screen(pilot).query_one(FileTimeline)
        frame = timeline.parent
        assert isinstance(frame, Widget)
        for size, row in {(40, 24): few, (80, 24): all_counts, (99, 30): all_counts}.items():
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert [re.split(r" {2,}", str(option.prompt)) for option in files.options] == [row]
            assert [cell_len(str(option.prompt)) for option in files.options] == [files.size.width - 2]
            heads = [
                "name",
                "folder",
                "edits",
                *(["reads", "mentions", "sessions", "first"] if row == all_counts else []),
            ]
            assert [name for _, text in files.table.heads() for name in text.split()] == [*heads, "last", "▼"]
            assert str(files.border_subtitle) == "1"
            assert (
                str(frame.border_subtitle)
                == "✎ edited in 2 turns  ○ read in 3  · named in 1  ● 2 sessions  20 d to 2 d"
            )
            assert [touch.kind for touch in timeline.touches].count("read") == 3
            await pilot.press("grave_accent")
            await settled(pilot)
            below = [" ".join(line.split()) for line in listed(files)[1:]]
            assert [line[:13] for line in below] == ["▾ src/ 1 2 3 ", "upload.py 2 3"]
            # Sessions are not summed.
            assert [line.split().count("2") for line in below] == ([2, 3] if row == all_counts else [2, 2])
            await pilot.press("slash", *"zzzz")
            await settled(pilot)
            told = "No files match “zzzz”.\n\nesc removes the filter.\nctrl+r searches for it."
            assert (empty_text(screen(pilot)), is_shown(frame)) == (told, False)
            for key in ("escape", "enter", "grave_accent"):
                await pilot.press(key)
                await settled(pilot)


@pytest.mark.parametrize("size", [(80, 24), (110, 30), (140, 40)])
async def test_what_is_in_sight_is_what_the_styles_say(size: tuple[int, int], sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)

        def displayed() -> dict[str, tuple[bool, object]]:
            return {str(each.id): (each.display, each.styles.width) for each in screen(pilot).query("*") if each.id}

        seen, keys = set(), "enter i escape escape slash r escape 2 3 enter escape 4 5 6 j"
        for key in keys.split():
            await pilot.press(key)
            await settled(pilot)
            before = displayed()
            screen(pilot).update_node_styles(animate=False)
            assert displayed() == before, key
            seen.add(frozenset(name for name, (shown, _) in before.items() if shown))
        assert len(seen) > 5


async def test_files_are_shown_as_a_tree(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("2", "grave_accent")
        await settled(pilot)
        files = screen(pilot).query_one(FileList)
        assert (files.border_title, files.chosen) == ("folders, newest first", files._keys[files.highlighted or 0])
        unfolded = listed(files)
        assert [row.split(" ")[:2] for row in unfolded[:3]] == [
            ["▾", "shop-api"],
            ["▾", ".github/workflows/"],
            ["ci.yml", "3"],
        ]
        await pilot.press("left", "left")
        assert listed(files)[1].startswith("▸ .github/workflows/ 1 3 ")
        await pilot.press("left", "left")
        assert all(row.startswith("▸ ") for row in listed(files))
        await pilot.press("enter", "j", "enter", "j", "enter")
        await settled(pilot)
        assert isinstance(focused(pilot), FileTimeline)
        await pilot.press("escape", "slash", *"upload")
        await settled(pilot)
        assert files.border_title == "files, newest first · /upload"
        assert all("upload" in row for row in listed(files))


async def test_files_are_sorted_by_each_column_and_a_narrow_list_shows_that_one(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await settled(pilot)
        files = screen(pilot).query_one(FileList)
        seen, unsorted = {}, []
        for key in [*"sssssssss", "I"]:
            await pilot.press(key)
            await settled(pilot)
            seen[str(files.border_title)] = [text.strip() for _, text in files.table.heads()]
            column = next(column for column in files.columns if column.name == files.order.name)
            assert column.order is not None
            values = [column.order(line) for line in files.lines()]
            if values != sorted(values, reverse=files.order.is_descending(column)) or values == values[::-1]:
                unsorted.append(column.name)
        assert unsorted == []
    assert seen == {
        "files by edits": ["name", "folder", "edits ▼", "last"],
        "files by reads": ["name", "folder", "edits", "reads ▼", "last"],
        "files by mentions": ["name", "folder", "edits", "mentions ▼", "last"],
        "files by sessions": ["name", "folder", "edits", "sessions ▼", "last"],
        "files by first": ["name", "folder", "edits", "first ▼", "last"],
        "files by name": ["name ▲", "folder", "edits", "last"],
        "files by folder": ["name", "folder ▲", "edits", "last"],
        "files by project": ["name", "folder", "project ▲", "edits", "last"],
        "files, newest first": ["name", "folder", "edits", "last ▼"],
        "files, oldest first": ["name", "folder", "edits", "last ▲"],
    }


async def test_what_was_searched_for_is_marked_in_name_and_folder(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        files = screen(pilot).query_one(FileList)
        marked = {}
        for words in ("UPLOAD", "rc/upl", "/tests", "uplaod"):
            await pilot.press("slash")
            await type_text(pilot, words)
            await settled(pilot)
            content = files.table.line(files.lines()[0])
            marked[words] = [
                content.plain[span.start : span.end] for span in content.spans if "$text-accent" in str(span.style)
            ]
            await pilot.press("escape", "escape")
            await settled(pilot)
    assert marked == {"UPLOAD": ["upload"], "rc/upl": ["upl", "rc"], "/tests": [], "uplaod": []}


async def test_the_project_tells_files_of_one_path_apart_at_any_width(sample_index: Path) -> None:
    seen = set()
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("2", "slash", *"ci.yml", "enter")
        files = screen(pilot).query_one(FileList)
        for width in (200, 140, 90, 60, 40):
            await pilot.resize_terminal(width, 30)
            await settled(pilot)
            rows = listed(files)
            seen.add((len(rows), len({re.sub(r"[\d]+ [a-z]|\d+", "", row) for row in rows}) > 1))
    assert seen == {(4, True)}


async def test_a_folder_that_is_unfolded_at_the_bottom_shows_its_files(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 11)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await settled(pilot)
        files = screen(pilot).query_one(FileList)
        await pilot.press("grave_accent")
        await settled(pilot)
        for key in ("g", "enter", "enter"):
            await pilot.press(key)
            await settled(pilot)
        height = files.scrollable_content_region.height
        await pilot.press(*["j"] * (height - 1))
        await settled(pilot)
        assert (round(files.scroll_y), files.highlighted, height) == (0, 4, 5)
        await pilot.press("enter")
        await settled(pilot)
        # Its seven files have no room below it, so the folder goes to the top.
        assert (round(files.scroll_y), listed(files)[4]) == (4, "▾ tests/ 7 6 1 8 9 d 18 h")


async def test_list_and_tree_of_the_files_stay_as_they_were_left(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        files = screen(pilot).query_one(FileList)

        async def after(*keys: str) -> tuple[object, float, list[str]]:
            await pilot.press(*keys)
            await settled(pilot)
            return files.chosen, files.scroll_y, listed(files)

        in_list = await after(*["j"] * 9)
        assert in_list[1] > 0
        in_tree = await after("grave_accent")
        assert in_tree[0] == in_list[0]
        assert files.scroll_y <= (files.highlighted or 0) < files.scroll_y + files.size.height
        folded = await after("g", "enter")
        assert [row.split()[0] for row in folded[2]] == ["▸", "▸", "▸"]
        assert await after("grave_accent") == in_list
        assert await after("grave_accent") == folded
        # Another file is gone to: it is in sight in the other form.
        scrolled = await after("enter", *["j"] * 9, "k")
        assert scrolled[1] > 0
        other = await after("grave_accent")
        assert other[0] == scrolled[0] != in_list[0]
        assert await after("grave_accent") == scrolled
        assert await after("grave_accent") == other
        last = await after("G")
        assert (await after("grave_accent"))[0] == last[0] != other[0]
        assert files.scroll_y <= (files.highlighted or 0) < files.scroll_y + files.size.height


async def test_a_compaction_leads_to_its_summary(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("3")
        await settled(pilot)
        rows = listed(screen(pilot).query_one(CompactionList))
        assert rows[0] == "20 Nov 13:40 Fix flaky uploads 1"
        assert read(pilot) == ("Fix flaky uploads", 4)
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(focused(pilot), ReviewList)


async def test_a_pull_request_leads_to_the_turn_that_tied_it(
    sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def browse(url: str) -> bool:
        opened.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("4")
        await settled(pilot)
        rows = listed(screen(pilot).query_one(PrList))
        assert rows[0] == "● Retry webhooks with the same backoff draft #219 17 h"
        await pilot.press("o", "enter")
        await settled(pilot)
        assert read(pilot)[0] == "Retry webhooks with the same backoff"
        assert opened == ["https://github.com/harbor-example/shop-api/pull/219"]


async def test_the_sessions_of_a_pull_request_are_shown_below_it(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("4")
        await settled(pilot)
        rows = screen(pilot).query_one(PrList)
        folded = listed(rows)
        assert folded[1].startswith("▸ ● Fix flaky uploads created #218")
        await pilot.press("j")
        await settled(pilot)
        assert str(rows.border_subtitle) == "8 · created in turn 11 of “Fix flaky uploads”"
        assert read(pilot)[0] == "Retry webhooks with the same backoff"
        await pilot.press("space", "j", "j")
        await settled(pilot)
        assert [row.rpartition(" ")[0].rpartition(" ")[0] for row in listed(rows)[1:4]] == [
            "▾ ● Fix flaky uploads created #218",
            "● Retry webhooks with the same backoff",
            "● Fix flaky uploads",
        ]
        assert (read(pilot)[0], str(rows.border_subtitle)) == ("Fix flaky uploads", "8 · created in turn 11")
        await pilot.press("s")
        await settled(pilot)
        assert (rows.border_title, rows.chosen) == ("pull requests by number", (SHOP_PULL.format(219), None))
        await pilot.press("s", "s")
        await settled(pilot)
        assert str(rows.border_title) == "pull requests by title"
        # A filter searches the sessions, too.
        await pilot.press("s", *"s" * 3)
        await settled(pilot)
        assert rows.border_title == "pull requests, newest first"
        await pilot.click(PrList, offset=("".join(text for _, text in rows.table.heads()).index("state") + 1, 1))
        await settled(pilot)
        assert rows.border_title == "pull requests by state"


@pytest.mark.parametrize("width", [80, 140, 200])
async def test_the_title_of_a_pull_request_has_all_spare_room_at_any_zoom(tmp_path: Path, width: int) -> None:
    title = "Retry uploads that fail on slow networks, without sending twice"
    script = Script()
    script.user("Retry the upload")
    script.calls("Bash", {"command": f"gh pr create --draft --title '{title}'"})
    script.result(SHOP_PULL.format(14))
    link = {"prNumber": 14, "prUrl": SHOP_PULL.format(14), "prRepository": "harbor-example/shop-api"}
    script.raw({"type": "pr-link", **link, "sessionId": SESSION, "timestamp": "2026-11-01T10:00:00Z"})
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(width, 24)) as pilot:
        await settled(pilot)
        await pilot.press("4")
        await settled(pilot)
        pulls, shown = screen(pilot).query_one(PrList), []
        for _ in range(3):
            cells = {column.name: cells for column, cells in pulls.table.columns}
            is_whole = cells["title"] >= len(title)
            others = set(cells) - {"title", "state", "number", NEWEST}
            assert is_whole or (others == set() and cells["title"] == pulls.row_width - len("  draft  #14  last ▼"))
            shown.append((is_whole, "repository" in others))
            await pilot.press("z")
            await settled(pilot)
        assert (
            shown
            == {
                80: [(False, False)] * 3,
                140: [(False, False), (True, False), (True, True)],
                200: [(True, False), (True, True), (True, True)],
            }[width]
        )


async def test_an_empty_view_has_its_own_words(tmp_path: Path) -> None:
    script = Script()
    script.user("hello")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for key, words in (("3", "No session was compacted"), ("4", "No session is linked")):
            await pilot.press(key)
            await settled(pilot)
            assert words in empty_text(screen(pilot))
            await pilot.press("5")
            await settled(pilot)
            assert screen(pilot).view == "stats"
            await pilot.press("1")
            await settled(pilot)
            assert empty_text(screen(pilot)) == ""


async def test_a_key_leads_from_the_hits_to_a_view(sample_index: Path) -> None:
    lists: dict[str, type[Widget]] = {"2": FileList, "4": PrList, "1": SessionTree}
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        for key, list_type in lists.items():
            await pilot.press("1", "slash")
            await type_text(pilot, "backoff")
            await pilot.press("down")
            await settled(pilot)
            assert isinstance(focused(pilot), HitList)
            await pilot.press(key)
            await settled(pilot)
            shown = screen(pilot).query_one(list_type)
            assert (focused(pilot), is_shown(shown)) == (shown, True)
            assert not is_shown(screen(pilot).query_one(HitList))


async def test_a_search_covers_any_view_and_gives_it_back(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("4", "slash")
        await type_text(pilot, "backoff")
        assert is_shown(screen(pilot).query_one("#hits"))
        assert not is_shown(screen(pilot).query_one(PrList))
        await pilot.press("escape")
        await settled(pilot)
        assert is_shown(screen(pilot).query_one(SearchList))
        await pilot.press("escape")
        assert is_shown(screen(pilot).query_one(PrList))
        assert isinstance(pilot.app.focused, PrList)


async def test_jumps_go_back_to_where_one_was(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter", "J")
        await settled(pilot)
        first = read(pilot)
        await pilot.press("4", "enter")
        await settled(pilot)
        second = read(pilot)
        assert first != second
        await pilot.press("ctrl+o")
        await settled(pilot)
        assert read(pilot) == first
        await pilot.press("alt+right")
        await settled(pilot)
        assert read(pilot) == second


def test_a_way_back_and_forward() -> None:
    jumps = NavigationHistory()
    first, second, third, fourth = (HistoryEntry("sessions", Target(session)) for session in range(1, 5))
    assert (jumps.current, jumps.step(-1)) == (None, None)
    for entry in (first, second, third):
        jumps.visit(entry)
    assert [jumps.step(-1), jumps.step(-1), jumps.step(-1)] == [second, first, None]
    assert [jumps.step(1), jumps.step(-1), jumps.step(1), jumps.step(1)] == [second, first, second, third]
    assert jumps.step(1) is None
    jumps.step(-1)
    jumps.visit(fourth)
    assert [jumps.current, jumps.step(1), jumps.step(-1)] == [fourth, None, second]


async def test_the_filter_of_files_is_left_by_its_list_and_a_second_slash_goes_on_to_the_search_of_everything(
    sample_index: Path,
) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("2", "slash")
        assert isinstance(pilot.app.focused, Input)
        await type_text(pilot, "zzzz")
        assert listed(screen(pilot).query_one(FileList)) == []
        await pilot.press("escape")
        await settled(pilot)
        assert listed(screen(pilot).query_one(FileList))
        await pilot.press("enter", "up")
        assert isinstance(focused(pilot), Input)
        await pilot.press("slash")
        await type_text(pilot, "backoff file:nowhere.xyz")
        assert focused(pilot) is screen(pilot).query_one(SearchBar)
        said = empty_text(screen(pilot))
        assert said.startswith("Nothing matched.\n\nThese filters may exclude the hits:\nfile:nowhere.xyz")
        screen(pilot).query_one(SearchBar).value = ""
        pilot.app.post_message(events.Paste("retry\n  the upload\n"))
        await settled(pilot)
        assert screen(pilot).query_one(SearchBar).value == "retry the upload"


@pytest.mark.parametrize("size", SIZES)
async def test_statistics_fill_the_screen_and_give_it_back(sample_index: Path, size: tuple[int, int]) -> None:
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press("5")
        await settled(pilot)
        stats = screen(pilot).query_one(StatsPane)
        assert focused(pilot) is stats
        assert stats.size.width > size[0] - 6
        await pilot.press("d")
        await settled(pilot)
        assert stats.days == 90
        all_words = stats.rows(100, 40)[0].text
        await pilot.press("p")
        await settled(pilot)
        assert (all_words.split(" · ")[0], stats.rows(100, 40)[0].text.split(" · ")[0]) == ("all projects", "shop-api")
        await pilot.press("p")
        await settled(pilot)
        assert stats.rows(100, 40)[0].text == all_words
        await pilot.press("tab", "tab")
        assert focused(pilot) is stats
        await pilot.press("slash")
        await type_text(pilot, "backoff")
        assert (is_shown(stats), is_shown(screen(pilot).query_one("#hits"))) == (False, True)
        await pilot.press("escape", "escape", "escape")
        await settled(pilot)
        assert (screen(pilot).view, focused(pilot)) == ("sessions", tree(pilot))
