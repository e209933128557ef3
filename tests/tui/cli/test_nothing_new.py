"""A run of the indexer that finds nothing new: what it opens and writes, and what it must not overlook."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import _duckdb
import pytest
import tantivy
from click.testing import CliRunner

from memtui.cli import cli
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.last_run import read_last_run, state_of_code
from memtui_core.model import DEFAULT_MODEL
from memtui_core.readers.exclusions import NOTHING, Exclusions
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.opened import note_opened, opened_sessions
from memtui_core.store.snapshot.reader import Snapshot
from support.dying import Processes
from support.line_files import write_lines
from support.publishing import Contents, published_contents
from support.transcripts import Script

_RUN = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from memtui.__main__ import main
sys.argv = ["memtui", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps({"opened": sorted(set(opened)), "modules": sorted(sys.modules)}))
"""
"""Runs a command, then prints the files that it has opened and the modules that it has loaded."""
_HEAVY = {"duckdb", "_duckdb", "tantivy", "numpy", "onnxruntime", "tokenizers", "watchfiles", "multiprocessing"}


class Ran(NamedTuple):
    """What a command printed, and what it took."""

    answer: dict[str, Any]
    opened: list[str]
    modules: set[str]


class Place:
    """An index of two locations whose agents are not named: one of Claude Code, one of Codex."""

    def __init__(self, folder: Path) -> None:
        self.data = DataDir(folder / "data")
        self.source, self.elsewhere = folder / "src", folder / "elsewhere"
        self.scripts = {"a": Script("a" * 8, prefix="a"), "b": Script("b" * 8, prefix="b")}
        for name, script in self.scripts.items():
            script.user(f"retry the upload of {name}")
            script.says("It retries.")

    def write(self) -> None:
        """Write the transcripts."""
        for name, script in self.scripts.items():
            script.write(self.source / name)
        write_lines(
            self.elsewhere / "log.jsonl",
            [
                {
                    "type": "session_meta",
                    "timestamp": "2026-11-01T09:00:00Z",
                    "payload": {"id": "c" * 8, "cwd": "/shop"},
                },
                {
                    "type": "response_item",
                    "timestamp": "2026-11-01T09:00:01Z",
                    "payload": {
                        "type": "message",
                        "role": "user",
                        "content": [{"type": "input_text", "text": "round the prices"}],
                    },
                },
            ],
        )

    def run(self, *options: str) -> dict[str, Any]:
        """Update the index in this process."""
        result = CliRunner().invoke(cli, self._arguments(*options))
        assert result.exit_code == 0, result.output
        answer: dict[str, Any] = json.loads(result.stdout)[0]
        return answer

    def run_alone(self, *options: str) -> Ran:
        """Update the index in a process of its own."""
        command = [sys.executable, "-c", _RUN, *self._arguments(*options)]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        answer, _, took = found.rstrip().rpartition("\n")
        values = json.loads(took)
        return Ran(json.loads(answer)[0], values["opened"], set(values["modules"]))

    def left_nothing(
        self, exclusions: Exclusions = NOTHING, model: str | None = DEFAULT_MODEL, vectors: str = "auto"
    ) -> bool:
        """Whether the last run left nothing to do."""
        run = read_last_run(self.data)
        locations = [Location(None, self.source), Location(None, self.elsewhere)]
        return run is not None and run.left_nothing(self.data, locations, exclusions, model, vectors)

    def files(self) -> dict[str, tuple[int, bytes]]:
        """The time and the content of every file of the index."""
        paths = (path for path in self.data.path.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}

    def holds(self) -> tuple[Contents, list[str], list[str]]:
        """What a reader finds: the rows, the turns with a word, and those with a meaning."""
        with closing(Index.open(self.data.path)) as index:
            by_words = [hit.title for hit in index.search("retry").hits]
            index.vectors.load_model()
            by_meaning = [hit.title for hit in index.search("sending it again").hits]
        return published_contents(self.data.path, "indexed_at", "gone_at"), sorted(by_words), sorted(by_meaning)

    def copied(self, data: Path) -> Place:
        """The same transcripts with a copy of the index."""
        other = copy(self)
        other.data = DataDir(shutil.copytree(self.data.path, data))
        return other

    def _arguments(self, *options: str) -> list[str]:
        sources = [option for path in (self.source, self.elsewhere) for option in ("--source", str(path))]
        return ["index", "--json", *sources, "--data-dir", str(self.data.path), *options]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder with an index that is complete, with its vectors; and a copy of it."""
    folder = tmp_path_factory.mktemp("nothing-new")
    place = Place(folder / "here")
    place.write()
    answer = place.run()
    assert (answer["files_read"], answer["texts_embedded"] > 0) == (3, True)
    return folder / "here", shutil.copytree(folder / "here", folder / "made")


@pytest.fixture
def place(made: tuple[Path, Path]) -> Place:
    """The index as it was made, in its place: it names its files, and the last run names those of the index."""
    here, copy = made
    shutil.rmtree(here)
    shutil.copytree(copy, here)
    return Place(here)


def test_nothing_new_opens_no_database_no_transcript_and_writes_nothing(place: Place) -> None:
    before = place.files()
    ran = place.run_alone()
    assert ran.answer == {
        "files_read": 0,
        "turns_written": 0,
        "texts_embedded": 0,
        "sessions": 3,
        "turns": 3,
        "sources": 3,
        "failed_sources": 0,
        "skipped_lines": 0,
    }
    assert ran.modules & _HEAVY == set()
    in_data = [Path(path).name for path in ran.opened if path.startswith(str(place.data.path))]
    assert sorted(in_data) == ["last_run.json", "machines.json", "progress.json"]
    assert [path for path in ran.opened if path.startswith((str(place.source), str(place.elsewhere)))] == []
    assert place.files() == before


def test_of_one_changed_file_among_others_only_that_one_is_opened(place: Place) -> None:
    place.scripts["b"].user("does it log?")
    path = place.scripts["b"].write(place.source / "b")
    ran = place.run_alone("--no-embed")
    assert (ran.answer["files_read"], ran.answer["turns_written"]) == (1, 2)
    inside = (str(place.source), str(place.elsewhere))
    assert [one for one in ran.opened if one.startswith(inside) and one.endswith(".jsonl")] == [str(path)]


def _grow(place: Place) -> None:
    place.scripts["a"].user("does it log?")
    place.scripts["a"].write(place.source / "a")


def _add(place: Place) -> None:
    script = Script("d" * 8, prefix="d")
    script.user("print the label")
    script.write(place.source / "d")


def _delete(place: Place) -> None:
    next((place.source / "a").glob("*.jsonl")).unlink()


def _touch(place: Place) -> None:
    path = next((place.source / "a").glob("*.jsonl"))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def _add_a_pipe(place: Place) -> None:
    os.mkfifo(place.source / "a" / "pipe.jsonl")


CHANGES: dict[str, Callable[[Place], object]] = {
    "a file grew": _grow,
    "a file is new": _add,
    "a file was deleted": _delete,
    "a file has another time": _touch,
    "a path cannot be read": _add_a_pipe,
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_changed_on_the_disk_is_found(name: str, place: Place, tmp_path: Path) -> None:
    """The index is as that of a run which knows nothing of the one before."""
    assert place.left_nothing()
    CHANGES[name](place)
    assert not place.left_nothing()
    forgetful = place.copied(tmp_path / "forgetful")
    forgetful.data.last_run.unlink()
    answers = place.run(), forgetful.run()
    assert answers[0] == answers[1]
    assert place.holds() == forgetful.holds()
    assert place.left_nothing()


DAMAGES: dict[str, Callable[[Place], object]] = {
    "no work database": lambda place: place.data.work.unlink(),
    "a work database of junk": lambda place: place.data.work.write_bytes(b"junk"),
    "no manifest": lambda place: place.data.current.unlink(),
    "no keyword index": lambda place: (place.data.lexicon / "meta.json").unlink(),
    "a part of the keyword index is missing": lambda place: next(place.data.lexicon.glob("*.idx")).unlink(),
    "no vectors": lambda place: next((place.data.path / "vectors").glob("*.i8")).unlink(),
    "a run that was killed": lambda place: place.data.progress.write_bytes(
        place.data.progress.read_bytes().replace(b'"finished":true', b'"finished":false')
    ),
    "no progress": lambda place: place.data.progress.unlink(),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_the_index_has_lost_is_mended_though_nothing_is_new(name: str, place: Place) -> None:
    before = place.holds()
    assert place.left_nothing()
    DAMAGES[name](place)
    assert not place.left_nothing()
    place.run()
    assert place.left_nothing()
    assert place.holds() == before


def test_a_run_that_died_before_it_published_is_finished(place: Place) -> None:
    _grow(place)
    with Processes() as processes:
        assert processes.run(_dies_before_it_publishes, place.data.path, place.source) == 3
    # What is new is stored in the work database, so that nothing on the disk is.
    place.run()
    assert place.left_nothing()
    with closing(Index.open(place.data.path)) as index:
        assert [session.turns for session in index.sessions.all() if session.session_id == "a" * 8] == [2]


def _dies_before_it_publishes(data: Path, source: Path) -> None:
    indexer = Indexer(data)
    indexer.publisher.publish = lambda *_, **__: os._exit(3)  # type: ignore[method-assign]
    for _ in indexer.update([Location(None, source)]):
        pass


def test_other_settings_have_something_to_do(place: Place, tmp_path: Path) -> None:
    assert not place.left_nothing(model="another-model")
    assert (place.left_nothing(vectors="hnsw"), place.left_nothing(model=None, vectors="hnsw")) == (False, True)
    assert not place.left_nothing(Exclusions(["agent:codex"]))
    (tmp_path / "config.toml").write_text('exclude = ["agent:codex"]\n')
    place.run()
    assert place.left_nothing(Exclusions(["agent:codex"]))
    assert not place.left_nothing()


def test_vectors_that_were_not_wanted_are_made_when_they_are(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write()
    place.run("--no-embed")
    assert (place.left_nothing(model=None), place.left_nothing()) == (True, False)
    assert (place.run()["texts_embedded"] > 0, place.left_nothing()) == (True, True)


def test_a_transcript_of_another_location_that_was_deleted_is_marked_so(place: Place) -> None:
    (place.elsewhere / "log.jsonl").unlink()
    result = CliRunner().invoke(
        cli, ["index", "--json", "--source", str(place.source), "--data-dir", str(place.data.path)]
    )
    assert result.exit_code == 0
    with closing(Snapshot(place.data)) as snapshot:
        gone = snapshot.rows("SELECT path FROM sources WHERE gone_at IS NOT NULL")
    assert gone == [(str(place.elsewhere / "log.jsonl"),)]


def test_what_other_code_left_is_looked_at_again(place: Place) -> None:
    for name in ("code", "files"):
        value = json.loads(place.data.last_run.read_bytes())
        value[name][0][2] += 1
        place.data.last_run.write_text(json.dumps(value))
        assert not place.left_nothing()
        place.run()
        assert place.left_nothing()


@pytest.mark.parametrize("content", [b"", b"junk", b"[]", b"{}", b'{"code": 5}'])
def test_a_last_run_that_cannot_be_read_is_none(content: bytes, place: Place) -> None:
    place.data.last_run.write_bytes(content)
    assert read_last_run(place.data) is None
    assert place.run()["files_read"] == 0
    assert place.left_nothing()


def test_with_other_machines_every_run_looks_where_their_sessions_belong(place: Place) -> None:
    place.data.machines.mkdir()
    assert not place.left_nothing()


def test_a_search_leaves_nothing_to_do(place: Place) -> None:
    place.holds()
    assert place.left_nothing()


def test_what_was_forgotten_is_neither_in_the_last_run_nor_among_the_opened_sessions(
    place: Place, tmp_path: Path
) -> None:
    note_opened(place.data, "c" * 8)
    (tmp_path / "config.toml").write_text('exclude = ["agent:codex"]\n')
    result = CliRunner().invoke(cli, ["forget", "--yes", "--data-dir", str(place.data.path)])
    assert result.exit_code == 0, result.output
    assert (place.data.last_run.exists(), opened_sessions(place.data)) == (False, ())


def test_the_engines_are_part_of_the_code() -> None:
    engines = {(path, Path(path).stat().st_size) for path in (_duckdb.__file__, tantivy.__file__)}
    assert {(path, size) for path, size, _ in state_of_code()[1:]} == engines
