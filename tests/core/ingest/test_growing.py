"""A transcript that grows while it is read comes to the same as one that is read when it is complete."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from itertools import count, zip_longest
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.sources import live_sources, source_ingest
from memtui_core.model import Turn
from memtui_core.readers.base import Cursor
from memtui_core.readers.formats.jsonl import head_hash
from memtui_core.readers.locations import Location
from memtui_core.readers.records import Message
from support.documents import temporary_folder
from support.indexes import update, whole_turns
from support.pictures import picture
from support.transcripts import SESSION, Script, opened

PROJECTS = Path(__file__).resolve().parents[3] / "sample_sessions" / "projects"


def look(indexer: Indexer, folder: Path) -> None:
    for _ in indexer.update([Location("claude-code", folder)]):
        pass


def pieces(content: bytes, chance: random.Random, most: int) -> Iterator[bytes]:
    """A file in pieces that end at a border of lines, or inside a line."""
    borders = [place + 1 for place, byte in enumerate(content) if byte == 10]
    inside = chance.sample(range(len(content)), min(len(content), most // 3))
    cuts = sorted({*chance.sample(borders, min(len(borders), most - most // 3)), *inside})
    for first, last in zip([0, *cuts], [*cuts, len(content)], strict=True):
        if first < last:
            yield content[first:last]


def grow(folder: Path, data: Path, contents: dict[str, bytes], chance: random.Random, most: int) -> None:
    """Write files step by step, in each step about half of them, each step looked at by one indexer.

    Their times, which decide the order of reading, are in any order within a step.
    """
    rest = {name: list(pieces(content, chance, most)) for name, content in contents.items()}
    with Indexer(data) as indexer:
        for step in count(1):
            if not rest:
                break
            for name in [name for name in sorted(rest) if chance.random() < 0.5]:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("ab") as file:
                    if rest[name]:
                        file.write(rest[name].pop(0))
                moment = step * 10**9 + chance.randrange(10**9)
                os.utime(path, ns=(moment, moment))
                if not rest[name]:
                    del rest[name]
            look(indexer, folder)


def assert_like_new(folder: Path, data: Path, fresh: Path) -> None:
    update(fresh, folder)
    assert picture(data) == picture(fresh)


@pytest.mark.parametrize("seed", ["samples", "others"])
def test_samples_that_grow_come_to_the_same(seed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes more than two seconds because all samples are read twice, once in many steps."""
    folder, data = tmp_path / "src", tmp_path / "data"
    contents = {path.relative_to(PROJECTS).as_posix(): path.read_bytes() for path in PROJECTS.rglob("*.jsonl")}
    # Each of them is gone on with in memory.
    monkeypatch.setattr(live_sources, "MOST_LIVE", len(contents))
    grow(folder, data, contents, random.Random(seed), 4)
    assert_like_new(folder, data, tmp_path / "fresh")


def test_a_session_and_its_fork_that_grow_come_to_the_same(tmp_path: Path) -> None:
    """With these pieces one of them is read again while it still waits to be read from where it was."""
    ids = ("aff2b3c9-e8c4-403f-b2d8-b20c4d3cd4a8", "2e959a4e-be7b-4e25-9522-eaef44a81e9c")
    names = [f"-home-ana-code-shop-api/{session}.jsonl" for session in ids]
    contents = {name: (PROJECTS / name).read_bytes() for name in names}
    grow(tmp_path / "src", tmp_path / "data", contents, random.Random("forks 39"), 6)
    assert_like_new(tmp_path / "src", tmp_path / "data", tmp_path / "fresh")


EDITED = "/home/ana/code/shop/src/upload.py"
FORK = "22222222-2222-4222-8222-222222222222"


class Growing:
    """Transcripts in a folder, and the one indexer that looks at them after each change."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder, self.data, self._fresh = tmp_path / "src", tmp_path / "data", tmp_path / "fresh"
        self.indexer = Indexer(self.data)
        self._index: Index | None = None

    def look(self, script: Script, name: str | None = None) -> Path:
        """Write a transcript as far as it is, and take it in."""
        path = script.write(self.folder, name)
        look(self.indexer, self.folder)
        return path

    def look_at(self, *scripts: Script) -> None:
        """Write several transcripts, and take them in at once."""
        for script in scripts:
            script.write(self.folder)
        look(self.indexer, self.folder)

    def again(self) -> None:
        """Another process goes on."""
        self.indexer.close()
        self.indexer = Indexer(self.data)

    def index(self) -> Index:
        """What a reader sees."""
        if self._index is None:
            self._index = Index.open(self.data)
        self._index.refresh()
        return self._index

    def turns(self, session_id: str = SESSION) -> list[tuple[Turn, list[tuple[str, str]]]]:
        """The turns of a session as they are now."""
        return whole_turns(self.index(), session_id)

    def assert_like_new(self) -> None:
        """The index is as one that is made of the files as they are now."""
        assert_like_new(self.folder, self.data, self._fresh)
        shutil.rmtree(self._fresh)


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[Growing]:
    made = Growing(tmp_path)
    yield made
    made.indexer.close()


def started(number: int = 1) -> Script:
    """The beginning of a session; one of another number shares nothing with it."""
    script = Script(f"{number}{SESSION[1:]}", prefix="e" if number == 1 else f"e{number}-")
    script.user("Please retry the upload")
    script.calls("Edit", {"file_path": EDITED, "old_string": "a", "new_string": "b"})
    return script


def written(growing: Growing) -> tuple[int, int]:
    counts = growing.indexer.counts
    return counts.turns_written, counts.blocks_written


def test_a_growing_turn_keeps_its_id_and_only_what_came_is_written(growing: Growing) -> None:
    script, ids, counts = Script(), [], []
    for kinds in (["user", "edit"], ["result"], ["think"], ["other"], ["says"] * 3, ["user"], ["says"]):
        for kind in kinds:
            add(script, kind, 1)
        growing.look(script)
        ids.append([turn.id for turn, _ in growing.turns()])
        counts.append(written(growing))
    first, second = ids[-1]
    assert ids == [[first]] * 5 + [[first, second]] * 2
    assert counts == [(1, 2), (2, 3), (3, 4), (4, 4), (5, 7), (7, 8), (8, 9)]
    assert [(turn.number, turn.provisional, len(blocks)) for turn, blocks in growing.turns()] == [
        (1, False, 7),
        (2, True, 2),
    ]
    growing.assert_like_new()


def test_a_turn_that_is_read_again_by_another_process_is_written_whole(growing: Growing) -> None:
    script = started()
    growing.look(script)
    growing.again()
    script.result("ok")
    growing.look(script)
    assert written(growing) == (1, 3)
    script.says("Done.")
    growing.look(script)
    assert written(growing) == (2, 4)
    growing.assert_like_new()


def test_a_result_that_is_an_error_takes_back_what_its_call_did(growing: Growing) -> None:
    script, kinds = started(), []
    for what in ("other", "says", "error"):
        add(script, what, 1)
        growing.look(script)
        index = growing.index()
        kinds.append([(t.path, t.kind) for t in index.files.of_turn(index.sessions.find(SESSION).key, 1)])
    assert kinds == [[("src/upload.py", "edited")]] * 2 + [[("src/upload.py", "mentioned")]]
    assert [turn.errors for turn, _ in growing.turns()] == [1]
    growing.assert_like_new()


def test_a_subagents_call_is_told_in_full_by_its_result(growing: Growing) -> None:
    child = Script(prefix="c")
    child.user("Look.", isSidechain=True, agentId="a1")
    child.write(growing.folder, f"{SESSION}/subagents/agent-a1.jsonl")
    script = started()
    script.calls("Task", {"subagent_type": "Explore", "description": "Find retries", "prompt": "Seek."}, "t7")
    growing.look(script)
    script.result("in upload.py", "t7", toolUseResult={"agentId": "a1", "status": "completed"})
    growing.look(script)
    index = growing.index()
    (found,) = index.sessions.subagents(index.sessions.find(SESSION).key)
    assert (found.session_id, found.parent_tool_id, found.title) == ("agent-a1", "t7", "Find retries")
    growing.assert_like_new()


def test_a_slash_command_at_the_end_waits_for_what_follows(growing: Growing) -> None:
    answered, printed = scripts = started(1), started(2)
    growing.look_at(*scripts)
    for script in scripts:
        script.user("<command-name>/review</command-name><command-args>all</command-args>")
    growing.look_at(*scripts)
    for script in scripts:
        (only,) = growing.turns(script.session_id)
        assert (only[0].kind, only[1][-1]) == ("human", ("note", "/review all"))
    answered.says("Reviewed.")
    printed.user("<local-command-stdout>cleared</local-command-stdout>")
    growing.look_at(*scripts)
    for script in scripts:
        script.says("Next.")
    growing.look_at(*scripts)
    assert [turn.kind for turn, _ in growing.turns(answered.session_id)] == ["human", "command"]
    assert [turn.kind for turn, _ in growing.turns(printed.session_id)] == ["human"]
    growing.assert_like_new()


def test_notes_before_the_first_prompt_become_a_part_of_its_turn(growing: Growing) -> None:
    script = Script()
    script.user("<local-command-caveat>not for you</local-command-caveat>")
    growing.look(script)
    script.user("<local-command-stdout>cleared</local-command-stdout>")
    growing.look(script)
    assert [turn.kind for turn, _ in growing.turns()] == ["opening"]
    script.user("Please retry the upload")
    growing.look(script)
    script.says("Done.")
    growing.look(script)
    assert [(turn.kind, turn.line, len(blocks)) for turn, blocks in growing.turns()] == [("human", 2, 4)]
    growing.assert_like_new()


def test_a_compaction_ends_the_turn_that_is_open(growing: Growing) -> None:
    """Of one session the boundary and the summary are read together, of the other one by one."""
    together, apart = scripts = started(1), started(2)
    growing.look_at(*scripts)
    whole = len(apart.lines) + 1
    for script in scripts:
        script.compacts("We retried.")
    rest, apart.lines = apart.lines[whole:], apart.lines[:whole]
    growing.look_at(*scripts)
    apart.lines += rest
    growing.look_at(*scripts)
    for script in scripts:
        script.says("Going on.")
    growing.look_at(*scripts)
    for script in scripts:
        script.result("late")
    growing.look_at(*scripts)
    index = growing.index()
    for script in (together, apart):
        turns = growing.turns(script.session_id)
        assert [(turn.kind, turn.segment, turn.provisional, len(blocks)) for turn, blocks in turns] == [
            ("human", 0, False, 2),
            ("compaction", 1, True, 3),
        ]
        assert [one.turn for one in index.compactions.of_session(index.sessions.find(script.session_id).key)] == [2]
    growing.assert_like_new()


def test_two_transcripts_grow_in_turns(growing: Growing) -> None:
    one, two = started(), Script(FORK, prefix="f")
    two.user("Now the mail")
    for number in range(3):
        one.says(f"Upload {number}.")
        growing.look(one)
        two.says(f"Mail {number}.")
        growing.look(two)
    assert written(growing) == (6, 5 + 4)
    assert [len(blocks) for session in (SESSION, FORK) for _, blocks in growing.turns(session)] == [5, 4]
    growing.assert_like_new()


def test_more_transcripts_than_are_remembered_grow(growing: Growing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_sources, "MOST_LIVE", 2)
    scripts = [Script(f"{number:08}" + SESSION[8:], prefix=f"p{number}-") for number in range(4)]
    for at, script in enumerate(scripts):
        script.user("Please retry the upload")
        os.utime(script.write(growing.folder), (at, at))
    look(growing.indexer, growing.folder)
    for at, script in enumerate(scripts):
        script.says("Done.")
        os.utime(script.write(growing.folder), (10 + at, 10 + at))
    look(growing.indexer, growing.folder)
    # The two that were written last are gone on with, the others are read again.
    assert written(growing) == (8, 4 + 2 * 1 + 2 * 2)
    growing.assert_like_new()


def test_a_file_that_is_rewritten_is_read_anew(growing: Growing) -> None:
    """One file becomes longer, the other one shorter."""
    scripts = started(1), started(2)
    for script in scripts:
        script.result("ok")
    growing.look_at(*scripts)
    longer, shorter = others = [Script(script.session_id, prefix=f"o{script.session_id[0]}-") for script in scripts]
    for other in others:
        other.user("Something else")
    longer.says("x" * 3000)
    growing.look_at(*others)
    for other in others:
        other.says("Done.")
    growing.look_at(*others)
    for other, kinds in ((longer, ["user", "text", "text"]), (shorter, ["user", "text"])):
        (only,) = growing.turns(other.session_id)
        assert (only[0].number, only[0].user_text, [kind for kind, _ in only[1]]) == (1, "Something else", kinds)
    assert growing.index().files.find().rows == []


def test_a_file_that_is_cut_is_read_anew(growing: Growing) -> None:
    script = started()
    script.result("ok")
    script.says("Done.")
    growing.look(script)
    script.lines = script.lines[:2]
    growing.look(script)
    assert [len(blocks) for _, blocks in growing.turns()] == [2]
    script.result("failed", error=True)
    growing.look(script)
    growing.assert_like_new()


def test_a_file_that_was_away_goes_on(growing: Growing) -> None:
    script = started()
    path = growing.look(script)
    path.unlink()
    look(growing.indexer, growing.folder)
    assert growing.index().sessions.find(SESSION).gone
    script.result("ok")
    growing.look(script)
    growing.assert_like_new()


def test_a_half_last_line_waits_and_is_read_once(growing: Growing) -> None:
    """Of three sessions the first has nothing of the line at first, the others have one and forty bytes."""
    scripts = [started(number) for number in (1, 2, 3)]
    growing.look_at(*scripts)
    for script in scripts:
        script.result("ok")
    for step in range(4):
        for script, kept in zip(scripts, (0, 1, 40), strict=True):
            whole, last = script.bytes(), len(script.lines[-1])
            size = (len(whole) - 1 - last + kept, len(whole) - 2, len(whole) - 1, len(whole))[step]
            (growing.folder / f"{script.session_id}.jsonl").write_bytes(whole[:size])
        look(growing.indexer, growing.folder)
    for script in scripts:
        assert [len(blocks) for _, blocks in growing.turns(script.session_id)] == [3]
        script.says("Done.")
    growing.look_at(*scripts)
    assert [one.state for one in growing.index().statistics.sources()] == ["ok"] * 3
    growing.assert_like_new()


def test_bad_lines_are_counted_once(growing: Growing) -> None:
    script = started()
    script.lines.append(b"{oops")
    growing.look(script)
    script.lines.append(b"[1]")
    growing.look(script)
    script.result("ok")
    growing.look(script)
    assert growing.index().statistics.sources()[0].skipped == ((2, "not JSON"), (3, "not a JSON object"))
    growing.assert_like_new()


def test_what_came_before_the_first_folder_is_named_does_not_settle_the_project(growing: Growing) -> None:
    script = Script()
    script.raw({"type": "custom-title", "customTitle": "Retries", "sessionId": SESSION})
    growing.look(script)
    script.user("Please retry the upload")
    growing.look(script)
    session = growing.index().sessions.find(SESSION)
    assert (session.project, session.root, session.title) == ("shop", "/home/ana/code/shop", "Retries")
    growing.assert_like_new()


def test_a_worktree_that_is_named_later_in_the_turn_counts_for_its_files(growing: Growing) -> None:
    script = Script()
    tree = "/home/ana/code/shop/.claude/worktrees/retry"
    script.user("Please retry the upload")
    script.calls("Edit", {"file_path": f"{tree}/src/upload.py", "old_string": "a", "new_string": "b"})
    script.result("ok")
    growing.look(script)
    script.says("Done.", cwd=tree)
    growing.look(script)
    growing.assert_like_new()


@pytest.mark.parametrize("parent_first", [True, False])
def test_a_file_that_shares_entries_comes_while_the_first_one_grows(growing: Growing, parent_first: bool) -> None:
    parent, fork = started(), started()
    parent.result("ok")
    parent.user("One more for the parent")
    fork.session_id, fork.count = FORK, 20
    fork.user("A question for the fork")
    for script in (parent, fork) if parent_first else (fork, parent):
        growing.look(script)
    for number in range(2):
        parent.says(f"Parent {number}.")
        growing.look(parent)
        fork.count = max(fork.count, 40)
        fork.says(f"Fork {number}.")
        growing.look(fork)
    assert [turn.user_text for turn, _ in growing.turns()] == ["Please retry the upload", "One more for the parent"]
    assert [turn.user_text for turn, _ in growing.turns(FORK)] == ["A question for the fork"]
    assert growing.index().sessions.find(FORK).forked_from == SESSION
    assert [[kind for kind, _ in blocks] for one in (SESSION, FORK) for _, blocks in growing.turns(one)] == [
        ["user", "tool_call", "tool_result"],
        ["user", "text", "text"],
        ["user", "text", "text"],
    ]


def test_a_stop_while_entries_are_taken_over_loses_nothing(growing: Growing, monkeypatch: pytest.MonkeyPatch) -> None:
    parent, fork = started(), started()
    parent.result("ok")
    parent.user("One more for the parent")
    fork.session_id, fork.count = FORK, 20
    fork.user("A question for the fork")
    growing.look(fork)
    monkeypatch.setattr(source_ingest, "CHUNK", 2)
    parent.write(growing.folder)
    looks = iter([False, False, True])
    for _ in growing.indexer.update([Location("claude-code", growing.folder)], lambda: next(looks, True)):
        pass
    growing.again()
    look(growing.indexer, growing.folder)
    assert [(turn.number, turn.user_text) for key in (SESSION, FORK) for turn, _ in growing.turns(key)] == [
        (1, "Please retry the upload"),
        (2, "One more for the parent"),
        (1, "A question for the fork"),
    ]


def test_turns_that_were_not_stored_leave_no_gap(growing: Growing, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script()
    script.raw({"type": "custom-title", "customTitle": "Retries", "sessionId": SESSION})
    growing.look(script)
    for number in range(5):
        script.user(f"And {number}?")
    monkeypatch.setattr(source_ingest, "CHUNK", 2)
    script.write(growing.folder)
    looks = iter([False, False, False, True])
    for _ in growing.indexer.update([Location("claude-code", growing.folder)], lambda: next(looks, True)):
        pass
    look(growing.indexer, growing.folder)
    assert [turn.number for turn, _ in growing.turns()] == [1, 2, 3, 4, 5]


def test_a_longer_copy_takes_over_a_transcript_that_grows(growing: Growing) -> None:
    script = started()
    growing.look(script, "a.jsonl")
    script.result("ok")
    growing.look(script, "a.jsonl")
    script.says("Done.")
    growing.look(script, "b.jsonl")
    script.user("Thanks")
    growing.look(script, "b.jsonl")
    assert [len(blocks) for _, blocks in growing.turns()] == [4, 1]
    assert [(Path(one.path).name, one.state) for one in growing.index().statistics.sources()] == [
        ("a.jsonl", "copy"),
        ("b.jsonl", "ok"),
    ]
    growing.assert_like_new()


KINDS = (
    "user", "says", "think", "edit", "result", "error", "command", "output", "compact", "boundary", "title", "pr",
    "bad", "queue", "dequeue", "other",
)  # fmt: skip
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 3), st.integers(0, 40)), min_size=2, max_size=14)


def add(script: Script, what: str, number: int) -> None:
    """Add what a step says to a script."""
    tool = f"t{number}"
    if what == "user":
        script.user(f"And @src/b{number}.py?")
    elif what == "says":
        script.says(f"So {number}.")
    elif what == "think":
        script.thinks(f"Hm {number}.")
    elif what == "edit":
        path = f"/home/ana/code/shop/src/a{number}.py"
        script.calls("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, tool, f"m{number}")
    elif what in ("result", "error"):
        script.result("so", tool, error=what == "error")
    elif what == "command":
        script.user(f"<command-name>/do{number}</command-name>")
    elif what == "output":
        script.user("<local-command-stdout>done</local-command-stdout>")
    elif what == "compact":
        script.compacts(f"Before {number}.")
    elif what == "boundary":
        script.entry("system", subtype="compact_boundary", content="", compactMetadata={"trigger": "manual"})
    elif what == "title":
        script.raw({"type": "custom-title", "customTitle": f"Name {number}", "sessionId": script.session_id})
    elif what == "pr":
        url = f"https://docs.example.com/{script.count}"
        at = "2026-11-01T09:00:00Z"
        fields = {"prNumber": number + 1, "prUrl": url, "prRepository": "acme/shop", "timestamp": at}
        script.raw({"type": "pr-link", "sessionId": script.session_id, **fields})
    elif what == "bad":
        script.lines.append(b"{oops")
    elif what == "queue":
        script.raw({"type": "queue-operation", "operation": "enqueue", "content": f"queued {number}"})
    elif what == "dequeue":
        script.raw({"type": "queue-operation", "operation": "remove"})
    else:
        script.raw({"type": "mode", "mode": "plan"})


KNOWN = [
    [("queue", 2, 0), ("dequeue", 0, 15), ("command", 1, 6)],
    [("queue", 2, 3), ("user", 1, 3), ("dequeue", 0, 3)],
]


# The first example that is made has the shortest lists of steps.
@settings(max_examples=2, phases=(Phase.generate,))
@given(st.lists(STEPS, min_size=4, max_size=4))
def test_any_transcripts_that_grow_come_to_the_same(stories: list[list[tuple[str, int, int]]]) -> None:
    """Four made transcripts and two known ones grow at the same time, in many steps, which takes its time."""
    with temporary_folder() as parent:
        folder, data = parent / "src", parent / "data"
        scripts = [Script(f"{number}{SESSION[1:]}", prefix=f"p{number}-") for number in range(6)]
        for script in scripts:
            script.says("Hello.")
        with Indexer(data) as indexer:
            for steps in zip_longest(*stories, *KNOWN):
                for script, (what, number, cut) in [pair for pair in zip(scripts, steps, strict=True) if pair[1]]:
                    add(script, what, number)
                    # Else the line comes with the next one.
                    if cut % 4:
                        path, whole = script.write(folder), script.bytes()
                        path.write_bytes(whole[: max(0, len(whole) - cut // 3)] if cut % 3 else whole)
                look(indexer, folder)
            for script in scripts:
                script.write(folder)
            look(indexer, folder)
        assert_like_new(folder, data, parent / "fresh")


@pytest.mark.parametrize("attached", [False, True])
def test_a_queue_is_followed_when_reading_goes_on_behind_it(tmp_path: Path, attached: bool) -> None:
    script = Script()
    script.user("Paint it")
    script.raw({"type": "queue-operation", "operation": "enqueue", "content": "and the door"})
    if attached:
        script.raw({"type": "attachment", "attachment": {"type": "date_change"}})
    script.says("Painted.")
    path = script.write(tmp_path)
    size, line = path.stat().st_size, len(script.lines)
    cursor = Cursor(size, line, head_hash(path, size), size)
    script.raw({"type": "queue-operation", "operation": "remove"})
    path = script.write(tmp_path)
    said = [] if attached else ["and the door"]
    assert [record.text for record in opened(path, cursor) if isinstance(record, Message)] == said
    assert [record.text for record in list(opened(path))[2:] if isinstance(record, Message)] == said
