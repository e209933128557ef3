"""Raw files beside memtui: which texts are found without knowing a format, and what counts as shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

import bench.agents.__main__ as agents_bench
from bench.agents._compared import Difference, compared
from bench.agents._leaves import Leaf, leaves
from bench.agents._shown import Shown, lost
from memtui_core.system.compression import zstd
from support.indexes import update
from support.transcripts import Script


def field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def test_texts_are_found_in_files_of_any_format(tmp_path: Path) -> None:
    entry = {"type": "message", "role": "user", "id": "a b1", "content": [{"type": "text", "text": "two words"}]}
    call = {"arguments": json.dumps({"cmd": "ls -l", "at": "2026-11-01 09:00:00", "name": "ls"})}
    (tmp_path / "log.jsonl").write_text(f"{json.dumps(entry)}{json.dumps(call)}\nno json\n", "utf-8")
    (tmp_path / "0a1.json").write_text(json.dumps({"über": "größer", "k9": ["one word", "word"]}), "utf-8")
    (tmp_path / "notes.md").write_text("#### A prompt\n\n> printed text\n", "utf-8")
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("CREATE TABLE rows (role TEXT, plain TEXT, packed BLOB, fields BLOB, number INTEGER)")
        packed = zstd.compress(json.dumps({"title": "a packed title"}).encode())
        message = field(1, field(3, b"a text in a message")) + b"\x10\x07"
        connection.execute("INSERT INTO rows VALUES ('user', 'a plain text', ?, ?, 7)", [packed, message])
    assert set(leaves(tmp_path)) == {
        Leaf("log.jsonl:<message,user>.id", "a b1"),
        Leaf("log.jsonl:<message,user>.content.#<text>.text", "two words"),
        Leaf("log.jsonl:arguments.cmd", "ls -l"),
        Leaf("?.json:?", "größer"),
        Leaf("?.json:?.#", "one word"),
        Leaf("notes.md:line", "A prompt"),
        Leaf("notes.md:line", "printed text"),
        Leaf("store.db:rows<user>.plain", "a plain text"),
        Leaf("store.db:rows<user>.packed.title", "a packed title"),
        Leaf("store.db:rows<user>.fields.1.3", "a text in a message"),
    }


@pytest.fixture
def script(tmp_path: Path) -> Script:
    made = Script()
    made.user("Round the prices\nto whole cents, please")
    made.calls("Bash", {"command": "grep -n 'price' shop.py"})
    made.result("7: price = 0.5\n8: total = price * 2")
    made.says("Prices are rounded now.")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "s.jsonl").write_bytes(made.bytes())
    update(tmp_path / "data", tmp_path / "home")
    return made


def test_a_text_is_shown_as_a_whole_or_by_its_lines(script: Script, tmp_path: Path) -> None:
    shown = Shown(tmp_path / "data", "claude-code")
    assert {text: shown.missing(text) for text in TEXTS} == TEXTS
    assert len(shown.sessions_with("rounded now")) == 1
    assert shown.sessions_with("never said") == set()
    assert lost(tmp_path / "data", shown, ["Prices are rounded now.", "Round the prices"], 9) == (2, [])


TEXTS = {
    "Round the   prices to whole\ncents, please": "",
    "<tag>\nPrices are rounded now.\n</tag>": "",
    "@@ -1,1 +1,1 @@\n-8 total = price * 2\n+word": "",
    "Prices are rounded now.\nNever said so.\nNor that.": "Never said so.",
    "Prices are round": "",
    "prices are rounded": "prices are rounded",
}
"""Texts, and what of them is not shown."""


def test_what_differs_is_listed_with_its_reason(
    script: Script, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    extra = [
        {"type": "ai-title", "aiTitle": "A title that another one replaced"},
        {"type": "mode", "note": "A text of an entry that is not read"},
    ]
    with (tmp_path / "home" / "s.jsonl").open("a") as file:
        file.writelines(json.dumps(entry) + "\n" for entry in extra)
    made = compared("claude-code", tmp_path / "home", tmp_path / "data", search=False)
    replaced, unread = made.differences
    assert (replaced.what, replaced.raw, replaced.memtui) == ("s.jsonl:<ai-title>.aiTitle", 1, 0)
    assert replaced.reason.startswith("a session has one title")
    assert unread == Difference("s.jsonl:<mode>.note", 1, 0, "", "A text of an entry that is not read")
    assert (made.is_complete, made.leaves, made.shown) == (False, 6, 4)
    assert run([f"claude-code={tmp_path / 'home'}"], capsys) == (1, ["s.jsonl:<mode>.note: 1 : 0  NO REASON"])


def run(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    code = agents_bench.main(list(arguments))
    rows = [line.strip() for line in capsys.readouterr().out.splitlines()]
    return code, [row.partition(" | ")[0] for row in rows if "NO REASON" in row]
