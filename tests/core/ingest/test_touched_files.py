"""The files of the turns that touched files: what is in them, when they are made anew, and what leaves them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing import touched_files
from memtui_core.ingest.writing.touched_files import write_touched
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.marks.touched import TEXT, folders_file, project_file, unpacked
from memtui_core.store.snapshot.manifest import read_manifest, write_manifest
from memtui_core.text.own_patterns import use_patterns
from support.indexes import update
from support.shop_and_blog import BLOG_SESSION, ROOT, edit, shop_and_blog
from support.transcripts import OTHER_SESSION, SESSION, Script

BLOG = "/home/ana/code/blog"
THIRD = f"4{OTHER_SESSION[1:]}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of two sessions of a shop and one of a blog."""
    folder = tmp_path_factory.mktemp("touched")
    update(folder / "data", *shop_and_blog(folder / "src"))
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> DataDir:
    """A copy of the index, to be written into."""
    return DataDir(Path(shutil.copytree(built, tmp_path / "data")))


def third(prompt: str, *paths: str) -> Script:
    """A session of the shop after all others, which edits files."""
    script = Script(THIRD, prefix="h")
    script.count = 900
    script.user(prompt)
    for number, path in enumerate(paths):
        edit(script, path, 10 + number)
    return script


def content(data: DataDir, root: str = ROOT) -> dict[str, Any]:
    """What the file of a project says."""
    found: dict[str, Any] = unpacked(project_file(data, root).read_bytes())
    return found


def touches(data: DataDir, path: str) -> list[tuple[str, int, str, str] | None]:
    """First digit of the session and number of each turn of a path, how it touched it, and the path that it touched."""
    found = content(data)
    turns = found["turns"]
    rows = found["files"][path]
    return [row and (turns[row[0]][0][0], turns[row[0]][1], *row[1:]) for row in rows]


def test_a_file_has_the_turns_of_each_path_and_each_text_once(data: DataDir) -> None:
    found = content(data)
    assert found.keys() == {"root", "names", "boundaries", "edited", "turns", "files"}
    [second, first] = [turn for turn in found["turns"] if turn[0] == SESSION], found["turns"][1]
    assert [turn[0][0] for turn in found["turns"]] == ["1", "2"]
    session_id, number, line, started_at, ended_at, title, text = found["turns"][0]
    assert (session_id, number, title, text) == (
        SESSION,
        2,
        "Why does the upload of pictures fail on slow networks?",
        "[User] Paint the buttons green\n\n[Assistant] They are green.\n\n## Painted",
    )
    assert second == [found["turns"][0]]
    assert line > 1
    assert ended_at > started_at > 0
    assert first[-1] == "[User] Write an invoice for March"
    assert found["files"] == {
        "src/theme.py": [[0, "edited", "src/theme.py"], [1, "edited", "src/theme.py"]],
        "src/upload.py": [[0, "edited", "src/upload.py"]],
    }
    assert found["edited"].keys() == {"src/theme.py", "src/upload.py"}
    assert (found["root"], found["names"], found["boundaries"]) == (ROOT, [], {})
    assert content(data, BLOG) == {
        "root": BLOG, "names": [], "boundaries": {}, "edited": {}, "turns": [], "files": {},
    }  # fmt: skip
    assert json.loads(folders_file(data).read_bytes()) == [[BLOG, BLOG, ""], [ROOT, ROOT, ""]]


def test_only_the_file_of_a_project_in_which_something_changed_is_written(data: DataDir, tmp_path: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in data.touched.iterdir()}
    replaced = project_file(data, ROOT).name
    update(data.path, third("More", "src/theme.py").write(tmp_path / "more"))
    after = {path.name: path.stat().st_mtime_ns for path in data.touched.iterdir()}
    made = project_file(data, ROOT).name
    assert before.keys() - after.keys() == {replaced}
    assert after.keys() - before.keys() == {made}
    assert {name: at for name, at in after.items() if name != made} == {
        name: at for name, at in before.items() if name != replaced
    }
    assert [row and row[0] for row in touches(data, "src/theme.py")] == ["4", "1", "2"]
    write_touched(data)
    assert {path.name: path.stat().st_mtime_ns for path in data.touched.iterdir()} == after


def test_a_path_has_what_touched_it_at_its_end_in_other_folders(data: DataDir, tmp_path: Path) -> None:
    update(data.path, third("More", "lib/src/theme.py", "lib/Theme.py").write(tmp_path / "more"))
    assert touches(data, "src/theme.py") == [
        ("4", 1, "edited", "lib/src/theme.py"),
        ("1", 2, "edited", "src/theme.py"),
        ("2", 1, "edited", "src/theme.py"),
    ]
    assert touches(data, "lib/theme.py") == [("4", 1, "edited", "lib/Theme.py")]


def test_a_long_text_is_kept_as_far_as_a_reminder_shows_it(data: DataDir, tmp_path: Path) -> None:
    script = third("p" * 3 * TEXT)
    edit(script, "src/long.py", 20, "a" * 3 * TEXT)
    script.user(f"x\n\n[Assistant] {'y' * 3 * TEXT}")
    edit(script, "src/odd.py", 21)
    update(data.path, script.write(tmp_path / "more"))
    texts = [turn[-1] for turn in content(data)["turns"] if turn[0] == THIRD]
    assert sorted(texts) == [
        f"[User] {'p' * (TEXT + 1)}\n\n[Assistant] {'a' * (TEXT + 1)}",
        f"[User] x\n\n[Assistant] {'y' * 3 * TEXT}",
    ]


def test_the_newest_are_kept(data: DataDir, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(touched_files, "_TURNS", 1)
    monkeypatch.setattr(touched_files, "_PATHS", 2)
    update(data.path, third("More", "src/new.py", "src/theme.py").write(tmp_path / "more"))
    assert content(data)["files"].keys() == {"src/new.py", "src/theme.py"}
    assert touches(data, "src/theme.py") == [("4", 1, "edited", "src/theme.py"), None]
    assert content(data)["names"] == ["upload.py"]
    monkeypatch.setattr(touched_files, "_NAMES", 0)
    monkeypatch.setattr(touched_files, "_PROJECTS", 1)
    shutil.rmtree(data.touched)
    write_touched(data)
    assert content(data)["names"] is None
    assert {*data.touched.iterdir()} == {folders_file(data), project_file(data, ROOT)}
    with pytest.raises(FileNotFoundError):
        project_file(data, BLOG)


def test_a_forgotten_session_leaves_the_files(data: DataDir) -> None:
    with Indexer(data.path) as indexer:
        indexer.forgetting.forget(
            [SessionIdentity("claude-code", SESSION), SessionIdentity("claude-code", BLOG_SESSION)]
        )
        assert list(data.touched.iterdir()) == []
    assert [turn[0] for turn in content(data)["turns"]] == [OTHER_SESSION]
    assert json.loads(folders_file(data).read_bytes()) == [[ROOT, ROOT, ""]]
    assert {*data.touched.iterdir()} == {folders_file(data), project_file(data, ROOT)}
    assert not any(word in json.dumps(content(data)) for word in (SESSION, "green", BLOG))


def test_of_a_snapshot_that_is_not_the_newest_nothing_is_written(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session may have been forgotten while its turns were read."""
    shutil.rmtree(data.touched)
    manifest = read_manifest(data)
    assert manifest is not None
    made = touched_files.touched_by

    def made_too_late(*given: Any) -> dict[str, Any]:
        write_manifest(data, manifest._replace(batch=manifest.batch + 1))
        return made(*given)

    monkeypatch.setattr(touched_files, "touched_by", made_too_late)
    write_touched(data)
    assert not data.touched.exists()


def test_what_new_rules_take_for_a_secret_leaves_the_files(data: DataDir, tmp_path: Path) -> None:
    script = third("More")
    script.user("Use ACME-123456789012")
    edit(script, "src/key.py", 10)
    path = script.write(tmp_path / "more")
    update(data.path, path)
    assert "ACME-123456789012" in json.dumps(content(data))
    try:
        use_patterns(["ACME-[0-9]{12}"])
        update(data.path, path)
    finally:
        use_patterns(())
    assert {*data.touched.iterdir()} == {folders_file(data), *(project_file(data, root) for root in (ROOT, BLOG))}
    assert "ACME" not in json.dumps(content(data))
    assert [turn[-1] for turn in content(data)["turns"] if turn[0] == THIRD] == ["[User] Use [redacted:pattern]"]
