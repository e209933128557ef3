"""Agents of other packages: the example in the documents is installed, and processes know it by its entry point."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.workers.pool import WORKER
from memtui_core.ingest.workers.prepared_transcript import NO_FOREIGN_ENTRIES, PreparedSource
from memtui_core.readers.base import Transcript
from memtui_core.readers.exclusions import KEEP_ALL, NOTHING
from memtui_core.store.tables import COLUMNS

EXAMPLE = Path(__file__).parents[3] / "docs" / "example-agent"


class Machine:
    """A user with a folder of packages, and with a session of Brook that has changed a file."""

    def __init__(self, folder: Path) -> None:
        self.packages, self.home, self.data = folder / "packages", folder / "home", folder / "data"
        self.session = folder / "brook" / "one.brook"
        self.session.mkdir(parents=True)
        self.packages.mkdir()
        self.home.mkdir()
        about = {"session": "one", "cwd": "/home/ana/code/shop", "title": "Prices"}
        call = {"tool": "Carve", "input": {"bank": "src/prices.py", "from_here": "a", "to_there": "b"}, "result": "ok"}
        messages: tuple[dict[str, Any], ...] = (
            {"role": "person", "text": "Please round the prices", "at": "2026-11-01T09:00:00Z"},
            {"role": "agent", "text": "Rounded.", "at": "2026-11-01T09:00:01Z", "call": call},
        )
        (self.session / "about.json").write_text(json.dumps(about))
        for number, message in enumerate(messages):
            (self.session / f"{number:04}.json").write_text(json.dumps(message))

    def install(self, name: str, entry_points: Mapping[str, str]) -> None:
        """What a package manager leaves of a distribution with agents."""
        info = self.packages / f"{name.replace('-', '_')}-0.1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n")
        lines = [f"{key} = {value}" for key, value in entry_points.items()]
        (info / "entry_points.txt").write_text("\n".join(["[memtui.agents]", *lines, ""]))

    @property
    def environ(self) -> dict[str, str]:
        """The environment with the packages."""
        folders = {"HOME": str(self.home), "BROOK_HOME": str(self.session.parent), "PYTHONPATH": str(self.packages)}
        return {**os.environ, **folders}

    def run(self, *arguments: str) -> bytes:
        """What Python prints, with the packages."""
        return subprocess.run([sys.executable, *arguments], stdout=-1, env=self.environ, check=True).stdout

    def prepared(self, *request: Any) -> PreparedSource:
        """What a process that prepares transcripts answers; it ends when its input is closed."""
        with subprocess.Popen([sys.executable, *WORKER], stdin=-1, stdout=-1, env=self.environ) as worker:
            assert worker.stdin is not None
            assert worker.stdout is not None
            pickle.dump(request, worker.stdin)
            worker.stdin.flush()
            answer: PreparedSource = pickle.load(worker.stdout)
            return answer

    def memtui(self, *arguments: str) -> str:
        return self.run("-m", "memtui", *arguments, "--data-dir", str(self.data)).decode()

    def doctor(self) -> tuple[list[str], dict[str, Any]]:
        """The lines for people, and the last object for programs."""
        last: dict[str, Any] = json.loads(self.memtui("doctor", "--json"))[-1]
        return [line.strip() for line in self.memtui("doctor").splitlines()], last


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def with_example(machine: Machine) -> Machine:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    machine.install(project["name"], project["entry-points"]["memtui.agents"])
    shutil.copytree(EXAMPLE / "memtui_brook", machine.packages / "memtui_brook")
    return machine


def mentions(index: Index) -> list[tuple[Any, ...]]:
    return index.snapshot.rows("SELECT path, tool, kind FROM file_mentions", [])


def test_an_installed_agent_is_indexed_and_its_own_tools_edit_files(with_example: Machine) -> None:
    """Takes 2 s, for three processes: what is in this one would be known without the entry point."""
    with_example.memtui("index", "--no-embed")
    index = Index.open(with_example.data)
    assert [(session.agent, session.session_id, session.title) for session in index.sessions.all()] == [
        ("brook", "one", "Prices")
    ]
    assert mentions(index) == [("src/prices.py", "Carve", "edited")]
    lines, own = with_example.doctor()
    place = with_example.session.parent
    assert [agent for agent in own["agents"] if agent["sessions"]] == [
        {
            "agent": "brook",
            "name": "Brook",
            "locations": [{"path": str(place), "exists": True}],
            "sessions": 1,
            "samples_only": False,
            "unknown_entries": {},
        }
    ]
    assert [line.split() for line in lines if line.startswith("Brook")] == [
        ["Brook", "1", "session", "1", "file", str(place)]
    ]
    assert (own["broken_agents"], "Nothing needs attention." in lines) == ([], True)


def test_a_process_that_prepares_transcripts_knows_the_agent(with_example: Machine) -> None:
    transcript = Transcript("brook", with_example.session, 1, 1)
    prepared = with_example.prepared(transcript, NOTHING, KEEP_ALL, NO_FOREIGN_ENTRIES, "", ())
    assert prepared.turns == 1
    mentioned = dict(zip(COLUMNS["file_mentions"], prepared.tables["file_mentions"].columns, strict=True))
    assert (mentioned["path"], mentioned["kind"]) == (["src/prices.py"], ["edited"])


BROKEN = """
from pathlib import Path
from memtui_brook.reader import Brook

class Nameless:
    agent = "nameless"

class Taken(Brook):
    agent = "codex"

class Loud(Brook):
    agent = "loud"

    def accepts(self, path):
        return path.suffixes[7] == ".loud"

class Odd(Brook):
    agent = "odd"
    profile = {"edits": ["Carve"]}

class Late(Brook):
    agent = "late"

    def default_locations(self, environ):
        return [Path(__file__)]

    def accepts(self, path):
        return {"/dev/null": False, "nul": False}[str(path)]

    def retention(self, location):
        return {}["keep"]

class Leaving(Brook):
    agent = "leaving"

    def __init__(self):
        raise SystemExit(3)
"""


def test_a_broken_agent_is_named_by_doctor_and_stops_nothing(with_example: Machine) -> None:
    """Takes 2 s, for three processes."""
    (with_example.packages / "broken.py").write_text(BROKEN)
    names = ("Late", "Leaving", "Loud", "Missing", "Nameless", "Odd", "Taken")
    entries = {name.lower(): f"broken:{name}" for name in names} | {"absent": "no_such_package:Reader"}
    with_example.install("broken-agents", entries)
    with_example.memtui("index", "--no-embed")
    assert mentions(Index.open(with_example.data)) == [("src/prices.py", "Carve", "edited")]
    lines, own = with_example.doctor()
    reasons = {entry["name"]: entry["reason"] for entry in own["broken_agents"]}
    missing = reasons.pop("nameless = broken:Nameless")
    assert missing.startswith("TypeError: a reader without accepts, container, default_locations, label, name, ")
    assert reasons == {
        "absent = no_such_package:Reader": "ModuleNotFoundError: No module named 'no_such_package'",
        "leaving = broken:Leaving": "SystemExit: 3",
        "loud = broken:Loud": "IndexError: list index out of range",
        "missing = broken:Missing": "AttributeError: module 'broken' has no attribute 'Missing'",
        "odd = broken:Odd": "TypeError: a profile that is no Profile",
        "taken = broken:Taken": "ValueError: there is another reader of 'codex'",
    }
    at = lines.index("the agent of another package, taken = broken:Taken, cannot be read")
    assert lines[at + 1] == reasons["taken = broken:Taken"]
