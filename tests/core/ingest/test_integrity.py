"""What holds of the tables of every index: no row twice, and none that hangs on a row which is not there."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memtui_core.index.index import Index
from support.indexes import build, update
from support.transcripts import OTHER_SESSION, SESSION, Script

SAMPLES = Path(__file__).parents[3] / "sample_sessions" / "projects"
UNIQUE = {
    "pr_links": "session, number",
    "file_mentions": "session, line, path, tool",
    "turns": "session, number",
    "blocks": "turn, seq",
    "compactions": "source, line",
    "bad_lines": "source, line",
    "sessions": "agent, session_id, parent_id",
    "sources": "path",
}
"""The columns by which the rows of a table differ."""
HANGS_ON = [
    ("pr_links", "session", "sessions", "key"),
    ("file_mentions", "session", "sessions", "key"),
    ("file_mentions", "turn", "turns", "id"),
    ("blocks", "turn", "turns", "id"),
    ("agent_calls", "turn", "turns", "id"),
    ("facts", "turn", "turns", "id"),
    ("facts", "session", "sessions", "key"),
    ("turns", "session", "sessions", "key"),
    ("turns", "source", "sources", "id"),
    ("compactions", "session", "sessions", "key"),
]


def faults(index: Index) -> list[Any]:
    """Rows that are there twice, rows without the one that they hang on, and sessions whose turns are not 1 to n."""
    found: list[Any] = index.snapshot.rows(
        "SELECT 'gaps', session, list(number ORDER BY number) FROM turns GROUP BY ALL HAVING max(number) > count(*)"
    )
    for table, columns in UNIQUE.items():
        twice = index.snapshot.rows(f"SELECT {columns} FROM {table} GROUP BY ALL HAVING count(*) > 1")
        found += [(table, *row) for row in twice]
    for table, column, other, key in HANGS_ON:
        lost = index.snapshot.rows(f"SELECT x.{column} FROM {table} x ANTI JOIN {other} y ON x.{column} = y.{key}")
        found += [(table, column, *row) for row in lost]
    return found


def contents(index: Index) -> dict[str, Counter[tuple[Any, ...]]]:
    """What a person can be told of: roles, links, mentions, compactions and texts, by session and line."""
    of_session = "JOIN sessions s ON s.key = x.session"
    asked = {
        "roles": f"SELECT s.session_id, x.line, x.kind, x.segment, x.number, x.user_text FROM turns x {of_session}",
        "links": f"SELECT s.session_id, x.number, x.url, x.repository, x.at_time, x.line FROM pr_links x {of_session}",
        "mentions": f"SELECT s.session_id, x.line, x.path, x.tool, x.kind, x.is_dir FROM file_mentions x {of_session}",
        "compactions": f"SELECT s.session_id, x.line, x.segment, x.trigger FROM compactions x {of_session}",
        "blocks": "SELECT s.session_id, b.line, b.seq, b.kind, b.text FROM blocks b JOIN turns x ON x.id = b.turn "
        + of_session,
    }
    return {name: Counter(index.snapshot.rows(sql)) for name, sql in asked.items()}


def rich(session_id: str = SESSION, prefix: str = "e") -> Script:
    """A session with links, one of them told again, a compaction, and a file that is read and changed twice."""
    script = Script(session_id, prefix=prefix)
    path = "/home/ana/code/shop/a.py"
    for turn in range(2):
        script.user(f"turn {turn} @src/b.py @src/b.py")
        for number, tool in enumerate(("Read", "Edit", "Read", "Edit")):
            script.calls(tool, {"file_path": path, "old_string": "a", "new_string": "b"}, f"t{turn}{number}")
            script.result("ok", f"t{turn}{number}")
        for number in (14, 21, 14):
            script.raw(
                {
                    "type": "pr-link", "sessionId": session_id, "prNumber": number,
                    "prUrl": f"https://x/{number}/{len(script.lines)}", "prRepository": "acme/shop",
                    "timestamp": "2026-11-01T09:00:00Z",
                }
            )  # fmt: skip
    script.compacts("We did it.")
    script.says("On it goes.")
    return script


@pytest.mark.spec("S2.1", "S4.1")
def test_a_link_and_a_mention_are_there_once(tmp_path: Path) -> None:
    paths = [rich().write(tmp_path / "src"), rich(OTHER_SESSION, "f").write(tmp_path / "src")]
    index = build(tmp_path / "data", *paths)
    links = [(session, number, line) for session in (SESSION, OTHER_SESSION) for number, line in ((14, 9), (21, 10))]
    found = index.snapshot.rows(
        "SELECT s.session_id, p.number, p.line FROM pr_links p JOIN sessions s ON s.key = p.session ORDER BY ALL"
    )
    assert found == links
    mentions = [
        (session, line, path, tool)
        for session in (SESSION, OTHER_SESSION)
        for line in (0, 12)
        for path, tool in (("a.py", "Edit"), ("a.py", "Read"), ("src/b.py", "mention"))
    ]
    found = index.snapshot.rows(
        "SELECT s.session_id, m.line, m.path, m.tool FROM file_mentions m JOIN sessions s ON s.key = m.session"
        " ORDER BY ALL"
    )
    assert found == mentions
    assert faults(index) == []


@pytest.mark.spec("S2.13")
@pytest.mark.parametrize("first_line", [b" ", b""])
def test_reading_everything_again_changes_nothing(first_line: bytes, tmp_path: Path) -> None:
    """A file whose beginning is another one is read again from the start, any other from its last turn."""
    paths = [rich().write(tmp_path / "src"), rich(OTHER_SESSION, "f").write(tmp_path / "src")]
    before = contents(build(tmp_path / "data", *paths))
    for path in paths:
        path.write_bytes(first_line + path.read_bytes() + b'{"type": "mode", "mode": "default"}\n')
    counts = update(tmp_path / "data", *paths)
    assert (counts.files_read, counts.turns_written) == (2, 6 if first_line else 2)
    index = Index.open(tmp_path / "data")
    assert contents(index) == before
    assert {name: rows.total() for name, rows in before.items()} == {
        "roles": 6, "links": 4, "mentions": 12, "compactions": 2, "blocks": 40,
    }  # fmt: skip
    assert faults(index) == []


@pytest.mark.spec("S2.13")
def test_sessions_that_grew_are_as_if_they_had_been_read_at_once(tmp_path: Path) -> None:
    """Forks, copies, subagents and bad lines of the sample sessions, in three steps with an indexer each."""
    grown = tmp_path / "grown" / "projects"
    for share in (0.4, 0.7, 1.0):
        for number, path in enumerate(sorted(SAMPLES.rglob("*"))):
            if path.is_file():
                copy = grown / path.relative_to(SAMPLES)
                copy.parent.mkdir(parents=True, exist_ok=True)
                content = path.read_bytes()
                copy.write_bytes(content[: int(len(content) * share)])
                # The newest are read first, and a checkout gives all files about the same time.
                os.utime(copy, (number, number))
        index = build(tmp_path / "data", grown)
        assert faults(index) == []
    once = build(tmp_path / "once", grown)
    assert contents(index)["links"] == contents(once)["links"]
    # Which of two sessions that share their beginning holds it depends on which was read first, and with it whether the
    # fork begins in the middle of a turn.
    for asked in (
        "SELECT path, tool, kind, is_dir FROM file_mentions",
        "SELECT kind, user_text, provisional FROM turns WHERE kind <> 'opening'",
        "SELECT id FROM turns WHERE id NOT IN (SELECT turn FROM blocks)",
        "SELECT kind, text FROM blocks",
    ):
        assert Counter(index.snapshot.rows(asked)) == Counter(once.snapshot.rows(asked))
