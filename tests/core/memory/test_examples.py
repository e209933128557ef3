"""Examples of what can be asked: made of the history, and only of what is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui_core.index.index import Index
from support.indexes import build
from support.transcripts import Script

RESET = "Exit code 1\nuploading part 3\nhttpx.ReadError: connection reset by peer (10.0.0.{n}:443)"
MISSING = "cat: /tmp/{n}.txt: No such file or directory"


def session(number: int, title: str, *, pull_request: int = 0) -> Script:
    """A session of two turns in which two commands failed and a file was edited."""
    script = Script(session_id=f"{number:08x}-2222-4222-8222-222222222222", prefix=f"s{number}")
    for turn in range(2):
        script.user(f"Go on with {number}.{turn}")
        for name, text in (("a", RESET), ("b", MISSING), ("c", MISSING)):
            script.calls("Bash", {"command": "make upload"}, f"{name}{turn}")
            script.result(text.format(n=10 * number + turn), f"{name}{turn}", error=True)
        path = "/home/ana/code/shop/src/upload.py"
        for name, text in (("e", "<tool_use_error>File has not been read yet.</tool_use_error>"), ("f", "ok")):
            script.calls("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, f"{name}{turn}")
            script.result(text, f"{name}{turn}", error=name == "e")
        script.calls("Write", {"file_path": "/home/ana/code/shop/NOTES.md", "content": "a"}, f"w{turn}")
        script.result("ok", f"w{turn}")
    script.raw({"type": "ai-title", "aiTitle": title, "sessionId": script.session_id})
    if pull_request:
        url = f"https://github.com/ana/shop/pull/{pull_request}"
        script.raw({"type": "pr-link", "prNumber": pull_request, "prUrl": url, "prRepository": "ana/shop",
                    "sessionId": script.session_id, "timestamp": "2026-11-01T09:00:00Z"})  # fmt: skip
    return script


def examples(index: Index) -> dict[str, str]:
    """The examples: each query with what it finds."""
    return {example.query: example.finds for example in index.search.examples()}


@pytest.fixture
def history(tmp_path: Path) -> Index:
    """Two sessions with the same errors."""
    sessions = session(1, "Fix **flaky** uploads of large parts", pull_request=14), session(2, "Test it")
    return build(tmp_path / "data", *(one.write(tmp_path / "src") for one in sessions))


def test_each_kind_has_one_example_and_each_has_hits(history: Index) -> None:
    found = examples(history)
    errors = next(query for query in found if query.startswith("has:error"))
    assert found == {
        "flaky uploads large parts": "words and meaning",
        '"connection reset by peer"': "an error in 4 turns",
        "file:upload.py": "edited in 4 turns",
        "pr:14": "a pull request",
        errors: found[errors],
    }
    assert all(history.search(query).hits for query in found)


def test_what_is_not_in_the_history_is_no_example(tmp_path: Path) -> None:
    script = Script()
    script.user("Hello")
    assert examples(build(tmp_path / "data", script.write(tmp_path / "src"))) == {}


def test_an_error_that_everybody_has_is_the_last_choice(tmp_path: Path) -> None:
    script = Script()
    for number in range(2):
        script.user(f"Look {number}")
        script.calls("Bash", {"command": "cat x"}, f"t{number}")
        script.result(MISSING.format(n=number), f"t{number}", error=True)
    queries = list(examples(build(tmp_path / "data", script.write(tmp_path / "src"))))
    assert queries[0] == '"no such file or directory"'


def test_examples_are_read_once_for_a_snapshot(history: Index) -> None:
    assert history.search.examples() is history.search.examples()
