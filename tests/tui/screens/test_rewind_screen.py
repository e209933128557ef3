"""Rewinding a session in the app: what is shown before it is written, and what comes then."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.browse.screen import BrowseScreen
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.outgoing.rewind.file_list import SinceList
from memtui.screens.outgoing.rewind.screen import RewindScreen
from memtui.screens.pager import PagerScreen
from support.indexes import update
from support.screens import app_on, notices, settled
from support.systems import unix_only
from support.transcripts import SESSION, Script

pytestmark = unix_only


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a session of three turns, the last one after a compaction; the index is in `data` beside it."""
    root, home = tmp_path / "shop", tmp_path / "home" / ".claude"
    root.mkdir()
    script = Script(cwd=str(root))
    script.user("Write the prices")
    for number, name in enumerate(("prices.py", "same.py", "gone.py")):
        script.calls("Write", {"file_path": name, "content": "one\n"}, f"t{number}")
        script.result("File created successfully", f"t{number}")
    script.says("Written.")
    script.compacts("The prices are written.")
    script.user("Change the prices")
    script.calls("Edit", {"file_path": "prices.py", "old_string": "one", "new_string": "two"}, "t9")
    script.result("The file has been updated", "t9")
    (root / "prices.py").write_text("two\n")
    (root / "same.py").write_text("one\n")
    script.write(home / "projects" / "shop")
    update(tmp_path / "data", home / "projects")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return root


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def shown(pilot: Pilot[None]) -> list[str]:
    screen = pilot.app.screen
    assert isinstance(screen, RewindScreen)
    texts = [str(one.content) for one in screen.query(Static) if one.display and one.id]
    files = screen.query_one(SinceList)
    rows = [str(option.prompt) for option in files.options] if files.display else []
    return [" ".join(text.split()) for text in (*texts, *rows)]


def transcripts(shop: Path) -> list[Path]:
    return sorted((shop.parent / "home" / ".claude" / "projects" / "shop").iterdir())


async def test_a_turn_is_shown_written_and_resumed(shop: Path) -> None:
    async with app_on(shop.parent / "data").run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "g", "W")
        assert shown(pilot) == [
            "Write the prices",
            "up to turn 1 of 3 · about 56 tokens · a new session of Claude Code",
            "last prompt: Write the prices",
            "a new file in ~/.claude/projects/shop",
            "files since: 1 changed · 1 deleted · 1 unchanged · enter diff",
            "changed prices.py edited in turn 3 +1 −1",
            "deleted gone.py",
        ]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PagerScreen)
        await press(pilot, "y")
        assert pilot.app.clipboard == "--- a/prices.py\n+++ b/prices.py\n@@ -1 +1 @@\n-one\n+two"
        await press(pilot, "escape", "j", "enter")
        assert isinstance(pilot.app.screen, RewindScreen)
        assert notices(pilot)[-1] == "It is not on the disk any more."
        assert [path.stem for path in transcripts(shop)] == [SESSION]
        await press(pilot, "w")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        [new] = [path for path in transcripts(shop) if path.stem != SESSION]
        await press(pilot, "y")
        assert pilot.app.clipboard == f"cd {shop} && claude --resume {new.stem}"


async def test_a_compaction_is_rewound_to_what_was_before_it(shop: Path) -> None:
    async with app_on(shop.parent / "data").run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "W")
        sides = [shown(pilot)[1].split(" · ")[0]]
        for _ in range(2):
            await press(pilot, "number_sign")
            sides.append(shown(pilot)[1].split(" · ")[0])
        assert sides == ["before turn 2 of 3", "up to turn 2 of 3", "before turn 2 of 3"]
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowseScreen)
    assert [path.stem for path in transcripts(shop)] == [SESSION]


async def test_what_cannot_be_rewound_says_why(shop: Path) -> None:
    [transcript] = transcripts(shop)
    transcript.unlink()
    async with app_on(shop.parent / "data").run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "W")
        assert isinstance(pilot.app.screen, BrowseScreen)
        assert notices(pilot)[-1].startswith(f"{transcript} is gone, and the archive does not have it.")


async def test_a_folder_that_does_not_exist_is_named_and_nothing_is_before_the_first_turn(shop: Path) -> None:
    for file in shop.iterdir():
        file.unlink()
    shop.rmdir()
    async with app_on(shop.parent / "data").run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "g", "W")
        assert f"{shop} does not exist: make it first, because the agent looks for sessions by folder." in shown(pilot)
        await press(pilot, "number_sign")
        assert notices(pilot)[-1] == "The session has nothing before this turn."
        assert shown(pilot)[1].startswith("up to turn 1 of 3")
