"""Which readers accept which files: those of their agent, wherever they are, and no others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import bench.agents.__main__ as agents_bench
from memtui_core.readers.registry import reader_for, readers

OF_FOLDERS = {"kiro-cli": "kiro", "projects": "claude-code"}
"""The agents of the folders of samples that do not have their ids."""
ALSO = {"openclaw": {"pi"}}
"""Readers with a lower precedence that accept the files of an agent, too, because the entries are the same."""
BY_PATH = {"omp": {"pi"}}
"""Readers that accept files of an agent while only the path says whose they are."""
WITHOUT_TRANSCRIPTS = ("photo.png", "main.py", "notes.md", "log.txt", "package.json.bak", "app.db", "app.sqlite3")


def samples() -> Iterator[tuple[str, Path, Path]]:
    """The files of the sample sessions: the agent, the folder with the samples of all agents, and the path in it."""
    for folder in agents_bench.SAMPLES:
        for path in sorted(folder.glob("*/**/*")):
            if path.is_file():
                inner = path.relative_to(folder)
                yield OF_FOLDERS.get(inner.parts[0], inner.parts[0]), folder, inner


def accepting(path: Path) -> set[str]:
    """The agents whose readers accept a file; that of Claude Code reads all JSON lines for which there is no other."""
    return {reader.agent for reader in readers() if reader.accepts(path)} - {"claude-code"}


def test_no_reader_accepts_a_file_of_another_agent() -> None:
    wrong, owners = {}, set()
    for agent, folder, inner in samples():
        accepted = accepting(folder / inner)
        if not accepted <= {agent} | ALSO.get(agent, set()):
            wrong[inner] = accepted
        if (reader := reader_for(folder / inner)) is not None:
            owners.add((agent, reader.agent))
    assert wrong == {}
    assert owners == {(agent, agent) for agent in (*agents_bench.names(), "claude-code")}


def test_a_deleted_file_and_a_folder_have_no_other_owner(tmp_path: Path) -> None:
    wrong = {}
    for agent, _, inner in samples():
        missing, folder = tmp_path / "missing" / inner, tmp_path / "folders" / inner
        folder.mkdir(parents=True)
        for path in (missing, folder):
            if not accepting(path) <= {agent} | BY_PATH.get(agent, set()):
                wrong[path] = accepting(path)
    assert wrong == {}


def test_odd_paths_belong_to_nobody() -> None:
    odd = [Path(), Path("/"), Path("a\0b.json"), Path("a\0b.jsonl"), Path("\udcff.json"), Path("x" * 5000 + ".json")]
    assert {path: accepting(path) for path in odd} == {path: set() for path in odd}


def test_files_of_other_kinds_are_not_opened(tmp_path: Path) -> None:
    """Every file in a folder is shown to every reader."""
    paths = [str(tmp_path / name) for name in WITHOUT_TRANSCRIPTS]
    for path in paths:
        Path(path).write_bytes(b'{"sessionId": "s"}\n')
    code = (
        "import sys; from pathlib import Path; from memtui_core.readers.registry import reader_for\n"
        "reader_for(Path('other')); opened = []\n"
        "sys.addaudithook(lambda event, args: event in {'open', 'sqlite3.connect'} and opened.append(args[0]))\n"
        "owners = [reader_for(Path(path)) for path in sys.argv[1:]]\n"
        "print(owners, [path for path in opened if path in sys.argv[1:]])"
    )
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, check=True)
    assert done.stdout == f"{[None] * len(paths)} []\n"
