"""A home from its first index to the last trace of a session: after each command what search, show and doctor say.

It takes some seconds: it runs about 70 commands, of which ten write the index or all of its files anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.manifest import read_manifest
from support.archives import age
from support.contents import files_containing
from support.systems import HOME_VARIABLE
from support.transcripts import OTHER_SESSION, SESSION, Script

PROMPT, NOTE, RESULT = "qzxvprompt81", "qzxvnote82", "qzxvresult83"
STAYS = "kwjystays91"
DAYS = 25
"""The age of the transcripts: their agent deletes them within a week, so that a run archives them."""


class Story:
    """A home with transcripts, and a data folder."""

    def __init__(self, folder: Path, data: Path) -> None:
        self.folder, self.data = folder, data

    def run(self, *arguments: str, code: int = 0) -> Result:
        """Run a command, which ends as expected."""
        result = CliRunner().invoke(cli, [*arguments, "--data-dir", str(self.data)])
        assert result.exit_code == code, (arguments, result.output, result.exception)
        return result

    def json(self, *arguments: str) -> list[Any]:
        """What a command prints as JSON."""
        return json.loads(self.run(*arguments, "--json").stdout)  # type: ignore[no-any-return]

    def found(self, query: str) -> list[tuple[Any, ...]]:
        """The turns that a search finds, with what was added to them."""
        hits = self.json("search", query)
        return sorted((hit["session_id"], hit["turn"], tuple(hit["tags"])) for hit in hits)

    def shown(self, session: str) -> str:
        """The first turn of a session with all of its texts and notes."""
        return json.dumps(self.json("show", f"{session}:1"), sort_keys=True)

    def state(self) -> tuple[int, int, str]:
        """Sessions that are saved and forgotten, and the state of each source."""
        *sources, index = self.json("doctor")
        states = sorted(source["state"] for source in sources if "state" in source)
        return index["saved"], index["forgotten"], " ".join(states)


def written(home: Path) -> dict[str, Path]:
    """Two sessions of Claude Code."""
    folder, paths = home / ".claude" / "projects" / "-home-ana-code-shop", {}
    script = Script()
    script.user(f"Round the {PROMPT}")
    script.calls("Bash", {"command": "ls"}, "t1")
    script.result(f"The {RESULT}", "t1")
    script.says("It is rounded.")
    paths[SESSION] = script.write(folder)
    other = Script(OTHER_SESSION, prefix="f")
    other.user(f"Look at the {STAYS}")
    other.says("It is here.")
    paths[OTHER_SESSION] = other.write(folder)
    for path in paths.values():
        age(path, DAYS)
    return paths


def test_a_session_through_all_that_can_happen_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    paths = written(home)
    copies = {session: path.read_bytes() for session, path in paths.items()}
    story = Story(tmp_path, tmp_path / "data")

    def is_as(expected: tuple[Any, ...], which: Story = story) -> None:
        """Whether searches and both sessions are as they were, and the doctor says this."""
        assert (which.found(PROMPT), which.found(NOTE), which.found(STAYS), which.found("tag:later")) == searches
        assert (which.shown(SESSION), which.shown(OTHER_SESSION)) == shown
        assert which.state() == expected

    story.run("index", "--no-embed")
    assert story.found(PROMPT) == [(SESSION, 1, ())]
    assert story.state() == (0, 0, "ok ok")
    story.run("note", f"{SESSION}:1", f"Ask about the {NOTE}")
    story.run("tag", f"{SESSION}:1", "later")
    story.run("rename", OTHER_SESSION, "The other one")
    hit = [(SESSION, 1, ("later",))]
    searches = (hit, hit, [(OTHER_SESSION, 1, ())], hit)
    shown = story.shown(SESSION), story.shown(OTHER_SESSION)
    assert [word in shown[0] for word in (PROMPT, RESULT, NOTE)] == [True, True, True]
    is_as((0, 0, "ok ok"))

    # The run that makes an index has little time to archive.
    story.run("index", "--no-embed")
    for path in paths.values():
        path.unlink()
    story.run("index", "--no-embed")
    is_as((2, 0, "gone gone"))

    manifest = read_manifest(DataDir(story.data))
    assert manifest is not None
    for path in (DataDir(story.data).work, DataDir(story.data).base(manifest.base)):
        path.write_bytes(b"damaged!" * 64 + path.read_bytes()[512:])
    story.run("doctor", "--check", code=1)
    story.run("index", "--no-embed")
    is_as((2, 0, "gone gone"))

    story.run("restore", SESSION, "--yes")
    assert paths[SESSION].read_bytes() == copies[SESSION]
    story.run("index", "--no-embed")
    is_as((1, 0, "gone ok"))

    story.run("forget", SESSION, "--yes")
    assert (story.found(PROMPT), story.found(NOTE), story.found("tag:later")) == ([], [], [])
    story.run("show", SESSION, code=1)
    story.run("note", SESSION, "Again", code=1)
    story.run("index", "--no-embed")
    assert story.state() == (1, 1, "gone ok")
    [waiting] = story.json("forget", "--list")
    assert [one["session_id"] for one in waiting["sessions"]] == [SESSION]
    assert files_containing(story.data, RESULT, NOTE) == {
        word: [f"forgotten/{waiting['id']}.records"] for word in (RESULT, NOTE)
    }
    story.run("forget", "--undo", "--yes")
    is_as((1, 0, "gone ok"))

    backup = tmp_path / "copy.memtui"
    story.run("backup", str(backup))
    other = Story(tmp_path, tmp_path / "elsewhere")
    other.run("import", str(backup))
    is_as((1, 0, "gone ok"), other)

    story.run("forget", SESSION, "--yes")
    story.run("forget", "--now", "--yes")
    paths[SESSION].unlink()
    assert files_containing(story.data, PROMPT, RESULT, NOTE) == {PROMPT: [], RESULT: [], NOTE: []}
    story.run("import", str(backup))
    story.run("index", "--no-embed")
    assert (story.found(PROMPT), story.found(NOTE), story.found(STAYS)) == ([], [], searches[2])
    assert files_containing(story.data, PROMPT, RESULT, NOTE) == {PROMPT: [], RESULT: [], NOTE: []}
    story.run("doctor", "--check")
