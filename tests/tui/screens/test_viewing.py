"""Edits one after the other, a tool or a file on the whole screen, the editor, and finding in a session."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from uuid import UUID

import pytest
from textual.pilot import Pilot

from memtui.render.content import content_rows
from memtui.screens.pager import PagerScreen, Pages
from memtui.system.editor import editor_command
from memtui.views.files.file_timeline import FileTimeline
from memtui.widgets.find_bar import FindBar
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.index.index import Index
from memtui_core.queries.file_history import ContentLine, FileContent
from support.indexes import update
from support.screens import app_on, settled, transcript, type_text
from support.systems import unix_only
from support.transcripts import DAY, Script

SIZES = [(140, 40), (80, 24)]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def in_sight(pilot: Pilot[None]) -> tuple[int, str, str]:
    """Turn, tool and path of the tool call that a key would mean."""
    call = transcript(pilot).visible_call()
    assert call is not None
    return transcript(pilot).number, call.name, call.path


def pages(pilot: Pilot[None]) -> list[str]:
    """The rows of what is shown on the whole screen."""
    shown = pilot.app.screen.query_one(Pages)
    return [row.text for row in shown.rows(shown.size.width, shown.size.height)]


def unfolded_edits(pilot: Pilot[None]) -> list[tuple[str, str]]:
    """The heading of each unfolded edit, and the start of its diff."""
    document = transcript(pilot).document
    edits = []
    for index, turn in enumerate(document.turns):
        for part in range(len(turn.boxes)):
            heading, *diff = [text for line in document.lines(index, part) if (text := line.text.strip())] or [""]
            if heading.startswith(("▾ Edit", "▾ Write")):
                edits.append((heading, diff[0][:29]))
    return edits


@pytest.mark.parametrize("size", SIZES)
async def test_braces_go_from_edit_to_edit_and_back_and_unfold_the_current_one_alone(
    sample_index: Path, size: tuple[int, int]
) -> None:
    async with app_on(sample_index).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        places = []
        for key in ("}", "}", "}", "{", "{", "{"):
            await press(pilot, {"}": "right_curly_bracket", "{": "left_curly_bracket"}[key])
            places.append((in_sight(pilot), unfolded_edits(pilot)))
        write, first, second = (
            (
                (3, "Write", "tests/slow_store.py"),
                [("▾ Write  tests/slow_store.py  +24", '1 + """A store that reads slo')],
            ),
            ((5, "Edit", "src/upload.py"), [("▾ Edit  src/upload.py  +12 −3", '38       """Send one part and')]),
            ((5, "Edit", "src/upload.py"), [("▾ Edit  src/upload.py  +3", "7")]),
        )
        assert places == [write, first, second, first, write, write]
        if size == (80, 24):
            # An edit that is out of sight is not meant any more.
            await press(pilot, "right_curly_bracket")
            assert in_sight(pilot) == first[0]
            await press(pilot, "g")
            assert in_sight(pilot)[0] == 1
            await press(pilot, "right_curly_bracket")
            assert in_sight(pilot) == write[0]


async def test_an_edit_in_turns_that_were_not_read_yet_is_gone_to(tmp_path: Path) -> None:
    changes = (
        ("Edit", {"file_path": "/home/ana/code/shop/a.py", "old_string": "1", "new_string": "2"}),
        ("Bash", {"command": "make list > a.py"}),
    )
    paths = []
    for place, (tool, fields) in enumerate(changes):
        script = Script(str(UUID(int=place + 1)), prefix=f"s{place}-")
        script.count = (1 - place) * DAY
        for number in range(60):
            script.user(f"{tool} {number}")
            script.calls("Bash", {"command": "cat a.py"}, f"t{place}-{number}")
            script.result("done", f"t{place}-{number}")
        script.user("now change it")
        script.calls(tool, fields)
        script.result("ok")
        paths.append(script.write(tmp_path / "src"))
    update(tmp_path / "data", *paths)
    found = []
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for keys in (("g", "j", "enter"), ("escape", "j", "enter")):
            await press(pilot, *keys, "right_curly_bracket")
            found.append(in_sight(pilot))
    assert found == [(61, "Edit", "a.py"), (61, "Bash", "a.py")]


async def test_a_tool_opens_on_the_whole_screen(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            pilot.app.copy_to_clipboard("")
            await press(pilot, "g", "right_curly_bracket", "right_curly_bracket", "enter")
            assert isinstance(pilot.app.screen, PagerScreen)
            assert pages(pilot)[0].startswith("▾ Edit  src/upload.py ")
            assert any("Idempotency" in row or "idempotency" in row for row in pages(pilot))
            await press(pilot, "y", "escape")
            assert isinstance(pilot.app.focused, TranscriptPane)
            assert "old_string" in pilot.app.clipboard


async def test_a_text_is_found_on_the_whole_screen(tmp_path: Path) -> None:
    script = Script()
    script.user("print them")
    script.calls("Bash", {"command": "seq 200"}, "t1")
    script.result("\n".join(f"line {number} of the output" for number in range(1, 201)), "t1")
    update(tmp_path / "data", script.write(tmp_path / "src"))

    def shown(pilot: Pilot[None]) -> tuple[str, str]:
        """The border, and the current match with its line."""
        view = pilot.app.screen.query_one(Pages)
        lines = [view.render_line(y).text for y in range(view.page)]
        rows = [
            row for row in view.rows(view.size.width, view.size.height) if any("current" in s for _, s in row.spans)
        ]
        (current,) = (row.text for row in rows) if rows else ("",)
        assert not current or any(current in line for line in lines), (current, lines)
        return str(view.border_subtitle), current

    async with app_on(tmp_path / "data").run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            await press(pilot, "enter")
            assert shown(pilot) == ("esc back · f find · y copy", "")
            await press(pilot, "slash")
            assert isinstance(pilot.app.focused, FindBar)
            await type_text(pilot, "Line 15")
            assert shown(pilot) == ("match 1 of 11 · esc end · y copy", "line 15 of the output")
            await press(pilot, "down", "enter")
            assert shown(pilot)[1] == "line 150 of the output"
            assert type(pilot.app.focused).__name__ == "Pages"
            await press(pilot, "n", "N", "N", "N")
            assert shown(pilot) == ("match 11 of 11 · esc end · y copy", "line 159 of the output")
            await press(pilot, "f")
            await type_text(pilot, "zzzq")
            assert shown(pilot) == ("no match · esc end · y copy", "")
            await press(pilot, "enter", "escape")
            assert shown(pilot) == ("esc back · f find · y copy", "")
            # A find starts at the top of the screen.
            await press(pilot, "f")
            await type_text(pilot, "output")
            assert 140 < int(shown(pilot)[0].split()[1]) < 160
            await press(pilot, "escape")
            assert isinstance(pilot.app.screen, PagerScreen)
            await press(pilot, "escape")
            assert isinstance(pilot.app.focused, TranscriptPane)


async def test_the_inspector_opens_a_tool_and_a_file(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "right_curly_bracket", "i", "tab")
        assert isinstance(pilot.app.focused, Inspector)
        await press(pilot, "l", "v")
        assert pages(pilot)[0].startswith("▾ Write  tests/slow_store.py")
        await press(pilot, "escape", "l", "v")
        title = str(pilot.app.screen.query_one(Pages).border_title)
        assert title.startswith("tests/slow_store.py · turn 3 · Fix flaky uploads")
        assert pages(pilot)[0].startswith("All ")


async def test_a_timeline_shows_what_the_file_held(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "2", "enter")
        assert isinstance(pilot.app.focused, FileTimeline)
        await press(pilot, "v")
        rows = pages(pilot)
        assert rows[0] == "19 of 19 lines are known, 5 of them not for certain (?)."
        assert rows[3:6] == ["name: ci", "", "on:"]


def test_what_is_missing_and_what_is_doubtful_is_said() -> None:
    lines = (ContentLine(3, "three", True), ContentLine(4, "four", False), ContentLine(9, "nine", True))
    rows = content_rows(FileContent("a.txt", lines, None, ("a command may have changed it",)))
    assert [("".join(text for text, _ in row.first), row.text) for row in rows] == [
        ("", "3 lines are known, 1 of them not for certain (?)."),
        ("· ", "a command may have changed it"),
        ("", ""),
        ("", "⋯ lines 1–2 were never seen"),
        ("  3 ", "three"),
        ("? 4 ", "four"),
        ("", "⋯ lines 5–8 were never seen"),
        ("9 ", "nine"),
        ("", "⋯ the rest is not known"),
    ]
    assert [row.text for row in content_rows(FileContent("a.txt", (), None, ()))] == [
        "The session saw nothing of this file's content.",
        "",
    ]


def test_file_content_at_of_the_index(sample_index: Path) -> None:
    index = Index.open(sample_index)
    [file] = index.files.find("slow_store.py").rows
    touch = next(row.touch for row in index.files.history(file) if row.kind == "edited")
    known = index.files.content_at(touch.session, touch.path, touch.turn)
    assert (known.path, known.complete) == ("tests/slow_store.py", True)


EDITORS = [
    ("vim", 12, ["vim", "+12", "/a b.py"]),
    ("/usr/bin/nvim -p", 3, ["/usr/bin/nvim", "-p", "+3", "/a b.py"]),
    ("code --wait", 7, ["code", "--wait", "--goto", "/a b.py:7"]),
    ("hx", 1, ["hx", "/a b.py:1"]),
    ("vim", None, ["vim", "/a b.py"]),
    ("my-editor", 9, ["my-editor", "/a b.py"]),
]


@pytest.mark.parametrize(("editor", "line", "command"), EDITORS)
def test_an_editor_is_told_the_line_in_its_own_way(editor: str, line: int | None, command: list[str]) -> None:
    assert editor_command(Path("/a b.py"), line, {"EDITOR": editor}) == command
    assert editor_command(Path("/a b.py"), line, {"EDITOR": "other", "VISUAL": editor}) == command


def test_an_editor_of_windows_has_backslashes_in_its_path() -> None:
    editor = {"EDITOR": '"C:\\Program Files\\Vim\\vim.exe" -p'}
    assert editor_command(Path("/a.py"), 2, editor, windows=True) == [
        "C:/Program Files/Vim/vim.exe", "-p", "+2", "/a.py",
    ]  # fmt: skip


@unix_only
@pytest.mark.parametrize(
    ("editor", "command"),
    [
        ("code", ["code", "--wait", "--goto", "/a.py:2"]),
        ("code -w", ["code", "-w", "--goto", "/a.py:2"]),
        ("subl", ["subl", "--wait", "/a.py:2"]),
        ("vim", ["vim", "+2", "/a.py"]),
    ],
)
def test_an_editor_with_windows_of_its_own_is_waited_for(editor: str, command: list[str]) -> None:
    assert editor_command(Path("/a.py"), 2, {"EDITOR": editor}, waits=True) == command


@unix_only
def test_an_editor_that_is_a_script_of_windows_is_found(tmp_path: Path) -> None:
    (tmp_path / "code.cmd").write_text("#!/bin/sh\n")
    (tmp_path / "code.cmd").chmod(0o755)
    environment = {"EDITOR": "code.cmd", "PATH": str(tmp_path)}
    assert editor_command(Path("/a.py"), 2, environment, windows=True) == [
        str(tmp_path / "code.cmd"), "--goto", "/a.py:2",
    ]  # fmt: skip


@unix_only
def test_without_a_setting_a_usual_editor_is_taken_or_none(tmp_path: Path) -> None:
    assert editor_command(Path("/a"), 1, {"PATH": str(tmp_path)}) is None
    assert editor_command(Path("/a"), 1, {"PATH": str(tmp_path), "EDITOR": "'"}) is None
    (tmp_path / "vim").write_text("#!/bin/sh\n")
    (tmp_path / "vim").chmod(0o755)
    assert editor_command(Path("/a"), 1, {"PATH": str(tmp_path)}) == ["vim", "+1", "/a"]


async def test_a_file_that_is_gone_is_said_and_one_that_is_there_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", "vim")
    script = Script(cwd=str(tmp_path))
    script.user("change both")
    # No file system takes a name as long as the first one.
    missing = [f"{tmp_path}/{'long' * 80}.py", f"{tmp_path}/gone.py"]
    for number, path in enumerate(missing):
        script.calls("Edit", {"file_path": path, "old_string": "1", "new_string": "2"}, f"e{number}")
        script.result("ok", f"e{number}")
    script.calls("Read", {"file_path": f"{tmp_path}/here.py", "offset": 40, "limit": 2}, "t2")
    script.result("    40→x", "t2")
    (tmp_path / "here.py").write_text("x\n" * 50)
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "right_curly_bracket", "o", "right_curly_bracket", "o")
        said = [(note.title, note.message) for note in pilot.app._notifications]
        assert said == [("The file does not exist", path) for path in missing]
        # From the files, which stand first without thinking, to the tools.
        await press(pilot, "i", "tab", "h", "j", "j", "o", "y")
        # A test has no terminal that could be left: the command can be copied instead.
        assert pilot.app.clipboard == shlex.join(["vim", "+40", f"{tmp_path}/here.py"])


async def test_what_is_typed_is_found_in_the_session_and_esc_ends_the_find_first(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=SIZES[0]) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await settled(pilot)
            await press(pilot, "g", "f")
            assert isinstance(pilot.app.focused, FindBar)
            await type_text(pilot, "timeout")
            assert transcript(pilot).border_subtitle == "turn 1 of 13 · match 1 of 20"
            await press(pilot, "down", "enter", "n", "N")
            assert isinstance(pilot.app.focused, TranscriptPane)
            assert transcript(pilot).border_subtitle == "turn 1 of 13 · match 2 of 20"
            await press(pilot, "f")
            await type_text(pilot, "zzzq")
            assert transcript(pilot).border_subtitle == "turn 6 of 13 · no match"
            await press(pilot, "escape")
            assert (transcript(pilot).border_subtitle, transcript(pilot).matches.words) == ("turn 6 of 13", ())
            assert not pilot.app.screen.query_one(FindBar).display
        await press(pilot, "f")
        await type_text(pilot, "timeout")
        await press(pilot, "enter", "escape")
        assert (transcript(pilot).matches.words, pilot.app.focused) == ((), transcript(pilot))
        await press(pilot, "escape")
        assert pilot.app.focused is not transcript(pilot)


async def test_what_typing_opened_on_its_way_is_closed_again(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "f")
        await type_text(pilot, "timeout")
        opened = {box.turn.number: box.flipped for box in transcript(pilot).document.turns if box.flipped}
        assert len(opened) == 1
        await press(pilot, *["backspace"] * len("timeout"))
        assert not any(box.flipped for box in transcript(pilot).document.turns)


def test_the_environment_is_read_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "VISUAL", "nano -w")
    assert editor_command(Path("/a"), 4) == ["nano", "-w", "+4", "/a"]


async def test_an_export_is_written_in_the_format_chosen_and_only_then(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begins = {
        ("e", "enter"): "# Fix flaky uploads",
        ("e", "2"): "<!doctype html>",
        ("E", "j", "j", "enter"): "{",
    }
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    seen = {}
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        for keys, begin in begins.items():
            await press(pilot, *keys)
            (written,) = (tmp_path / "here").iterdir()
            said = [(note.title, note.message) for note in pilot.app._notifications]
            assert said == [("Written", str(written))]
            assert "fix-flaky-uploads" in written.name
            seen[keys] = written.read_text()[: len(begin)]
            written.unlink()
            pilot.app.clear_notifications()
        await press(pilot, "e", "9", "escape")
        assert (list((tmp_path / "here").iterdir()), isinstance(pilot.app.focused, TranscriptPane)) == ([], True)
    assert seen == begins
