"""`memtui sql`: documented views, read-only, and cut off from everything else."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.errors import SqlFailed
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.store.marks.tombstones import SessionIdentity
from memtui_core.store.snapshot import sql_views
from memtui_core.store.snapshot.sql_views import VIEWS
from support.indexes import update
from support.transcripts import OTHER_SESSION, SESSION, Script
from tools.docs_tables import DOCS


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sessions: one with a failing call and an edit, and one of which the index gets a part later."""
    script = Script(SESSION)
    script.user("Fix the upload")
    script.calls("Bash", {"command": "make test"}, "t1")
    script.result("1 failed", "t1", error=True)
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/a.py", "old_string": "a", "new_string": "b"}, "t2")
    script.result("ok", "t2")
    script.says("Done.\x1b]0;owned\x07")
    script.compacts("A summary")
    script.write(tmp_path / "src")
    other = Script(OTHER_SESSION, cwd="/home/ana/code/blog", prefix="o")
    other.user("Write a post")
    other.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    # So that there are layers over the base.
    other.user("And another, please")
    other.write(tmp_path / "src")
    update(tmp_path / "data", tmp_path / "src")
    return tmp_path / "data"


def run(data: Path, *arguments: str, given: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["sql", *arguments, "--data-dir", str(data)], input=given)


def test_the_views_have_what_they_say(data: Path) -> None:
    index = Index.open(data)
    index.annotations.rename(index.sessions.find(SESSION).key, "Mine")
    index.annotations.tag(index.sessions.find(SESSION).key, ["release"], 1)
    index.annotations.archive(index.sessions.find(OTHER_SESSION).key)
    asked = {
        "SELECT session_id, project, title, turns, tool_calls, errors, archived FROM sessions ORDER BY 1": [
            (SESSION, "shop", "Mine", 2, 2, 1, False),
            (OTHER_SESSION, "blog", "Write a post", 2, 0, 0, True),
        ],
        "SELECT turn, prompt FROM turns WHERE session_id LIKE '2222%' ORDER BY 1": [
            (1, "Write a post"),
            (2, "And another, please"),
        ],
        "SELECT turn, kind, text FROM texts WHERE session_id LIKE '1111%' AND turn = 1 ORDER BY seq": [
            (1, "user", "Fix the upload"),
            (1, "assistant", "Done.\x1b]0;owned\x07"),
        ],
        "SELECT tool, input ->> '$.command', result, is_error FROM tool_calls ORDER BY seq": [
            ("Bash", "make test", "1 failed", True),
            ("Edit", None, "ok", False),
        ],
        "SELECT path, kind, turn FROM touches WHERE kind = 'edited'": [("src/a.py", "edited", 1)],
        "SELECT project, path, edited, sessions FROM files WHERE edited > 0": [("shop", "src/a.py", 1, 1)],
        "SELECT session_id, tokens_before, turns_before FROM compactions": [(SESSION, 150_000, 1)],
        "SELECT session_id, turn, kind, text FROM annotations ORDER BY 1, 3": [
            (SESSION, 1, "tag", "release"),
            (SESSION, None, "title", "Mine"),
            (OTHER_SESSION, None, "archive", ""),
        ],
        "SELECT sum(turns) = (SELECT count(*) FROM turns) FROM usage": [(True,)],
        "SELECT count(*) FROM pull_requests": [(0,)],
    }
    assert {statement: index.sql(statement).rows for statement in asked} == asked


def test_all_columns_of_all_views_can_be_read_and_are_documented(data: Path, sample_index: Path) -> None:
    for view in VIEWS:
        assert Index.open(sample_index).sql(f"FROM {view.name} LIMIT 1").columns == tuple(view.columns)
        # No name is a word of SQL that has to be quoted.
        named = Index.open(sample_index).sql(f"SELECT {', '.join(view.columns)} FROM {view.name} LIMIT 1")
        assert named.columns == tuple(view.columns)
    page = (DOCS / "shell.md").read_text("utf-8")
    assert all(f"`{name}`" in page for view in VIEWS for name in (view.name, *view.columns))
    printed = run(data, "--schema").stdout
    assert re.findall(r"^(\w+):", printed, re.MULTILINE) == [view.name for view in VIEWS]


def test_rows_are_printed_as_a_table_csv_or_json(data: Path) -> None:
    statement = (
        "SELECT project, turns, TIMESTAMP '2026-11-01 09:00:00' AS at, [1, 2] AS list, NULL AS nothing,"
        " turns > 1 AS more FROM sessions ORDER BY project"
    )
    assert run(data, statement).stdout.splitlines() == [
        "project  turns  at                   list  nothing  more",
        "blog         2  2026-11-01 09:00:00  1, 2           true",
        "shop         2  2026-11-01 09:00:00  1, 2           true",
    ]
    rows = list(csv.reader(io.StringIO(run(data, statement, "--csv").stdout)))
    assert rows[:2] == [
        ["project", "turns", "at", "list", "nothing", "more"],
        ["blog", "2", "2026-11-01 09:00:00", "1, 2", "", "true"],
    ]
    assert json.loads(run(data, statement, "--json").stdout)[0] == {
        "project": "blog",
        "turns": 2,
        "at": "2026-11-01T09:00:00Z",
        "list": [1, 2],
        "nothing": None,
        "more": True,
    }
    assert run(data, "-", given="SELECT 1 AS one").stdout == "one\n  1\n"
    nothing = run(data, "SELECT 1 AS one WHERE FALSE")
    assert (nothing.exit_code, nothing.stdout, nothing.stderr) == (0, "one\n", "No rows.\n")


def test_values_without_a_form_in_json_are_texts_or_numbers(data: Path) -> None:
    row = json.loads(
        run(
            data,
            "SELECT 1.5::DECIMAL(4, 2) AS d, DATE '2026-11-01' AS day, INTERVAL 2 HOUR AS i, 99999999999999999999 AS h,"
            " {'a': TIMESTAMP '2026-11-01 09:00:00'} AS s, now() > TIMESTAMPTZ '2026-01-01 00:00:00+00' AS n,"
            " now() IS NULL AS x, TIMESTAMPTZ '2026-11-01 09:00:00+00' AS z",
            "--json",
        ).stdout
    )[0]
    assert row.pop("z").startswith("2026-11-01 ")
    assert row == {
        "d": 1.5,
        "day": "2026-11-01",
        "i": 7200.0,
        "h": "99999999999999999999",
        "n": True,
        "x": False,
        "s": {"a": "2026-11-01T09:00:00Z"},
    }


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('{here}/secret.csv')",
        "FROM '{here}/secret.csv'",
        "SELECT * FROM glob('{here}/*')",
        "COPY (SELECT 1) TO '{here}/new.csv'",
        "ATTACH '{here}/new.duckdb'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET threads = 1",
        "PRAGMA threads = 1",
        "CREATE TABLE t (a INTEGER)",
        "CREATE VIEW v AS SELECT 1",
        "DROP VIEW turns",
        "DELETE FROM turns",
        "INSERT INTO base.main.meta VALUES ('a', 'b')",
        "UPDATE base.main.sessions SET title = 'x'",
        "EXPLAIN ANALYZE INSERT INTO base.main.meta VALUES ('a', 'b')",
        "EXPLAIN ANALYZE CREATE TABLE memory.main.t AS SELECT 1",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{here}/new.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{base}' (FORMAT csv, USE_TMP_FILE false)",
        "/* ä */ EXPLAIN (ANALYZE) -- b\nCOPY (SELECT 1) TO '{base}.wal' (FORMAT csv, USE_TMP_FILE false)",
        "EXPLAIN COPY (SELECT 1) TO '{base}'",
        "EXPLAIN ANALYZE ATTACH '{base}' AS again",
        "COPY (SELECT 1) TO '{base}' (FORMAT csv, USE_TMP_FILE false)",
        "SELECT * FROM read_blob('{base}')",
        "SELECT * FROM glob('{base}*')",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP VIEW turns",
        "EXPORT DATABASE '{here}/all'",
        "USE base",
        "BEGIN",
        "CHECKPOINT base",
        "SELEC 1",
        "SELECT nope FROM turns",
        "SELECT title::INTEGER FROM sessions",
        "FROM nothing",
        "/* only a comment */",
        "SELECT error('mine')",
        "FROM turns, query_table('sess' || 'ions')",
    ],
)
def test_a_statement_that_does_more_than_read_or_is_wrong_fails_and_changes_nothing(
    data: Path, tmp_path: Path, statement: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "secret.csv").write_text("secret\n1\n")
    before = {path: path.read_bytes() for path in (data / "snapshots").iterdir()}
    [base] = [path for path in before if path.suffix == ".duckdb"]
    result = run(data, statement.format(here=here, base=base))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("memtui: ")
    assert "report it" not in result.stderr
    assert [path.name for path in here.iterdir()] == ["secret.csv"]
    assert {path: path.read_bytes() for path in (data / "snapshots").iterdir()} == before
    assert not (data / "damaged.txt").exists()


def test_statements_that_read_in_other_words_are_answered(data: Path) -> None:
    cases = (
        "DESCRIBE turns",
        "SUMMARIZE turns",
        "SHOW TABLES",
        "WITH a AS (SELECT 1) FROM a",
        "VALUES (1)",
        "EXPLAIN FROM turns",
        "EXPLAIN (SELECT 1)",
        "/* ä */ EXPLAIN ANALYZE /* b */ WITH a AS (FROM turns) FROM a",
        "EXPLAIN (ANALYZE, FORMAT json) FROM turns",
    )
    assert {case: run(data, case).exit_code for case in cases} == dict.fromkeys(cases, 0)
    assert run(data, "SHOW TABLES").stdout.split()[1:] == sorted(view.name for view in VIEWS)


def test_a_statement_that_takes_too_long_is_ended(data: Path) -> None:
    endless = "SELECT count(*) FROM range(100000000000) a, range(100000000) b"
    result = run(data, endless, "--timeout", "0.1")
    assert (result.exit_code, result.stderr) == (1, "memtui: It took longer than 0.1 s.\n")
    with pytest.raises(SqlFailed, match="longer than"):
        Index.open(data).sql(endless, 0.1)


STUCK = "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))"
"""What DuckDB does not interrupt, and takes an hour."""


def start(data: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "memtui", "sql", *arguments, "--data-dir", str(data)]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("form", ["--csv", "--json"])
def test_what_cannot_be_interrupted_is_ended_too(data: Path, form: str) -> None:
    process = start(data, STUCK, "--timeout", "0.1", form)
    try:
        assert process.communicate(timeout=100) == ("", "memtui: It took longer than 0.1 s.\n")
    finally:
        process.kill()
    assert process.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends ctrl+c to a whole console")
def test_ctrl_c_ends_what_cannot_be_interrupted(data: Path) -> None:
    # The first part is printed, so that the second one, which is stuck, is being made.
    rows = "SELECT CASE WHEN i = 2999999 THEN levenshtein(repeat('a', 1000000 + i), repeat('b', 1000000)) END AS n"
    with start(data, f"{rows} FROM range(3000000) r(i)", "--csv") as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "n\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(100) == -signal.SIGINT
        finally:
            process.kill()


def test_a_statement_that_needs_too_much_memory_fails_and_puts_nothing_on_the_disk(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    result = run(data, "SELECT len(string_agg(repeat(i::VARCHAR, 300))) FROM range(3000000) r(i)")
    assert (result.exit_code, result.stderr) == (1, "memtui: It needs more memory than 1 GB.\n")
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize("count", [0, 999, 1000, 1001, 2000])
def test_rows_come_in_parts(data: Path, count: int) -> None:
    statement = f"SELECT i FROM range({count}) r(i) ORDER BY i"
    rows = [(i,) for i in range(count)]
    parts = list(Index.open(data).sql_parts(statement))
    assert [row for part in parts for row in part.rows] == rows
    assert max(len(part.rows) for part in parts) <= 1000
    assert {part.columns for part in parts} == {("i",)}
    assert Index.open(data).sql(statement).rows == rows
    assert run(data, statement, "--csv").stdout.split() == ["i", *map(str, range(count))]


class Clock:
    """A monotonic clock that is set."""

    now = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def test_the_time_between_two_parts_does_not_count(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(sql_views, "monotonic", clock)
    rows = 0
    for part in Index.open(data).sql_parts("FROM range(500000)", 60):
        rows += len(part.rows)
        clock.now += 1000
    assert rows == 500_000


def test_bytes_that_are_no_text_are_private_characters(data: Path) -> None:
    process = start(data, "SELECT hex('\udcff') AS h, ascii('\udcff') AS a", "--json")
    answer, errors = process.communicate()
    assert (json.loads(answer), errors) == ([{"h": "EF9FBF", "a": 0xF7FF}], "")
    given = CliRunner().invoke(cli, ["sql", "-", "--data-dir", str(data)], input=b"SELECT ascii('\xff') AS a")
    assert (given.exit_code, given.stdout) == (0, f"    a\n{0xF7FF}\n")


@pytest.mark.parametrize(
    "arguments", [(), ("",), ("SELECT 1", "--csv", "--json"), ("SELECT 1", "--timeout", "0"), ("a", "b")]
)
def test_wrong_usage_has_code_2(data: Path, arguments: tuple[str, ...]) -> None:
    assert run(data, *arguments).exit_code == 2


def test_without_an_index_it_fails(tmp_path: Path) -> None:
    result = run(tmp_path / "none", "SELECT 1")
    assert (result.exit_code, "Run: memtui index" in result.stderr) == (1, True)


def test_what_was_forgotten_is_in_no_view_and_in_no_table(data: Path) -> None:
    with Indexer(data) as indexer:
        assert indexer.forgetting.forget([SessionIdentity("claude-code", SESSION)])
    index = Index.open(data)
    assert index.sql("SELECT session_id FROM sessions").rows == [(OTHER_SESSION,)]
    assert index.sql("SELECT count(*) FROM base.main.sessions WHERE session_id LIKE '1111%'").rows == [(0,)]


def test_an_index_of_some_projects_is_not_asked(data: Path) -> None:
    with pytest.raises(SqlFailed, match="some projects"):
        Index.open(data, allowed=lambda source: ["/home/ana/code/blog"]).sql("SELECT 1")
