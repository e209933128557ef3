"""What the app shows before its index is open: the first rows of the last time, nothing that was forgotten since."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.services.preload import IndexPreload
from memtui.settings.config import Config
from memtui.startup.kept_list import MAX_ROWS, KeptList, read_kept, write_kept
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import Project, Session, SessionEnd
from memtui_core.readers.exclusions import Exclusions
from memtui_core.store.data_folder import DataDir
from support.indexes import update
from support.kept import HeldPreload, kept, main_screen, read
from support.screens import browse, empty_text, settled, transcript, tree
from support.terminal import Terminal
from support.transcripts import Script

WIDE = (140, 40)


def test_a_list_is_read_as_it_was_kept(data: Path) -> None:
    assert read_kept(data) is None
    first = kept(data)
    assert len(first.projects) > 1
    assert first.sessions
    assert read_kept(data) == first


def test_no_more_is_kept_than_a_screen_shows(data: Path) -> None:
    index, first = read(data)
    many = KeptList(first.projects * 50, first.sessions * 50, True)
    write_kept(data, many, index.snapshot.manifest)
    again = read_kept(data)
    assert again is not None
    assert (len(again.projects), len(again.sessions)) == (MAX_ROWS, MAX_ROWS)


def _changed(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    def changed(content: bytes) -> bytes:
        value = orjson.loads(content)
        change(value)
        return orjson.dumps(value)

    return changed


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut short": lambda content: content[: len(content) // 2],
    "no text": lambda content: b"\xff\x00" + content,
    "a list": lambda content: b"[]",
    "a number": lambda content: b"3",
    "too large": lambda content: content + b" " * 1_000_000,
    "without sessions": _changed(lambda value: value.pop("sessions")),
    "no projects": _changed(lambda value: value.update(projects=[])),
    "projects of numbers": _changed(lambda value: value.update(projects=[1])),
    "a name that is none": _changed(lambda value: value["projects"][0].update(name=3)),
    "a count that is none": _changed(lambda value: value["projects"][0].update(sessions="3")),
    "a time that is none": _changed(lambda value: value["projects"][0].update(last="soon")),
    "a time without a zone": _changed(lambda value: value["projects"][0].update(last="2026-01-01T00:00:00")),
    "a key that is none": _changed(lambda value: value["sessions"][0].update(key=None)),
    "an end that is none": _changed(lambda value: value["sessions"][0].update(end={"kind": "zebra"})),
    "models that are none": _changed(lambda value: value["sessions"][0].update(models=[None])),
    "of another version": _changed(lambda value: value["base"].__setitem__(0, 0)),
    "of another base": _changed(lambda value: value["base"].__setitem__(1, 999)),
}


def test_a_file_that_is_no_list_is_ignored(data: Path) -> None:
    kept(data)
    path = DataDir(data).last_list
    whole, found = path.read_bytes(), {}
    for name, broken in BROKEN.items():
        path.write_bytes(broken(whole))
        found[name] = read_kept(data)
    assert found == dict.fromkeys(BROKEN)


def test_nothing_in_the_file_acts_on_the_terminal(data: Path) -> None:
    kept(data)
    evil = "a\x1b]52;c;ZXZpbA==\x07b\x9b31mc\nd‮e"

    def spoil(value: dict[str, Any]) -> None:
        for row in (*value["projects"], *value["sessions"]):
            for name, text in row.items():
                if isinstance(text, str) and name not in ("last", "started_at", "ended_at"):
                    row[name] = evil
            if "models" in row:
                row["models"] = [evil]

    path = DataDir(data).last_list
    path.write_bytes(_changed(spoil)(path.read_bytes()))
    again = read_kept(data)
    assert again is not None
    project, session = again.projects[0], again.sessions[0]
    texts = [project.name, project.root, session.title, session.session_id, session.cwd, *session.models]
    for text in texts:
        assert text.isprintable(), text


def test_what_was_forgotten_is_neither_kept_nor_shown(data: Path) -> None:
    index, first = read(data)
    write_kept(data, first, index.snapshot.manifest)
    path = DataDir(data).last_list
    before = path.read_bytes()
    gone = first.projects[0]
    with Indexer(data, exclusions=Exclusions([f"project:{gone.name}"])) as indexer:
        indexer.stored.remove(indexer.stored.excluded().keys)
    assert not path.exists()
    # Neither an app that had it on its screen keeps it again, nor is a copy of the file shown.
    write_kept(data, first, index.snapshot.manifest)
    assert not path.exists()
    path.write_bytes(before)
    assert read_kept(data) is None


def items(pilot: Pilot[None]) -> list[tuple[str, str]]:
    """Each row of the tree: what it is, and its name or title."""
    shown = tree(pilot)
    nodes = [shown.get_node_at_line(line) for line in range(shown.last_line + 1)]
    data = [node.data for node in nodes if node is not None]
    return [
        ("project", one.name) if isinstance(one, Project) else ("session", getattr(one, "title", "")) for one in data
    ]


def app_with(data: Path, preload: IndexPreload, first: KeptList | None) -> MemtuiApp:
    return MemtuiApp(data, config=Config(), run_indexer=False, preload=preload, first_list=first, keeps_list=True)


async def test_the_rows_of_the_last_time_are_there_before_the_index(data: Path) -> None:
    first = kept(data)
    preload = HeldPreload(data)
    async with app_with(data, preload, first).run_test(size=WIDE) as pilot:
        await main_screen(pilot)
        assert browse(pilot).services.index.snapshot is None
        before = items(pilot)
        assert [row for row in before if row[0] == "project"] == [("project", one.name) for one in first.projects]
        assert before[1] == ("session", first.sessions[0].title)
        assert (empty_text(pilot.app.screen), tree(pilot).cursor_line) == ("", -1)
        assert transcript(pilot).session is None
        assert list(pilot.app._notifications) == []
        preload.may_open.set()
        await settled(pilot)
        assert items(pilot) == before
        assert tree(pilot).session == first.sessions[0]
        assert transcript(pilot).session == first.sessions[0]


async def test_who_is_faster_than_the_index_stays_where_they_went(data: Path) -> None:
    first = kept(data)
    assert len(first.sessions) > 2
    preload = HeldPreload(data)
    async with app_with(data, preload, first).run_test(size=WIDE) as pilot:
        await main_screen(pilot)
        # Nothing can be opened yet, and nothing fails.
        await pilot.press("down", "down", "down", "enter")
        line, session = tree(pilot).cursor_line, tree(pilot).session
        assert session is not None
        assert session != first.sessions[0]
        assert transcript(pilot).session is None
        preload.may_open.set()
        await settled(pilot)
        assert (tree(pilot).cursor_line, tree(pilot).session) == (line, session)
        assert transcript(pilot).session == session


async def test_rows_that_are_no_longer_right_are_replaced(data: Path, tmp_path: Path) -> None:
    first = kept(data)
    script = Script("55555555-5555-4555-8555-555555555555", cwd="/home/ana/code/zebra")
    script.user("The newest of all")
    update(data, script.write(tmp_path / "new"))
    again = read_kept(data)
    assert again == first
    preload = HeldPreload(data)
    async with app_with(data, preload, again).run_test(size=WIDE) as pilot:
        await main_screen(pilot)
        preload.may_open.set()
        await settled(pilot)
        index = Index.open(data)
        assert {row for row in items(pilot) if row[0] == "project"} == {
            ("project", one.name) for one in index.sessions.projects()
        }
        assert transcript(pilot).session == tree(pilot).session
    # What it shows now is kept for the next time.
    newest = read_kept(data)
    assert newest is not None
    assert newest.projects == tuple(index.sessions.projects())


async def test_a_list_without_an_index_is_replaced_by_what_is_wrong(data: Path) -> None:
    first = kept(data)
    preload = HeldPreload(data)
    async with app_with(data, preload, first).run_test(size=WIDE) as pilot:
        await main_screen(pilot)
        DataDir(data).current.unlink()
        preload.may_open.set()
        await settled(pilot)
        assert "Opening the index" not in empty_text(pilot.app.screen)
        assert empty_text(pilot.app.screen)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_an_app_that_is_left_keeps_its_list_for_the_next_one(data: Path, tmp_path: Path) -> None:
    """It starts memtui and its indexer twice, each in a process of its own."""
    (tmp_path / "none").mkdir()
    arguments = [sys.executable, "-m", "memtui", "--data-dir", str(data), "--source", str(tmp_path / "none")]
    _, first = read(data)
    for _ in range(2):
        app = Terminal(arguments, os.environ | {"TERM": "xterm-256color"}, WIDE)
        try:
            app.until_shown(first.sessions[0].title[:20])
            app.type("\x11")
            assert app.end()[0] == 0
        finally:
            app.close()
        assert read_kept(data) == first


def test_the_sessions_and_projects_have_only_fields_that_can_be_kept() -> None:
    kinds = {str(field.type) for kind in (Project, Session, SessionEnd) for field in kind.__dataclass_fields__.values()}
    plain = {"str", "int", "bool", "str | None", "int | None", "datetime | None", "tuple[str, ...]"}
    assert kinds == {*plain, "SessionEnd | None", "EndKind"}
