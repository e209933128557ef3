"""A redacted copy on the screen: looked through, changed, written, copied."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from memtui.screens.outgoing.sharing.parts import ShareParts
from memtui.screens.outgoing.sharing.redactions import RedactionList
from memtui.screens.outgoing.sharing.screen import ShareScreen
from memtui.widgets.row_list import RowList
from support.indexes import update
from support.screens import app_on, notices, settled
from support.transcripts import Script

SIZES = [(140, 40), (80, 24)]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def rows(pilot: Pilot[None], kind: type[RowList]) -> list[str]:
    """The rows of a list, with one blank between words."""
    return [" ".join(str(option.prompt).split()) for option in pilot.app.screen.query_one(kind).options]


def cursor(pilot: Pilot[None], kind: type[RowList]) -> str:
    """The row with the cursor."""
    return rows(pilot, kind)[pilot.app.screen.query_one(kind).highlighted or 0]


def title(pilot: Pilot[None], kind: type[RowList]) -> str:
    return str(pilot.app.screen.query_one(kind).border_title)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of a session with two turns."""
    folder = tmp_path_factory.mktemp("share")
    script = Script()
    script.user("Mail lena@shop.dev")
    script.thinks("Is lena@shop.dev right?")
    script.calls("Bash", {"command": "cat /home/ana/code/shop/a.txt"})
    script.result("of Acme")
    script.says("Sent.")
    script.user("Thanks")
    script.says("See ~/a.txt.")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def work(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the index, beside an empty folder in which the app is started."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return shutil.copytree(built, tmp_path / "data")


SWITCHES = [
    "☑ Thinking",
    "☑ Tool calls",
    "☑ Results of tool calls",
    "☑ Changes and contents of files",
    "☑ Folders of absolute paths",
    "☑ Title, project and branch",
]
MAIL = "☑ 3× e-mail lena@shop.dev → [e-mail]"
HOME = "☑ 1× home /home/ana → ~"


@pytest.mark.parametrize("size", SIZES)
async def test_the_parts_and_what_is_replaced_are_listed(work: Path, size: tuple[int, int]) -> None:
    async with app_on(work).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "P")
        assert rows(pilot, ShareParts) == [
            *SWITCHES,
            "☑ ▸ 1 Mail lena@shop.dev 4 parts",
            "☑ ▸ 2 Thanks 2 parts",
        ]
        assert title(pilot, ShareParts) == "Mail lena@shop.dev · 2 turns"
        assert rows(pilot, RedactionList) == [MAIL, HOME]
        assert title(pilot, RedactionList) == "Replaced for privacy: 3× e-mail address, 1× home folder"
        await press(pilot, "G", "k", "enter")
        assert rows(pilot, ShareParts)[6:] == [
            "☑ ▾ 1 Mail lena@shop.dev 4 parts",
            "☑ ● Mail lena@shop.dev 18",
            "☑ … Is lena@shop.dev right? 23",
            "☑ ▸ Bash: cat /home/ana/code/shop/a.txt 50",
            "☑ ○ Sent. 5",
            "☑ ▸ 2 Thanks 2 parts",
        ]
        await press(pilot, "tab", "enter")
        assert rows(pilot, RedactionList) == [
            MAIL,
            "heading title Mail [e-mail]",
            "1.1 prompt Mail [e-mail]",
            "1.2 thinking Is [e-mail] right?",
            HOME,
        ]
        await press(pilot, "j", "j", "j", "enter")
        assert (cursor(pilot, ShareParts), pilot.app.screen.query_one(ShareParts).has_focus) == (
            "☑ … Is lena@shop.dev right? 23",
            True,
        )
        await press(pilot, "h")
        assert (cursor(pilot, ShareParts), len(rows(pilot, ShareParts))) == ("☑ ▸ 1 Mail lena@shop.dev 4 parts", 8)


async def test_what_is_left_out_and_kept_is_neither_listed_nor_written(work: Path) -> None:
    async with app_on(work).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "P", "space")
        assert rows(pilot, ShareParts)[0] == "☐ Thinking"
        assert rows(pilot, RedactionList) == [MAIL.replace("3", "2"), HOME]
        await press(pilot, "tab", "G", "space")
        assert rows(pilot, RedactionList) == [MAIL.replace("3", "2"), "☐ /home/ana stays"]
        await press(pilot, "a", *"acme, zebra", "enter")
        assert rows(pilot, RedactionList) == [
            MAIL.replace("3", "2"),
            "☑ 1× word Acme → [redacted]",
            "☐ /home/ana stays",
        ]
        await press(pilot, "tab", "G", "space")
        assert (title(pilot, ShareParts), cursor(pilot, ShareParts)) == (
            "Mail lena@shop.dev · 2 turns · 2 left out",
            "☐ ▸ 2 Thanks 2 parts",
        )
        await press(pilot, "w", "y")
        [path] = (work.parent / "here").iterdir()
        assert (path.name, [str(path)]) == ("mail-e-mail-11111111.html", notices(pilot)[:1])
        page, markdown = path.read_text("utf-8"), pilot.app.clipboard
        for text, is_in in (
            ("right?", False),
            ("lena@shop.dev", False),
            ("/home/ana/code/shop/a.txt", True),
            ("of [redacted]", True),
            ("Thanks", False),
        ):
            assert (text, text in page, text in markdown.replace("\\", "")) == (text, is_in, is_in)
        assert isinstance(pilot.app.screen, ShareScreen)
        await press(pilot, "escape", "P")
        assert rows(pilot, ShareParts)[:6] == SWITCHES
        assert rows(pilot, RedactionList) == [MAIL, HOME]


async def test_a_kept_text_is_replaced_again_and_ranges_are_gone_through(work: Path) -> None:
    async with app_on(work).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "G", "P", "tab", "space", "G", "space")
        assert rows(pilot, RedactionList) == [MAIL, HOME]
        titles = []
        for _ in range(3):
            await press(pilot, "number_sign")
            titles.append((title(pilot, ShareParts), rows(pilot, RedactionList)))
        only_title = ["☑ 1× e-mail lena@shop.dev → [e-mail]"]
        assert titles == [
            ("Mail lena@shop.dev · turn 2", only_title),
            ("Mail lena@shop.dev · 2 turns", [MAIL, HOME]),
            ("Mail lena@shop.dev · turn 2", only_title),
        ]


async def test_it_is_said_that_a_page_is_being_written_until_it_is_or_has_failed(work: Path) -> None:
    async with app_on(work).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "P")
        listed = title(pilot, RedactionList)
        screen = pilot.app.screen
        assert isinstance(screen, ShareScreen)
        for action, doing in ((screen.action_write, "Writing …"), (screen.action_copy, "Making the Markdown …")):
            action()
            assert title(pilot, RedactionList) == doing
            await settled(pilot)
            assert title(pilot, RedactionList) == listed
        assert notices(pilot)[0] == str(next((work.parent / "here").iterdir()))
        shutil.rmtree(work.parent / "here")
        screen.action_write()
        await settled(pilot)
        assert (title(pilot, RedactionList), "cannot be written" in notices(pilot)[-1]) == (listed, True)


async def test_a_word_of_the_user_is_changed_where_it_was_typed(work: Path) -> None:
    async with app_on(work).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "P", "a", *"sent", "enter", "tab", "G", "space")
        assert notices(pilot)[-1:] == ["That is a word of yours: a changes them."]
        await press(pilot, "a")
        assert pilot.app.screen.query_one(Input).value == "sent"
        await press(pilot, *["backspace"] * 4, "enter")
        assert rows(pilot, RedactionList) == [MAIL, HOME]
