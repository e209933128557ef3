"""A server, and the ways in which a home folder is reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from memtui_core.ingest.machines.declared import Machine, declare
from memtui_core.store.data_folder import DataDir
from support.sshd import UNIX, LoopbackSsh, programs_in, require_programs

WAYS: Final = ("folder", "rsync", "tar")


@pytest.fixture(scope="module")
def loopback(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackSsh]:
    """A real sshd, started once for the tests of a file."""
    require_programs()
    server = LoopbackSsh(tmp_path_factory.mktemp("sshd"))
    with server.running():
        yield server


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """How files come: from a folder, or over ssh with rsync or with tar."""
    name: str = request.param
    return name


@pytest.fixture
def machine(way: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine `laptop`, whose home folder is `laptop-home` in the folder of the test."""
    data, home = DataDir(tmp_path / "data"), tmp_path / "laptop-home"
    home.mkdir()
    if way == "folder":
        return declare(data, "laptop", str(home))
    server: LoopbackSsh = request.getfixturevalue("loopback")
    monkeypatch.setenv("MEMTUI_SSH", server.command)
    server.session(home, None if way == "rsync" else programs_in(tmp_path / "programs", *UNIX, "sqlite3"))
    return declare(data, "laptop", server.address)
