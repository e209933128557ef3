"""Files outside the project of the session that touched them: where they are listed, found and shown."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest import watch
from memtui_core.ingest.indexer import Indexer
from memtui_core.queries.files import FileRow, paths_on_disk
from memtui_core.queries.places import Place, place_of
from memtui_core.readers.locations import Location
from memtui_core.text.controls import Label
from support.indexes import build
from support.systems import HOME_VARIABLE
from support.transcripts import OTHER_SESSION, SESSION, Script

SHOP, BLOG, HOME = "/home/ana/code/shop", "/home/ana/code/blog", "/home/ana"
SETTINGS = f"{HOME}/.claude/settings.json"


def edit(script: Script, tool_id: str, path: str, old: str = "a", new: str = "b") -> None:
    script.calls("Edit", {"file_path": path, "old_string": old, "new_string": new}, tool_id)
    script.result("ok", tool_id)


def of_shop() -> Script:
    """A session that starts in the shop, and goes on in the blog."""
    script = Script(SESSION)
    script.user("Set it up")
    edit(script, "t1", f"{SHOP}/src/app.py")
    edit(script, "t2", SETTINGS)
    script.calls("Write", {"file_path": "/tmp/notes.md", "content": "x"}, "t3")
    script.result("ok", "t3")
    script.calls("Read", {"file_path": "/etc/hosts"}, "t4")
    script.result("1 localhost", "t4")
    script.cwd = BLOG
    script.user("Now the blog")
    edit(script, "t5", f"{BLOG}/.worktrees/fast/src/app.py", "one", "two")
    edit(script, "t6", f"{BLOG}/src/app.py", "two", "three")
    return script


def of_blog() -> Script:
    script = Script(OTHER_SESSION, cwd=BLOG, prefix="f")
    script.count = 100
    script.user("Write a post")
    edit(script, "t1", f"{BLOG}/src/app.py", "three", "four")
    edit(script, "t2", "~/.claude/settings.json")
    return script


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("places")
    return build(folder / "data", *(script.write(folder / "src") for script in (of_shop(), of_blog())))


def named(rows: list[FileRow]) -> list[tuple[str, str, str, int, int, int]]:
    return sorted((row.project, row.path, row.root, row.edited, row.read, row.sessions) for row in rows)


@pytest.mark.spec("S4.5")
def test_every_file_is_listed_under_the_root_that_contains_it(index: Index) -> None:
    assert named(index.files.find().rows) == [
        ("/", "/etc/hosts", "/", 0, 1, 1),
        ("/tmp", "/tmp/notes.md", "/tmp", 1, 0, 1),
        ("blog", "src/app.py", BLOG, 2, 0, 2),
        ("shop", "src/app.py", SHOP, 1, 0, 1),
        ("~", "~/.claude/settings.json", HOME, 2, 0, 2),
    ]


def test_the_history_of_a_file_has_the_turns_of_all_projects(index: Index) -> None:
    blog, settings = (index.files.find(name).rows[0] for name in (f"{BLOG}/src/app.py", "settings.json"))
    touches = index.files.history(blog)
    assert [(touch.touch.project, touch.touch.path, touch.counts) for touch in touches] == [
        ("blog", "src/app.py", (1, 1)),
        ("shop", "~/code/blog/.worktrees/fast/src/app.py", (1, 1)),
        ("shop", "~/code/blog/src/app.py", (1, 1)),
    ]
    lines = [
        [line for call in index.files.touch_details(touch).calls for hunk in call.hunks for line in hunk.lines]
        for touch in touches
    ]
    assert lines == [
        [("-", "three"), ("+", "four")],
        [("-", "one"), ("+", "two")],
        [("-", "two"), ("+", "three")],
    ]
    assert [touch.touch.session_id for touch in index.files.history(settings)] == [OTHER_SESSION, SESSION]


@pytest.mark.parametrize(
    ("value", "turns"),
    [
        ("settings.json", {(SESSION, 1), (OTHER_SESSION, 1)}),
        ("~/.claude/settings.json", {(SESSION, 1), (OTHER_SESSION, 1)}),
        (SETTINGS, {(SESSION, 1), (OTHER_SESSION, 1)}),
        ("/tmp/notes.md", {(SESSION, 1)}),
        (f"{BLOG}/src/app.py", {(SESSION, 2), (OTHER_SESSION, 1)}),
        ("/tmp/", {(SESSION, 1)}),
        ("src/app.py", {(SESSION, 1), (SESSION, 2), (OTHER_SESSION, 1)}),
        ("/tmp/other.md", set()),
    ],
)
def test_a_file_filter_finds_it_by_any_of_its_names(index: Index, value: str, turns: set[tuple[str, int]]) -> None:
    assert {(hit.session_id, hit.turn) for hit in index.search(f"file:{value}").hits} == turns


def test_a_hit_shows_the_home_folder_as_a_tilde(index: Index) -> None:
    assert {hit.path for hit in index.search(f"file:{SETTINGS}").hits} == {"~/.claude/settings.json"}


def test_where_a_file_is_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, HOME)
    files = [("src/app.py", SHOP), ("/tmp/a.md", "/tmp"), ("~/.bashrc", "~"), (Label("~/a.md", f"{HOME}/a.md"), HOME)]
    rows = [FileRow(path, "any", root, 1, 0, 0, 1, None, None) for path, root in files]
    assert [path.as_posix() for row in rows for path in paths_on_disk(row)] == [
        f"{SHOP}/src/app.py",
        "/tmp/a.md",
        f"{HOME}/.bashrc",
        f"{HOME}/a.md",
    ]


def test_statistics_count_a_file_once(index: Index) -> None:
    statistics = index.statistics.of_work()
    assert (statistics.totals.files, sorted((use.project, use.path, use.turns) for use in statistics.files)) == (
        5,
        [
            ("/", "/etc/hosts", 1),
            ("/tmp", "/tmp/notes.md", 1),
            ("blog", "src/app.py", 2),
            ("shop", "src/app.py", 1),
            ("~", "~/.claude/settings.json", 2),
        ],
    )


@pytest.mark.parametrize("path", ["~/.claude/settings.json", SETTINGS])
def test_the_hand_off_of_a_file_outside_of_projects(index: Index, path: str) -> None:
    handoff = index.handoffs.of_file(path)
    assert [item.id for item in handoff.items] == [f"{SESSION}:t2", f"{OTHER_SESSION}:t2"]
    assert "~/.claude/settings.json: changed in 2 turns" in handoff.lead[0].text


def test_the_hand_off_of_a_session_names_the_files_outside_of_its_project(index: Index) -> None:
    handoff = index.handoffs.of_session(index.sessions.find(SESSION).key)
    assert all(path in handoff.text() for path in (SETTINGS, "/tmp/notes.md", f"{BLOG}/src/app.py"))


PROJECTS = {SHOP: (SHOP, "shop"), f"{SHOP}-fast": (SHOP, "shop"), f"{HOME}/code": (f"{HOME}/code", "code")}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (f"{SHOP}/src/a.py", Place(SHOP, "shop", "src/a.py")),
        (f"{SHOP}-fast/src/a.py", Place(SHOP, "shop", "src/a.py")),
        (f"{SHOP}/.worktrees/w/src/a.py", Place(SHOP, "shop", "src/a.py")),
        (f"{HOME}/code/new/a.py", Place(f"{HOME}/code", "code", "new/a.py")),
        (f"{HOME}/wiki/.worktrees/w/a.md", Place(f"{HOME}/wiki", "wiki", "a.md")),
        (f"{SHOP}2/a.py", Place(f"{HOME}/code", "code", "shop2/a.py")),
        ("~/a.md", Place("~", "~", "~/a.md")),
        ("/private/tmp/a.md", Place("/private/tmp", "/private/tmp", "/private/tmp/a.md")),
        ("/a.md", Place("/", "/", "/a.md")),
        ("C:/logs/a.txt", Place("C:/", "C:/", "C:/logs/a.txt")),
        ("C:/Users/ana/a.txt", Place("C:/Users/ana", "~", "C:/Users/ana/a.txt")),
    ],
)
def test_the_place_of_a_path(path: str, place: Place) -> None:
    assert place_of(path, PROJECTS) == place


def test_a_repository_on_the_disk_contains_its_files(tmp_path: Path) -> None:
    (tmp_path / "wiki" / ".git").mkdir(parents=True)
    (tmp_path / "wiki" / "pages").mkdir()
    root = (tmp_path / "wiki").as_posix()
    assert place_of(f"{root}/pages/a.md", {}) == Place(root, "wiki", "pages/a.md")


def without_outside_files(data: Path, source: Path) -> list[tuple[str, str, str, int, int, int]]:
    """Make an index as an earlier version left it; its files as they should be."""
    expected = named(build(data, source).files.find().rows)
    with Indexer(data) as indexer:
        work = indexer.work
        work.begin_batch()
        with work.transaction():
            rows = work.rows("file_mentions", "TRUE", [])
            work.drop("file_mentions", {row[1] for row in rows})
            work.put("file_mentions", [row for row in rows if not row[3].startswith("/")])
            work.connection.execute("DELETE FROM meta WHERE key = 'outside_files'")
        indexer.publish()
    return expected


def test_files_outside_of_projects_are_added_to_an_older_index(tmp_path: Path) -> None:
    """Also of sessions whose transcript is gone; then nothing is left to do."""
    data, source = tmp_path / "data", tmp_path / "src"
    paths = [script.write(source) for script in (of_shop(), of_blog())]
    expected = without_outside_files(data, source)
    paths[0].unlink()
    assert [row[:2] for row in named(Index.open(data).files.find().rows)] == [
        ("blog", "src/app.py"),
        ("shop", "src/app.py"),
    ]
    with Indexer(data) as indexer:
        list(indexer.update([Location("claude-code", source)]))
        indexer.add_outside_files()
        assert indexer.counts.files_read == 0
    index = Index.open(data)
    assert named(index.files.find().rows) == expected
    assert [hit.session_id for hit in index.search("hosts").hits] == [SESSION]
    with Indexer(data) as indexer:
        indexer.add_outside_files()
        assert (indexer.misses_outside_files, indexer.counts.snapshots) == (False, 0)


def test_an_indexer_that_watches_adds_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When nothing is left to do, it waits for changes."""
    data, source, stop = tmp_path / "data", tmp_path / "src", threading.Event()
    for script in (of_shop(), of_blog()):
        script.write(source)
    expected = without_outside_files(data, source)
    monkeypatch.setattr(watch._Watch, "_wait", lambda _: stop.set())
    with Indexer(data) as indexer:
        watch.watch_locations(indexer, [Location("claude-code", source)], stop)
    assert named(Index.open(data).files.find().rows) == expected
