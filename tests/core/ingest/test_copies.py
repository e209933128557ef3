"""Copies, backups and forks that grow in any order: each turn is there once, and the turns of a session are 1 to n."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import orjson
import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing.index_writer import Counts
from memtui_core.readers.locations import Location
from memtui_core.store.tables import COLUMNS, KEYS
from memtui_core.store.work.database import WorkDatabase
from support.indexes import build, review, update
from support.rollouts import Rollout
from support.transcripts import Script

TURNS = 4
Lines = list[bytes]
Turns = list[tuple[int, str, str, int, int]]
"""Number, kind, prompt, output tokens and count of blocks of each turn."""
FIRST, LAST = "aaaaaaaa-{:04}-4000-8000-000000000001", "aaaaaaaa-{:04}-4000-8000-000000000002"
START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)


def claude_code(case: int, forks_after: int = 0) -> Lines:
    """A session with an empty thinking block in each turn; or a fork of it after some of its lines."""
    script = Script(FIRST.format(case), prefix=f"e{case}-")
    for turn in range(1, TURNS + 1):
        script.user(f"Prompt {turn}")
        script.assistant([], f"m{case}-{turn}")
        script.says("Answer", f"m{case}-{turn}")
        script.says("Done")
    if forks_after:
        first, last = FIRST.format(case).encode(), LAST.format(case)
        fork = Script(last, prefix=f"f{case}-")
        fork.count = 1000
        fork.user("Prompt of the fork")
        fork.says("Answer")
        copied = [line.replace(first, last.encode()) for line in script.lines[:forks_after]]
        return copied + fork.lines
    return script.lines


def codex(case: int) -> Lines:
    """A session with a count of tokens, which has no id, after each answer."""
    rollout = Rollout(FIRST.format(case))
    for turn in range(1, TURNS + 1):
        rollout.user_item(f"Prompt {turn}")
        rollout.answer_item("Answer")
        rollout.tokens(10 * turn, 10, 0, 5)
        rollout.answer_item("Done")
        rollout.tokens(10 * turn + 1, 10, 0, 5)
    return rollout.lines


def pi(case: int, forks_after: int = 0) -> Lines:
    """A session with an empty answer, which has tokens, in each turn; or a fork of it."""
    session = LAST if forks_after else FIRST
    header = {"type": "session", "version": 3, "id": session.format(case), "timestamp": "2026-11-01T09:00:00.000Z"}
    entries: list[dict[str, Any]] = [{**header, "cwd": "/home/ana/code/shop"}]

    def say(name: str, role: str, text: str = "") -> None:
        at = START + timedelta(seconds=len(entries))
        message: dict[str, Any] = {"role": role, "content": [{"type": "text", "text": text}] if text else []}
        if role == "assistant":
            message |= {"model": "claude-sonnet-4-5", "usage": {"input": 10, "output": 5, "cacheRead": 0}}
        parent = entries[-1]["id"] if len(entries) > 1 else None
        fields = {"timestamp": at.isoformat().replace("+00:00", "Z"), "message": message}
        entries.append({"type": "message", "id": f"{name}{case}-{len(entries)}", "parentId": parent, **fields})

    for turn in range(1, TURNS + 1):
        say("e", "user", f"Prompt {turn}")
        say("e", "assistant")
        say("e", "assistant", "Answer")
    if forks_after:
        del entries[forks_after:]
        say("f", "user", "Prompt of the fork")
        say("f", "assistant", "Answer")
    return [orjson.dumps(entry) for entry in entries]


AGENTS: dict[str, Callable[..., Lines]] = {"claude-code": claude_code, "codex": codex, "pi": pi}
WHOLE: dict[str, Turns] = {
    "claude-code": [(n, "human", f"Prompt {n}", 10, 3) for n in range(1, TURNS + 1)],
    "codex": [(n, "human", f"Prompt {n}", 10, 3) for n in range(1, TURNS + 1)],
    "pi": [(n, "human", f"Prompt {n}", 10, 2) for n in range(1, TURNS + 1)],
}
Step = tuple[str, float]
"""A file, and the share of its lines that it has by now."""


def orders(*files: Sequence[Step]) -> Iterator[list[Step]]:
    """All orders in which files can grow, each from one of its steps to the next."""
    steps = [number for number, file in enumerate(files) for _ in file]
    for order in dict.fromkeys(permutations(steps)):
        rest = [list(file) for file in files]
        yield [rest[number].pop(0) for number in order]


class Cases:
    """Many sessions in one index, the files of each in a folder of their own; each grows in an order of its own."""

    def __init__(self, tmp_path: Path, agent: str, all_steps: list[list[Step]], content: Callable[[int, str], Lines]):
        self.agent, self.data, self._folder = agent, tmp_path / "data", tmp_path / "src"
        self._all_steps, self._content = all_steps, content

    def grow(self, *, one_process: bool) -> Iterator[Index]:
        """The index after each step of all sessions."""
        location = Location(self.agent, self._folder)
        indexer = Indexer(self.data)
        for number in range(len(self._all_steps[0])):
            for case, steps in enumerate(self._all_steps):
                name, share = steps[number]
                lines = self._content(case, name)
                self._write(case, name, lines[: round(len(lines) * share)])
            if not one_process:
                indexer.close()
                indexer = Indexer(self.data)
            for _ in indexer.update([location]):
                pass
            yield Index.open(self.data)
        indexer.close()

    def once(self, data: Path) -> Index:
        """An index of the files as they are now."""
        return build(data, self._folder, agent=self.agent)

    def _write(self, case: int, name: str, lines: Lines) -> None:
        session = FIRST.format(case) if name != "fork" else LAST.format(case)
        place = {
            "claude-code": f"{name}.jsonl",
            "codex": f"sessions/2026/07/01/{name}/rollout-2026-07-01T09-00-00-{session}.jsonl",
            "pi": f"2026-11-01T09-00-00-000Z_{session}{name}.jsonl",
        }[self.agent]
        path = self._folder / f"{case}" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line + b"\n" for line in lines))


def turns_of(index: Index) -> dict[str, Turns]:
    """The turns of each session."""
    turns: dict[str, Turns] = {}
    for session, *turn in index.snapshot.rows(
        "SELECT s.session_id, t.number, t.kind, t.user_text, t.output_tokens,"
        " (SELECT count(*) FROM blocks b WHERE b.turn = t.id)"
        " FROM turns t JOIN sessions s ON s.key = t.session ORDER BY s.session_id, t.number"
    ):
        turns.setdefault(session, []).append(tuple(turn))
    return turns


def gaps(turns: dict[str, Turns]) -> dict[str, list[int]]:
    """The numbers of the turns of sessions in which they are not 1 to n."""
    numbers = {session: [number for number, *_ in own] for session, own in turns.items()}
    return {session: own for session, own in numbers.items() if own != list(range(1, len(own) + 1))}


@pytest.mark.spec("S1.22")
@pytest.mark.parametrize("one_process", [True, False])
@pytest.mark.parametrize("agent", AGENTS)
def test_copies_that_grow_in_any_order_are_one_session(agent: str, one_process: bool, tmp_path: Path) -> None:
    """A file, its copy that lags behind, and a backup of its beginning. In the end it is that of the longest file."""
    all_steps = list(orders([("a", 0.6), ("a", 1)], [("b", 0.45), ("b", 0.8)], [("c", 0.3)]))
    all_steps = all_steps[:: 2 if one_process else 5]
    cases = Cases(tmp_path, agent, all_steps, lambda case, _: AGENTS[agent](case))
    index = None
    for index in cases.grow(one_process=one_process):
        assert gaps(turns_of(index)) == {}
    whole = {FIRST.format(case): WHOLE[agent] for case in range(len(all_steps))}
    assert index is not None
    assert (turns_of(index), turns_of(cases.once(tmp_path / "once"))) == (whole, whole)


@pytest.mark.spec("S1.22")
@pytest.mark.parametrize("agent", ["claude-code", "pi"])
def test_forks_and_copies_that_grow_in_any_order_have_each_turn_once(agent: str, tmp_path: Path) -> None:
    """A file, its copy, and a fork of it after two turns.

    Which session has the shared turns does not depend on the order, while the fork has entries of its own or none yet.
    """
    all_steps = list(orders([("a", 0.4), ("a", 1)], [("b", 0.7)], [("fork", 0.6), ("fork", 1)]))

    def content(case: int, name: str) -> Lines:
        return AGENTS[agent](case, forks_after=8 if name == "fork" else 0)

    cases = Cases(tmp_path, agent, all_steps, content)
    index = None
    for index in cases.grow(one_process=True):
        assert gaps(turns_of(index)) == {}
    assert index is not None
    turns = turns_of(index)
    assert turns == turns_of(cases.once(tmp_path / "once"))
    for case in range(len(all_steps)):
        own = [turn for session in (FIRST, LAST) for turn in turns.get(session.format(case), [])]
        assert sorted(prompt for _, _, prompt, *_ in own if prompt) == [
            *(f"Prompt {number}" for number in range(1, TURNS + 1)),
            "Prompt of the fork",
        ]
        assert [turn for turn in own if turn[-1] == 0] == []


@pytest.mark.spec("S1.22")
@pytest.mark.parametrize("grows", [True, False])
@pytest.mark.parametrize("agent", ["claude-code", "pi"])
def test_a_session_that_goes_on_after_its_fork_began(agent: str, grows: bool, tmp_path: Path) -> None:
    """For a while it has nothing of its own; the fork has its own turn by then, or stays a copy of the beginning.

    The own turn of the fork is the later one with Claude Code, and the earlier one with Pi.
    """

    def content(case: int, name: str) -> Lines:
        return AGENTS[agent](case, forks_after=8 if name == "fork" else 0)

    whole, fork = len(content(0, "a")), len(content(0, "fork"))
    copied: list[Step] = [("fork", 8 / fork)]
    all_steps = list(orders([("a", 8 / whole), ("a", 1)], [*copied, ("fork", 1)] if grows else copied))
    cases = Cases(tmp_path, agent, all_steps, content)
    index = None
    for index in cases.grow(one_process=True):
        assert gaps(turns_of(index)) == {}
    assert index is not None
    turns, keeps_its_turns = turns_of(index), agent == "claude-code" and grows
    owner = FIRST if keeps_its_turns else LAST
    assert [owner.format(case) for case in range(len(all_steps))] == [
        session for session, own in sorted(turns.items()) if own[0][2] == "Prompt 1"
    ]
    assert turns == turns_of(cases.once(tmp_path / "once"))


@pytest.mark.spec("S1.22")
def test_the_turns_of_two_files_are_in_the_order_of_time(tmp_path: Path) -> None:
    """A session that was continued in another file, which is newer and read first, and then in the first one again."""
    first, second = (Script(FIRST.format(0), prefix=prefix) for prefix in "ab")
    first.user("Prompt 1")
    first.says("Answer")
    second.count = 100
    second.user("Prompt 2")
    first.count = 200
    first.user("Prompt 3")
    for number, (script, name) in enumerate(((first, "a.jsonl"), (second, "b.jsonl"))):
        os.utime(script.write(tmp_path / "src", name), (number, number))
    assert prompts(build(tmp_path / "data", tmp_path / "src")) == ["Prompt 1", "Prompt 2", "Prompt 3"]
    second.count = 150
    second.user("Prompt 2b")
    second.write(tmp_path / "src", "b.jsonl")
    assert prompts(build(tmp_path / "data", tmp_path / "src")) == ["Prompt 1", "Prompt 2", "Prompt 2b", "Prompt 3"]


def test_a_copy_replaces_the_turns_that_a_file_has_lost(tmp_path: Path) -> None:
    lines, folder = claude_code(0), tmp_path / "src"
    folder.mkdir()
    for share, name in ((1, "a.jsonl"), (0.8, "b.jsonl"), (0.3, "a.jsonl")):
        (folder / name).write_bytes(b"\n".join(lines[: round(len(lines) * share)]) + b"\n")
        index = build(tmp_path / "data", folder)
    assert (prompts(index), gaps(turns_of(index))) == (["Prompt 1", "Prompt 2", "Prompt 3", "Prompt 4"], {})
    assert turns_of(index) == turns_of(build(tmp_path / "once", folder))


def test_an_index_with_gaps_is_mended_on_opening(tmp_path: Path) -> None:
    """The title is found at the first turn, and reviews cite the new numbers; then nothing is left to do."""
    script = Script(FIRST.format(0))
    script.user("Prompt 1, and never use tabs")
    script.says("The zebra is in `stable.py`.")
    script.raw({"type": "custom-title", "customTitle": "Quagga", "sessionId": script.session_id})
    script.user("Prompt 2")
    script.compacts("Nothing is kept.")
    script.says("On it.")
    script.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    review(tmp_path / "data")
    clean = Index.open(tmp_path / "data")
    before = (turns_of(clean), reviews(clean), titled(clean))
    with Indexer(tmp_path / "data") as indexer:
        work = indexer.work
        work.begin_batch()
        with work.transaction():
            replace_rows(work, "turns", lambda row: row | {"number": row["number"] + 7, "batch": work.batch})
            replace_rows(work, "review_items", lambda row: row | {"turn": row["turn"] + 7, "turns": "8"})
        indexer.publish()
    broken = Index.open(tmp_path / "data")
    assert (gaps(turns_of(broken)), titled(broken)) == ({script.session_id: [8, 9, 10]}, [])
    counts = update(tmp_path / "data", tmp_path / "src")
    assert reviews(Index.open(tmp_path / "data")) == [], "they cited the old numbers"
    review(tmp_path / "data")
    mended = Index.open(tmp_path / "data")
    assert (turns_of(mended), reviews(mended), titled(mended)) == before
    assert (before[1] != [], before[2], counts.files_read, counts.snapshots > 0) == (True, [1], 0, True)
    assert update(tmp_path / "data", tmp_path / "src") == Counts()


def test_turns_that_are_stored_twice_are_mended_on_opening(tmp_path: Path) -> None:
    folder = tmp_path / "src"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(b"\n".join(claude_code(0)) + b"\n")
    before = turns_of(build(tmp_path / "data", folder))
    with Indexer(tmp_path / "data") as indexer:
        work = indexer.work
        work.begin_batch()
        with work.transaction():
            work.put("turns", work.rows("turns", "number > 2", []))
        indexer.publish()
    assert [number for number, *_ in turns_of(Index.open(tmp_path / "data"))[FIRST.format(0)]] == [1, 2, 3, 3, 4, 4]
    update(tmp_path / "data", folder)
    assert turns_of(Index.open(tmp_path / "data")) == before


def test_marking_turns_of_the_base_does_not_repeat_them(tmp_path: Path) -> None:
    """They are copied to the overlay while a query that reads both would also return the copies."""
    folder = tmp_path / "src"
    for case in range(20):
        (folder / f"{case}").mkdir(parents=True)
        (folder / f"{case}" / "a.jsonl").write_bytes(b"\n".join(claude_code(case)) + b"\n")
    turns = build(tmp_path / "data", folder).snapshot.rows("SELECT id FROM turns ORDER BY id")
    with Indexer(tmp_path / "data") as indexer:
        work = indexer.work
        work.begin_batch()
        marked = [sorted(work.mark_turns("id % ? = 0", [step])) for step in (7, 3, 1)]
        stored = work.connection.execute("SELECT id, batch FROM turns ORDER BY id").fetchall()
    assert marked == [[turn for (turn,) in turns if turn % step == 0] for step in (7, 3, 1)]
    assert stored == [(turn, work.batch) for (turn,) in turns]


def replace_rows(work: WorkDatabase, table: str, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Change all rows of a table."""
    rows = [dict(zip(COLUMNS[table], row, strict=True)) for row in work.rows(table, "TRUE", [])]
    work.drop(table, {row[KEYS[table]] for row in rows})
    work.put(table, [tuple(changed(row).values()) for row in rows])


def prompts(index: Index) -> list[str]:
    """The prompts of all sessions."""
    return [prompt for own in turns_of(index).values() for _, _, prompt, *_ in own]


def reviews(index: Index) -> list[tuple[Any, ...]]:
    """What the reviews of compactions cite."""
    return index.snapshot.rows("SELECT text, turn, turns, dropped_at FROM review_items ORDER BY ALL")


def titled(index: Index) -> list[int]:
    """The turns that are found by a word in the title of their session."""
    return [hit.turn for hit in index.search("quagga").hits]
