"""Where a copied text goes, and what is said of it."""

from __future__ import annotations

import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from textual.geometry import Offset
from textual.selection import Selection

from memtui.system.clipboard import FILE_NAME, MAX_SEQUENCE, copy, routes
from memtui.widgets.transcript.widget import TranscriptPane
from support.screens import app_on, notices, settled, transcript
from support.systems import unix_only

SSH = {"SSH_TTY": "/dev/pts/1"}
TMUX = {"TMUX": "/tmp/tmux-1000/default,1,0"}


@pytest.mark.parametrize(
    ("environment", "size", "ways"),
    [
        ({}, 5, ("desktop",)),
        (TMUX, 5, ("tmux", "desktop")),
        (SSH, MAX_SEQUENCE, ("terminal",)),
        ({"SSH_CONNECTION": "10.0.0.1 22"}, 5, ("terminal",)),
        (SSH, MAX_SEQUENCE + 1, ()),
        (SSH | TMUX, 5, ("tmux", "terminal")),
        (SSH | TMUX, MAX_SEQUENCE + 1, ("tmux",)),
        ({"TMUX": "", "SSH_TTY": ""}, 5, ("desktop",)),
    ],
)
def test_the_environment_and_the_size_decide(environment: Mapping[str, str], size: int, ways: tuple[str, ...]) -> None:
    assert routes(environment, size) == ways


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs in which the shell's own ones are found too."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.delenv("SSH_TTY")
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    return folder


def program(folder: Path, name: str, code: int = 0) -> Path:
    """A program that writes its arguments and its input to the file that is returned."""
    taken = folder / f"{name}.taken"
    script = folder / name
    script.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {taken}\ncat >> {taken}\nexit {code}\n')
    script.chmod(0o755)
    return taken


@unix_only
def test_tmux_takes_the_text_into_its_buffer(programs: Path, tmp_path: Path) -> None:
    taken, sent = program(programs, "tmux"), list[str]()
    assert copy("eins\nzwei ü", tmp_path, sent.append, SSH | TMUX) == "the tmux buffer"
    assert (taken.read_text(), sent) == ("load-buffer|-w|-|eins\nzwei ü", [])


@unix_only
def test_a_tmux_that_fails_is_passed_over(programs: Path, tmp_path: Path) -> None:
    program(programs, "tmux", code=1)
    sent: list[str] = []
    assert copy("text", tmp_path, sent.append, SSH | TMUX) == "the clipboard of your terminal (OSC 52)"
    assert sent == ["text"]


@unix_only
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a clipboard of their own")
def test_a_desktop_has_a_program_for_it(programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":7")
    taken, sent = program(programs, "xclip"), list[str]()
    assert copy("text", tmp_path, sent.append, {}) == "the clipboard"
    assert (taken.read_text(), sent) == ("-selection|c|text", [])


@unix_only
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have a clipboard of their own")
def test_without_a_clipboard_a_file_is_left(programs: Path, tmp_path: Path) -> None:
    (programs / "data").mkdir()
    file = programs / "data" / FILE_NAME
    large = "x" * (MAX_SEQUENCE + 1)
    cases: list[tuple[str, dict[str, str], str, list[str]]] = [
        ("text", {}, f"{file}, and to your terminal if it takes OSC 52", ["text"]),
        (large, {}, str(file), []),
        (large, SSH, str(file), []),
    ]
    for text, environment, place, terminal in cases:
        sent: list[str] = []
        assert (copy(text, programs / "data", sent.append, environment), sent) == (place, terminal)
        assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (text, 0o600)


@unix_only
async def test_what_was_copied_and_where_it_went_is_said(
    sample_index: Path, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMUX", TMUX["TMUX"])
    taken = program(programs, "tmux")
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)
        view = transcript(pilot)
        texts = []
        for key, lines in (("ctrl+c", 0), ("ctrl+c", 2), ("y", 0), ("Y", 0)):
            pilot.app.screen.selections = {view: _two_lines(view)} if lines else {}
            await pilot.press(key)
            await settled(pilot)
            texts.append(notices(pilot))
        assert view.session is not None
        reference = f"{view.session.session_id}:1"
        assert texts == [
            ["q quits, ctrl+q also while typing."],
            ["2 lines copied · to the tmux buffer"],
            ["Turn 1 copied · to the tmux buffer"],
            [f"{reference} copied · to the tmux buffer"],
        ]
        assert taken.read_text() == f"load-buffer|-w|-|{reference}" == f"load-buffer|-w|-|{pilot.app.clipboard}"


def _two_lines(view: TranscriptPane) -> Selection:
    # The second of them is wrapped.
    first, last = (view.document.keyed_line(y)[0] for y in (0, 2))
    return Selection(Offset(0, first), Offset(3, last))
