"""Who wrote each line of a file, and why, in the app: real files, real sessions, real git."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.screens.origin.blame.page import BlamePage
from memtui.screens.origin.blame.screen import BlameScreen
from memtui.views.files.file_list import FileList
from memtui.views.files.file_timeline import FileTimeline
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.lines.diff_view import DiffView
from memtui.widgets.transcript.widget import TranscriptPane
from support.repositories import Repository
from support.screens import app_on, browse, hold, notices, settled, transcript, until
from support.transcripts import OTHER_SESSION

SIZES = [(80, 24), (140, 40), (200, 60)]
LOADER = "def load(path):\n    with open(path) as file:\n        return file.read()\n"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """A file that one session wrote, of which another one changed a line, and to which somebody added a line."""
    repository = Repository(tmp_path)
    first = repository.session().turn("Write a loader\x1b[31m for files")
    first.script.says("I write it as a function.")
    first.writes("load.py", LOADER)
    second = repository.session(OTHER_SESSION, day=3).turn("Strip what it returns")
    second.script.says("Blanks at the ends are of no use.")
    second.edits("load.py", "        return file.read()", "        return file.read().strip()")
    second.runs("pytest -q").turn("Thanks")
    repository.write("load.py", LOADER.replace("read()", "read().strip()") + "\x1b[2Jprint('by hand')\n")
    repository.index(first, second)
    return repository


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def blame(pilot: Pilot[None]) -> BlameScreen:
    """The screen with who wrote each line."""
    found = pilot.app.screen
    assert isinstance(found, BlameScreen)
    return found


def drawn(pilot: Pilot[None]) -> list[str]:
    """The lines of the file on the screen, without blanks at their ends."""
    page = blame(pilot).query_one(BlamePage)
    height = min(page.page, page.file.height)
    return ["".join(segment.text for segment in page.render_line(y)).rstrip() for y in range(height)]


def why(pilot: Pilot[None]) -> tuple[str, str, list[str]]:
    """The pane beside the file: what stands above it, below it, and in it."""
    pane = blame(pilot).query_one(DiffView)
    return str(pane.border_title), str(pane.border_subtitle), pane.text.split("\n")


@pytest.mark.parametrize("size", SIZES)
async def test_b_shows_who_wrote_each_line_and_why_and_enter_goes_to_the_edit(
    shop: Repository, size: tuple[int, int]
) -> None:
    async with app_on(shop.folder / "data").run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        agent = {80: "", 140: "  claude", 200: "  claude"}[size[0]]
        blank = " " * len(agent)
        assert drawn(pilot) == [
            f"╭ 11111111:2   19 d{agent}  1  def load(path):",
            f"╰                  {blank}  2      with open(path) as file:",
            f"╶ 22222222:2   16 d{agent}  3          return file.read().strip()",
            f"  unknown          {blank}  4  print('by hand')",
        ]
        title = str(blame(pilot).query_one(BlamePage).border_title)
        assert title.endswith("load.py · 3 of 4 lines proved · 2 turns · newest 16 d")
        assert why(pilot) == (
            "11111111:2 · go on",
            "Claude Code · wrote it · 19 d",
            [
                "Request",
                "Write a loader for files",
                "",
                "Before the edit",
                "I write it as a function.",
                "",
                "Edit",
                *LOADER.splitlines(),
            ],
        )
        await press(pilot, "n")
        assert why(pilot) == (
            "22222222:2 · go on",
            "Claude Code · wrote it · 16 d",
            [
                "Request",
                "Strip what it returns",
                "",
                "Before the edit",
                "Blanks at the ends are of no use.",
                "",
                "Checks after it",
                "pytest -q · ok",
                "",
                "Edit",
                "        return file.read()",
                "        return file.read().strip()",
            ],
        )
        await press(pilot, "j")
        assert why(pilot)[0] == "unknown"
        await press(pilot, "enter")
        assert notices(pilot) == ["Nothing proves who wrote this line. n goes to the next block."]
        await press(pilot, "k", "enter")
        shown = transcript(pilot)
        call = shown.visible_call()
        assert (browse(pilot).view, pilot.app.focused) == ("files", shown)
        assert (shown.session and shown.session.session_id, shown.number) == (OTHER_SESSION, 2)
        assert (call and call.name, call and call.path) == ("Edit", "load.py")


async def test_b_begins_at_the_lines_of_the_chosen_turn_in_history_transcript_and_inspector(shop: Repository) -> None:
    ways = {
        FileTimeline: ("2", "enter"),
        TranscriptPane: ("enter", "right_curly_bracket"),
        Inspector: ("i", "tab"),
    }
    found: list[tuple[Path, int]] = []
    async with app_on(shop.folder / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        for pane, keys in ways.items():
            await press(pilot, *keys)
            assert isinstance(pilot.app.focused, pane)
            await press(pilot, "b")
            found.append((blame(pilot).path, blame(pilot).line))
            await press(pilot, "b")
    path = shop.root / "load.py"
    # The newest edit; the edit of the other session is gone to by `}`.
    assert found == [(path, 2), (path, 2), (path, 2)]


async def test_the_lines_of_the_turn_under_the_cursor_are_marked_and_n_leaves_out_what_is_unknown(
    tmp_path: Path,
) -> None:
    repository = Repository(tmp_path)
    first = repository.session()
    first.writes("list.py", "".join(f"first_{number} = {number}\n" for number in range(6)))
    second = repository.session(OTHER_SESSION, day=1)
    second.edits("list.py", "first_2 = 2\n", "second = 2\n")
    by_hand = "first_0 = 0\nfirst_1 = 1\nsecond = 2\nfirst_3 = 3\nmine = 'typed'\nfirst_4 = 4\nfirst_5 = 5\n"
    repository.write("list.py", by_hand)
    repository.index(first, second)
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        page = blame(pilot).query_one(BlamePage)
        accent = page.painter.style("passage").color

        def marked() -> list[int]:
            """The numbers of the lines whose bracket is marked."""
            lines = [list(page.render_line(y)) for y in range(page.file.height)]
            return [
                number
                for number, line in enumerate(lines, 1)
                if line[0].text.strip() and line[0].style and line[0].style.color == accent
            ]

        assert [line[0] for line in drawn(pilot)] == ["╭", "╰", "╶", "╶", " ", "╭", "╰"]
        assert marked() == [1, 2, 4, 6, 7]
        places = []
        for key in ("n", "n", "n", "N", "N", "N"):
            await press(pilot, key)
            places.append((page.file.cursor + 1, marked()))
        # A turn has two blocks in a row, with a line between them of which nothing is proved.
        own, other = [1, 2, 4, 6, 7], [3]
        assert places == [(3, other), (4, own), (6, own), (4, own), (3, other), (1, own)]
        await press(pilot, "N", "G", "n")
        assert notices(pilot) == ["No line above these is proved.", "No line below these is proved."]


async def test_a_line_that_only_a_commit_proves_has_its_own_bracket_and_names_the_commit(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    (repository.root / ".git").rmdir()
    repository.git("init", "-q")
    repository.write("notes.md", "The first line of the notes.\nThe second line of the notes.\nThe third line.\n")
    said = repository.commit("Write notes")
    calls = repository.session()
    calls.runs("git add notes.md && git commit -m 'Write notes'", result=said)
    calls.does("Read", {"file_path": f"{repository.root}/notes.md"}, "     1\tThe first line of the notes.\n")
    repository.index(calls)
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        commit = repository.git("rev-parse", "HEAD")[:10]
        assert [line[:19].rstrip() for line in drawn(pilot)] == ["╭ 11111111:1   19 d", "┆", "╰"]
        assert why(pilot)[1] == f"Claude Code · committed as {commit} · 19 d"


async def test_a_find_goes_from_match_to_match_and_esc_ends_it_before_it_leaves(shop: Repository) -> None:
    async with app_on(shop.folder / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b", "f", *"file")
        page = blame(pilot).query_one(BlamePage)
        found = [(page.file.cursor, str(page.border_subtitle).partition(" · ")[0])]
        for key in ("enter", "n", "n", "N"):
            await press(pilot, key)
            found.append((page.file.cursor, str(page.border_subtitle).partition(" · ")[0]))
        first, second = (1, "match 1 of 2"), (2, "match 2 of 2")
        assert found == [first, first, second, first, second]
        await press(pilot, "escape")
        assert str(page.border_subtitle).startswith("enter turn · n next block")
        await press(pilot, "escape")
        assert pilot.app.focused is browse(pilot).query_one(FileList)
        # It opens again where it was left.
        await press(pilot, "b")
        assert blame(pilot).line == 2


async def test_the_file_and_the_turn_are_copied(shop: Repository) -> None:
    async with app_on(shop.folder / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b", "y")
        content = (shop.root / "load.py").read_text()
        assert pilot.app.clipboard == content.replace("\x1b[2J", "").removesuffix("\n")
        await press(pilot, "n", "Y")
        assert pilot.app.clipboard == f"{OTHER_SESSION}:2"


async def test_the_mouse_chooses_a_line_and_a_double_click_opens_its_turn(shop: Repository) -> None:
    async with app_on(shop.folder / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        await pilot.click(BlamePage, offset=(40, 3))
        await settled(pilot)
        assert blame(pilot).line == 2
        await pilot.double_click(BlamePage, offset=(40, 1))
        await settled(pilot)
        assert (transcript(pilot).has_focus, transcript(pilot).number) == (True, 2)
        session = transcript(pilot).session
        assert session is not None
        assert session.title == "go on"


async def test_a_selection_has_the_text_without_what_stands_before_the_lines(shop: Repository) -> None:
    async with app_on(shop.folder / "data").run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        page = blame(pilot).query_one(BlamePage)
        await pilot.mouse_down(page, offset=(0, 2))
        await pilot.hover(page, offset=(99, 3))
        await pilot.mouse_up(page, offset=(99, 3))
        await settled(pilot)
        assert (
            pilot.app.screen.get_selected_text() == "    with open(path) as file:\n        return file.read().strip()"
        )


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (None, "is not on this disk."),
        (b"\x89PNG\r\n\0\0\0", "is no text."),
        (b"", "The file is empty."),
    ],
)
async def test_a_file_that_cannot_be_shown_says_why_and_what_to_do(
    shop: Repository, made: bytes | None, says: str
) -> None:
    path = shop.root / "load.py"
    path.unlink()
    if made is not None:
        path.write_bytes(made)
    async with app_on(shop.folder / "data").run_test(size=(200, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b", "j", "n", "f", "escape", "i")
        first, blank, advice = drawn(pilot)
        assert (first.endswith(says), blank, advice.startswith("esc goes back")) == (True, "", True)
        assert not blame(pilot).query_one(DiffView).display
        await press(pilot, "enter", "escape")
        assert pilot.app.focused is browse(pilot).query_one(FileList)


async def test_a_long_file_is_there_before_it_is_known_who_wrote_it_and_nothing_moves_then(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    content = "".join(f"value_{number} = {number}\n" for number in range(20_000))
    calls = repository.session()
    calls.edits("values.py", "value_19998 = 0\n", "value_19998 = 19998\n")
    repository.write("values.py", content)
    repository.index(calls)
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "2")
        held = await hold(pilot, "why")
        await press(pilot, "b", "G", "k")
        page = blame(pilot).query_one(BlamePage)
        held.set()
        assert str(page.border_title).endswith("1 of 20,000 lines proved · 1 turn · newest 19 d")
        before = [line[24:] for line in drawn(pilot)]
        await until(pilot, lambda: why(pilot)[0] == "11111111:1 · go on")
        assert [line[24:] for line in drawn(pilot)] == before
        assert drawn(pilot)[-2:] == [
            "╶ 11111111:1   19 d  claude  19999  value_19998 = 19998",
            "  unknown                    20000  value_19999 = 19999",
        ]


async def test_of_a_file_in_no_known_project_the_border_says_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    outside = tmp_path / "elsewhere" / "notes.txt"
    outside.parent.mkdir()
    outside.write_text("Typed by hand.\n")
    calls = repository.session().does("Read", {"file_path": str(outside)}, "     1\tTyped by hand.\n")
    repository.index(calls)
    async with app_on(tmp_path / "data").run_test(size=(200, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        title = str(blame(pilot).query_one(BlamePage).border_title)
        assert title.endswith("notes.txt · 0 of 1 line proved · in no known project")
        await press(pilot, "n")
        assert notices(pilot) == ["No line below these is proved."]


async def test_of_a_file_like_one_that_was_edited_elsewhere_the_reason_says_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    calls = repository.session().writes("load.py", LOADER)
    copy = repository.session(OTHER_SESSION, day=1, cwd=tmp_path / "copy")
    (tmp_path / "copy" / ".git").mkdir(parents=True)
    (tmp_path / "copy" / "load.py").write_text(LOADER)
    copy.does("Read", {"file_path": f"{tmp_path}/copy/load.py"}, "     1\tdef load(path):\n")
    repository.index(calls, copy)
    async with app_on(tmp_path / "data").run_test(size=(200, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        assert why(pilot)[2][-1] == (
            f"Sessions edited load.py in {repository.root}, which memtui does not take for this repository: another"
            " folder, and no common remote is known."
        )


@pytest.mark.parametrize(("size", "rows"), [((80, 24), (6, 18)), ((140, 40), (6, 34)), ((200, 60), (60, 60))])
async def test_a_short_file_leaves_its_rows_to_the_reason(
    shop: Repository, size: tuple[int, int], rows: tuple[int, int]
) -> None:
    async with app_on(shop.folder / "data").run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b")
        screen = blame(pilot)
        panes = screen.query_one(BlamePage), screen.query_one(DiffView)
        assert tuple(pane.outer_size.height for pane in panes) == rows
        await press(pilot, "i")
        assert panes[0].outer_size.height == size[1]


async def test_the_line_with_the_cursor_stays_in_sight_in_a_smaller_terminal(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    turn = repository.session().turn("Make a list")
    text = "".join(f"number_{number} = {number}\n" for number in range(1, 31))
    turn.writes("list.py", text)
    repository.write("list.py", text)
    repository.index(turn)
    async with app_on(tmp_path / "data").run_test(size=(140, 60)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "b", "G")
        assert drawn(pilot)[0].endswith("number_1 = 1")
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert drawn(pilot)[-1].endswith("number_30 = 30")
