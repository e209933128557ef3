"""What is found out about turns when they are stored: it is there for stored turns, too, and only as long as these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.turns import turn_facts
from memtui_core.model import RETENTIONS, Block, Retention
from memtui_core.queries import turns as turns_query
from memtui_core.readers.exclusions import RetentionRules
from memtui_core.readers.locations import Location
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.tables import RowSource
from memtui_core.text.own_patterns import use_patterns
from support.indexes import update
from support.rollouts import CWD, THREAD, Rollout
from support.transcripts import Script

MADE = "[main 3f2a9c1] Round the prices\n 1 file changed, 2 insertions(+)\n"
COMMITS = [
    (1, "commit", "3f2a9c1", 0, "Round the prices"),
    (2, "commit", "77b1e0d", 1, "Round all prices"),
    (2, "commit", "a0b1c2d", 0, "Add taxes"),
]
RUN = "cd shop && git commit"
FACTS = [
    COMMITS[0],
    (1, "pass", RUN, 0, ""),
    COMMITS[1],
    (2, "pass", f"{RUN} --amend", 0, ""),
    COMMITS[2],
    (2, "pass", RUN, 0, ""),
    (2, "failure", RUN, 0, ""),
]
"""Of `worked`: the number of the turn, and the fact."""


@pytest.fixture(autouse=True)
def no_patterns() -> Iterator[None]:
    yield
    use_patterns(())


def worked() -> Rollout:
    """A session with three commits, a command that failed, and one that was only looked at."""
    rollout = Rollout(THREAD)
    rollout.user("Round the prices")
    rollout.shell("git commit -am 'Round the prices'", MADE)
    rollout.user("All of them, then the taxes")
    rollout.shell("git commit --amend -m 'Round all prices'", "[main 77b1e0d] Round all prices\n")
    rollout.shell("git commit -qm 'Add taxes' && git log --oneline -1", "a0b1c2d Add taxes\n")
    rollout.shell("git commit -m Nothing", "nothing to commit, working tree clean\n", 1)
    rollout.shell("git show 1111111", "[main 2222222] Not a commit\n")
    return rollout


def facts(data: Path) -> list[tuple[int, str, str, int, str]]:
    snapshot = Index.open(data).snapshot
    rows = snapshot.rows(
        "SELECT t.number, f.kind, f.name, f.number, f.text FROM facts f"
        " JOIN turns t ON t.id = f.turn AND t.session = f.session"
        " JOIN blocks b ON b.turn = f.turn AND b.seq = f.seq AND b.kind = 'tool_call' ORDER BY f.turn, f.seq, f.kind"
    )
    assert snapshot.rows("SELECT count(*) FROM facts") == [(len(rows),)]
    return rows


def made_again(data: Path, source: Path) -> list[tuple[int, int]]:
    """The files that were read and the snapshots that were published by two indexers, one after the other."""
    counts = []
    for _ in range(2):
        with Indexer(data) as indexer:
            list(indexer.update([Location("codex", source.parent)]))
            counts.append((indexer.counts.files_read, indexer.counts.snapshots))
    return counts


@pytest.mark.parametrize("processes", [1, 2])
def test_commits_are_facts_of_the_turns_that_made_them(tmp_path: Path, processes: int) -> None:
    data, source = tmp_path / "data", worked().write(tmp_path / "src")
    Rollout("0199aaaa-0000-7000-8000-000000000002").write(tmp_path / "src", name="other")
    with Indexer(data, processes=processes) as indexer:
        list(indexer.update([Location("codex", source.parent)]))
    assert facts(data) == FACTS
    assert made_again(data, source) == [(0, 0), (0, 0)]


def test_a_fact_comes_with_the_turn_that_grows_and_only_once(tmp_path: Path) -> None:
    data, script = tmp_path / "data", Script()
    seen = []
    script.user("Round the prices")
    script.calls("Bash", {"command": "git commit -am Round"}, "t1")
    steps: tuple[Callable[[], object], ...] = (
        lambda: None,
        lambda: script.result(MADE, "t1"),
        lambda: script.says("Done."),
        lambda: script.user("?"),
    )
    for step in steps:
        step()
        update(data, script.write(tmp_path / "src"))
        seen.append(facts(data))
    ended = [FACTS[0], (1, "pass", "git commit", 0, "")]
    assert seen == [[], ended, ended, ended]


def test_decisions_are_facts_of_the_prompt_or_the_call(tmp_path: Path) -> None:
    """An answer comes with the result of the call that asked."""
    data, script = tmp_path / "data", Script()
    asked = {"questions": [{"question": "Round up?", "options": [{"label": "Half to even"}, {"label": "Up"}]}]}
    script.user("Round the prices. Let's use Decimal instead of floats.")
    script.calls("AskUserQuestion", asked, "t1")
    seen = []
    for result in ("", 'The user answered: "Round up?"="Half to even".'):
        if result:
            script.result(result, "t1")
        update(data, script.write(tmp_path / "src"))
        seen.append(
            Index.open(data).snapshot.rows(
                "SELECT b.kind, f.kind, f.name, f.number, f.text FROM facts f"
                " JOIN blocks b ON b.turn = f.turn AND b.seq = f.seq ORDER BY f.seq, f.text"
            )
        )
    said = ("user", "decision", "said", 0, "Let's use Decimal instead of floats.")
    answer = ("tool_call", "decision", "answer", 0, "Half to even\nRound up?")
    # What the user did while the question was there is not known.
    unknown = ("tool_call", "edit", "", 0, "")
    assert seen == [[said, unknown], [said, unknown, answer, ("tool_call", "decision", "option", 1, "Up\nRound up?")]]


@pytest.mark.parametrize("before", [None, "0"], ids=["no rules", "other rules"])
def test_the_facts_of_stored_turns_are_made_once(tmp_path: Path, before: str | None) -> None:
    """Also of a session whose transcript is gone."""
    data, source = tmp_path / "data", worked().write(tmp_path / "src")
    update(data, source, agent="codex")
    with Indexer(data) as indexer:
        work = indexer.work
        work.begin_batch()
        with work.transaction():
            own = work.rows("facts", "TRUE", [])
            work.drop("facts", {row[1] for row in own})
            work.put("facts", [(*own[0][:3], "commit", "fffffff", 0, "Of other rules")] if before else [])
            work.connection.execute("DELETE FROM meta WHERE key = 'facts_by'")
            if before:
                work.connection.execute("INSERT INTO meta VALUES ('facts_by', ?)", [before])
        indexer.publish()
    source.unlink()
    assert len(facts(data)) == (1 if before else 0)
    assert made_again(data, source) == [(0, 1), (0, 0)]
    assert facts(data) == FACTS


def test_the_texts_in_memory_at_once_are_bounded_by_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn that has more is alone."""
    monkeypatch.setattr(turn_facts, "_MOST_BYTES", 20)
    monkeypatch.setattr(turn_facts, "_MOST_TURNS", 3)
    assert list(turn_facts._parts([1, 2, 3, 4, 5, 6, 7], {1: 10, 2: 10, 3: 1, 4: 21})) == [[1, 2], [3], [4], [5, 6, 7]]
    assert list(turn_facts._parts([1, 2, 3, 4], {})) == [[1, 2, 3], [4]]
    assert list(turn_facts._parts([], {})) == []


@pytest.mark.parametrize("most", [1, 10**9])
def test_facts_that_are_made_again_in_parts_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    data, source = tmp_path / "data", worked().write(tmp_path / "src")
    update(data, source, agent="codex")
    monkeypatch.setattr(turn_facts, "_MOST_BYTES", most)
    parts = []
    with Indexer(data) as indexer:
        work = indexer.work
        work.begin_batch()
        stored = turn_facts.StoredFacts(work)
        turns = [row[0] for row in work.rows("turns", "TRUE", [])]
        read = turns_query.blocks_of_turns

        def counted(source: RowSource, ids: Collection[int]) -> dict[int, list[Block]]:
            parts.append(list(ids))
            return read(source, ids)

        monkeypatch.setattr(turns_query, "blocks_of_turns", counted)
        stored.make(turns)
        indexer.publish()
    assert parts == ([[turn] for turn in sorted(turns)] if most == 1 else [sorted(turns)])
    assert facts(data) == FACTS


def test_facts_go_with_their_session_and_come_back_with_it(tmp_path: Path) -> None:
    data, source = tmp_path / "data", worked().write(tmp_path / "src")
    update(data, source, agent="codex")
    with Indexer(data) as indexer:
        forget = indexer.forgetting.forget([SessionIdentity("codex", THREAD)])
    assert forget is not None
    assert facts(data) == []
    with Indexer(data) as indexer:
        indexer.forgetting.undo(forget.id)
    assert facts(data) == FACTS


def test_a_secret_in_a_subject_is_replaced_later_too(tmp_path: Path) -> None:
    data, source = tmp_path / "data", worked().write(tmp_path / "src")
    update(data, source, agent="codex")
    use_patterns(["prices"])
    update(data, source, agent="codex")
    assert [text for *_, text in facts(data) if text] == [
        "Round the [redacted:pattern]",
        "Round all [redacted:pattern]",
        "Add taxes",
    ]


@pytest.mark.parametrize("later", [False, True], ids=["when it is read", "later"])
@pytest.mark.parametrize("level", RETENTIONS)
def test_facts_are_of_what_is_kept(tmp_path: Path, level: Retention, later: bool) -> None:
    """The output of a command is kept at `full` only, and its text at `text`, too.

    How it ended is not known without its output.
    """
    data, source = tmp_path / "data", worked().write(tmp_path / "src")
    with Indexer(data, retention=RetentionRules({} if later else {Path(CWD).name: level})) as indexer:
        list(indexer.update([Location("codex", source.parent)]))
        if later:
            indexer.stored.shrink({1: level})
            indexer.stored.remove(())
    by_command = (2, "commit", "", 0, "Add taxes")
    assert facts(data) == {"full": FACTS, "text": [by_command], "titles": []}[level]
