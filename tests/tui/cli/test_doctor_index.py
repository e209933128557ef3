"""Doctor says whether the parts of an index agree; --check reads all of them, and --repair makes them again."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.errors import IndexBroken
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.watch import watch_locations
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.lexicon import LexiconWriter
from memtui_core.store.snapshot.manifest import read_manifest
from support.indexes import embed, update
from support.table_values import index_values
from support.transcripts import OTHER_SESSION, SESSION, Script

AGREE = "         database, lexicon, vectors and archive agree"
WHOLE = "All blocks, lines and records of the index are as they were written.\n"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDir:
    """An index of two sessions of which one is gone, with vectors."""
    projects = tmp_path / "claude" / "projects"
    for session in (SESSION, OTHER_SESSION):
        script = Script(session, prefix=session[0])
        script.user(f"apples of {session[0]}")
        script.says("pears")
        script.write(projects / "shop")
    update(tmp_path / "data", projects)
    (projects / "shop" / f"{OTHER_SESSION}.jsonl").unlink()
    update(tmp_path / "data", projects)
    embed(tmp_path / "data")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("MEMTUI_DATA_DIR", str(tmp_path / "data"))
    return DataDir(tmp_path / "data")


def doctor(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["doctor", *arguments])


def health(found: Result) -> dict[str, Any]:
    [own] = [row["health"] for row in json.loads(found.stdout) if "health" in row]
    assert isinstance(own, dict)
    return own


def test_an_index_whose_parts_agree(data: DataDir) -> None:
    found = doctor()
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert AGREE in lines
    size = data.session_archive.stat().st_size
    assert f"         the archive has 1 session that the agents deleted, {size / 1000:.1f} kB" in lines
    archive = {"sessions": 1, "sources": 1, "size": size}
    assert health(doctor("--json")) == {"damage": [], "archive": archive, "broken_bytes": 0}
    assert (doctor("--check").exit_code, doctor("--check").stderr) == (0, WHOLE)
    assert (doctor("--check", "--json").exit_code, doctor("--check", "--json").stdout) == (0, "[]\n")


def behind(data: DataDir) -> None:
    shutil.rmtree(data.lexicon)
    writer = LexiconWriter(data.lexicon)
    writer.commit(1)
    writer.close()


def without_turns(data: DataDir) -> None:
    manifest = read_manifest(data)
    assert manifest is not None
    writer = LexiconWriter(data.lexicon)
    writer.clear()
    writer.commit(manifest.batch)
    writer.close()


def vectors_of(data: DataDir) -> Path:
    manifest = read_manifest(data)
    assert manifest is not None
    assert manifest.vectors is not None
    return data.vectors(manifest.vectors.file)


DISAGREE: dict[str, tuple[Callable[[DataDir], object], str]] = {
    "no lexicon": (lambda data: shutil.rmtree(data.lexicon), "lexicon, lexicon: it cannot be opened"),
    "an old lexicon": (behind, r"lexicon, lexicon: it ends with batch 1 of \d"),
    "an empty lexicon": (without_turns, "lexicon, lexicon: it has 0 of 2 turns"),
    "no vectors": (lambda data: vectors_of(data).unlink(), r"vectors, \d.i8: .*"),
    "no archive": (
        lambda data: shutil.rmtree(data.archive),
        "archive, sessions.records: it has 0 of 1 sources that are gone",
    ),
    "a note": (lambda data: data.damage.write_text("Corrupt block!\n"), "base, snapshots: Corrupt block"),
}


@pytest.mark.spec("S6.2")
@pytest.mark.parametrize("case", DISAGREE)
def test_what_does_not_agree_is_named_and_repaired(case: str, data: DataDir) -> None:
    """Ends with 1, and with 0 after the repair; then the index is as it was."""
    before = index_values(data.path)
    damage, line = DISAGREE[case]
    damage(data)
    found = doctor()
    assert found.exit_code == 1
    told = [text for text in found.stdout.splitlines() if text.startswith("         damaged: ")]
    assert len(told) == 1
    assert re.fullmatch(f"         damaged: {line}. memtui doctor --repair mends it.", told[0])
    [named] = health(doctor("--json"))["damage"]
    assert re.fullmatch(line, f"{named['part']}, {Path(named['path']).name}: {named['reason']}")
    repaired = doctor("--repair")
    assert repaired.exit_code == 0, repaired.stderr
    assert doctor().exit_code == 0
    assert index_values(data.path) == before or case == "no vectors"


@pytest.mark.spec("S6.2")
def test_a_repair_of_a_damaged_base_says_what_it_did_and_the_next_one_removes_what_was_damaged(data: DataDir) -> None:
    manifest = read_manifest(data)
    assert manifest is not None
    before, base = index_values(data.path), data.base(manifest.base)
    content = bytearray(base.read_bytes())
    content[8192 + 5] ^= 1
    base.write_bytes(content)
    checked = doctor("--check", "--json")
    assert checked.exit_code == 1
    assert [damage["part"] for damage in json.loads(checked.stdout)] == ["base"]
    repaired = doctor("--repair")
    assert (repaired.exit_code, repaired.stdout) == (0, "The index is whole.\n"), repaired.stderr
    lines = repaired.stderr.splitlines()
    assert lines[0].startswith(f"The base was damaged ({base.name}: ")
    assert lines[0].endswith("): moved aside with what belongs to it, and made again.")
    assert lines[1:] == [
        "1 session that the agents deleted came back from the archive.",
        "1 file read, 2 turns indexed for words.",
        f"The damaged files are in {data.broken} until the next memtui doctor --repair.",
    ]
    embed(data.path)
    assert index_values(data.path) == before
    assert "of damaged files in" in doctor().stdout
    again = doctor("--repair")
    assert (again.exit_code, again.stdout) == (0, "Nothing was damaged.\n")
    assert re.fullmatch(r"[\d.]+ [kM]B of files that were damaged before were removed.\n", again.stderr)
    assert not data.broken.exists()
    assert (doctor("--check").exit_code, doctor("--check").stderr) == (0, WHOLE)


def test_a_repair_does_not_begin_while_an_indexer_runs(data: DataDir) -> None:
    with Indexer(data.path):
        found = doctor("--repair")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith("memtui: Another memtui is indexing into ")


@pytest.mark.spec("S6.2")
def test_what_a_reader_has_found_is_mended_by_the_next_run_although_no_file_has_changed(data: DataDir) -> None:
    """A bit flips on the disk: neither size nor time of the file tells, and a run with nothing new opens nothing."""
    before = index_values(data.path)
    assert CliRunner().invoke(cli, ["index"]).exit_code == 0
    [base] = [path for path in data.snapshots.glob("*.duckdb") if path.stem.isdigit()]
    status, content = base.stat(), bytearray(base.read_bytes())
    content[12_288 + 100] ^= 1
    base.write_bytes(content)
    os.utime(base, ns=(status.st_atime_ns, status.st_mtime_ns))
    nothing = CliRunner().invoke(cli, ["index"])
    assert (nothing.exit_code, data.damage.exists(), data.broken.exists()) == (0, False, False)
    failed = CliRunner().invoke(cli, ["show", SESSION])
    assert (failed.exit_code, failed.stdout, data.damage.exists()) == (1, "", True)
    assert failed.stderr.startswith(f"memtui: The index in {data.path} is damaged: ")
    assert failed.stderr.endswith("memtui index mends what can be mended.\n")
    assert len(failed.stderr.splitlines()) == 1
    mended = CliRunner().invoke(cli, ["index"])
    assert mended.exit_code == 0
    assert mended.stderr.startswith(f"The base of the index is damaged ({base.name}: ")
    assert not data.damage.exists()
    assert index_values(data.path) == before
    assert CliRunner().invoke(cli, ["show", SESSION]).exit_code == 0


def test_an_indexer_that_watches_ends_at_once_when_a_reader_has_found_damage(data: DataDir, tmp_path: Path) -> None:
    """So that the command checks all of the index, and begins again."""
    with Indexer(data.path) as indexer:
        data.damage.write_text("damaged")
        with pytest.raises(IndexBroken):
            watch_locations(indexer, [Location("claude-code", tmp_path / "claude")], threading.Event())
