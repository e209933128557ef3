"""A hand-off on the screen: seen, changed, copied, written, given to an agent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.containers import Vertical
from textual.pilot import Pilot

from memtui.browse.screen import BrowseScreen
from memtui.screens.outgoing.handoff.items import HandoffItems
from memtui.screens.outgoing.handoff.screen import HandoffScreen, Preview
from memtui_core.index.index import Index
from support.indexes import update
from support.screens import app_on, notices, settled
from support.systems import unix_only
from support.transcripts import Script

SIZES = [(140, 40), (80, 24)]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def listed(pilot: Pilot[None]) -> list[str]:
    """The rows of what is in it: sections with their sizes, results with their marks and sizes."""
    rows = [str(option.prompt).split() for option in pilot.app.screen.query_one(HandoffItems).options]
    return [f"{row[0]} {row[-1]}" if row[0] in "☑☐…" else " ".join(row) for row in rows]


def top(pilot: Pilot[None]) -> str:
    """The first line of the text that is in sight."""
    preview = pilot.app.screen.query_one(Preview)
    return "".join(segment.text for segment in preview.render_line(0)).strip()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of one session with a file that is read and two commands; its folder is `here`."""
    folder = tmp_path_factory.mktemp("handoff")
    (folder / "here").mkdir()
    script = Script(cwd=str(folder / "here"))
    script.user("make it quick")
    script.calls("Read", {"file_path": f"{folder}/here/a.py"}, "t1")
    script.result("     1→x = 1", "t1")
    script.calls("Bash", {"command": "pytest -q"}, "t2")
    script.result("1 passed", "t2")
    script.calls("Bash", {"command": "ls"}, "t3")
    script.result("a.py", "t3")
    script.says("It is quick.")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def work(built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(built, tmp_path / "data")


@pytest.mark.spec("S1.14")
async def test_it_is_shown_as_it_leaves(work: Path) -> None:
    index = Index.open(work)
    made = index.handoffs.of_session(index.sessions.all()[0].key)
    async with app_on(work).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            sizes = {section.title: section.chars for section in made.sections()}
            assert listed(pilot) == [
                f"Summary {sizes['Summary']}",
                f"Files Read {sizes['Files Read']}",
                f"☑ {made.items[0].chars}",
                f"Commands Executed {sizes['Commands Executed']}",
                f"☑ {made.items[1].chars}",
                f"☑ {made.items[2].chars}",
            ]
            pilot.app.copy_to_clipboard("")
            await press(pilot, "y")
            assert pilot.app.clipboard == made.text()
            assert str(len(made.text())) in str(pilot.app.screen.query_one(Preview).border_title)


async def test_a_result_that_is_switched_off_does_not_leave(work: Path) -> None:
    index = Index.open(work)
    made = index.handoffs.of_session(index.sessions.all()[0].key)
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", "j", "j", "space", "y")
        assert listed(pilot)[2].startswith("☐ ")
        text = made.text({made.items[0].id})
        title = str(pilot.app.screen.query_one(Preview).border_title)
        assert (pilot.app.clipboard, f" {len(text):,} characters" in title) == (text, True)
        await press(pilot, "j", "space", "y")
        assert pilot.app.clipboard == made.text({item.id for item in made.items})
        await press(pilot, "space", "y")
        assert pilot.app.clipboard == made.text({made.items[0].id})


async def test_the_cursor_brings_its_part_of_the_text_up(work: Path) -> None:
    async with app_on(work).run_test(size=(80, 10)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", "j")
        assert top(pilot) == "## Files Read"
        await press(pilot, "j", "j", "j", "j")
        assert top(pilot) == "### ls"


async def test_the_name_of_a_file_is_never_cut(tmp_path: Path) -> None:
    script = Script(cwd="/home/ana/code/shop")
    script.user("Write it down")
    path = "/home/ana/code/shop/openspec/changes/renovate-deb-registry-sets/proposal-of-the-sets.md"
    script.calls("Read", {"file_path": path, "offset": 40, "limit": 16}, "t1")
    script.result("    40→x", "t1")
    for number in (2, 3, 4):
        script.calls("Write", {"file_path": path, "content": "x"}, f"t{number}")
        script.result("ok", f"t{number}")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    whole = ["proposal-of-the-sets.md line 40 · before edit", "proposal-of-the-sets.md last of 3"]
    shown = {}
    async with app_on(tmp_path / "data").run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H")
        items = pilot.app.screen.query_one(HandoffItems)
        for width in (80, 140, 200):
            await pilot.resize_terminal(width, 40)
            await settled(pilot)
            rows = [str(option.prompt) for option in items.options]
            assert {cell_len(row) for row in rows} == {items.row_width}
            shown[width] = [row.rsplit("/", 1)[1].rsplit(maxsplit=1)[0].rstrip() for row in rows if "/" in row]
    assert shown == {80: whole, 140: ["proposal-of-the-sets.md line 40 · befo…", whole[1]], 200: whole}


async def test_only_the_marks_of_the_hand_off_are_headings(tmp_path: Path) -> None:
    script = Script()
    script.user("Look")
    script.calls("Bash", {"command": "cat pyproject.toml"}, "t1")
    script.result("[tasks.lint]\n## Summary\n### cat pyproject.toml", "t1")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H")
        preview = pilot.app.screen.query_one(Preview)
        headings = [row.text for row in preview.rows(80, 40) if ("heading" in {style for _, style in row.spans})]
        assert headings == [
            "[CONTEXT FROM PREVIOUS SESSION]",
            "## Summary",
            "[USER]",
            "[/USER]",
            "## Commands Executed",
            "### cat pyproject.toml",
            "[/CONTEXT FROM PREVIOUS SESSION]",
        ]


@pytest.mark.spec("S1.18")
async def test_the_room_for_tools_can_be_changed(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", *["less_than_sign"] * 3)
        assert listed(pilot)[1:] == [
            "Files Read",
            *(f"… {item.chars}" for item in Index.open(work).handoffs.of_session(1).items[:1]),
            "Commands Executed",
            *(f"… {item.chars}" for item in Index.open(work).handoffs.of_session(1).items[1:]),
        ]
        await press(pilot, "greater_than_sign")
        assert [row[0] for row in listed(pilot)] == ["S", "F", "☑", "C", "☑", "☑"]


async def test_it_is_written_to_a_file(work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    index = Index.open(work)
    session = index.sessions.all()[0]
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", "w")
        assert isinstance(pilot.app.screen, BrowseScreen)
    assert {path.name: path.read_text() for path in out.iterdir()} == {
        f"handoff-{session.session_id[:8]}.md": index.handoffs.of_session(session.key).text()
    }


@unix_only
async def test_an_agent_is_offered_with_its_command_first(
    work: Path, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "claude").write_text("#!/bin/sh\n")
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    text = Index.open(work).handoffs.of_session(1).text()
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", "enter", "1", "y")
        # A test has no terminal that could be left: the command can be copied instead.
        assert pilot.app.clipboard.startswith(f"cd {built.parent}/here && claude '{text[:20]}")


@unix_only
async def test_the_agents_to_choose_from_fit_into_any_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    script = Script(cwd="/home/ana/projects/customers/example-org/north/shop-backend-service")
    script.user("make it quick")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    text = Index.open(tmp_path / "data").handoffs.of_session(1).text()
    folders = {
        (80, 24): "in ~/projects/customers/example-org/north/shop-backend-service",
        (60, 20): "in …/example-org/north/shop-backend-service",
    }
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H")
        for size, folder in folders.items():
            await pilot.resize_terminal(*size)
            await press(pilot, "enter")
            box = pilot.app.screen.query_one(Vertical).region
            strips = pilot.app.screen._compositor.render_strips()[box.y : box.bottom]
            lines = [strip.crop(box.x, box.right).text.strip("╭─╮│╰╯ ") for strip in strips]
            assert lines == [
                "start an agent with it",
                f"1 Claude Code  claude <{len(text)} characters>",
                "2 Codex        not installed",
                folder,
                "enter choose · esc close",
            ]
            await press(pilot, "escape")


async def test_some_turns_are_handed_on_and_no_choice_of_an_agent_loses_what_was_chosen(tmp_path: Path) -> None:
    script = Script()
    for number in (1, 2, 3):
        script.user(f"step {number}")
        script.calls("Bash", {"command": f"make step{number}"}, f"t{number}")
        script.result("x" * number, f"t{number}")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    index = Index.open(tmp_path / "data")
    key = index.sessions.all()[0].key
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "J", "H")
        handoff = pilot.app.screen
        assert isinstance(handoff, HandoffScreen)
        assert handoff.text == index.handoffs.of_session(key).text()
        seen = []
        for first, last in ((2, 3), (1, 2), (2, 2), (None, None)):
            await press(pilot, "number_sign")
            assert handoff.text == index.handoffs.of_session(key, first, last).text()
            seen.append(str(handoff.query_one(Preview).border_title).split(" · ")[1])
        assert [title for title in seen if title.startswith("turn")] == ["turns 2–3", "turns 1–2", "turn 2"]
        await press(pilot, "number_sign", "j", "space", "enter", "escape")
        again = pilot.app.screen
        assert isinstance(again, HandoffScreen)
        assert "make step" not in again.text


@pytest.fixture(scope="module")
def steps_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of one session of two turns."""
    folder = tmp_path_factory.mktemp("steps")
    script = Script()
    script.user("step 1")
    script.user("step 2")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def steps(steps_built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(steps_built, tmp_path / "data")


async def test_the_border_names_the_turns_of_the_text_below_it(steps: Path) -> None:
    async with app_on(steps).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "J", "H")
        handoff = pilot.app.screen
        assert isinstance(handoff, HandoffScreen)

        def shown() -> tuple[str, bool]:
            return str(handoff.query_one(Preview).border_title).split(" · ")[1], "step 1" in handoff.text

        assert shown() == ("391 characters, about 98 tokens", True)
        handoff.action_range()
        # The text is drawn again before that of the other turns is there.
        handoff.action_limit(1)
        assert shown() == ("391 characters, about 98 tokens", True)
        await settled(pilot)
        assert shown() == ("turn 2", False)


async def test_a_hand_off_that_was_left_does_not_come_back(steps: Path) -> None:
    async with app_on(steps).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "J", "H")
        handoff = pilot.app.screen
        assert isinstance(handoff, HandoffScreen)
        handoff.action_range()
        await pilot.press("escape")
        await settled(pilot)
        assert isinstance(pilot.app.screen, BrowseScreen)


async def test_what_is_too_long_for_a_command_goes_by_a_file(
    built: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui_core.memory.handoff.start._MAX_ARGUMENT", 100)
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", "enter", "2", "y")
        (kept,) = (work / "handoffs").iterdir()
        assert kept.read_text() == Index.open(work).handoffs.of_session(1).text()
        prompt = f"Read {kept} first: it is the context of an earlier session, to go on from."
        assert pilot.app.clipboard == f"cd {built.parent}/here && codex '{prompt}'"


async def test_a_text_that_cannot_be_written_for_an_agent_starts_none(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memtui_core.memory.handoff.start._MAX_ARGUMENT", 100)
    (work / "handoffs").write_text("")
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "H", "enter", "2")
        assert isinstance(pilot.app.screen, BrowseScreen)
        (notice,) = notices(pilot)
        assert notice.startswith(f"{work / 'handoffs'} is in the way. Move it, or ")


async def test_a_files_history_is_handed_on(sample_index: Path) -> None:
    index = Index.open(sample_index)
    file = index.files.find("upload.py").rows[0]
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "slash", *"upload", "enter", "H")
        assert isinstance(pilot.app.screen, HandoffScreen)
        await press(pilot, "y")
        assert pilot.app.clipboard == index.handoffs.of_file(file.path, file.root).text()


async def test_without_a_session_nothing_is_handed_on(tmp_path: Path) -> None:
    update(tmp_path / "data", tmp_path / "nothing")
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "H")
        assert notices(pilot) == ["No session is open."]
