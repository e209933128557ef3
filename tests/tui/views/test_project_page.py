"""The page of a project beside the tree: what it says, and where each row leads."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.review_list import ReviewList
from memtui.views.files.file_list import FileList
from memtui.views.files.file_timeline import FileTimeline
from memtui.views.pull_requests.pr_list import PrList
from memtui.views.sessions.project.cells import Cells, laid_out, whole_width
from memtui.views.sessions.project.page import ProjectPage
from memtui.views.sessions.tree import SessionTree
from memtui.views.stats.stats_pane import StatsPane
from memtui.views.timeline.timeline_list import TimelineList
from memtui.widgets.row_list import RowList
from support.indexes import update
from support.screens import app_on, browse, hold, is_shown, settled, transcript, tree, type_text
from support.shop_project import LIMITS, NOTES, PRICES, UPLOAD, index_shop
from support.transcripts import Script

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ROWS = [
    "~/code/shop · 4 sessions · claude · 6 turns · 1 Nov · 80 tokens in · 40 out",
    "under $0.01 for 80 % of the turns · no price for unlisted · 2 min of work",
    f"{'·' * 63}█{'·' * 20}",
    "  Sep                           Oct                            Nov",
    "Open ends  3",
    "  ● Write the release notes  no answer: “Write the release notes”      turn 1   19 d",
    "  ● Add rate limits          stopped at “Bash: pytest -q”              turn 1   19 d",
    "  ? Retry the upload         “Shall I also retry webhooks?”            turn 1   19 d",
    "Recent sessions  4",
    "  ● Write the release notes         1 turn                               main   19 d",
    "  ● Add rate limits                 1 turn  under $0.01   10 s   1 tool  main   19 d",
    "  ● Retry the upload                1 turn                30 s   1 tool  main   19 d",
    "  ● Round the prices               3 turns  under $0.01  1 min  3 tools  main   19 d",
    "Hot files  2",
    "  ✎ src/prices.py                                      in 3 turns  2 sessions   19 d",
    "  ✎ src/taxes.py                                        in 1 turn   1 session   19 d",
    "Pull requests  1",
    "  ↑ #14 Round the prices                                       main  ana/shop   19 d",
    "Compactions  1",
    "  ⧉ Round the prices  not reviewed yet                              turns 1–2   19 d",
]
"""The page of the shop in a terminal of 154 columns."""


def test_a_title_is_whole_before_there_are_more_columns_than_one() -> None:
    title = "#14 Retry uploads that fail on slow networks, without sending twice"
    rows = [Cells("↑ ", title, None, ("merged",), ("retry-slow-uploads", "ana/shop"))]

    def line(width: int) -> str:
        return "".join(text for text, _ in laid_out(rows, width, NOW)[0]).rstrip()

    all_columns = "  merged  retry-slow-uploads  ana/shop"
    assert whole_width(rows) == len("  ↑ " + title + all_columns + "   19 d")
    assert {width: line(width) for width in (60, 87, 105, 106, 115, 116)} == {
        60: "  ↑ #14 Retry uploads that fail on slow netw…  merged",
        87: f"  ↑ {title}   merged",
        105: f"  ↑ {title}{' ' * 21}merged",
        106: f"  ↑ {title}  merged  retry-slow-uploads",
        115: f"  ↑ {title}{' ' * 11}merged  retry-slow-uploads",
        116: f"  ↑ {title}{all_columns}",
    }


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of the shop; read only."""
    data = tmp_path_factory.mktemp("shop") / "data"
    index_shop(data)
    return data


def page(pilot: Pilot[None]) -> ProjectPage:
    return browse(pilot).query_one(ProjectPage)


def lines(pilot: Pilot[None]) -> list[str]:
    """The rows of the page, each with all of its lines."""
    rows = [str(option.prompt) for option in page(pilot).options]
    return [line.rstrip() for row in rows for line in row.splitlines()]


def row(pilot: Pilot[None]) -> str:
    """The sign and the name of the row with the cursor."""
    shown = page(pilot)
    return str(shown.get_option_at_index(shown.highlighted or 0).prompt).strip().partition("  ")[0]


async def on_page(pilot: Pilot[None], key: str = "G") -> None:
    """Go to the page of the shop, which is the last project, or of the first one."""
    await settled(pilot)
    await pilot.press(key, "enter")
    await settled(pilot)
    assert pilot.app.focused is page(pilot)


async def chosen(pilot: Pilot[None], part: str) -> None:
    """Press enter on the first row that contains a text."""
    shown = page(pilot)
    shown.highlighted = next(
        index for index in range(shown.option_count) if part in str(shown.get_option_at_index(index).prompt)
    )
    await pilot.press("enter")
    await settled(pilot)


@pytest.mark.spec("S5.12")
async def test_the_page_says_what_a_project_is_and_what_is_open_there(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await settled(pilot)
        assert not browse(pilot).query(ProjectPage)
        await pilot.press("G")
        await settled(pilot)
        assert (str(page(pilot).border_title), is_shown(page(pilot)), is_shown(transcript(pilot))) == (
            "shop",
            True,
            False,
        )
        assert lines(pilot) == ROWS


async def test_enter_goes_to_the_newest_session_and_esc_back_step_by_step(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await pilot.press("enter")
        await settled(pilot)
        session = transcript(pilot).session
        assert session is not None
        assert (session.session_id, pilot.app.focused, is_shown(page(pilot))) == (NOTES, transcript(pilot), False)
        await pilot.press("escape")
        await settled(pilot)
        assert (pilot.app.focused, is_shown(transcript(pilot))) == (page(pilot), False)
        await pilot.press("escape")
        await settled(pilot)
        assert (pilot.app.focused, is_shown(page(pilot))) == (tree(pilot), True)


@pytest.mark.parametrize(
    ("row", "session", "turn"),
    [
        ("stopped at", LIMITS, 1),
        ("Shall I also", UPLOAD, 1),
        ("Round the prices  ", PRICES, 1),
        ("#14", PRICES, 3),
    ],
)
async def test_a_row_opens_its_session_at_its_turn(shop: Path, row: str, session: str, turn: int) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await chosen(pilot, row)
        shown = transcript(pilot)
        assert shown.session is not None
        assert (shown.session.session_id, shown.number, pilot.app.focused) == (session, turn, shown)


async def test_headings_and_rows_open_what_other_views_have_of_the_project(shop: Path) -> None:
    """Takes long because every view is opened."""
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        seen: dict[str, tuple[str, type | None, str]] = {}
        for row in ("~/code/shop", "·█", "Recent", "Hot", "prices.py", "Pull", "Compactions", "turns 1–2"):
            await chosen(pilot, row)
            focused = pilot.app.focused
            title = str(focused.border_title) if isinstance(focused, RowList) else ""
            seen[row] = (browse(pilot).view, type(focused), title)
            await pilot.press("1")
            await settled(pilot)
            page(pilot).focus()
            await settled(pilot)
        assert seen == {
            "~/code/shop": ("stats", StatsPane, ""),
            "·█": ("timeline", TimelineList, "timeline of shop"),
            "Recent": ("sessions", SessionTree, ""),
            "Hot": ("files", FileList, "files of shop, newest first"),
            "prices.py": ("files", FileTimeline, "None"),
            "Pull": ("prs", PrList, "pull requests of shop, newest first"),
            "Compactions": ("compactions", CompactionList, "compactions of shop, newest first"),
            "turns 1–2": ("compactions", ReviewList, "None"),
        }


async def test_esc_lists_all_projects_again(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await chosen(pilot, "Hot")
        files = browse(pilot).query_one(FileList)
        assert {row.path for row in files._files} == {"src/prices.py", "src/taxes.py", "src/upload.py"}
        await pilot.press("escape")
        await settled(pilot)
        assert (browse(pilot).view, str(files.border_title)) == ("files", "files, newest first")
        await pilot.press("escape")
        await settled(pilot)
        assert (browse(pilot).view, is_shown(page(pilot))) == ("sessions", True)


async def test_the_page_stays_until_the_session_below_the_cursor_is_loaded(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await pilot.press("escape", "l")
        await settled(pilot)
        held = await hold(pilot, "open")
        await pilot.press("j")
        await settled(pilot)
        assert (tree(pilot).project, is_shown(page(pilot))) == (None, True)
        held.set()
        await settled(pilot)
        session = transcript(pilot).session
        assert session is not None
        assert (session.session_id, is_shown(transcript(pilot)), is_shown(page(pilot))) == (NOTES, True, False)
        await pilot.press("k")
        await settled(pilot)
        assert is_shown(page(pilot))
        # It is still loaded.
        await pilot.press("j")
        await pilot.pause()
        assert is_shown(transcript(pilot))


async def test_of_the_projects_that_the_cursor_passes_only_the_last_one_is_shown(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await pilot.press("escape")
        held = await hold(pilot, "page")
        await pilot.press("g")
        await settled(pilot)
        await pilot.press("G")
        await settled(pilot)
        await pilot.press("g")
        await settled(pilot)
        assert str(page(pilot).border_title) == "shop"
        held.set()
        await settled(pilot)
        assert (str(page(pilot).border_title), row(pilot)) == ("blog", "● Quote the shop")


async def test_a_page_that_comes_late_does_not_replace_what_is_read(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        held = await hold(pilot, "page")
        browse(pilot).list_pane.reload()
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        held.set()
        await settled(pilot)
        assert (pilot.app.focused, is_shown(page(pilot))) == (transcript(pilot), False)
        # A filter of titles and its end lead back to the page.
        await pilot.press("escape", "escape", "slash", "ctrl+r", "ctrl+r", "ctrl+r")
        await type_text(pilot, "round")
        assert not is_shown(page(pilot))
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert is_shown(page(pilot))


async def test_the_cursor_stays_on_its_row_while_sessions_are_added(tmp_path: Path) -> None:
    index_shop(tmp_path / "data")
    async with app_on(tmp_path / "data").run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await pilot.press("j")
        before = page(pilot).chosen
        newer = Script("66666666-6666-4666-8666-666666666666", prefix="n")
        newer.count = 5000
        newer.user("Refund an order")
        newer.says("Refunded.")
        newer.write(tmp_path / "src")
        update(tmp_path / "data", tmp_path / "src")
        await pilot.app.screen.run_action("refresh_index")
        await settled(pilot)
        assert (page(pilot).chosen, tree(pilot).project) == (before, browse(pilot).query_one(SessionTree).project)
        assert lines(pilot)[8:10] == [
            "Recent sessions  5",
            "  ● Refund an order                 1 turn  under $0.01   10 s           main   19 d",
        ]


async def test_a_click_opens_a_row(shop: Path) -> None:
    async with app_on(shop).run_test(size=(154, 40)) as pilot:
        await on_page(pilot)
        await pilot.press("escape")
        await pilot.click(ProjectPage, offset=(10, 8))
        await settled(pilot)
        session = transcript(pilot).session
        assert session is not None
        assert (session.session_id, pilot.app.focused) == (UPLOAD, transcript(pilot))


@pytest.mark.parametrize(("size", "rows"), [((80, 24), 18), ((200, 60), 18), ((100, 12), 18)])
async def test_the_page_fits_every_terminal(shop: Path, size: tuple[int, int], rows: int) -> None:
    async with app_on(shop).run_test(size=size) as pilot:
        await on_page(pilot)
        shown = page(pilot)
        assert shown.option_count == rows
        assert max(map(len, lines(pilot))) <= shown.row_width
        assert row(pilot) == "● Write the release notes"
        top = round(shown.scroll_y)
        assert top <= shown._index_to_line[shown.highlighted or 0] < top + shown.size.height


async def test_sessions_of_one_title_are_one_row_that_counts_them_also_where_its_title_is_cut(tmp_path: Path) -> None:
    for number in range(3):
        script = Script(f"{number}1111111-1111-4111-8111-111111111111", prefix=f"p{number}")
        script.count = number * 10
        script.user("Look at every order of the last month, one after the other")
        script.calls("Bash", {"command": "pytest -q"})
        script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await on_page(pilot, "g")
        assert [line for line in lines(pilot) if "×" in line] == [
            "  ● Look at every order of the last month, o… ×3  3 turns  under $0.01   19 d"
        ]


async def test_more_open_ends_than_there_is_room_for_are_listed_by_their_heading(tmp_path: Path) -> None:
    for number in range(8):
        script = Script(f"{number}1111111-1111-4111-8111-111111111111", prefix=f"p{number}")
        script.count = number * 10
        script.user(f"{chr(65 + number)} is asked")
        script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    async with app_on(tmp_path / "data").run_test(size=(140, 20)) as pilot:
        await on_page(pilot, "g")
        counts = []
        for _ in range(3):
            counts.append(sum("no answer" in line for line in lines(pilot)))
            await chosen(pilot, "Open ends")
        assert counts == [5, 8, 5]


async def test_decisions_lead_to_their_turns_and_their_heading_unfolds_them(tmp_path: Path) -> None:
    script = Script()
    script.user("Round the prices. Let's use Decimal instead of floats.")
    script.says("Done.")
    asked = {"questions": [{"question": "Round up?", "options": [{"label": "Half to even"}, {"label": "Up"}]}]}
    script.user("And the taxes")
    script.calls("AskUserQuestion", asked, "t1")
    script.result('The user answered: "Round up?"="Half to even".', "t1")
    for number in range(6):
        script.user(f"Don't use floats in part {number}.")
        script.says("Done.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    answer = "  ✓ “Half to even”  answer to: Round up? · not: Up"
    said = "  ✓ “Let's use Decimal instead of floats.”"
    async with app_on(tmp_path / "data").run_test(size=(154, 24)) as pilot:
        await on_page(pilot, "g")
        first = lines(pilot).index("Decisions  8")
        assert lines(pilot)[first + 1 : first + 6] == [
            f"  ⊘ “Don't use floats in part {number}.”{' ' * 38}turn {number + 3}   19 d" for number in (5, 4, 3, 2, 1)
        ]
        await chosen(pilot, "Decisions")
        assert lines(pilot)[first + 7 : first + 9] == [
            f"{answer:<71}turn 2   19 d",
            f"{said:<71}turn 1   20 d",
        ]
        await chosen(pilot, "Half to even")
        assert transcript(pilot).number == 2
