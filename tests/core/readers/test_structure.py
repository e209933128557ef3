"""The report of structures has no text of the user, and can be turned into a sample of the same structure."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import bench.agents.__main__ as agents_bench
from memtui.cli import cli
from memtui_core.export.structure_report import structure_report
from memtui_core.ingest.indexer import Indexer
from memtui_core.queries.sources import AgentCounts, SourceRow
from memtui_core.readers.locations import Location
from memtui_core.readers.structure import shape_of, structures
from tools.make_sample import main as make_samples
from tools.make_sample import make_sample

SECRETS = ["sk-ant-oat01", "/home/ana", "ana@example.org", "round the prices", "1782810000000", "mcp__acme__deploy"]


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (
            {"type": "user_message", "text": "round the prices", "n": 7},
            {"type": "=user_message", "text": "text", "n": "number"},
        ),
        ({"type": "round the prices", "kind": 4, "role": None}, {"type": "text", "kind": "number", "role": "nothing"}),
        ({"changes": {"/home/ana/a.py": {"add": True}}}, {"changes": {"<key>": {"add": "true or false"}}}),
        ({"019f1f6f311c7543b0f9": 1, "a b": 2, "id": 3}, {"<key>": "number", "id": "number"}),
        ({"input": {"customer": {"type": "secret", "x": 1}}}, {"input": {"<key>": {"<key>": "number"}}}),
        ({"type": "019f1f6f311c7543", "kind": "a12345"}, {"type": "text", "kind": "text"}),
        ([1, "a", {"a": 1}, {"a": 2}, 3], ["number", "text", {"a": "number"}]),
        ({"list": [[], [1]]}, {"list": [["number"], []]}),
    ],
)
def test_the_structure_of_a_value(value: Any, shape: Any) -> None:
    made = shape_of(value)
    assert made == shape if isinstance(shape, dict) else sorted(made, key=str) == sorted(shape, key=str)


def test_an_object_with_many_keys_is_a_table_of_the_user() -> None:
    assert shape_of({f"name{number}": number for number in range(61)}) == {"<key>": "number"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_no_value_is_in_the_structure(value: Any) -> None:
    """What is left are the words for types, kinds as agents write them, and keys that are names."""
    for kind, text in _leaves(shape_of(value)):
        if kind == "key":
            assert text == "<key>" or text.replace("$", "_").isidentifier()
        else:
            assert text in {"text", "number", "true or false", "nothing"} or text.startswith("=")


def _leaves(shape: Any) -> Iterator[tuple[str, str]]:
    if isinstance(shape, dict):
        for name, inner in shape.items():
            yield "key", name
            yield from _leaves(inner)
    elif isinstance(shape, list):
        for inner in shape:
            yield from _leaves(inner)
    else:
        yield "value", shape


def test_the_structures_of_files(tmp_path: Path) -> None:
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"type": "x", "a": 1}\n{"type": "x", "a": 2}\nbroken\n{"b": ["c"]}\n')
    document = tmp_path / "b.json"
    document.write_text('[{"a": 1}, {"a": 2}]')
    database = tmp_path / "c.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(
            "CREATE TABLE messages (role TEXT, data TEXT, at INTEGER); CREATE TABLE empty (x);"
            """INSERT INTO messages VALUES ('user', '{"text": "hello there"}', 5), ('user', '{"text": "you"}', 6)"""
        )
    (tmp_path / "d.md").write_text("# Title")
    found = structures([lines, document, database, tmp_path / "d.md", tmp_path / "missing.jsonl"])
    assert found[:2] == [
        {"count": 2, "in": "lines", "entry": {"a": "number", "type": "=x"}},
        {
            "count": 2,
            "in": "table messages",
            "entry": {"at": "number", "data": {"JSON": {"text": "text"}}, "role": "=user"},
        },
    ]
    assert sorted(found[2:], key=lambda one: one["in"]) == [
        {"count": 1, "in": "document", "entry": [{"a": "number"}]},
        {"count": 1, "in": "file .md", "entry": "text"},
        {"count": 1, "in": "lines", "entry": {"b": ["text"]}},
        {"count": 1, "in": "table empty", "entry": {"x": "nothing"}},
    ]


def test_a_report_of_all_agents_has_no_text_and_becomes_samples(tmp_path: Path) -> None:
    """The samples of a report have the structures of the transcripts."""
    with Indexer(tmp_path / "data") as indexer:
        for _ in indexer.update([Location(None, samples) for samples in agents_bench.SAMPLES]):
            pass
    result = CliRunner().invoke(cli, ["doctor", "--report", "--data-dir", str(tmp_path / "data")])
    assert (result.exit_code, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert {agent["agent"] for agent in report} >= {"claude-code", "codex", "goose", "zed", "aider", "kilo"}
    for word in ("ana", "shop-api", "prices", "/home"):
        assert f'"{word}' not in result.stdout
        assert f"/{word}" not in result.stdout
    path = tmp_path / "report.json"
    path.write_text(result.stdout)
    assert make_samples([str(path), str(tmp_path / "made")]) == 0
    for agent in report:
        own = {json.dumps([one["in"], one["entry"]], sort_keys=True) for one in agent["structures"]}
        made = structures(sorted((tmp_path / "made" / agent["agent"]).iterdir()))
        again = {json.dumps([one["in"], one["entry"]], sort_keys=True) for one in made}
        # Files of other kinds have no structure that could be made.
        assert {one for one in own if '"file ' not in one} == again, agent["agent"]


def test_kinds_that_may_be_texts_are_not_named(tmp_path: Path) -> None:
    texts = {"round the prices": 5, "a 12345": 6}
    kinds = {"weather": 4, "message tool": 3, "system:hint": 2, "without a type": 1, **texts}
    [report] = structure_report([_row(tmp_path)], {"codex": AgentCounts(2, kinds, "0.147.0")}, "1.0")
    named = {"weather": 4, "message tool": 3, "system:hint": 2, "without a type": 1, "text": 11}
    assert report == {
        "memtui": "1.0",
        "system": sys.platform,
        "agent": "codex",
        "version": "0.147.0",
        "files": 1,
        "sessions": 2,
        "unknown_entries": named,
        "structures": [],
    }


def _row(folder: Path) -> SourceRow:
    """The row of a file that is no longer there."""
    return SourceRow(str(folder / "a.jsonl"), "codex", (), "ok", 1, (), None)


def test_wrong_use_of_the_script() -> None:
    assert make_samples([]) == 2


def test_a_database_of_a_report(tmp_path: Path) -> None:
    entry = {"id": "text", "data": {"JSON": {"n": "number", "<key>": "nothing"}}, "blob": "bytes", "kind": "=x"}
    [path] = make_sample([{"in": "table t", "entry": entry}, {"in": "table u", "entry": {"a": "nothing"}}], tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        [row] = connection.execute("SELECT blob, data, id, kind FROM t").fetchall()
        assert (row[0], list(json.loads(row[1]).values()), row[3]) == (b"bytes", [2, None], "x")
        assert connection.execute("SELECT count(*) FROM u").fetchone() == (0,)
