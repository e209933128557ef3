"""Which transcripts are archived, and when."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui_core.ingest.kept import transcripts
from memtui_core.readers.exclusions import Exclusions, RetentionRules
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import reader_of
from memtui_core.store.archive.transcripts import TranscriptArchive
from memtui_core.store.data_folder import DataDir
from support.archives import age, keeper
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script


def session(folder: Path, session_id: str, prefix: str, cwd: str = "/home/ana/code/shop") -> Path:
    script = Script(session_id, cwd, prefix)
    script.user("Retry the upload")
    script.says("Done.")
    return script.write(folder)


def archived(data: Path) -> list[str]:
    return sorted(path.name for path in TranscriptArchive(DataDir(data)).files())


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A data folder with two sessions, and their transcripts."""
    paths = session(tmp_path / "projects", SESSION, "e"), session(tmp_path / "projects", OTHER_SESSION, "f")
    update(tmp_path / "data", tmp_path / "projects")
    return tmp_path / "data", *paths


def test_what_has_not_changed_for_ten_minutes_is_archived(two: tuple[Path, Path, Path]) -> None:
    data, settled, growing = two
    age(settled, 11 / 24 / 60)
    age(growing, 9 / 24 / 60)
    with keeper(data) as kept:
        assert kept.archive_settled() == settled.stat().st_size
    assert archived(data) == [settled.name]


def test_what_is_beside_transcripts_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = 20
    for number in range(many):
        age(session(tmp_path / "projects", f"s{number}", f"e{number}"), 1)
        (tmp_path / "projects" / f"other-{number}.json").write_text("{}")
    update(tmp_path / "data", tmp_path / "projects")
    reader = reader_of("claude-code")
    assert reader is not None
    asked: list[Path] = []
    accepts = reader.accepts

    def counted(_: object, path: Path) -> bool:
        asked.append(path)
        return accepts(path)

    monkeypatch.setattr(type(reader), "accepts", counted)
    with keeper(tmp_path / "data") as kept:
        kept.archive_settled()
    assert len(archived(tmp_path / "data")) == many
    assert sorted(path.name for path in asked) == sorted(f"other-{number}.json" for number in range(many))


@pytest.mark.parametrize("years", [-5, 5])
def test_what_has_another_time_than_the_clock_by_years_is_archived_and_what_is_written_now_is_not(
    two: tuple[Path, Path, Path], years: int
) -> None:
    data, settled, growing = two
    now = 1_800_000_000
    os.utime(settled, (now + years * 365 * 86_400,) * 2)
    # By a clock that is a little ahead, on the disk of another machine.
    os.utime(growing, (now + 300,) * 2)
    with keeper(data, clock=lambda: now) as kept:
        assert kept.archive_settled() == settled.stat().st_size
    assert archived(data) == [settled.name]


@pytest.mark.spec("S6.4")
def test_a_run_archives_what_the_agent_deletes_within_a_week_and_a_part_of_what_rests(
    two: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, urgent, resting = two
    projects = Location("claude-code", urgent.parent)
    (data.parent / "settings.json").write_text('{"cleanupPeriodDays": 30}')
    age(urgent, 24)
    age(resting, 22)
    monkeypatch.setattr(transcripts, "SHARE_OF_RUN", 0)
    with keeper(data, projects) as kept:
        assert kept.archive_urgent() == urgent.stat().st_size
    assert archived(data) == [urgent.name]
    monkeypatch.undo()
    with keeper(data, projects) as kept:
        assert kept.archive_urgent() == resting.stat().st_size
    assert archived(data) == [urgent.name, resting.name]


def test_the_run_that_makes_an_index_archives_only_a_few_of_the_urgent_ones(
    two: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    data, first, second = two
    projects = Location("claude-code", first.parent)
    (data.parent / "settings.json").write_text('{"cleanupPeriodDays": 30}')
    age(first, 29)
    age(second, 28)
    with keeper(data, projects) as kept:
        assert kept.archive_urgent(is_first=True) == 0
    monkeypatch.setattr(transcripts, "SHARE_OF_FIRST", 0.6)
    with keeper(data, projects) as kept:
        # The oldest comes first, and then the share is used up but for a part.
        assert kept.archive_urgent(is_first=True) == first.stat().st_size
    assert archived(data) == [first.name]


@pytest.mark.spec("S6.9")
@pytest.mark.parametrize(
    ("exclusions", "rules"),
    [
        (Exclusions(["project:shop"]), RetentionRules()),
        (Exclusions(["~/private", "/home/ana/code/shop"]), RetentionRules()),
        (Exclusions(), RetentionRules({"shop": "text"})),
        (Exclusions(), RetentionRules({"default": "titles", "blog": "full"})),
    ],
)
def test_nothing_is_archived_of_which_less_is_kept(
    tmp_path: Path, exclusions: Exclusions, rules: RetentionRules
) -> None:
    session(tmp_path / "projects", SESSION, "e")
    kept_one = session(tmp_path / "projects", OTHER_SESSION, "f", "/home/ana/code/blog")
    for path in (tmp_path / "projects").iterdir():
        age(path, 1)
    update(tmp_path / "data", tmp_path / "projects")
    with keeper(tmp_path / "data", exclusions=exclusions, rules=rules) as kept:
        kept.archive_settled()
    assert archived(tmp_path / "data") == [kept_one.name]
