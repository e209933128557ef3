"""Records of annotations say the same in any order, whoever wrote them, and nothing that was added is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.errors import BadAnnotation
from memtui_core.model import Annotations, UserNote
from memtui_core.store.marks.annotation_log import AnnotationLog, NewAnnotation
from memtui_core.store.marks.annotation_records import (
    AnnotationKind,
    AnnotationRecord,
    AnnotationTarget,
    BadAnnotationRecord,
    checked_note,
    checked_tag,
    checked_title,
    folded,
    read_annotation,
)

START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
TARGET = AnnotationTarget("claude-code", "aaaa")


def record(kind: AnnotationKind, number: int, text: str = "", *replaces: str, seconds: int = 0) -> AnnotationRecord:
    """A record with the id `rN`, N seconds after the start unless another time is given."""
    at = START + timedelta(seconds=seconds or number)
    return AnnotationRecord(kind, f"r{number}", at, TARGET, text, replaces, None, "laptop", "shell")


def state(records: Sequence[AnnotationRecord]) -> Annotations:
    return folded(records, {one for each in records for one in each.replaces})


def test_a_record_is_what_was_written() -> None:
    turn = AnnotationTarget("codex", "bbbb", 7, START)
    written = AnnotationRecord("noted", "r1", START, turn, "first\nsecond", ("r0",), START, "laptop", "app")
    assert read_annotation(written.line()) == ("r1", written)
    assert json.loads(written.line()) == {
        "kind": "noted",
        "agent": "codex",
        "session": "bbbb",
        "turn": 7,
        "turn_at": "2026-11-01T09:00:00Z",
        "text": "first\nsecond",
        "replaces": ["r0"],
        "since": "2026-11-01T09:00:00Z",
        "machine": "laptop",
        "by": "app",
        "id": "r1",
        "at": "2026-11-01T09:00:00Z",
    }


GOOD: dict[str, Any] = {
    "kind": "tagged",
    "agent": "a",
    "session": "s",
    "text": "t",
    "id": "r",
    "at": "2026-11-01T09:00Z",
}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        *(
            (json.dumps({**GOOD, **fields}).encode(), reason)
            for fields, reason in (
                ({"id": ""}, "no id or no time"),
                ({"at": None}, "no id or no time"),
                ({"at": "soon"}, "at is not a time"),
                ({"at": "2026-11-01T09:00"}, "at has no zone"),
                ({"session": ""}, "no session"),
                ({"session": 3}, "session is not a text"),
                ({"turn": -1}, "turn is no number of a turn"),
                ({"turn": True}, "turn is no number of a turn"),
                ({"replaces": "r"}, "replaces is not a list of ids"),
                ({"replaces": [1]}, "replaces is not a list of ids"),
                ({"text": 1}, "text is not a text"),
            )
        ),
    ],
)
def test_a_line_that_is_no_record_has_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(BadAnnotationRecord, match=f"^{reason}$"):
        read_annotation(line)


def test_a_record_of_a_kind_that_a_later_version_writes_is_known_by_its_id() -> None:
    assert read_annotation(json.dumps({**GOOD, "kind": "rated"}).encode()) == ("r", None)


def test_what_another_program_has_written_does_not_act_on_a_terminal() -> None:
    line = json.dumps({**GOOD, "text": "a\x1b[2Jb\nc", "machine": "x\x1b]0;y\x07z"}).encode()
    _, read = read_annotation(line)
    assert read is not None
    assert (read.text, read.machine) == ("ab c", "xz")


def test_the_last_one_counts_of_pins_titles_and_archives() -> None:
    records = [
        record("pinned", 1),
        record("renamed", 2, "first"),
        record("archived", 3),
        record("renamed", 4, "second"),
        record("unarchived", 5),
        record("unpinned", 6),
        record("pinned", 7),
    ]
    assert state(records) == Annotations("second", pinned=True)
    assert state([*records, record("renamed", 8), record("unpinned", 9)]) == Annotations()


def test_of_two_titles_of_the_same_time_the_one_with_the_greater_id_counts() -> None:
    records = [record("renamed", 1, "a", seconds=5), record("renamed", 2, "b", seconds=5)]
    assert state(records).title == state(records[::-1]).title == "b"


def test_a_tag_that_another_machine_has_added_meanwhile_stays() -> None:
    """A removal names the records that it has seen: one that comes from elsewhere is not among them."""
    here, there = record("tagged", 1, "release"), record("tagged", 2, "release")
    removal = record("untagged", 3, "release", "r1")
    assert state([here, removal]).tags == ()
    assert state([here, there, removal]).tags == ("release",)


def test_two_machines_that_change_the_same_note_leave_two_notes() -> None:
    first = record("noted", 1, "first")
    changes = [record("noted", 2, "here", "r1"), record("noted", 3, "there", "r1")]
    assert [note.text for note in state([first, *changes]).notes] == ["here", "there"]
    # A change that comes from elsewhere survives the removal of what it changed.
    assert [note.text for note in state([first, changes[0], record("note_removed", 4, "", "r1")]).notes] == ["here"]


def test_a_changed_note_keeps_its_place_and_its_first_time() -> None:
    records = [
        record("noted", 1, "a"),
        record("noted", 2, "b"),
        record("noted", 3, "c", "r1")._replace(since=START + timedelta(seconds=1)),
    ]
    at = [START + timedelta(seconds=number) for number in range(4)]
    assert state(records).notes == (
        UserNote("r3", "c", at[1], at[3], "shell"),
        UserNote("r2", "b", at[2], None, "shell"),
    )


KINDS: list[AnnotationKind] = ["pinned", "unpinned", "archived", "unarchived", "renamed", "tagged", "noted"]
STEPS = st.lists(
    st.tuples(
        st.booleans(), st.sampled_from([*KINDS, "untagged", "note_removed", "changed", "met"]), st.integers(0, 3)
    ),
    max_size=24,
)


def tick(clock: Iterator[int]) -> datetime:
    return START + timedelta(seconds=next(clock))


@pytest.mark.spec("S6.11")
@settings(max_examples=40)
@given(steps=STEPS, random=st.randoms(use_true_random=False))
def test_two_machines_come_to_the_same_and_lose_nothing(
    steps: list[tuple[int, str, int]], random: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each writes what it pleases, at clocks of its own, and reads what the other has written now and then.

    It takes long because each record is synced to the disk.
    """
    folder = tmp_path_factory.mktemp("logs")
    ids = (f"{number:04}" for number in count())
    clocks = [count(1), count(7)]
    logs = [
        AnnotationLog(
            folder / name,
            now=partial(tick, clock),
            new_id=partial(next, ids),
            machine=name,
        )
        for name, clock in zip(("one", "two"), clocks, strict=True)
    ]
    removed: set[str] = set()
    for place, kind, number in steps:
        log = logs[place]

        def made(known: Sequence[AnnotationRecord], kind: str = kind, number: int = number) -> list[NewAnnotation]:
            gone = {one for each in known for one in each.replaces}
            left = [one for one in known if one.id not in gone]
            notes, tags = ([one for one in left if one.kind == wanted] for wanted in ("noted", "tagged"))
            if kind in KINDS:
                return [NewAnnotation(kind, TARGET, f"{kind}-{number}")]
            if kind == "untagged":
                same = [one for one in tags if one.text == f"tagged-{number}"]
                removed.update(one.id for one in same)
                return [NewAnnotation("untagged", TARGET, replaces=tuple(one.id for one in same))] if same else []
            if not notes:
                return []
            note = notes[number % len(notes)]
            removed.add(note.id)
            if kind == "changed":
                return [NewAnnotation("noted", TARGET, f"changed-{number}", (note.id,), note.since or note.at)]
            return [NewAnnotation("note_removed", TARGET, replaces=(note.id,))]

        if kind == "met":
            log.merge_log(logs[not place].path)
        else:
            log.append(made)
    for one, other in ((0, 1), (1, 0), (0, 1)):
        logs[one].merge_log(logs[other].path)
    here, there = (log.records() for log in logs)
    assert sorted(here) == sorted(there)
    assert state(here) == state(there) == state(random.sample(here, len(here)))
    # Every tag and note is there that nobody has removed or changed.
    kept = {one.text for one in here if one.kind == "tagged" and one.id not in removed}
    assert set(state(here).tags) == kept
    assert [note.id for note in state(here).notes] == sorted(
        (one.id for one in here if one.kind == "noted" and one.id not in removed),
        key=lambda note_id: next((one.since or one.at, one.id) for one in here if one.id == note_id),
    )
    # A line that comes twice, or in a copy beside the log, changes nothing.
    copy = logs[0].path.with_name("annotations (conflict).jsonl")
    if logs[0].path.exists():
        copy.write_bytes(logs[1].path.read_bytes())
    assert AnnotationLog(folder / "one").records() == here


@pytest.mark.parametrize(
    ("text", "tag"), [("Release", "release"), ("#later", "later"), (" über ", "über"), ("u\u0308", "ü"), ("a:b", "a:b")]
)
def test_a_tag_is_a_word_in_lower_case(text: str, tag: str) -> None:
    assert checked_tag(text) == tag


@pytest.mark.parametrize(
    ("check", "text", "reason"),
    [
        (checked_tag, " # ", "The tag is empty."),
        (checked_tag, "a b", "The tag 'a b' has a blank, a comma or a quote; join words by a hyphen."),
        (checked_tag, 'a"b', "The tag 'a\"b' has a blank, a comma or a quote; join words by a hyphen."),
        (checked_tag, "x" * 41, "The tag has 41 characters; at most 40 fit."),
        (checked_title, "x" * 201, "The title has 201 characters; at most 200 fit."),
        (checked_note, "x" * 4001, "The note has 4,001 characters; at most 4,000 fit."),
        (checked_note, " \n ", "The note is empty."),
    ],
)
def test_what_does_not_fit_is_refused(check: Any, text: str, reason: str) -> None:
    with pytest.raises(BadAnnotation) as refused:
        check(text)
    assert str(refused.value) == reason


def test_titles_and_notes_are_kept_without_secrets_and_sequences() -> None:
    token = f"ghp_{'a1B2' * 9}"
    assert checked_title(f"a\x1b[31m title\nwith {token}") == "a title with [redacted:github-token]"
    assert checked_note(f" first\r\nthe token is {token}\x1b[2J\n") == "first\nthe token is [redacted:github-token]"
