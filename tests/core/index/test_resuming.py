"""How a session of another machine is resumed: the printed command, run by a real shell at both ends."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.index.machines import SeenMachine, machines_stamp, resuming, seen_machines
from memtui_core.ingest.machines.declared import undeclare
from memtui_core.store.data_folder import DataDir
from support.indexes import update
from support.systems import unix_only
from support.transcripts import SESSION
from support.two_machines import LAPTOP, declare, edits, projects_of, set_state

_FOLDERS = [
    "my shop",
    "it's",
    'a "b" $HOME `id`',
    "-n",
    "a\\b;c&d|e",
    "ümläut 日本",
    "* ?[x]",
    "new\nline",
    "#!~",
    "%s",
]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`ssh` prints its arguments, `claude` its folder and its arguments, each ended by NUL."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, first in (("ssh", ""), ("claude", "printf '%s\\0' \"$PWD\"\n")):
        (folder / name).write_text(f"#!/bin/sh\n{first}printf '%s\\0' \"$@\"\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def run(command: str) -> list[str]:
    """What a shell runs for a command, as one of the programs printed it."""
    printed = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=True).stdout
    return printed.decode().split("\0")[:-1]


@unix_only
@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize("name", _FOLDERS)
@pytest.mark.parametrize(
    ("address", "arguments"),
    [
        ("ssh://host", ["-t", "host"]),
        ("ssh://me@host:2222", ["-t", "-p", "2222", "me@host"]),
        ("ssh://Box/", ["-t", "Box"]),
        ("ssh://me@[fe80::1]:22", ["-t", "-p", "22", "me@fe80::1"]),
    ],
)
def test_the_command_reaches_the_folder_whatever_it_is_called(
    name: str, address: str, arguments: list[str], tmp_path: Path
) -> None:
    """Typed into a shell here it starts ssh, whose last argument a shell there turns into the agent in its folder."""
    data, cwd = tmp_path / "data", tmp_path / "their" / name
    cwd.mkdir(parents=True)
    declare(data, address=address)
    edits(SESSION, str(cwd)).write(projects_of(data) / "p")
    update(data, projects_of(data))
    found = resuming(Index.open(data).sessions.find(SESSION), data)
    assert found is not None
    assert (found.machine, found.folder, found.obstacle) == (LAPTOP, str(cwd), "")
    *before, there = run(shlex.join(found.command))
    assert before == arguments
    assert run(there) == [str(cwd), "--resume", SESSION]
    # A line end in a name is shown as a symbol.
    assert (run(found.shown) == [*arguments, there], "\n" in found.shown) == ("\n" not in name, False)


def test_sessions_of_this_machine_of_folders_and_of_removed_machines(tmp_path: Path) -> None:
    """Only what lies here can be run here; the command of the others is printed, and why it cannot be run."""
    data, backup = tmp_path / "data", tmp_path / "backup"
    backup.mkdir()
    declare(data, address=str(backup))
    here, there = edits(SESSION, "/work/my shop"), edits("22222222-2222-4222-8222-222222222222", "/work/x", prefix="f")
    update(data, here.write(tmp_path / "here"), there.write(projects_of(data) / "p"))
    sessions = Index.open(data).sessions.all()
    said = [(one.machine, one.shown, one.obstacle) for one in filter(None, (resuming(one, data) for one in sessions))]
    undeclare(DataDir(data), LAPTOP)
    said += [(one.machine, one.shown, one.obstacle) for one in filter(None, (resuming(one, data) for one in sessions))]
    local = ("", f"cd '/work/my shop' && claude --resume {SESSION}", "")
    theirs = (
        LAPTOP,
        "cd /work/x && claude --resume 22222222-2222-4222-8222-222222222222",
        "The session is on the machine laptop.",
    )
    assert sorted(said) == [local, local, theirs, theirs]


def test_machines_are_seen_and_what_is_known_of_them_has_a_stamp(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert (seen_machines(data), machines_stamp(data)) == ([], (0,))
    stamps = [machines_stamp(data)]
    declare(data)
    stamps.append(machines_stamp(data))
    assert seen_machines(data) == [SeenMachine(LAPTOP, None, True)]
    set_state(data, seen_at=90.0, error="laptop does not answer.")
    stamps.append(machines_stamp(data))
    [machine] = seen_machines(data)
    assert machine.seen_at is not None
    assert (machine.seen_at.timestamp(), machine.is_reachable) == (90.0, False)
    assert len(set(stamps)) == 3
    assert machines_stamp(data) == stamps[-1]
