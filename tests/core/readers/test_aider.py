"""Chat histories of Aider in a real index."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.errors import SourceUnreadable
from memtui_core.index.index import Index
from memtui_core.readers import registry
from memtui_core.readers.agents.aider.reader import Aider
from memtui_core.readers.base import START, Transcript
from memtui_core.readers.records import Message, Record
from memtui_core.system.walk import RegularFile
from memtui_core.tools.call import ToolCall
from memtui_core.tools.diffs import diff_of
from memtui_core.tools.pairing import paired
from support.conversations import Shown, shown, tool_calls
from support.indexes import build, update
from support.line_files import read_as_it_grows
from support.systems import HOME_VARIABLE

BEGAN = datetime(2026, 11, 5, 9, 12, 40).astimezone(UTC)
HISTORY = ".aider.chat.history.md"
INPUTS = ".aider.input.history"
SESSION = "shop-20261105-091240"
BLOCK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE"
ROUND = BLOCK.format("    return tax", "    return round(tax, 2)")
TEST = BLOCK.format("assert tax", "assert tax == 2")
NO_MATCH = (
    "# {number} SEARCH/REPLACE block failed to match!\n\n"
    "## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in {path}\n{block}\n\n"
    "The SEARCH section must exactly match an existing block of lines"
)


class Chat:
    """Writes a history as Aider does."""

    def __init__(self, began: str = "2026-11-05 09:12:40") -> None:
        self.text = ""
        self.ends: list[int] = []
        """The length after each text."""
        self.session(began)

    def session(self, began: str) -> None:
        self._add(f"\n# aider chat started at {began}\n\n")

    def user(self, text: str) -> None:
        self._add("\n#### " + "  \n#### ".join(text.splitlines() or ["<blank>"]) + "  \n")

    def answer(self, text: str) -> None:
        self._add(f"\n{text}\n\n")

    def printed(self, *texts: str) -> None:
        """Only the first line of a text has the mark, and only the last one ends with two blanks."""
        for text in texts:
            self._add(f"> {text}  \n")

    def _add(self, text: str) -> None:
        self.text += text
        self.ends.append(len(self.text))

    def begins(self, edit_format: str = "diff", *more: str) -> None:
        self.printed(
            "/usr/bin/aider src/tax.py", "Aider v0.86.2", f"Model: sonnet-4 with {edit_format} edit format", *more
        )

    def write(self, folder: Path) -> Path:
        path = folder / "code" / "shop" / HISTORY
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text, "utf-8")
        return path


def block(path: str, text: str) -> str:
    return f"{path}\n```python\n{text}\n```"


def indexed(chat: Chat, tmp_path: Path) -> Index:
    chat.write(tmp_path)
    return build(tmp_path / "data", tmp_path / "code", agent=None)


def said(chat: Chat, tmp_path: Path) -> list[tuple[str, list[Shown]]]:
    return shown(indexed(chat, tmp_path), SESSION)


def calls_in(answer: str, folder: Path, edit_format: str = "diff") -> list[ToolCall]:
    """The calls in an answer."""
    chat = Chat()
    chat.begins(edit_format)
    chat.user("Round the tax")
    chat.answer(answer)
    messages = [record for record in records_in(chat.write(folder)) if isinstance(record, Message)]
    return paired(block for message in messages for block in message.blocks)


def changes(calls: Iterable[ToolCall]) -> list[tuple[str, tuple[str, ...], str]]:
    """The name, the files and the diff of each call."""
    return [(call.name, call.paths, diff_of(call)) for call in calls]


def whole_session() -> Chat:
    chat = Chat()
    chat.begins("diff", "Added src/tax.py to the chat.")
    chat.user("Round the tax\n\nof each line")
    chat.answer(f"I round it.\n\n{block('src/tax.py', ROUND)}\n\nThat is all.")
    chat.printed(
        "Tokens: 4.2k sent, 1.0k cache write, 2.5k cache hit, 310 received.\nCost: $0.02 message, $0.03 session.",
        *("Applied edit to src/tax.py", "Commit 4be01a7 fix: Round", "Run shell command? (Y)es/(N)o [No]: y"),
        *("Running pytest -q", "Added 3 lines of output to the chat."),
    )
    chat.user("/add tests/test_tax.py")
    chat.printed("Added tests/test_tax.py to the chat")
    chat.user("What else?")
    chat.answer("<think>\nNothing.\n</think>\n\nNothing.")
    chat.printed("Tokens: 12k sent, 41 received.", "^C KeyboardInterrupt", "litellm.RateLimitError: wait")
    return chat


def test_a_session_with_everything(tmp_path: Path) -> None:
    index = indexed(whole_session(), tmp_path)
    session = index.sessions.find(SESSION)
    root = (tmp_path / "code" / "shop").as_posix()
    assert (session.agent, session.project, session.cwd, session.version) == ("aider", "shop", root, "0.86.2")
    assert (session.models, session.started_at, session.turns) == (("sonnet-4",), BEGAN, 2)
    assert (session.input_tokens, session.output_tokens) == (3200 + 12000, 351)
    edit = json.dumps({"path": "src/tax.py", "diff": ROUND}, separators=(",", ":"))
    tokens = "Tokens: 4.2k sent, 1.0k cache write, 2.5k cache hit, 310 received.\nCost: $0.02 message, $0.03 session."
    assert shown(index, SESSION) == [
        (
            "human",
            [
                (
                    "note meta",
                    "/usr/bin/aider src/tax.py\nAider v0.86.2\nModel: sonnet-4 with diff edit format\n"
                    "Added src/tax.py to the chat.",
                ),
                ("user", "Round the tax\n\nof each line"),
                ("text", "I round it."),
                ("tool_call edit", edit),
                ("text", "That is all."),
                ("note meta", tokens),
                ("tool_result edit", "Applied edit to src/tax.py"),
                ("note meta", "Commit 4be01a7 fix: Round\nRun shell command? (Y)es/(N)o [No]: y"),
                ("tool_call shell", '{"command":"pytest -q"}'),
                ("tool_result shell", ""),
                ("note meta", "Added 3 lines of output to the chat."),
                ("note command", "/add tests/test_tax.py"),
                ("note command", "Added tests/test_tax.py to the chat"),
            ],
        ),
        (
            "human",
            [
                ("user", "What else?"),
                ("thinking", "Nothing."),
                ("text", "Nothing."),
                ("note meta", "Tokens: 12k sent, 41 received."),
                ("note interrupt", "^C KeyboardInterrupt"),
                ("note error!", "litellm.RateLimitError: wait"),
            ],
        ),
    ]
    edited, ran = tool_calls(index, SESSION)
    assert (edited.family, edited.paths, ran.family, ran.command) == ("edit", ("src/tax.py",), "shell", "pytest -q")
    assert diff_of(edited) == "@@ -1,1 +1,1 @@\n-    return tax\n+    return round(tax, 2)"
    assert registry.resume_command(session) is None
    assert Aider().start_command("Go") is None


def test_edits_that_fail_are_errors_and_the_others_of_the_answer_are_not(tmp_path: Path) -> None:
    chat = Chat()
    chat.begins()
    chat.user("Round the tax")
    chat.answer(f"{block('src/tax.py', ROUND)}\n\n{block('tests/test_tax.py', TEST)}")
    others = "# The other 1 SEARCH/REPLACE block were applied successfully."
    failure = NO_MATCH.format(number=1, path="tests/test_tax.py", block=TEST)
    chat.printed("Tokens: 1.0k sent, 90 received.", "The LLM did not conform to the edit format.")
    chat.printed(
        "https://aider.chat/docs/troubleshooting/edit-errors.html", f"{failure}\n{others}\nDon't re-send them."
    )
    chat.answer(f"Again:\n\n{block('tests/test_tax.py', TEST)}")
    chat.printed("Tokens: 1.2k sent, 60 received.", "Applied edit to tests/test_tax.py")
    results = [(call.paths, call.is_error, call.result) for call in tool_calls(indexed(chat, tmp_path), SESSION)]
    texts = [(paths, is_error, result.text if result else None) for paths, is_error, result in results]
    section = f"{failure.partition('!')[2].strip()}\n{others}\nDon't re-send them."
    assert texts == [
        (("src/tax.py",), False, others),
        (("tests/test_tax.py",), True, section),
        (("tests/test_tax.py",), False, "Applied edit to tests/test_tax.py"),
    ]


def results_of_failure(
    answer: str, why: str, folder: Path, edit_format: str
) -> list[tuple[tuple[str, ...], str | None]]:
    """The files of the edits in an answer, and the texts of their results; a failed one begins with `!`."""
    chat = Chat()
    chat.begins(edit_format)
    chat.user("Round the tax")
    chat.answer(answer)
    chat.printed("Tokens: 1.0k sent, 90 received.", "The LLM did not conform to the edit format.", why)
    messages = [record for record in records_in(chat.write(folder)) if isinstance(record, Message)]
    calls = paired(block for message in messages for block in message.blocks)
    return [(one.paths, ("!" if one.is_error else "") + one.result.text if one.result else None) for one in calls]


def said_of_failure(answer: str, why: str, folder: Path) -> list[str]:
    """The kind of the message after an answer whose edits failed, and its texts without those that are always there."""
    chat = Chat()
    chat.begins()
    chat.user("Round the tax")
    chat.answer(answer)
    chat.printed("Tokens: 1.0k sent, 90 received.", "The LLM did not conform to the edit format.", why)
    *_, last = (record for record in records_in(chat.write(folder)) if isinstance(record, Message))
    return [last.kind, *(one.text for one in last.blocks if not one.text.startswith(("Tokens:", "The LLM")))]


def test_failures_of_other_formats(tmp_path: Path) -> None:
    diff = "```diff\n--- a.py\n+++ a.py\n@@ @@\n-a\n+b\n--- c.py\n+++ c.py\n@@ @@\n-c\n+d\n```"
    no_match = (
        "UnifiedDiffNoMatch: hunk failed to apply!\n\na.py does not contain these 1 exact lines in a row:\n```\na\n```"
    )
    some = f"{no_match}\n\nNote: some hunks did apply successfully."
    assert results_of_failure(diff, no_match, tmp_path, "udiff") == [
        (("a.py",), f"!{no_match}"),
        (("c.py",), f"!{no_match}"),
    ]
    assert results_of_failure(diff, some, tmp_path, "udiff") == [(("a.py",), f"!{some}"), (("c.py",), some)]
    odd = BLOCK.format("Tax\n===", "Lines")
    failure = NO_MATCH.format(number=1, path="b.rst", block=odd)
    section = failure.partition("!")[2].strip()
    other = NO_MATCH.format(number=1, path="b.rst", block=TEST).partition("!")[2].strip()
    assert said_of_failure(block("b.rst", odd), f"{failure}\n{other}", tmp_path) == ["results", section, other]
    both = f"{block('b.rst', odd)}\n\n{block('c.py', TEST)}"
    assert results_of_failure(both, failure, tmp_path, "diff") == [(("b.rst",), f"!{section}"), (("c.py",), None)]
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch"
    assert results_of_failure(patch, "no such context", tmp_path, "patch") == [(("a.py",), "!no such context")]


@pytest.mark.parametrize(
    ("printed", "is_error"),
    [
        ("Applied edit to src/tax.py", False),
        ("Did not apply edit to src/tax.py (--dry-run)", True),
        ("Skipping edits to src/tax.py", True),
        ("Skipping edits to src/tax.py that matches gitignore spec.", True),
        ("Unable to create src/tax.py, skipping edits.", True),
        ("Exception while updating files:\nno disk", None),
    ],
)
def test_what_became_of_an_edit(printed: str, is_error: bool | None, tmp_path: Path) -> None:
    chat = Chat()
    chat.begins()
    chat.user("Round the tax")
    # Aider completes the path.
    chat.answer(block("tax.py", ROUND))
    chat.printed("Tokens: 1.0k sent, 90 received.", printed)
    (call,) = tool_calls(indexed(chat, tmp_path), SESSION)
    assert (call.result.is_error if call.result else None) is is_error


def test_an_edit_in_a_format_that_is_not_read_and_one_that_was_only_proposed(tmp_path: Path) -> None:
    chat = Chat()
    chat.begins()
    chat.user("Round the tax")
    chat.answer('{"edits": []}')
    chat.printed("Tokens: 1.0k sent, 90 received.", "Applied edit to src/tax.py")
    chat.user("And the test?")
    chat.answer(block("tests/test_tax.py", TEST))
    chat.printed("Tokens: 1.0k sent, 90 received.")
    calls = tool_calls(indexed(chat, tmp_path), SESSION)
    assert [(call.paths, call.interrupted, diff_of(call)) for call in calls] == [
        (("src/tax.py",), False, ""),
        (("tests/test_tax.py",), True, "@@ -1,1 +1,1 @@\n-assert tax\n+assert tax == 2"),
    ]


def test_blocks_name_their_file_in_several_ways(tmp_path: Path) -> None:
    changed = "@@ -1,1 +1,1 @@\n-assert tax\n+assert tax == 2"
    answers = {
        "before the fence": block("**src/tax.py**:", TEST),
        "as a heading": block("### `src/tax.py`", TEST),
        "in the fence": f"```python\nsrc/tax.py\n{TEST}\n```",
        "behind the fence": f"```src/tax.py\n{TEST}\n```",
        "tag": f"src/tax.py\n<source>\n{TEST}\n</source>",
        "twice": f"src/tax.py\n```\n{TEST}\n```\n\n```\n{TEST}\n```",
        "before and behind the fence": f"A line of notes.md\n```src/tax.py\n{TEST}\n```",
        "no file": f"So:\n\n```\n{TEST}\n```",
        "no end": f"src/tax.py\n```\n{TEST[:-8]}\n```",
        "heading": block("docs/tax.rst", BLOCK.format("Tax\n===", "Tax lines\n==========")),
        "new file": block("src/new.py", "<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE"),
    }
    found = {name: changes(calls_in(answer, tmp_path)) for name, answer in answers.items()}
    one = [("edit", ("src/tax.py",), changed)]
    named = (
        "before the fence",
        "as a heading",
        "in the fence",
        "behind the fence",
        "before and behind the fence",
        "tag",
    )
    assert found == {
        **dict.fromkeys(named, one),
        "twice": one * 2,
        "no file": [("edit", (), changed)],
        "no end": [],
        "heading": [("edit", ("docs/tax.rst",), "@@ -1,2 +1,2 @@\n-Tax\n-===\n+Tax lines\n+==========")],
        "new file": [("edit", ("src/new.py",), "@@ -0,0 +1,1 @@\n+x = 1")],
    }


def test_a_line_before_a_fence_that_names_the_file_is_kept(tmp_path: Path) -> None:
    chat = Chat()
    chat.begins()
    chat.user("Test the tax")
    chat.answer(f"As in notes.md\n```src/tax.py\n{TEST}\n```")
    *_, last = (record for record in records_in(chat.write(tmp_path)) if isinstance(record, Message))
    assert next((one.kind, one.text) for one in last.blocks) == ("text", "As in notes.md")


def test_diffs_patches_and_whole_files(tmp_path: Path) -> None:
    diff = (
        "```diff\n--- a/src/tax.py\n+++ b/src/tax.py\n@@ ... @@\n def tax():\n-    return x\n+    return y\n"
        "\n@@ ... @@\n-a\n+b\n--- /dev/null\n+++ src/new.py\n@@ @@\n+x = 1\n```"
    )
    assert changes(calls_in(diff, tmp_path, "udiff")) == [
        (
            "edit",
            ("src/tax.py",),
            "@@ -1,2 +1,2 @@\n def tax():\n-    return x\n+    return y\n@@ -1,1 +1,1 @@\n-a\n+b",
        ),
        ("edit", ("src/new.py",), "@@ -0,0 +1,1 @@\n+x = 1"),
    ]
    nameless = f"{diff}\n\n```diff\n@@ @@\n-c\n+d\nstays\n```"
    assert changes(calls_in(nameless, tmp_path, "udiff"))[2:] == [
        ("edit", ("src/new.py",), "@@ -1,2 +1,2 @@\n-c\n+d\n stays")
    ]
    patch = "*** Begin Patch\n*** Update File: src/tax.py\n@@\n-a\n+b\n*** End Patch"
    assert changes(calls_in(f"So:\n```\n{patch}\n```", tmp_path, "patch")) == [("apply_patch", ("src/tax.py",), patch)]
    whole = "src/tax.py\n```python\nx = 1\n\n```\n\nNot this:\n\n```\nls\n```"
    (written,) = calls_in(whole, tmp_path, "whole")
    assert [(edit.path, edit.kind, edit.new) for edit in written.edits] == [("src/tax.py", "write", "x = 1\n\n")]
    # The same texts change nothing if the format is another one.
    others = [(whole, "diff"), (diff, "ask"), ("```diff\nnot a diff\n```", "udiff")]
    assert [calls_in(answer, tmp_path, edit_format) for answer, edit_format in others] == [[], [], []]


def test_texts_that_aider_writes_as_prompts_are_not_prompts(tmp_path: Path) -> None:
    chat = Chat()
    chat.begins("architect", "Editor model: haiku-4 with editor-diff edit format")
    chat.user("/ask how is the  tax\nrounded?")
    chat.user("how is the  tax\nrounded?")
    chat.answer(f"Not at all.\n\n{block('src/tax.py', ROUND)}")
    chat.printed("Tokens: 1.0k sent, 90 received.")
    chat.user("Add file to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again [Yes]: all")
    chat.user("")
    chat.user("Round it")
    chat.answer("Change `return`.\n\n## How\n\nWith `round`.")
    chat.printed("Tokens: 1.0k sent, 90 received.", "Edit the files? (Y)es/(N)o [Yes]: y")
    chat.user("Change `return`.\n\n## How\n\nWith `round`.")
    chat.answer(block("src/tax.py", ROUND))
    chat.printed("Tokens: 800 sent, 40 received.", "Applied edit to src/tax.py")
    index = indexed(chat, tmp_path)
    turns = index.sessions.turns(index.sessions.find(SESSION).key)
    assert [(turn.kind, turn.user_text, turn.models) for turn in turns] == [
        ("command", "/ask how is the  tax\nrounded?", ("sonnet-4",)),
        ("human", "Round it", ("sonnet-4", "haiku-4")),
    ]
    kinds = [[kind for kind, _ in blocks] for _, blocks in shown(index, SESSION)]
    assert kinds[0] == ["note meta", "user", "note meta", "text", *(["note meta"] * 3)]
    assert kinds[1] == ["user", "text", "note meta", "note meta", "tool_call edit", "note meta", "tool_result edit"]


def test_a_command_changes_the_mode_for_its_prompt(tmp_path: Path) -> None:
    chat = Chat()
    chat.begins("ask")
    for command in ("/code", "/help", "/code"):
        chat.user(f"{command} round the tax")
        chat.user("round the tax")
        chat.answer(block("src/tax.py", ROUND))
        chat.printed("Tokens: 1.0k sent, 90 received.")
    chat.user("round the tax")
    chat.answer(block("src/tax.py", ROUND))
    counts = [sum(kind == "tool_call edit" for kind, _ in blocks) for _, blocks in said(chat, tmp_path)]
    assert counts == [1, 0, 1, 0]


def test_headings_and_quotations_in_answers_stay_there(tmp_path: Path) -> None:
    chat = Chat()
    chat.begins()
    chat.user("Explain")
    answer = "> As the manual says\n\nIn steps:\n\n#### First\n\nRound.\n\n> Quoted\n\n##### Last"
    chat.answer(answer)
    chat.printed("Tokens: 1.0k sent, 90 received.")
    chat.user("/git log")
    chat.printed("commit 1\n\n    Round\n\ncommit 2", "done")
    ((kind, blocks),) = said(chat, tmp_path)
    assert (kind, blocks[1:]) == (
        "human",
        [
            *(("user", "Explain"), ("text", answer), ("note meta", "Tokens: 1.0k sent, 90 received.")),
            *(("note command", "/git log"), ("note command", "commit 1\n\n    Round\n\ncommit 2\ndone")),
        ],
    )


def test_a_history_without_blanks_at_the_ends_of_lines(tmp_path: Path) -> None:
    chat = whole_session()
    want = said(chat, tmp_path / "as written")
    chat.text = "".join(line.rstrip() + "\r\n" for line in chat.text.split("\n"))
    assert [kind for kind, _ in said(chat, tmp_path / "stripped")] == [kind for kind, _ in want]
    assert shown(Index.open(tmp_path / "stripped" / "data"), SESSION)[1:] == want[1:]


def test_each_run_is_a_session(tmp_path: Path) -> None:
    chat = Chat()
    chat.text = "Of a time before\n" + chat.text
    chat.begins()
    chat.user("One")
    chat.session("2026-11-05 09:12:40")
    chat.user("Two")
    chat.session("2026-11-06 08:00:00")
    chat.begins()
    chat.session("2026-99-99 08:00:00")
    chat.printed("Git working dir: /home/ana/code/site", "Cur working dir: /home/ana/code/site/src")
    chat.user("Three")
    index = indexed(chat, tmp_path)
    sessions = {one.session_id: (one.started_at, one.project, one.turns) for one in index.sessions.all()}
    assert sessions == {
        "shop-undated": (None, "shop", 1),
        SESSION: (BEGAN, "shop", 1),
        f"{SESSION}-2": (BEGAN, "shop", 1),
        "shop-20269999-080000": (None, "site", 1),
    }
    states = {source.path.rpartition("#")[2]: source.state for source in index.statistics.sources()}
    assert states == {
        **dict.fromkeys(("undated", "20261105-091240", "20261105-091240-2", "20269999-080000"), "ok"),
        "20261106-080000": "empty",
    }


def test_prompts_have_the_times_at_which_they_were_typed(tmp_path: Path) -> None:
    chat = whole_session()
    chat.session("2026-11-05 10:00:00")
    chat.user("What else?")
    path = chat.write(tmp_path)
    typed = [("09:14:02.318402", "Round the tax\n\nof each line"), ("09:15:00", "y"), ("10:00:30.5", "What else?")]
    typed += [("99:00:00", "What else?"), ("08:00:00", "/add tests/test_tax.py")]
    lines = [f"\n# 2026-11-05 {at}\n" + "".join(f"+{line}\n" for line in text.split("\n")) for at, text in typed]
    path.with_name(INPUTS).write_text("".join(lines))
    index = build(tmp_path / "data", tmp_path / "code", agent=None)
    times = [
        [turn.started_at for turn in index.sessions.turns(index.sessions.find(name).key)]
        for name in (SESSION, "shop-20261105-100000")
    ]
    first = datetime(2026, 11, 5, 9, 14, 2, 318402).astimezone(UTC)
    assert times == [[BEGAN, first], [datetime(2026, 11, 5, 10, 0, 30, 500000).astimezone(UTC)]]


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set")
def test_times_are_in_the_zone_of_the_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XYZ-5")
    time.tzset()
    try:
        (first, *_) = records_in(whole_session().write(tmp_path))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert isinstance(first, Message)
    assert first.at == datetime(2026, 11, 5, 4, 12, 40, tzinfo=UTC)


def test_a_history_that_grows_is_read_as_if_at_once(tmp_path: Path) -> None:
    """It takes more than two seconds because two indexes are made in many steps."""
    chat = whole_session()
    chat.session("2026-11-06 08:00:00")
    chat.begins("udiff")
    chat.user("Now the discounts")
    chat.answer("```diff\n--- src/tax.py\n+++ src/tax.py\n@@ @@\n-a\n+b\n```")
    chat.printed("Tokens: 3.1k sent, 120 received.", "Applied edit to src/tax.py")
    path = chat.write(tmp_path)
    parts_of_answers = [start + (end - start) * 2 // 3 for start, end in pairwise(chat.ends) if end - start > 60]
    cuts = sorted({12, *chat.ends[1:-1:3], *parts_of_answers})
    held = read_as_it_grows("aider", tmp_path / "code", {path: (path.read_bytes(), cuts)}, tmp_path)
    assert held["sources"].total() == len({turn[0] for turn in held["turns"]}) == 2


def test_a_history_that_was_cleared_or_cannot_be_read(tmp_path: Path) -> None:
    path = whole_session().write(tmp_path)
    update(tmp_path / "data", path, agent="aider")
    chat = Chat()
    chat.user("Begin again")
    chat.write(tmp_path)
    index = build(tmp_path / "data", path, agent="aider")
    assert shown(index, SESSION) == [("human", [("user", "Begin again")])]
    path.unlink()
    path.mkdir()
    with pytest.raises(SourceUnreadable, match=str(HISTORY)):
        Aider().transcripts(RegularFile(path, 1, 1))


def records_in(path: Path) -> list[Record]:
    """The records of all sessions of a history, with a reader of its own."""
    reader = Aider()
    status = path.stat()
    transcripts = reader.transcripts(RegularFile(path, status.st_size, status.st_mtime_ns))
    return [record for transcript in transcripts for record in reader.read(transcript, START)]


LINES = st.sampled_from(
    [
        *("", "  ", "#### {}  ", "#### {}", "####", "> {}  ", "> {}", ">", "{}", "src/{}.py", "```", "```python {}"),
        *("```diff", "--- {}", "+++ {}", "@@ {}", "-{}", "+{}", "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
        *("*** Begin Patch", "*** Update File: {}", "*** End Patch"),
        "# aider chat started at 2026-11-05 09:12:40\nSaid",
        *(
            "> Applied edit to src/{}.py  ",
            "> Running {}  ",
            "> Tokens: {} sent  ",
            "> Model: {} with whole edit format  ",
        ),
        *("> The LLM did not conform to the edit format.  ", "#### /ask {}  ", "<think>{}", "</think>", "## {} SEARCH"),
    ]
)


@settings(deadline=None, max_examples=200)
@given(lines=st.lists(LINES, max_size=40))
def test_no_word_is_lost_whatever_the_lines_are(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged" / HISTORY
    path.parent.mkdir(exist_ok=True)
    texts = [line.replace("{}", f"word{number}") for number, line in enumerate(lines)]
    path.write_text("\n".join(["Said", *texts]))
    blocks = [block for record in records_in(path) if isinstance(record, Message) for block in record.blocks]
    held = " ".join(block.text.replace("\\n", "\n") for block in blocks)
    # What follows the mark of a fence or of a change names no text.
    marks = re.compile(r"```python|---|\+\+\+|@@")
    words = {word for text in texts if not marks.match(text) for word in re.findall(r"word\d+", text)}
    assert {word for word in words if not re.search(rf"\b{word}\b", held)} == set()


def test_which_files_are_histories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOME_VARIABLE, "/home/ana")
    names = (HISTORY, "old.aider.chat.history.md", INPUTS, ".aider.tags.cache.v4", "README.md", ".aider.llm.history")
    found = {name: reader.agent for name in names if (reader := registry.reader_for(Path("/x") / name)) is not None}
    assert found == {HISTORY: "aider", "old.aider.chat.history.md": "aider"}
    assert (
        list(Aider().default_locations({}))
        == list(Aider().default_locations({"AIDER_CHAT_HISTORY_FILE": "x.md"}))
        == []
    )
    chosen = {"AIDER_CHAT_HISTORY_FILE": f"~/{HISTORY}"}
    assert Aider().default_locations(chosen) == [Path("/home/ana") / HISTORY]
    assert Aider().read(Transcript("aider", Path(__file__), 1, 1, "gone"), START).lines == 0
