from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from rich.style import Style
from textual import events
from textual._context import active_message_pump
from textual.content import Content
from textual.message import Message
from textual.widgets.tree import TreeNode

from memtui.app import MemtuiApp
from memtui.browse.search.hit_list import HitList
from memtui.browse.search.hit_row import excerpt
from memtui.settings.config import Config
from memtui.views.files.file_list import FileList
from memtui.views.sessions.items import TreeItem
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.requests.target import HitPassages
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.status.key_line import KeyLine
from memtui.widgets.status.line import StatusLine
from memtui_core.index.index import Index
from memtui_core.model import Compaction, Project, Session, Span
from support.indexes import update
from support.pasting import paste
from support.screens import (
    app_on,
    browse,
    empty_text,
    is_shown,
    notices,
    remarks,
    search_facts,
    settled,
    transcript,
    tree,
    type_text,
    until,
)
from support.transcripts import SESSION, Script

WIDE, NARROW = (140, 40), (80, 24)
FLAGSHIP = "Fix flaky uploads"


def rows(widget: SessionTree) -> list[str]:
    """The names of the visible rows of the tree."""
    found = []
    for line in range(widget.last_line + 1):
        node = widget.get_node_at_line(line)
        item = node.data if node else None
        if isinstance(item, Project):
            found.append(item.name)
        elif isinstance(item, Session):
            found.append(f"{'◌' if item.parent else '●'} {item.title}")
        elif isinstance(item, Compaction):
            found.append(f"⧉ turn {item.turn}")
    return found


@pytest.mark.spec("S5.1")
async def test_it_opens_on_the_newest_session(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert rows(tree(pilot))[:2] == ["shop-api", "● Retry webhooks with the same backoff"]
        assert tree(pilot).cursor_line == 1
        shown = transcript(pilot).session
        assert shown is not None
        assert shown.title == "Retry webhooks with the same backoff"
        assert pilot.app.focused is tree(pilot)


@pytest.mark.spec("S5.2")
async def test_the_tree_opens_to_subagents_and_compactions_in_order_of_time(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("j", "l")
        await settled(pilot)
        children = rows(tree(pilot))[2:6]
        assert children == [f"● {FLAGSHIP}", "◌ Find retries", "◌ Find upload callers", "⧉ turn 4"]
        await pilot.press("j", "j", "j", "enter")
        await settled(pilot)
        shown = transcript(pilot).session
        assert shown is not None
        assert shown.title == FLAGSHIP
        assert transcript(pilot).number == 4
        await pilot.press("escape", "h", "h")
        await settled(pilot)
        assert rows(tree(pilot))[2:4] == [f"● {FLAGSHIP}", "● Add price rounding"]


@pytest.mark.spec("S5.5")
async def test_a_query_opens_the_hit_at_its_best_passage(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "slow networks sending twice")
        hits = pilot.app.screen.query_one(HitList)
        assert is_shown(hits)
        assert not is_shown(tree(pilot))
        result = hits.result
        assert result is not None
        assert (result.hits[0].title, result.words) == (FLAGSHIP, ("slow", "networks", "sending", "twice"))
        await pilot.press("enter")
        await settled(pilot)
        view = transcript(pilot)
        assert pilot.app.focused is view
        assert (view.session.title if view.session else "", view.number) == (FLAGSHIP, result.hits[0].turn)
        assert view.passages.hit == HitPassages(result.hits[0].passages, result.words, result.prefix)
        assert str(view.border_subtitle) == f"turn {view.number} of 13 · passage 1 of {len(result.hits[0].passages)}"


async def test_esc_goes_back_one_step_at_a_time(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "upload")
        await pilot.press("enter")
        await settled(pilot)
        focused = []
        for _ in range(2):
            await pilot.press("escape")
            await settled(pilot)
            focused.append(type(pilot.app.focused))
        assert focused == [HitList, SessionTree]
        assert is_shown(tree(pilot))
        assert pilot.app.screen.query_one(SearchBar).value == ""
        assert pilot.app.is_running


async def test_down_goes_to_the_hits_and_up_comes_back(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "upload")
        await pilot.press("down")
        assert isinstance(pilot.app.focused, HitList)
        await pilot.press("j", "k", "up")
        await settled(pilot)
        assert isinstance(pilot.app.focused, SearchBar)


async def test_the_answer_is_the_last_query_typed(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"terraform")
        await settled(pilot)
        result = pilot.app.screen.query_one(HitList).result
        assert result is not None
        assert result.query == "terraform"
        assert search_facts(pilot.app.screen).startswith(f"{len(result.hits)} hits · ")


async def test_nothing_matched_has_its_own_words(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await paste(pilot, "zebracorn")
        assert empty_text(pilot.app.screen).startswith("Nothing matched.")
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert is_shown(tree(pilot))


async def test_an_absent_index_has_its_own_words_and_fills_later(tmp_path: Path) -> None:
    data, script = tmp_path / "data", Script()
    script.user("The first prompt")
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert empty_text(pilot.app.screen).startswith("Reading your sessions")
        update(data, script.write(tmp_path / "src"))
        await pilot.press("R")
        await settled(pilot)
        assert rows(tree(pilot)) == ["shop", "● The first prompt"]
        assert empty_text(pilot.app.screen) == ""


async def test_no_sessions_anywhere_says_where_it_looked(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    update(tmp_path / "data", tmp_path / "src")
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:
        await settled(pilot)
        text = empty_text(pilot.app.screen)
        assert text == (
            "No sessions found in\n/home/ana/.claude/projects\n\nmemtui --source FOLDER looks elsewhere,\n"
            "memtui demo shows sample sessions."
        )


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.jsonl": b"\xff\n", "b.jsonl": b"not json\n", "notes.md": b"x"}, "2 files there could not be read."),
        ({"a.jsonl": b'{"payload": 1}\n'}, "1 file there contains no session."),
        ({"a.jsonl": b"", "notes.md": b"x"}, "2 files there contain no session."),
    ],
)
async def test_files_without_sessions_lead_to_the_doctor(
    files: dict[str, bytes], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    for name, content in files.items():
        (tmp_path / "src" / name).write_bytes(content)
    data = tmp_path / "my data"
    update(data, tmp_path / "src")
    async with app_on(data).run_test(size=WIDE) as pilot:
        for command, default in ((f"memtui doctor --data-dir '{data}'", tmp_path), ("memtui doctor", data)):
            monkeypatch.setenv("MEMTUI_DATA_DIR", str(default))
            await settled(pilot)
            browse(pilot).list_pane.reload()
            await settled(pilot)
            assert empty_text(pilot.app.screen) == (
                f"No sessions found in\n/home/ana/.claude/projects\n\n{said}\n{command}\nsays why.\n\n"
                "memtui --source FOLDER looks elsewhere,\nmemtui demo shows sample sessions."
            )


async def test_a_running_session_grows_in_place(tmp_path: Path) -> None:
    data, script = tmp_path / "data", Script()
    for number in range(30):
        script.user(f"prompt {number}")
        script.says(f"answer {number}")
    path = script.write(tmp_path / "src")
    update(data, path)
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        view = transcript(pilot)
        view.cursor.go_to(10)
        await settled(pilot)
        top = view.scroll_offset.y
        script.user("one more")
        script.write(tmp_path / "src")
        update(data, path)
        await pilot.app.screen.run_action("refresh_index")
        await settled(pilot)
        assert (view.number, view.scroll_offset.y, len(view.document.turns)) == (10, top, 31)
        assert rows(tree(pilot)) == ["shop", "● prompt 0"]


async def test_turns_that_come_while_the_end_is_not_in_view_are_told_and_a_click_follows_them(tmp_path: Path) -> None:
    data, script = tmp_path / "data", Script()

    def add_turns(count: int) -> None:
        for _ in range(count):
            script.user("go on")
            script.says("done")
        update(data, script.write(tmp_path / "src"))

    add_turns(30)
    async with app_on(data).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        view, seen = transcript(pilot), []

        async def see(turns: int) -> None:
            add_turns(turns)
            await pilot.app.screen.run_action("refresh_index")
            await settled(pilot)
            seen.append((Content.from_markup(str(view.border_subtitle)).plain, view.viewport.at_end))

        await see(1)
        await see(1)
        # The line is at the right end of the border.
        left = view.region.width - 3 - len(seen[-1][0])
        await pilot.click(view, offset=(left + 3, view.region.height - 1))
        await see(0)
        await see(2)
    assert seen == [
        ("↓ 1 new turn · turn 1 of 31", False),
        ("↓ 2 new turns · turn 1 of 32", False),
        ("turn 32 of 32", True),
        ("turn 34 of 34", True),
    ]


async def test_a_turn_is_no_longer_running_when_nothing_was_written_for_five_minutes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script()
    script.user("Test it")
    script.calls("Bash", {"command": "pytest"})
    update(tmp_path / "data", script.write(tmp_path / "src"))
    [session] = Index.open(tmp_path / "data").sessions.all()
    assert session.ended_at is not None
    rest = session.ended_at + timedelta(minutes=5)
    monkeypatch.setattr("memtui.system.clock.now", lambda: rest - timedelta(seconds=0.1))
    async with app_on(tmp_path / "data").run_test(size=WIDE) as pilot:

        def head() -> str:
            pane = transcript(pilot)
            lines = [pane.render_line(y).text.rstrip(" ▎┃●│") for y in range(pane.size.height)]
            return next((line for line in lines if "○ claude" in line), "")

        await until(pilot, lambda: head().endswith(" · running"))
        monkeypatch.setattr("memtui.system.clock.now", lambda: rest)
        await until(pilot, lambda: head().endswith(" · 1 tool · 5 tok"))


def add(folder: Path, *numbers: int, project: str = "shop") -> None:
    """Index sessions in the folder `data`; the greater the number of one, the newer it is."""
    paths = []
    for number in numbers:
        script = Script(f"{number:08d}-1111-4111-8111-111111111111", f"/work/{project}", f"p{number}")
        script.count = number * 100
        script.user(f"{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[number]} is asked")
        paths.append(script.write(folder / "src" / str(number)))
    update(folder / "data", *paths)


async def test_the_tree_stays_at_its_top_while_newer_sessions_come(tmp_path: Path) -> None:
    data = tmp_path / "data"

    add(tmp_path, *range(8))
    async with app_on(data).run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        seen = []
        for shop, blog in (((), ()), ((8,), (9,)), (range(10, 20), ())):
            add(tmp_path, *shop)
            add(tmp_path, *blog, project="blog")
            await pilot.press("R")
            await settled(pilot)
            shown = transcript(pilot).session
            assert shown is not None
            seen.append((shown.title, tree(pilot).cursor_line, round(tree(pilot).scroll_y)))
    assert seen == [("H is asked", 1, 0), ("H is asked", 3, 0), ("H is asked", 12, 10)]


async def test_while_the_first_index_grows_the_newest_session_is_chosen_until_the_user_does_something(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"

    async with app_on(data).run_test(size=NARROW) as pilot:
        await settled(pilot)
        seen = []

        async def see() -> None:
            await pilot.app.screen.run_action("refresh_index")
            await settled(pilot)
            here, shown = tree(pilot), transcript(pilot).session
            title = item.title if here.cursor_node and isinstance(item := here.cursor_node.data, Session) else ""
            unfolded = [
                node.data.name for node in here.root.children if node.is_expanded and isinstance(node.data, Project)
            ]
            pages = [str(page.border_title) for page in pilot.app.screen.query("#project.-shown")]
            seen.append((title, round(here.scroll_y), unfolded, pages or [shown.title if shown is not None else ""]))

        add(tmp_path, 20, 3, 21, *range(4, 20))
        await see()
        add(tmp_path, 22, 23)
        await see()
        add(tmp_path, 24, project="blog")
        await see()
        await pilot.press("j")
        add(tmp_path, 25)
        await see()
    assert seen == [
        ("V is asked", 0, ["shop"], ["V is asked"]),
        ("X is asked", 0, ["shop"], ["X is asked"]),
        ("Y is asked", 0, ["blog"], ["Y is asked"]),
        ("", 0, ["blog"], ["shop"]),
    ]


async def test_the_search_line_does_not_take_the_first_keys(sample_index: Path, tmp_path: Path) -> None:
    focused: list[str] = []

    def note(message: Message) -> None:
        if isinstance(message, events.Focus):
            focused.append(type(active_message_pump.get()).__name__)

    seen = []
    for data in (sample_index, tmp_path / "none"):
        focused.clear()
        async with app_on(data).run_test(size=NARROW, message_hook=note) as pilot:
            await settled(pilot)
        seen.append(tuple(dict.fromkeys(focused)))
    assert seen == [("SessionTree",), ()]


async def test_the_inspector_follows_the_turn(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("enter", "i", "right_square_bracket")
        await settled(pilot)
        inspector = pilot.app.screen.query_one(Inspector)
        assert is_shown(inspector)
        assert inspector.turn is not None
        assert inspector.turn.number == transcript(pilot).number == 2
        await pilot.press("i")
        await settled(pilot)
        assert not is_shown(inspector)


async def test_a_narrow_terminal_shows_one_pane_at_a_time(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=NARROW) as pilot:
        await settled(pilot)
        panes = (tree(pilot), transcript(pilot), pilot.app.screen.query_one(Inspector))
        seen = [[pane.region.width > 0 for pane in panes]]
        for key in ("enter", "i", "escape", "escape"):
            await pilot.press(key)
            await settled(pilot)
            seen.append([pane.region.width > 0 for pane in panes])
        assert seen == [
            [True, False, False],
            [False, True, False],
            [False, False, True],
            [False, True, False],
            [True, False, False],
        ]


async def test_the_palette_has_the_themes(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        for keys in (["ctrl+p", *"theme"], ["enter"], [*"nord"], ["enter"]):
            await pilot.press(*keys)
            await settled(pilot)
        assert pilot.app.theme == "nord"


async def test_rows_of_one_name_are_told_apart_and_the_cursor_stays_in_sight(tmp_path: Path) -> None:
    folders = []
    for number in range(30):
        script = Script(f"{number:08d}-1111-4111-8111-111111111111", f"/work/{'ab'[number % 2]}/shop", f"p{number}")
        script.count = number * 100
        script.user("The same prompt")
        folders.append(script.write(tmp_path / "src" / str(number)).parent)
    update(tmp_path / "data", *folders)
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        here = tree(pilot)

        def rows(node: TreeNode[TreeItem]) -> list[str]:
            return [here.render_label(child, Style(), Style()).plain for child in node.children]

        assert [row.split("  ")[0] for row in rows(here.root)] == ["▾ shop · b", "▸ shop · a"]
        assert [row.split("  ")[0] for row in rows(here.root.children[0])] == ["▸ ● The same prompt ×15"]
        for key in ("g", "j", "l", "G", "l", "j", "l"):
            await pilot.press(key)
            await settled(pilot)
        for project in here.root.children:
            assert len(set(rows(project.children[0]))) == 15
        await pilot.press("G")
        await settled(pilot)
        assert here.scroll_y <= here.cursor_line < here.scroll_y + here.size.height
        await pilot.press("g")
        await settled(pilot)
        assert (here.cursor_line, here.scroll_y) == (0, 0)


async def test_the_keys_at_the_bottom_are_whole_and_a_click_presses_them(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        keys = pilot.app.screen.query_one(KeyLine)
        assert str(keys.render()) == "⏎ Read / Search i Inspect ? Keys q Quit "
        await pilot.press("2")
        await settled(pilot)
        assert str(keys.render()) == "→ Read s Sort ` Tree o Editor b Blame / Search ? Keys q Quit "
        assert keys.size.width == len("→ Read s Sort ` Tree o Editor b Blame / Search ? Keys q Quit ")
        await pilot.hover(KeyLine, offset=(2, 0))
        await settled(pilot)
        assert (keys.hovered and keys.hovered.name, keys.tooltip) == ("Read", "Open what the cursor is on")
        await pilot.click(KeyLine, offset=(len("→ Read s Sort "), 0))
        await settled(pilot)
        assert pilot.app.screen.query_one(FileList).border_title == "folders, newest first"
        await pilot.click(KeyLine, offset=(len("→ Read"), 0))
        await pilot.click(KeyLine, offset=(len("→ Read s Sort ` Tree "), 0))
        await settled(pilot)
        assert isinstance(pilot.app.focused, FileList)


async def test_keys_can_be_bound_anew(sample_index: Path) -> None:
    app = MemtuiApp(sample_index, config=Config(keymap={"search": "ctrl+f, ;"}), run_indexer=False)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        for key in ("ctrl+f", "semicolon"):
            await pilot.press(key)
            assert isinstance(pilot.app.focused, SearchBar)
            await pilot.press("escape")


async def test_ids_and_keys_of_the_keymap_that_there_are_not_are_named_and_change_nothing(sample_index: Path) -> None:
    keymap = {"serch": "ctrl+f", "list.top": "home", "pager.leave": "x", "form.save": "ctrl+w", "search": "flash"}
    app = MemtuiApp(sample_index, config=Config(keymap=keymap), run_indexer=False)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert notices(pilot) == ["2 mistakes in the settings: memtui doctor lists them."]
        await pilot.press("slash")
        assert isinstance(pilot.app.focused, SearchBar)


async def test_the_theme_chosen_is_kept(sample_index: Path, tmp_path: Path) -> None:
    data = shutil.copytree(sample_index, tmp_path / "data")
    async with MemtuiApp(data, run_indexer=False).run_test() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p")
        await settled(pilot)
        await type_text(pilot, "theme")
        await pilot.press("enter")
        await settled(pilot)
        await type_text(pilot, "nord")
        await pilot.press("enter")
        await settled(pilot)
    async with MemtuiApp(data, run_indexer=False).run_test() as pilot:
        assert pilot.app.theme == "nord"


async def test_copying_the_reference_of_a_turn(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("enter", "Y")
        await settled(pilot)
        shown = transcript(pilot).session
        assert shown is not None
        assert pilot.app.clipboard == f"{shown.session_id}:1"


async def test_letters_type_while_searching(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "quit")
        assert pilot.app.screen.query_one(SearchBar).value == "quit"
        assert pilot.app.is_running


async def test_the_status_line_says_how_much_is_indexed(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert pilot.app.screen.query_one(StatusLine).facts() == [
            "up to date",
            "17 sessions",
            "110 turns",
        ]


async def test_a_broken_index_is_told_and_the_app_goes_on(tmp_path: Path) -> None:
    script = Script()
    script.user("q")
    update(tmp_path, script.write(tmp_path / "src"))
    for snapshot in (tmp_path / "snapshots").glob("*.duckdb"):
        snapshot.write_bytes(b"junk")
    async with app_on(tmp_path).run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert any("is damaged" in n.message for n in pilot.app._notifications)
        assert pilot.app.is_running


async def test_the_indexer_runs_beside_the_app_and_ends_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Beside the rest of the suite it needs longer to end than a person would wait.
    monkeypatch.setattr("memtui.services.indexer_process._STOP_TIMEOUT", 30.0)
    script = Script(SESSION)
    script.user("found by the child")
    path = script.write(tmp_path / "src")
    app = MemtuiApp(tmp_path / "data", [path])
    async with app.run_test(size=WIDE) as pilot:
        await until(pilot, lambda: len(rows(tree(pilot))) == 2, between=0.05)
        assert rows(tree(pilot)) == ["shop", "● found by the child"]
        child = app._indexer
        assert child is not None
        assert child.failure() is None
    assert child._process.returncode == 0


async def test_once_for_each_version_it_is_said_that_entries_are_unknown(tmp_path: Path) -> None:
    said = []
    for version in ("2.1.1", "2.1.1", "2.1.2"):
        script = Script()
        script.user("Hello", version=version)
        script.raw({"type": "radar", "sessionId": script.session_id})
        update(tmp_path / "data", script.write(tmp_path / "projects"))
        app = MemtuiApp(tmp_path / "data", [tmp_path / "projects"])
        async with app.run_test(size=WIDE) as pilot:
            await until(pilot, lambda app=app: app._indexer, between=0.05)  # type: ignore[misc]
            await settled(pilot)
            said.append(remarks(pilot))
    remark = "Claude Code writes entries that memtui does not know: memtui doctor"
    assert said == [[remark], [], [remark]]


async def test_once_it_is_said_that_the_agent_deletes_its_transcripts(tmp_path: Path) -> None:
    projects = tmp_path / "projects"
    projects.mkdir()
    said = []
    # Without settings beside it a folder that was named is nobody's; with them it is told, and that once.
    for settings in ("", '{"cleanupPeriodDays": 1}', '{"cleanupPeriodDays": 1}'):
        if settings:
            (tmp_path / "settings.json").write_text(settings)
        app = MemtuiApp(tmp_path / "data", [projects])
        async with app.run_test(size=WIDE) as pilot:
            await until(pilot, lambda app=app: app._indexer, between=0.05)  # type: ignore[misc]
            await settled(pilot)
            said.append(remarks(pilot))
    assert said == [[], ["Claude Code deletes sessions after 1 day; memtui keeps them."], []]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (40, ("a word in the middle of it", [Span(2, 6)])),
        (5, ("…word in the middle of it", [Span(1, 5)])),
    ],
)
def test_an_excerpt_has_its_first_match_in_sight(width: int, expected: tuple[str, list[Span]]) -> None:
    assert excerpt("a word in the middle of it", [Span(2, 6)], width) == expected


def test_an_excerpt_without_a_match_is_the_text() -> None:
    assert excerpt("plain", [], 3) == ("plain", [])
