"""What the user adds to sessions and turns: where it is seen, what finds it, and that it stays where it was put."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memtui_core.errors import BadAnnotation, NoteUnknown
from memtui_core.index.annotations import SessionAnnotations
from memtui_core.index.index import Index
from memtui_core.model import Annotations
from memtui_core.store.marks.annotation_log import AnnotationLog, NewAnnotation
from memtui_core.store.marks.annotation_records import AnnotationTarget
from memtui_core.store.marks.snapshot_annotations import turn_of
from support.indexes import build, update
from support.transcripts import OTHER_SESSION, SESSION, START, Script

BLOG = "33333333-3333-4333-8333-333333333333"


def shop(turns: int = 3) -> Script:
    script = Script()
    for number in range(1, turns + 1):
        script.user(f"step {number} of the upload")
        script.says("Done.")
    return script


@dataclass
class Desk:
    """An index of two sessions of a shop, the second one newer, and one of a blog."""

    folder: Path
    index: Index

    def key(self, session_id: str = SESSION) -> int:
        return self.index.sessions.find(session_id).key

    @property
    def own(self) -> SessionAnnotations:
        return self.index.annotations

    def listed(self, **options: Any) -> list[str]:
        """The first figures of the sessions in the order of the list."""
        return [one.session_id[:1] for one in self.index.sessions.all(**options)]

    def found(self, query: str) -> list[tuple[str, int]]:
        return sorted((hit.session_id[:1], hit.turn) for hit in self.index.search(query).hits)


def made(folder: Path) -> Desk:
    later, blog = Script(OTHER_SESSION, prefix="f"), Script(BLOG, "/home/ana/code/blog", "g")
    later.count, blog.count = 100, 200
    later.user("round the prices")
    blog.user("a post on prices")
    scripts = (shop(), later, blog)
    return Desk(folder, build(folder / "data", *(one.write(folder / "src") for one in scripts)))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return made(tmp_path)


def texts(annotations: Annotations) -> tuple[bool, bool, str, tuple[str, ...], list[str]]:
    notes = [note.text for note in annotations.notes]
    return annotations.pinned, annotations.archived, annotations.title, annotations.tags, notes


def test_what_is_written_is_read_by_every_index_at_once(desk: Desk) -> None:
    other, key = Index.open(desk.folder / "data"), desk.key()
    assert texts(other.annotations.of(key)) == (False, False, "", (), [])
    assert [
        desk.own.pin(key),
        desk.own.rename(key, " The upload \n saga "),
        desk.own.tag(key, ["Release", "#later", "release"]),
        desk.own.add_note(key, "Ask Bob"),
        desk.own.archive(key),
        desk.own.pin(key, 2),
        desk.own.add_note(key, "here", 2),
    ] == [True] * 7
    for index in (desk.index, other, Index.open(desk.folder / "data")):
        assert texts(index.annotations.of(key)) == (
            True, True, "The upload saga", ("release", "later"), ["Ask Bob"],
        )  # fmt: skip
        assert texts(index.annotations.of(key, 2)) == (True, False, "", (), ["here"])
        assert texts(index.annotations.of(key, 1)) == texts(Annotations())
        session = index.sessions.get(key)
        assert (session.title, session.agent_title, session.pinned, session.archived, session.tags, session.notes) == (
            "The upload saga", "step 1 of the upload", True, True, ("release", "later"), ("Ask Bob",),
        )  # fmt: skip
        assert [(turn.pinned, turn.tags, turn.notes) for turn in index.sessions.turns(key)] == [
            (False, (), ()),
            (True, (), ("here",)),
            (False, (), ()),
        ]
        assert index.sessions.turn(key, 2) == index.sessions.whole_turns(key, 2, 2)[0]
    assert [(one.session.key, one.turn) for one in other.annotations.all()] == [(key, 0), (key, 2)]


def test_what_is_so_already_writes_nothing(desk: Desk) -> None:
    key = desk.key()
    assert [
        desk.own.pin(key, pinned=False),
        desk.own.archive(key, archived=False),
        desk.own.rename(key, " "),
        desk.own.untag(key, ["none"]),
        desk.own.set_tags(key, []),
    ] == [False] * 5
    assert desk.own.history() == []
    desk.own.tag(key, ["a"])
    desk.own.add_note(key, "note")
    [note] = desk.own.of(key).notes
    assert [desk.own.tag(key, ["A"]), desk.own.change_note(note.id, " note\n")] == [False, False]
    assert [record.kind for record in desk.own.history()] == ["tagged", "noted"]


def test_everything_can_be_taken_back_and_the_history_has_it(desk: Desk) -> None:
    key = desk.key()
    desk.own.pin(key, by="app")
    desk.own.rename(key, "mine")
    desk.own.set_tags(key, ["a", "b"])
    desk.own.add_note(key, "first")
    desk.own.change_note(desk.own.of(key).notes[0].id[:6], "second")
    assert texts(desk.own.of(key)) == (True, False, "mine", ("a", "b"), ["second"])
    desk.own.pin(key, pinned=False)
    desk.own.rename(key, "")
    desk.own.set_tags(key, ["b", "c"])
    desk.own.remove_note(desk.own.of(key).notes[0].id)
    assert texts(desk.own.of(key)) == (False, False, "", ("b", "c"), [])
    assert desk.index.sessions.get(key).title == "step 1 of the upload"
    assert [(record.kind, record.text) for record in desk.own.history(key)] == [
        ("pinned", ""), ("renamed", "mine"), ("tagged", "a"), ("tagged", "b"), ("noted", "first"), ("noted", "second"),
        ("unpinned", ""), ("renamed", ""), ("untagged", "a"), ("tagged", "c"), ("note_removed", ""),
    ]  # fmt: skip
    assert desk.own.history(key)[0].by == "app"
    assert desk.own.history(desk.key(BLOG)) == []


def test_what_does_not_exist_is_refused(desk: Desk) -> None:
    key = desk.key()
    with pytest.raises(BadAnnotation, match=r"^1{8}-.* has no turn 4; it has 3\.$"):
        desk.own.pin(key, 4)
    for note_id in ("", "nothing"):
        with pytest.raises(NoteUnknown, match=f"^There is no note whose id begins with '{note_id}'"):
            desk.own.change_note(note_id, "text")
    with pytest.raises(BadAnnotation, match="at most 20 tags"):
        desk.own.tag(key, [f"t{number}" for number in range(21)])
    assert desk.own.history() == []


def test_pinned_sessions_come_first_and_archived_ones_not_at_all(desk: Desk) -> None:
    assert desk.listed() == ["3", "2", "1"]
    desk.own.pin(desk.key())
    assert desk.listed() == ["1", "3", "2"]
    desk.own.archive(desk.key())
    desk.own.archive(desk.key(BLOG))
    assert (desk.listed(), desk.listed(archived=True), desk.own.archived()) == (["2"], ["1", "3", "2"], 2)
    projects = desk.index.sessions.projects
    assert [(one.name, one.sessions) for one in projects()] == [("shop", 1)]
    assert [(one.name, one.sessions) for one in projects(archived=True)] == [("blog", 1), ("shop", 2)]
    assert desk.listed(project=projects()[0]) == ["2"]


def annotated_in(folder: Path) -> Desk:
    """Tags and notes on the shop's first session and its second turn, the blog pinned, the newer session archived."""
    desk = made(folder)
    key = desk.key()
    desk.own.tag(key, ["release"])
    desk.own.add_note(key, "Ask Bob about the deadline")
    desk.own.tag(key, ["flaky"], 2)
    desk.own.add_note(key, "The timeout is 30 s", 2)
    desk.own.pin(key, 3)
    desk.own.pin(desk.key(BLOG))
    desk.own.archive(desk.key(OTHER_SESSION))
    return desk


@pytest.fixture(scope="module")
def annotated_once(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """For tests that only read."""
    return annotated_in(tmp_path_factory.mktemp("annotated"))


@pytest.fixture
def annotated(tmp_path: Path) -> Desk:
    return annotated_in(tmp_path)


OF_SHOP = [("1", 1), ("1", 2), ("1", 3)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("is:pinned", [("1", 3), ("3", 1)]),
        ("upload is:pinned", [("1", 3)]),
        ("upload -is:pinned", [("1", 1), ("1", 2)]),
        ("tag:release", OF_SHOP),
        ("tag:#Release", OF_SHOP),
        ("tag:fl", [("1", 2)]),
        ("tag:=fl", []),
        ("tag:=flaky", [("1", 2)]),
        ("tag:release tag:flaky", [("1", 2)]),
        ("upload -tag:flaky", [("1", 1), ("1", 3)]),
        ("note:deadline", OF_SHOP),
        ('note:"BOB about"', OF_SHOP),
        ("note:timeout", [("1", 2)]),
        ("upload -note:timeout", [("1", 1), ("1", 3)]),
        ("has:note", OF_SHOP),
        ("has:note has:tag -note:bob", []),
        ("note:nothing", []),
        # Archived sessions are found only where they are asked for.
        ("prices", [("3", 1)]),
        ("prices is:archived", [("2", 1)]),
        ("is:archived", [("2", 1)]),
        ("session:2222", [("2", 1)]),
        ("project:shop prices", []),
        # Words of notes, tags and titles find turns, too.
        ("bob deadline", [("1", 1)]),
        ("timeout", [("1", 2)]),
        ("flaky", [("1", 2)]),
        ("bob timeout", []),
        ("bob in:user", []),
        ("bob project:blog", []),
        ("", []),
    ],
)
def test_filters_and_words_find_what_was_added(
    annotated_once: Desk, query: str, expected: list[tuple[str, int]]
) -> None:
    assert annotated_once.found(query) == expected


def test_a_hit_has_what_was_added_to_its_turn_and_to_its_session(annotated: Desk) -> None:
    annotated.own.rename(annotated.key(), "The upload saga")
    [hit] = annotated.index.search("tag:flaky").hits
    assert (hit.title, hit.agent_title, hit.pinned, hit.archived) == (
        "The upload saga", "step 1 of the upload", False, False,
    )  # fmt: skip
    assert (hit.tags, hit.notes) == (("release", "flaky"), ("Ask Bob about the deadline", "The timeout is 30 s"))
    # The user's title is found, and says so.
    [hit] = annotated.index.search("saga").hits
    assert (hit.turn, hit.why) == (1, ("yours",))
    [hit] = annotated.index.search("is:archived").hits
    assert (hit.archived, hit.pinned) == (True, False)


def test_completion_offers_the_tags_the_most_used_first(annotated: Desk) -> None:
    assert annotated.index.search.filter_values()["tag"] == ("flaky", "release")
    annotated.own.tag(annotated.key(BLOG), ["release"])
    assert annotated.index.search.filter_values()["tag"] == ("release", "flaky")
    assert annotated.own.tags() == ["release", "flaky"]


def test_subagents_of_an_archived_session_are_archived_with_it(sample_index: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(sample_index, tmp_path / "data")
    index = Index.open(tmp_path / "data")
    parent = next(one for one in index.sessions.all() if one.children)
    names = {parent.key, *(one.key for one in index.sessions.subagents(parent.key))}
    assert {hit.session for hit in index.search("upload", 100).hits} & names == names
    index.annotations.archive(parent.key)
    assert {hit.session for hit in index.search("upload", 100).hits} & names == set()
    assert {hit.session for hit in index.search("upload is:archived", 100).hits} == names


@pytest.mark.spec("S6.11")
def test_a_note_stays_at_its_turn_when_turns_get_other_numbers(tmp_path: Path) -> None:
    """A second transcript of the same session, with earlier turns, makes the turn with the note another number."""
    script = shop()
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    key = index.sessions.find(SESSION).key
    index.annotations.add_note(key, "this one", 2)
    index.annotations.pin(key, 2)
    earlier = Script(prefix="x")
    earlier.count = -40
    earlier.user("what came before")
    earlier.says("Done.")
    path = earlier.write(tmp_path / "src" / "other")
    update(tmp_path / "data", tmp_path / "src" / f"{SESSION}.jsonl", path)
    index.refresh()
    turns = index.sessions.turns(index.sessions.find(SESSION).key)
    assert [(turn.number, turn.user_text) for turn in turns if turn.notes or turn.pinned] == [
        (3, "step 2 of the upload")
    ]
    assert index.annotations.of(key, 3).notes[0].text == "this one"
    # It can be taken away there.
    index.annotations.pin(key, 3, pinned=False)
    index.annotations.remove_note(index.annotations.of(key, 3).notes[0].id)
    assert index.annotations.all() == []


@pytest.mark.spec("S6.11")
def test_annotations_outlive_the_index(desk: Desk) -> None:
    """They are in a log of their own: an index that is made again from the transcripts has them all."""
    key = desk.key()
    desk.own.add_note(key, "kept", 2)
    desk.own.rename(key, "mine")
    log = (desk.folder / "data" / "annotations.jsonl").read_bytes()
    (desk.folder / "again").mkdir()
    (desk.folder / "again" / "annotations.jsonl").write_bytes(log)
    again = build(desk.folder / "again", desk.folder / "src")
    session = again.sessions.find(SESSION)
    assert (session.title, again.annotations.of(session.key, 2).notes[0].text) == ("mine", "kept")


def test_sessions_that_the_index_lacks_cost_nothing(desk: Desk) -> None:
    """Such as those of another machine whose transcripts have not come yet; hostile names are no SQL."""
    log = AnnotationLog(desk.folder / "data")
    names = ["gone", "'); DROP TABLE sessions; --", "\x00", "\ud800"]
    log.append(lambda _: [NewAnnotation("pinned", AnnotationTarget("claude-code", name)) for name in names[:2]])
    with log.path.open("ab") as file:
        file.write(b'{"kind":"pinned","agent":"a","session":"\\u0000","id":"z","at":"2026-11-01T09:00:00Z"}\n')
    assert desk.listed() == ["3", "2", "1"]
    assert desk.own.all() == []
    assert desk.found("is:pinned") == []


def test_a_log_that_cannot_be_read_leaves_the_sessions_readable(desk: Desk) -> None:
    (desk.folder / "data" / "annotations.jsonl").mkdir()
    index = Index.open(desk.folder / "data")
    assert [one.session_id[:1] for one in index.sessions.all()] == ["3", "2", "1"]
    assert index.search("is:pinned").hits == ()


AT = [START + timedelta(seconds=seconds) for seconds in (0, 20, 20, 60)]
TURNS = [(11, 1, AT[0]), (12, 2, AT[1]), (13, 3, AT[2]), (14, 4, AT[3])]


@pytest.mark.parametrize(
    ("number", "seconds", "turns", "expected"),
    [
        (2, 20, TURNS, 12),
        (3, 20, TURNS, 13),
        # Of two turns with its time the nearer number.
        (9, 20, TURNS, 13),
        (9, 60, TURNS, 14),
        # Written anew with other times: the turn that was going on.
        (9, 59, TURNS, 13),
        (1, 70, TURNS, 14),
        # Before the first one, and without a time, the number counts.
        (3, -5, TURNS, 13),
        (2, None, [(11, 1, None), (12, 2, None)], 12),
        (7, None, TURNS, 14),
        (1, 0, [], None),
    ],
)
def test_the_turn_of_a_record(number: int, seconds: int | None, turns: Iterable[Any], expected: int | None) -> None:
    at = None if seconds is None else START + timedelta(seconds=seconds)
    found = turn_of(AnnotationTarget("claude-code", SESSION, number, at), list(turns))
    assert (found[0] if found is not None else None) == expected
