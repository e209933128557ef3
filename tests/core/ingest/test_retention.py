"""How much is kept of a session is decided before anything is stored, and later for what is stored already."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.workers import pool
from memtui_core.model import Retention
from memtui_core.readers.exclusions import Exclusions, RetentionRules
from memtui_core.readers.locations import Location
from support.contents import files_containing
from support.indexes import embed, review
from support.systems import HOME_VARIABLE
from support.table_values import index_values
from support.transcripts import OTHER_SESSION, SESSION, Script

WORDS = {
    "prompt": "qzxvprompt81",
    "answer": "qzxvanswer82",
    "result": "qzxvresult83",
    "thinking": "qzxvthought84",
    "summary": "qzxvsummary85",
    "edit": "qzxvedit86",
    "second line": "qzxvsecond87",
    "path": "qzxvpath88",
    "unknown": "qzxvunknown89",
    "command": "qzxvcommand90",
}
"""A word of each kind of text."""
KEPT = {
    "full": set(WORDS),
    "text": {"prompt", "answer", "summary", "path", "command"},
    # The title is the first prompt.
    "titles": {"prompt"},
}


TEXT_TABLES = ("sessions", "turns", "blocks", "file_mentions", "unknown_entries")


def session(session_id: str = SESSION, prefix: str = "e", cwd: str = "/home/ana/code/shop") -> Script:
    script = Script(session_id, cwd, prefix)
    path = f"{cwd}/src/{WORDS['path']}.py"
    script.user(f"Round the {WORDS['prompt']}")
    script.thinks(f"About {WORDS['thinking']}")
    script.calls("Edit", {"file_path": path, "old_string": "a", "new_string": WORDS["edit"]}, "t1")
    script.result("done", "t1")
    script.calls("Bash", {"command": f"echo {WORDS['command']}\necho {WORDS['second line']}"}, "t2")
    script.result(f"Exit code 3\n{WORDS['result']}", "t2", error=True)
    script.raw({"type": "novelty", "sessionId": session_id, "content": WORDS["unknown"], "uuid": f"{prefix}n"})
    script.says(f"It is {WORDS['answer']}")
    script.entry("system", subtype="compact_boundary", content="Conversation compacted")
    script.user(f"This session continues. {WORDS['summary']}", isCompactSummary=True)
    script.user("Go on")
    script.says("Done")
    return script


def update(data: Path, source: Path, levels: dict[str, Retention], processes: int = 1) -> None:
    with Indexer(data, retention=RetentionRules(levels), processes=processes) as indexer:
        for _ in indexer.update([Location("claude-code", source)]):
            pass


def kept(data: Path) -> set[str]:
    """The kinds of texts that are in any file of an index."""
    found = files_containing(data, *WORDS.values())
    return {kind for kind, word in WORDS.items() if found[word]}


@pytest.mark.spec("S6.9")
@pytest.mark.parametrize("level", ["full", "text", "titles"])
@pytest.mark.parametrize("processes", [1, 2])
def test_each_level_keeps_what_it_says(
    level: Retention, processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if other processes make the rows."""
    monkeypatch.setattr(pool, "WORTH_A_PROCESS", 1)
    session().write(tmp_path / "src")
    session(OTHER_SESSION, "f", "/home/ana/code/blog").write(tmp_path / "src")
    data = tmp_path / "data"
    update(data, tmp_path / "src", {"shop": level, "blog": level}, processes)
    embed(data)
    review(data)
    assert kept(data) == KEPT[level]


COUNTS = (
    "SELECT count(*), sum(tool_calls), sum(errors), sum(input_tokens), min(started_at), any_value(models) FROM turns"
)


def test_what_is_counted_is_the_same_at_every_level(tmp_path: Path) -> None:
    session().write(tmp_path / "src")
    facts = {}
    levels: tuple[Retention, ...] = ("full", "text", "titles")
    for level in levels:
        update(tmp_path / level, tmp_path / "src", {"default": level})
        index = Index.open(tmp_path / level)
        [one] = index.sessions.all()
        blocks = index.snapshot.rows("SELECT kind, tool, is_error, entry, at_time FROM blocks ORDER BY turn, seq")
        tools = [len(turn.tool_summary) for turn in index.sessions.turns(one.key)]
        facts[level] = (one.title, one.turns, one.compactions, blocks, tools, index.snapshot.rows(COUNTS))
    assert facts["text"] == facts["full"]
    assert facts["titles"] == facts["full"]
    assert facts["full"][:3] == (f"Round the {WORDS['prompt']}", 3, 1)


def test_files_and_exit_codes_are_kept_with_texts_and_not_with_titles(tmp_path: Path) -> None:
    session().write(tmp_path / "src")
    for level, paths, calls in (
        (
            "text",
            [f"src/{WORDS['path']}.py"],
            [
                '{"file_path":"/home/ana/code/shop/src/' + WORDS["path"] + '.py"}',
                '{"command":"echo ' + WORDS["command"] + '"}',
            ],
        ),
        ("titles", [], ["not kept: retention = titles"] * 2),
    ):
        update(tmp_path / level, tmp_path / "src", {"default": level})  # type: ignore[dict-item]
        index = Index.open(tmp_path / level)
        blocks = index.sessions.blocks(index.sessions.find(SESSION).key, 1, 1)[1]
        assert [row.path for row in index.files.find().rows] == paths
        assert [block.text for block in blocks if block.kind == "tool_call"] == calls
        results = [(block.text, block.is_error) for block in blocks if block.kind == "tool_result"]
        assert results == [(f"not kept: retention = {level}", False), (f"not kept: retention = {level}", True)]


LEVELS: dict[str, Retention] = {
    "shop": "text",
    "~/private": "titles",
    "/srv/*/log": "titles",
    "blog": "full",
    "default": "full",
}


def test_a_rule_names_a_project_or_a_folder_and_the_strictest_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    rules = RetentionRules(LEVELS)
    assert [
        rules.level_of(project, *folders)
        for project, *folders in (
            ("Shop", "/home/ana/code/shop"),
            ("shop", "/home/ana/private/shop"),
            ("pay", "/home/ana/private"),
            ("pay", "/srv/one/log/deep"),
            ("pay", "/srv/log"),
            ("blog", "/home/ana/code/blog"),
        )
    ] == ["text", "titles", "titles", "titles", "full", "full"]
    strict = RetentionRules({"default": "titles", "blog": "full"})
    assert [strict.level_of("blog"), strict.level_of("pay"), bool(strict)] == ["full", "titles", True]
    assert not RetentionRules({"default": "full"})


def test_a_growing_session_keeps_no_more_than_one_that_is_read_at_once(tmp_path: Path) -> None:
    script = session()
    path = tmp_path / "src" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    with Indexer(tmp_path / "grown", retention=RetentionRules({"shop": "text"})) as indexer:
        for count in range(1, len(script.lines) + 1):
            path.write_bytes(b"\n".join(script.lines[:count]) + b"\n")
            for _ in indexer.update([Location("claude-code", path.parent)]):
                pass
    update(tmp_path / "fresh", path.parent, {"shop": "text"})
    assert index_values(tmp_path / "grown") == index_values(tmp_path / "fresh")
    assert kept(tmp_path / "grown") == KEPT["text"]


@pytest.mark.spec("S6.9")
@pytest.mark.parametrize("level", ["text", "titles"])
def test_what_is_stored_already_is_shrunk_to_what_would_be_stored_now(level: Retention, tmp_path: Path) -> None:
    session().write(tmp_path / "src")
    session(OTHER_SESSION, "f", "/home/ana/code/blog").write(tmp_path / "other")
    data = tmp_path / "data"
    update(data, tmp_path / "src", {})
    embed(data)
    review(data)
    rules = RetentionRules({"shop": level})
    update(data, tmp_path / "src", {"shop": level})
    assert kept(data) == set(WORDS)
    with Indexer(data) as indexer:
        assert [one.session_id for one in indexer.forgetting.shrink(rules)] == [SESSION]
        assert indexer.forgetting.shrink(rules) == []
    assert kept(data) == KEPT[level]
    embed(data)
    fresh = tmp_path / "fresh"
    update(fresh, tmp_path / "src", {"shop": level})
    embed(fresh)
    assert index_values(data) == index_values(fresh)
    update(data, tmp_path / "other", {"shop": level})
    assert kept(data) == set(WORDS)


@pytest.mark.spec("S6.9")
def test_the_archive_is_shrunk_too(tmp_path: Path) -> None:
    path = session().write(tmp_path / "src")
    data = tmp_path / "data"
    update(data, tmp_path / "src", {})
    path.unlink()
    update(data, tmp_path / "src", {})
    assert set(files_containing(data, WORDS["result"])[WORDS["result"]]) > {"archive/sessions.records"}
    with Indexer(data) as indexer:
        indexer.forgetting.shrink(RetentionRules({"shop": "text"}))
    assert kept(data) == KEPT["text"]
    assert set(files_containing(data, WORDS["answer"])[WORDS["answer"]]) > {"archive/sessions.records"}


def test_what_comes_back_from_the_archive_is_no_more_than_is_kept(tmp_path: Path) -> None:
    """Into an index that was lost: less of one session, as if it had been read now, and nothing of an excluded one."""
    paths = [
        script.write(tmp_path / "src") for script in (session(), session(OTHER_SESSION, "f", "/home/ana/code/blog"))
    ]
    data, fresh = tmp_path / "data", tmp_path / "fresh"
    levels: dict[str, Retention] = {"shop": "titles"}
    update(data, tmp_path / "src", {})
    update(fresh, paths[0], levels)
    for path in paths:
        path.unlink()
    update(data, tmp_path / "src", {})
    for path in data.iterdir():
        if path.name != "archive":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    with Indexer(data, exclusions=Exclusions(["project:blog"]), retention=RetentionRules(levels)) as indexer:
        for _ in indexer.update([Location("claude-code", tmp_path / "src")]):
            pass
        assert indexer.counts.sessions_restored == 1
    shutil.rmtree(data / "archive")
    assert kept(data) == KEPT["titles"]
    values, expected = index_values(data), index_values(fresh)
    assert {table: values[table] for table in TEXT_TABLES} == {table: expected[table] for table in TEXT_TABLES}
