"""What one scan recognized, and the next one need not ask again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memtui_core.ingest.discover import ScanResult, scan
from memtui_core.readers.agents.claude_code.reader import ClaudeCode
from memtui_core.readers.locations import Location, Recognized, RecognizedFiles
from support.line_files import write_lines
from support.registered import registered
from support.transcripts import Script

VIBE = "session_20261101_090000_11111111"
CODEX = {"type": "session_meta", "timestamp": "2026-11-01T09:00:00Z", "payload": {"id": "c", "cwd": "/shop"}}


def write(folder: Path) -> None:
    """Transcripts of three agents, and a file that is none: it has the name of one."""
    script = Script()
    script.user("retry the upload")
    script.write(folder / "claude")
    write_lines(folder / "codex" / "log.jsonl", [CODEX])
    write_lines(folder / VIBE / "messages.jsonl", [{"role": "user", "content": "round the prices"}])
    (folder / "claude" / "notes.txt").write_text("no transcript")


def scanned(folder: Path, before: RecognizedFiles | None = None) -> tuple[ScanResult, RecognizedFiles]:
    """What there is in a folder, and what the next scan needs."""
    recognized = Recognized(before)
    return scan([Location(None, folder)], recognized=recognized), recognized.files


def agents(found: ScanResult) -> dict[str, str]:
    """The agents of the transcripts by the names of their files."""
    return {transcript.path.name: transcript.agent for transcript in found.transcripts.values()}


def rewrite(folder: Path) -> None:
    write_lines(folder / "codex" / "log.jsonl", [{"type": "user", "sessionId": "s"}])


def rewrite_with_the_same_size(folder: Path) -> None:
    path = folder / "codex" / "log.jsonl"
    path.write_bytes(path.read_bytes().replace(b"session_meta", b"session_mess"))
    os.utime(path, ns=(0, 1))


def describe_beside(folder: Path) -> None:
    (folder / VIBE / "meta.json").write_text('{"session_id": "s", "environment": {}}')


def move(folder: Path) -> None:
    (folder / "codex" / "log.jsonl").rename(folder / "claude" / "log.jsonl")


def swap(folder: Path) -> None:
    """The files of two agents change their places, with sizes and times that each place had before."""
    first, second = next((folder / "claude").glob("*.jsonl")), folder / "codex" / "log.jsonl"
    first.rename(folder / "other.jsonl")
    second.rename(first)
    (folder / "other.jsonl").rename(second)


@pytest.mark.parametrize("change", [rewrite, rewrite_with_the_same_size, describe_beside, move, swap])
def test_a_scan_that_remembers_finds_what_one_finds_that_does_not(
    change: Callable[[Path], object], tmp_path: Path
) -> None:
    write(tmp_path)
    first, remembered = scanned(tmp_path)
    change(tmp_path)
    found = scanned(tmp_path)
    assert scanned(tmp_path, remembered) == found
    assert found[0] != first


def test_nothing_is_forgotten_and_nothing_kept_of_what_is_gone(tmp_path: Path) -> None:
    write(tmp_path)
    first, remembered = scanned(tmp_path)
    by_name = {"11111111-1111-4111-8111-111111111111.jsonl": "claude-code", "log.jsonl": "codex"}
    assert agents(first) == by_name | {"messages.jsonl": "claude-code"}
    assert scanned(tmp_path, remembered) == (first, remembered)
    (tmp_path / "codex" / "log.jsonl").unlink()
    (tmp_path / "codex").rmdir()
    assert set(remembered) - set(scanned(tmp_path, remembered)[1]) == {str(tmp_path / "codex")}


def test_a_reader_of_another_package_is_asked_for_what_is_known(tmp_path: Path) -> None:
    class Brook(ClaudeCode):
        agent = "brook"

    write(tmp_path)
    _, remembered = scanned(tmp_path)
    with registered(Brook()):
        assert set(agents(scanned(tmp_path, remembered)[0]).values()) == {"brook"}
    assert scanned(tmp_path, remembered)[1] == remembered


_TWO_UPDATES = """
import sys
from pathlib import Path
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
source, opened = Path(sys.argv[1]), []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
with Indexer(Path(sys.argv[2]), processes=1) as indexer:
    for _ in range(2):
        opened.clear()
        for _ in indexer.update([Location(None, source)]):
            pass
        print(len({path for path in opened if path.startswith(str(source)) and path.endswith(".jsonl")}))
"""


def test_an_indexer_that_goes_on_opens_nothing_that_it_knows(tmp_path: Path) -> None:
    write(tmp_path / "src")
    command = [sys.executable, "-c", _TWO_UPDATES, str(tmp_path / "src"), str(tmp_path / "data")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "3\n0\n"
