"""The log of observations, over real files, threads and processes."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.errors import BadObservation, MemtuiError, ObservationUnknown
from memtui_core.memory.observations.store import Observations
from memtui_core.model import OBSERVATION_TYPES
from memtui_core.store.observation import Observation, ObservationContent
from support.observation_writers import SPAWN, started, write_many

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
ROOT = "/home/ana/code/shop"
DUCKDB: dict[str, Any] = {"type": "decision", "title": "Use DuckDB", "narrative": "One file, analytics in SQL."}


def clock() -> Callable[[], datetime]:
    """A second more with each look."""
    ticks = count()
    return lambda: START + timedelta(seconds=next(ticks))


def ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"id{next(numbers)}"


def opened(folder: Path) -> Observations:
    return Observations(folder, now=clock(), new_id=ids())


def titles(found: list[Observation]) -> list[str]:
    return [one.content.title for one in found]


def sessions_of(observations: Observations, root: str | None = None) -> Counter[str]:
    return Counter(one.session_id for one in observations.select(root=root))


@pytest.mark.spec("S3.2")
def test_the_types() -> None:
    assert OBSERVATION_TYPES == ("decision", "bugfix", "feature", "refactor", "discovery", "change")


@pytest.mark.spec("S3.8")
def test_a_saved_observation(tmp_path: Path) -> None:
    saved = opened(tmp_path).save("s1", ROOT, **DUCKDB, concepts=["storage"], files_modified=["src/db.py"])
    content = ObservationContent(
        "decision", "Use DuckDB", "One file, analytics in SQL.", "", (), ("storage",), ("src/db.py",), ()
    )
    assert saved == Observation("id1", "s1", ROOT, START, content)
    assert (saved.tool_name, saved.raw_tool_output) == ("mem-save", "[Manual save] One file, analytics in SQL.")
    assert saved.token_count == 10
    assert Observations(tmp_path).get("id1") == saved
    assert (tmp_path / "observations.jsonl").read_bytes() == (
        b'{"kind":"observation","session_id":"s1","root":"/home/ana/code/shop","tool_name":"mem-save",'
        b'"type":"decision","title":"Use DuckDB","narrative":"One file, analytics in SQL.","subtitle":"","facts":[],'
        b'"concepts":["storage"],"files_modified":["src/db.py"],"files_read":[],'
        b'"id":"id1","at":"2026-11-01T09:00:00Z"}\n'
    )


@pytest.mark.spec("S3.9")
def test_a_session_counts_one_more_with_each_save_and_none_with_a_failed_one(tmp_path: Path) -> None:
    observations = opened(tmp_path)
    assert sessions_of(observations) == {}
    observations.save("s1", ROOT, **DUCKDB)
    with pytest.raises(BadObservation):
        observations.save("s1", ROOT, **{**DUCKDB, "title": ""})
    assert sessions_of(observations) == {"s1": 1}
    observations.save("s1", "/other", **DUCKDB)
    assert (sessions_of(observations), sessions_of(observations, ROOT)) == ({"s1": 2}, {"s1": 1})
    observations.forget("id1")
    assert sessions_of(observations) == {"s1": 1}


@pytest.mark.spec("S3.9")
def test_a_line_that_does_not_fit_on_the_disk_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    observations = opened(tmp_path)
    observations.save("s1", **DUCKDB)
    before = (tmp_path / "observations.jsonl").read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", full)
        with pytest.raises(MemtuiError, match=r"observations\.jsonl cannot be written: No space left on device\.$"):
            observations.save("s1", **DUCKDB)
    assert (tmp_path / "observations.jsonl").read_bytes() == before
    assert observations.save("s1", **DUCKDB).id == "id3"
    assert sessions_of(observations) == {"s1": 2}


@pytest.mark.spec("S3.10")
@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"title": "x" * 81}, "The title has 81 characters; at most 80 fit."),
        ({"title": " \n "}, "The title is empty."),
        ({"title": None}, "The title is missing."),
        ({"title": 7}, "The title must be a text, not a number."),
        ({"narrative": ""}, "The narrative is empty."),
        ({"narrative": "x" * 20_001}, "The narrative has 20001 characters; at most 20000 fit."),
        ({"type": "idea"}, f"The type is 'idea'; it must be one of {', '.join(OBSERVATION_TYPES)}."),
        ({"type": None}, f"The type is missing; it must be one of {', '.join(OBSERVATION_TYPES)}."),
        ({"concepts": "storage"}, "The concepts must be a list of texts, not a text."),
        ({"concepts": ["a", 1]}, "The concepts must be a list of texts, not a list with other values."),
        ({"files_modified": {}}, "The files must be a list of texts, not an object."),
        ({"concepts": [str(n) for n in range(101)]}, "There are 101 concepts; at most 100 fit."),
        ({"concepts": ["x" * 1001]}, "One of the concepts has more than 1000 characters."),
    ],
)
def test_what_makes_no_observation(tmp_path: Path, wrong: dict[str, Any], reason: str) -> None:
    observations = opened(tmp_path)
    with pytest.raises(BadObservation) as caught:
        observations.save("s1", **{**DUCKDB, **wrong})
    assert str(caught.value) == reason
    assert list(tmp_path.iterdir()) == []
    assert observations.save("s1", **{**DUCKDB, "title": "가" * 80}).content.title == "가" * 80


def test_no_session_and_unknown_fields(tmp_path: Path) -> None:
    with pytest.raises(BadObservation, match="The session is missing"):
        opened(tmp_path).save(" ", **DUCKDB)
    with pytest.raises(BadObservation, match="An observation has no 'colour'"):
        opened(tmp_path).save("s1", **DUCKDB, colour="red")


def test_secrets_and_escapes_are_never_written(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    saved = opened(tmp_path).save(
        "s1",
        type="discovery",
        title=f"Token {token[:40]}\n of \x1b[31mCI",
        narrative=f"It is {token}.\r\nKeep\ud800 it.",
        concepts=[token, " ci ", "ci", ""],
    )
    assert saved.content.title == "Token [redacted:github-token] of CI"
    assert saved.content.narrative == "It is [redacted:github-token].\nKeep\ufffd it."
    assert saved.content.concepts == ("[redacted:github-token]", "ci")
    assert token[:30] not in (tmp_path / "observations.jsonl").read_text("utf-8")


@pytest.mark.spec("S3.16")
def test_forgotten_and_restored(tmp_path: Path) -> None:
    observations = opened(tmp_path)
    saved = observations.save("s1", **DUCKDB)
    gone = observations.forget("id1")
    assert gone == replace(saved, forgotten_at=START + timedelta(seconds=1))
    assert (observations.select(), observations.select(forgotten=True)) == ([], [gone])
    assert observations.get("id1") == gone
    with pytest.raises(BadObservation, match="id1 is already forgotten"):
        observations.forget("id1")
    with pytest.raises(BadObservation, match="id1 is forgotten; restore it first"):
        observations.edit("id1", title="New")
    assert observations.restore("id1") == saved
    with pytest.raises(BadObservation, match="id1 is not forgotten"):
        observations.restore("id1")
    assert (observations.select(), observations.select(forgotten=True)) == ([saved], [])


def test_an_edit_is_a_new_revision_of_the_same_id(tmp_path: Path) -> None:
    observations = opened(tmp_path)
    saved = observations.save("s1", **DUCKDB, concepts=["storage"])
    edited = observations.edit("id", title="Use SQLite", concepts=[])
    content = replace(saved.content, title="Use SQLite", concepts=())
    assert edited == replace(saved, content=content, revision=2, edited_at=START + timedelta(seconds=1))
    assert observations.edit("id1", title="Use SQLite") == edited
    assert Observations(tmp_path).select() == [edited]
    with pytest.raises(BadObservation, match="The title has 81 characters"):
        observations.edit("id1", title="x" * 81)


def test_an_id_or_the_beginning_of_it(tmp_path: Path) -> None:
    observations = Observations(tmp_path, new_id=iter(["ab1", "ab2", "ab", "ab2", "c"]).__next__)
    for _ in range(4):
        observations.save("s1", **DUCKDB)
    assert (observations.get("c").id, observations.get("ab").id) == ("c", "ab")
    for text, reason in (
        ("a", "3 observations have an id that begins with 'a': ab, ab1, ab2"),
        ("z", "There is no observation with the id 'z'."),
        ("", "There is no observation with the id ''."),
    ):
        with pytest.raises(ObservationUnknown) as caught:
            observations.get(text)
        assert str(caught.value) == reason


def test_selected_newest_first(tmp_path: Path) -> None:
    observations = opened(tmp_path)
    for number, (session, root, kind) in enumerate(
        [("s1", ROOT, "decision"), ("s2", ROOT, "bugfix"), ("s1", "/other", "decision")]
    ):
        observations.save(session, root, type=kind, title=f"T{number}", narrative="n")
    assert titles(observations.select()) == ["T2", "T1", "T0"]
    assert titles(observations.select(root=ROOT)) == ["T1", "T0"]
    assert titles(observations.select(type="bugfix")) == ["T1"]


def test_what_others_write_is_seen_and_a_line_is_read_once(tmp_path: Path) -> None:
    one, other = opened(tmp_path), Observations(tmp_path)
    assert (one.refresh(), one.version) == (False, 0)
    other.save("s1", **DUCKDB)
    assert (one.refresh(), one.version, one.refresh(), one.version) == (True, 1, False, 1)
    other.save("s1", **{**DUCKDB, "title": "Second"})
    assert sorted(titles(one.select())) == ["Second", "Use DuckDB"]


@pytest.mark.parametrize("same_inode", [True, False])
def test_a_log_that_was_written_anew_is_read_anew(tmp_path: Path, same_inode: bool) -> None:
    observations = opened(tmp_path)
    for number in range(3):
        observations.save("s1", **{**DUCKDB, "title": f"T{number}"})
    log = tmp_path / "observations.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    without_first = b"".join(lines[1:] + [line.replace(b"id3", b"id4") for line in lines[2:]])
    if not same_inode:
        log.rename(tmp_path / "old")
    log.write_bytes(without_first)
    assert sorted(one.id for one in observations.select()) == ["id2", "id3", "id4"]
    log.unlink()
    assert observations.select() == []


def test_lines_of_other_kinds_stay_and_bad_ones_are_told(tmp_path: Path) -> None:
    log = tmp_path / "observations.jsonl"
    others = (
        b'{"kind":"bookmark","turn":7}\n\nnot json\n[1]\n{"kind":"observation","id":"a"}\n'
        b'{"kind":"observation_forgotten","id":"zz","at":"2026-11-01T09:00:00Z"}\n'
        b'{"kind":"observation_forgotten","id":"zz","at":"2026-11-01T09:00:00"}\n'
        b'{"kind":"observation","id":"a","at":"2026-11-01T09:00:00Z","type":"idea","title":"t","narrative":"n"}\n'
        b'{"kind":"observation","id":"a","at":"2026-11-01T09:00:00Z","type":"change","title":"t","narrative":"n",'
        b'"facts":"f"}\n\x00\x00\n'
    )
    log.write_bytes(others)
    observations = opened(tmp_path)
    observations.save("s1", **DUCKDB)
    line = log.read_bytes().removeprefix(others)
    log.write_bytes(log.read_bytes() + line)
    assert titles(observations.select()) == ["Use DuckDB"]
    assert observations.skipped == (
        (3, "not JSON"),
        (4, "not a JSON object"),
        (5, "no valid time"),
        (6, "zz was never saved"),
        (7, "a time without a zone"),
        (8, "no type, title or narrative"),
        (9, "facts is not a list of texts"),
        (10, "not JSON"),
        (12, "id1 is already saved"),
    )
    assert log.read_bytes() == others + 2 * line


def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "observations.jsonl").mkdir()
    with pytest.raises(MemtuiError, match=r"observations\.jsonl cannot be read: Is a directory\.$"):
        opened(tmp_path).select()


def test_a_log_cut_at_any_byte_loses_at_most_its_last_line(tmp_path: Path) -> None:
    whole = opened(tmp_path / "whole")
    for number in range(3):
        whole.save("s1", **{**DUCKDB, "title": f"T{number} ü"})
    data = (tmp_path / "whole" / "observations.jsonl").read_bytes()
    ends = [place for place, byte in enumerate(data) if byte == ord("\n")]
    for size in range(len(data) + 1):
        cut = tmp_path / "cut" / str(size)
        cut.mkdir(parents=True)
        (cut / "observations.jsonl").write_bytes(data[:size])
        observations = Observations(cut)
        # Without its line end a last line is whole all the same.
        expected = [f"T{number} ü" for number, end in enumerate(ends) if size >= end]
        assert titles(observations.select())[::-1] == expected
        is_torn = size > 0 and size not in ends and data[size - 1 : size] != b"\n"
        assert (observations.incomplete_bytes > 0) == is_torn
        if size % 41 == 0 or size in ends:
            # What is added next does not become a part of the torn line.
            observations.save("s2", **{**DUCKDB, "title": "Next"})
            fresh = Observations(cut)
            assert sorted(titles(fresh.select())) == sorted([*expected, "Next"])
            assert sorted(titles(observations.select())) == sorted([*expected, "Next"])
            assert (len(fresh.skipped), fresh.incomplete_bytes) == (int(is_torn), 0)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["save", "edit", "forget", "restore", "other", "reopen"]),
        st.integers(0, 3),
        st.text(max_size=20).map(lambda text: f"t{text}t"),
    ),
    max_size=25,
)


@settings(max_examples=60)
@given(STEPS)
def test_any_sequence_adds_up_to_what_a_dict_would_hold(steps: list[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        observations = opened(folder)
        model: dict[str, tuple[str, bool, int]] = {}
        for step, number, text in steps:
            wanted = f"id{number}"
            title, is_shown, revision = model.get(wanted, ("", False, 0))
            if step == "save":
                saved = observations.save("s1", type="change", title=text, narrative=text)
                model[saved.id] = (saved.content.title, True, 1)
            elif step == "other":
                with (folder / "observations.jsonl").open("ab") as file:
                    file.write(b'{"kind":"bookmark"}\n')
            elif step == "reopen":
                observations = Observations(
                    folder, now=clock(), new_id=(f"new{n}-{len(model)}" for n in count()).__next__
                )
            elif wanted in model and step == "edit" and is_shown:
                edited = observations.edit(wanted, title=text)
                model[wanted] = (edited.content.title, True, revision + (edited.content.title != title))
            elif wanted in model and (step == "forget") == is_shown and step != "edit":
                getattr(observations, step)(wanted)
                model[wanted] = (title, not is_shown, revision)
            else:
                change = {"title": text} if step == "edit" else {}
                with pytest.raises((BadObservation, ObservationUnknown)):
                    getattr(observations, step)(wanted if wanted in model else "none", **change)
        for reader in (observations, Observations(folder)):
            shown, hidden = reader.select(), reader.select(forgotten=True)
            found = {one.id: (one.content.title, True, one.revision) for one in shown}
            found |= {one.id: (one.content.title, False, one.revision) for one in hidden}
            assert found == model
            assert reader.skipped == ()


def test_two_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    begin = SPAWN.Barrier(2)
    writers = started(write_many, tmp_path, begin, "one", "two")
    seen = _sizes(Observations(tmp_path), writers)
    assert [writer.exitcode for writer in writers] == [0, 0]
    observations = Observations(tmp_path)
    assert sessions_of(observations) == {"one": 200, "two": 200}
    assert (observations.skipped, observations.incomplete_bytes) == ((), 0)
    assert {one.content.title for one in observations.select()} == {
        f"{name} {number}" for name in ("one", "two") for number in range(200)
    }
    assert seen == sorted(seen)


def _sizes(reader: Observations, writers: list[Any]) -> list[int]:
    """How many observations a reader sees while others write."""

    def looks() -> Iterator[int]:
        while any(writer.is_alive() for writer in writers):
            yield len(reader.select())
            writers[0].join(0.02)
        for writer in writers:
            writer.join()

    found = list(looks())
    assert reader.skipped == ()
    return found
