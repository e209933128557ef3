"""What a file contained at a turn, from what a session read, wrote and edited."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtui_core.errors import SessionUnknown
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import Block
from memtui_core.queries.file_history import ContentLine, FileContent, content_from_calls, file_content_at
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from support.publishing import bring_up_to_date
from support.transcripts import SESSION, Script

ROOT = "/home/ana/code/shop"
FILE = f"{ROOT}/src/upload.py"
OLD = "import os\n\n\ndef upload(path):\n    return os.stat(path)\n"
NEW = "import os\n\n\ndef upload(path):\n    size = os.stat(path)\n    return size\n"
EDIT = {
    "file_path": FILE,
    "old_string": "    return os.stat(path)",
    "new_string": "    size = os.stat(path)\n    return size",
}


def look(line: str) -> str:
    """A line as patches show it."""
    plain = line.lstrip("\t")
    return "  " * (len(line) - len(plain)) + plain


def patch(old: str, new: str) -> list[dict[str, Any]]:
    """The hunks that the agent writes for a change of a whole text."""
    before, after = ([look(line) for line in text.splitlines(keepends=True)] for text in (old, new))
    hunks = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for kind, i, j, k, m in group:
            signed = [(" ", line) for line in before[i:j]] if kind == "equal" else []
            if kind != "equal":
                signed = [("-", line) for line in before[i:j]] + [("+", line) for line in after[k:m]]
            for sign, line in signed:
                lines.append(sign + line.removesuffix("\n"))
                if not line.endswith("\n"):
                    lines.append("\\ No newline at end of file")
        hunks.append({"oldStart": group[0][1] + 1, "newStart": group[0][3] + 1, "lines": lines})
    return hunks


def shown(text: str, first: int = 1, last: int | None = None) -> str:
    """What Read shows of a text."""
    lines = text.split("\n")
    return "\n".join(
        f"{number:>6}→{line}" for number, line in enumerate(lines, 1) if first <= number <= (last or number)
    )


class Sessions:
    """Sessions that nothing links, in one index."""

    def __init__(self, folder: Path) -> None:
        self.indexer = Indexer(folder / "data")
        self.source = folder / "src"
        self._data = DataDir(folder / "data")
        self._numbers = itertools.count(1)
        self._newest: Snapshot | None = None

    def begin(self) -> Session:
        number = next(self._numbers)
        return Session(Script(f"{number:08}{SESSION[8:]}", prefix=f"s{number}-"), self)

    def write(self, script: Script) -> None:
        script.write(self.source)
        self.close()

    def snapshot(self) -> Snapshot:
        """Of an index of all that is written."""
        if self._newest is None:
            bring_up_to_date(self.indexer, self.source)
            self._newest = Snapshot(self._data)
        return self._newest

    def close(self) -> None:
        if self._newest is not None:
            self._newest.close()
            self._newest = None


class Session:
    """A transcript that is written step by step and asked what it knew of the file."""

    def __init__(self, script: Script, sessions: Sessions) -> None:
        self.script = script
        self.sessions = sessions
        self.count = 0
        self.written = 0
        """The entries in its file."""

    def turn(self) -> None:
        self.script.user("go on")

    def does(self, tool: str, arguments: dict[str, Any], result: str | None = "done", **fields: Any) -> None:
        self.count += 1
        self.script.calls(tool, arguments, f"t{self.count}")
        if result is not None:
            self.script.result(result, f"t{self.count}", **fields)

    def reads(self, text: str, first: int | None = None, count: int | None = None) -> None:
        asked = {"file_path": FILE, "offset": first, "limit": count}
        last = first + count - 1 if first and count else None
        given = {key: value for key, value in asked.items() if value is not None}
        self.does(
            "Read", given, shown(text, first or 1, last) + "\n\n<system-reminder>\nBe careful.\n</system-reminder>"
        )

    def edits(self, old: str, new: str, arguments: dict[str, Any] = EDIT, tool: str = "Edit") -> None:
        self.does(tool, arguments, toolUseResult={"structuredPatch": patch(old, new)})

    def write(self) -> None:
        self.sessions.write(self.script)
        self.written = self.script.count

    def known(self, turn: int = 99, path: str = "src/upload.py") -> FileContent:
        """What it knew after a turn, when all that is written is indexed."""
        if self.written != self.script.count:
            self.write()
        snapshot = self.sessions.snapshot()
        [(key,)] = snapshot.rows("SELECT key FROM sessions WHERE session_id = ?", [self.script.session_id])
        return file_content_at(snapshot, key, path, turn)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    sessions = Sessions(tmp_path_factory.mktemp("sessions"))
    with sessions.indexer, closing(sessions):
        yield sessions


@pytest.fixture
def session(sessions: Sessions) -> Session:
    session = sessions.begin()
    session.turn()
    return session


def whole(text: str, certain: bool = True) -> tuple[ContentLine, ...]:
    return tuple(ContentLine(number, line, certain) for number, line in enumerate(text.split("\n"), 1))


def complete(text: str) -> FileContent:
    lines = whole(text)
    return FileContent("src/upload.py", lines, len(lines), ())


def doubted(text: str, *notes: str) -> FileContent:
    return FileContent("src/upload.py", whole(text, False), None, notes)


def test_a_file_read_whole_and_edited_is_known_at_each_turn(session: Session) -> None:
    session.reads(OLD)
    session.turn()
    session.edits(OLD, NEW)
    session.turn()
    session.does("Write", {"file_path": FILE, "content": "pass\n"})
    assert [session.known(turn) for turn in (1, 2, 3)] == [complete(OLD), complete(NEW), complete("pass\n")]
    assert session.known(2).text == NEW


def test_of_a_file_read_in_part_the_rest_is_missing_and_said_to_be(session: Session) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 41))
    session.reads(text, 5, 3)
    session.reads(text, 20, 2)
    known = session.known()
    lines = tuple(ContentLine(number, f"line {number}", True) for number in (5, 6, 7, 20, 21))
    notes = ("lines 1–4, 8–19: never read", "what follows line 21 was never read")
    assert known == FileContent("src/upload.py", lines, None, notes)
    assert (known.gaps, known.complete, known.text) == ([(1, 4), (8, 19)], False, None)


def test_a_patch_fills_what_was_not_read_and_moves_what_was(session: Session) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 41))
    after = text.replace("line 10\n", "line ten\nline ten and a half\n")
    session.reads(text, 20, 2)
    session.edits(
        text, after, {"file_path": FILE, "old_string": "line 10", "new_string": "line ten\nline ten and a half"}
    )
    lines = [(number, f"line {number}") for number in (7, 8, 9)] + [(10, "line ten"), (11, "line ten and a half")]
    lines += [(12, "line 11"), (13, "line 12"), (14, "line 13"), (21, "line 20"), (22, "line 21")]
    assert session.known().lines == tuple(ContentLine(number, line, True) for number, line in lines)


def test_reads_that_meet_and_reach_the_end_make_the_file_complete(session: Session) -> None:
    session.reads(OLD, 4, 100)
    session.reads(OLD, 1, 3)
    assert session.known() == complete(OLD)


def test_a_read_that_shows_all_it_may_does_not_tell_the_end(session: Session) -> None:
    text = "x\n" * 2000
    session.does("Read", {"file_path": FILE}, shown(text, 1, 2000))
    assert (session.known().total, session.known().notes) == (None, ("what follows line 2000 was never read",))


@pytest.mark.parametrize(
    "warning",
    [
        "Warning: the file exists but the contents are empty.",
        "Warning: the file exists but is shorter than the provided offset (1). The file has 1 lines.",
    ],
)
def test_an_empty_file_is_known_to_be_empty(session: Session, warning: str) -> None:
    session.does("Read", {"file_path": FILE}, f"<system-reminder>{warning}</system-reminder>")
    assert session.known() == complete("")


def test_a_read_behind_the_end_tells_the_number_of_lines(session: Session) -> None:
    warning = "Warning: the file exists but is shorter than the provided offset (80). The file has 6 lines."
    session.reads(OLD, 1, 3)
    session.does("Read", {"file_path": FILE, "offset": 80}, f"<system-reminder>{warning}</system-reminder>")
    lines = whole(OLD)[:3]
    assert session.known() == FileContent("src/upload.py", lines, 6, ("lines 4–6: never read",))


def test_failed_calls_change_nothing(session: Session) -> None:
    session.reads(OLD)
    session.does("Edit", EDIT, "String to replace not found", error=True)
    session.does("Write", {"file_path": FILE, "content": "x"}, "The user does not want this", error=True)
    session.does("Read", {"file_path": FILE}, "File does not exist.", error=True)
    assert session.known() == complete(OLD)


def test_a_call_without_result_may_have_been_done(session: Session) -> None:
    session.reads(OLD)
    session.does("Edit", EDIT, None)
    assert session.known() == doubted(OLD, "turn 1: a call of edit has no result")


def test_a_command_that_may_change_the_file_makes_it_uncertain_until_it_is_read_again(sessions: Sessions) -> None:
    commands = (
        "sed -i s/os/sys/ src/upload.py",
        f"cd {ROOT} && cat src/upload.py > src/other.py",
        "python src/upload.py",
        "git stash pop",
        "npx prettier --write .",
        "cargo fmt",
    )
    told = {command: sessions.begin() for command in commands}
    for command, session in told.items():
        session.turn()
        session.reads(OLD)
        session.turn()
        session.does("Bash", {"command": command})
        session.turn()
        session.reads(OLD, 1, 2)
        session.turn()
        session.reads(OLD)
        session.write()
    lines = whole(OLD, True)[:2] + whole(OLD, False)[2:]
    notes = ("lines 3–6: turn 2: a shell command may have changed it",)
    expected = [
        doubted(OLD, "turn 2: a shell command may have changed it"),
        FileContent("src/upload.py", lines, None, notes),
        complete(OLD),
    ]
    found = {command: [session.known(turn) for turn in (2, 3, 4)] for command, session in told.items()}
    assert found == dict.fromkeys(commands, expected)


def test_a_command_that_only_looks_or_is_about_other_files_changes_nothing(sessions: Sessions) -> None:
    commands = (
        "cat src/upload.py",
        "grep -n os src/upload.py 2>/dev/null | head -5",
        "cd src && git diff upload.py; git add upload.py",
        "touch src/other.py",
        "git checkout -b topic",
        "cargo fmt -- src/other.rs",
        "",
    )
    told = {command: sessions.begin() for command in commands}
    for command, session in told.items():
        session.turn()
        session.reads(OLD)
        session.does("Bash", {"command": command})
        session.write()
    found = {command: session.known() for command, session in told.items()}
    assert found == dict.fromkeys(commands, complete(OLD))


def test_a_read_that_shows_something_else_tells_of_a_change_from_outside(session: Session) -> None:
    session.reads(OLD)
    session.reads(OLD.replace("import os", "import sys"), 1, 2)
    lines = (ContentLine(1, "import sys", True), ContentLine(2, "", True), *whole(OLD, False)[2:])
    notes = ("lines 3–6: turn 1: a read shows something else than what was known",)
    assert session.known() == FileContent("src/upload.py", lines, None, notes)


def test_a_patch_that_does_not_fit_tells_of_a_change_from_outside(session: Session) -> None:
    text = "".join(f"line {number}\n" for number in range(1, 11))
    session.reads(text)
    session.edits("new\n" + text, "new\n" + text.replace("line 2", "two"))
    known = session.known()
    assert [line.text for line in known.lines][:6] == ["new", "line 1", "two", "line 3", "line 4", "line 5"]
    assert [line.certain for line in known.lines] == [True] * 6 + [False] * 5
    assert known.notes == ("lines 7–11: turn 1: an edit did not match what was known",)


def test_tabs_that_a_patch_shows_as_spaces_come_from_what_was_written(session: Session) -> None:
    old = "func a() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
    new = old.replace("return 1", "return 2")
    session.reads(old)
    session.edits(old, new, {"file_path": FILE, "old_string": "return 1", "new_string": "return 2"})
    assert session.known() == complete(new)


def test_indentation_that_only_a_patch_shows_is_not_certain(session: Session) -> None:
    old = "func a() {\n\tif x {\n\t\treturn 1\n\t}\n}\n"
    new = old.replace("\t\treturn 1", "\t\treturn 2")
    session.edits(old, new, {"file_path": FILE, "old_string": "\t\treturn 1", "new_string": "\t\treturn 2"})
    lines = (
        ContentLine(1, "func a() {", True),
        ContentLine(2, "  if x {", False),
        ContentLine(3, "    return 2", False),
        ContentLine(4, "  }", False),
        ContentLine(5, "}", True),
    )
    notes = ("lines 2–4: known from a patch only, which shows tabs as spaces", "what follows line 5 was never read")
    assert session.known() == FileContent("src/upload.py", lines, None, notes)


def test_an_edit_without_patch_is_placed_by_its_text(session: Session) -> None:
    session.reads(OLD)
    session.does("Edit", EDIT)
    assert session.known() == complete(NEW)


def test_the_edits_of_a_multi_edit_follow_each_other(session: Session) -> None:
    session.reads(OLD)
    edits = [
        {"old_string": "os", "new_string": "sys", "replace_all": True},
        {"old_string": "sys.stat(path)", "new_string": "1"},
    ]
    session.does("MultiEdit", {"file_path": FILE, "edits": edits})
    assert session.known() == complete("import sys\n\n\ndef upload(path):\n    return 1\n")


def test_what_cannot_be_placed_is_not_guessed(session: Session) -> None:
    session.reads(OLD, 1, 3)
    session.does("Edit", {**EDIT, "replace_all": True})
    notes = ("turn 1: the place of an edit is not known",)
    known = session.known()
    assert known == FileContent(
        "src/upload.py", whole(OLD, False)[:3], None, (*notes, "what follows line 3 was never read")
    )


def test_a_file_that_was_only_edited_without_patch_says_so(session: Session) -> None:
    session.does("Edit", EDIT)
    notes = ("nothing of it was read or written", "turn 1: the place of an edit is not known")
    assert session.known() == FileContent("src/upload.py", (), None, notes)


def test_a_new_file_of_an_edit_is_its_text(session: Session) -> None:
    session.does("Edit", {"file_path": FILE, "old_string": "", "new_string": OLD})
    assert session.known() == complete(OLD)


def test_tools_of_which_nothing_is_known_make_the_file_uncertain(session: Session) -> None:
    session.reads(OLD)
    session.does("mcp__lsp__rename_symbol", {"relative_path": "src/upload.py", "name": "upload"})
    session.does("NotebookEdit", {"notebook_path": FILE, "new_source": "x"})
    assert session.known() == doubted(OLD, "turn 1: what mcp__lsp__rename_symbol did to it is not known")


def test_a_patch_makes_a_file_uncertain_and_tells_all_of_one_that_it_adds(session: Session) -> None:
    session.reads(OLD)
    session.turn()
    patch = "*** Begin Patch\n*** Update File: src/upload.py\n@@\n-import os\n+import sys\n*** End Patch"
    session.does("apply_patch", {"patchText": patch})
    assert session.known() == doubted(OLD, "turn 2: what apply_patch did to it is not known")
    session.does("apply_patch", {"patchText": "*** Begin Patch\n*** Add File: src/upload.py\n+a\n+b\n*** End Patch"})
    assert session.known() == complete("a\nb\n")


def test_a_command_that_wrote_a_file_nobody_read_is_told(session: Session) -> None:
    session.does("Bash", {"command": "make > src/upload.py"})
    notes = ("nothing of it was read or written", "turn 1: a shell command may have changed it")
    assert session.known() == FileContent("src/upload.py", (), None, notes)


def test_a_line_with_a_secret_is_not_certain(session: Session) -> None:
    session.does("Write", {"file_path": FILE, "content": "a\ntoken = 'ghp_" + "a1B2c3D4e5F6" * 3 + "'\n"})
    known = session.known()
    assert [line.certain for line in known.lines] == [True, False, True]
    assert known.notes == ("line 2: a secret in it is not kept",)


def test_a_file_and_a_session_that_are_not_there(session: Session) -> None:
    session.reads(OLD)
    assert session.known(path="src/none.py") == FileContent(
        "src/none.py", (), None, ("nothing of it was read or written",)
    )
    with pytest.raises(SessionUnknown, match="no session with the key 12345"):
        file_content_at(session.sessions.snapshot(), 12345, "src/upload.py", 1)


def test_a_worktree_that_the_session_moved_to_holds_the_same_file(session: Session) -> None:
    tree = f"{ROOT}/.claude/worktrees/topic"
    session.reads(OLD)
    session.script.cwd = tree
    session.turn()
    session.edits(OLD, NEW, {**EDIT, "file_path": f"{tree}/src/upload.py"})
    assert session.known() == complete(NEW)


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("no JSON", "{}"),
        ('{"patch":[{"oldStart":9,"newStart":2,"lines":[" x"]}]}', '{"file_path":"f","old_string":"a","new_string":1}'),
        ('{"patch":[{"oldStart":1e99,"lines":{}}]}', '{"file_path":"f","edits":[7]}'),
        ('{"patch":[7]}', '["f"]'),
        (None, '{"file_path":"f"'),
    ],
)
@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "Write", "Read", "Bash", None])
def test_calls_that_cannot_be_read_never_raise(detail: str | None, text: str, tool: str | None) -> None:
    blocks = [
        Block(0, 0, "tool_call", text, tool, "a"),
        Block(1, 1, "tool_result", "?", tool, "a", detail=detail),
        Block(2, 1, "tool_result", "?", None, "without a call"),
    ]
    assert content_from_calls([(1, blocks)], lambda path: path == "f").lines == ()


WORDS = st.text(st.sampled_from("ab \t\n"), max_size=12)
TEXTS = st.lists(st.text(st.sampled_from("abc \t"), max_size=5), max_size=25).map("\n".join)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[str], list[dict[str, Any]]]:
    """The texts of a file from edit to edit, and the inputs of the edits between them."""
    texts, inputs = [draw(TEXTS)], []
    for _ in range(draw(st.integers(0, 4))):
        text = texts[-1]
        start = draw(st.integers(0, len(text)))
        old = text[start : start + draw(st.integers(1, 20))]
        new = draw(WORDS)
        everywhere = text.count(old) > 1
        if not old or old == new:
            continue
        ended = not new and not old.endswith("\n") and old + "\n" in text
        texts.append(text.replace(old + "\n" if ended else old, new))
        inputs.append({"file_path": "f", "old_string": old, "new_string": new, "replace_all": everywhere})
    return texts, inputs


def replay(
    texts: Sequence[str], inputs: Sequence[dict[str, Any]], reads: Sequence[tuple[int, int]], hunks: bool
) -> FileContent:
    """What is known after some reads of the first text and all edits."""
    blocks: list[Block] = []

    def does(tool: str, arguments: dict[str, Any], result: str, detail: str | None = None) -> None:
        name = f"t{len(blocks)}"
        blocks.append(Block(len(blocks), 0, "tool_call", orjson.dumps(arguments).decode(), tool, name))
        blocks.append(Block(len(blocks), 0, "tool_result", result, tool, name, detail=detail))

    for first, count in reads:
        last = first + count - 1
        if first <= texts[0].count("\n") + 1:
            does("Read", {"file_path": "f", "offset": first, "limit": count}, shown(texts[0], first, last))
    for old, new, given_input in zip(texts, texts[1:], inputs, strict=False):
        made = patch(old, new) if hunks else []
        does("Edit", given_input, "done", orjson.dumps({"patch": made}).decode() if made else None)
    return content_from_calls([(1, blocks)], lambda path: path == "f")


@given(histories(), st.booleans())
def test_a_file_read_whole_is_known_after_any_edits(
    history: tuple[list[str], list[dict[str, Any]]], hunks: bool
) -> None:
    known = replay(*history, [(1, 100)], hunks)
    assert (known.text, known.complete, known.notes) == (history[0][-1], True, ())


@given(histories(), st.lists(st.tuples(st.integers(1, 25), st.integers(1, 8)), max_size=3), st.booleans())
@example((["a\n  \n", "a\n\t\n  \n"], [{"file_path": "f", "old_string": "a", "new_string": "a\n\t"}]), [(2, 2)], True)
@example((["\ta\na\n", "\t  a\n  a\n"], [{"file_path": "f", "old_string": "a", "new_string": "  a"}]), [(1, 1)], True)
@example((["a\nb\nc", "a\nc"], [{"file_path": "f", "old_string": "b", "new_string": ""}]), [(1, 2)], False)
def test_lines_claimed_certain_are_right_however_little_was_read(
    history: tuple[list[str], list[dict[str, Any]]], reads: list[tuple[int, int]], hunks: bool
) -> None:
    known = replay(*history, reads, hunks)
    truth = dict(enumerate(history[0][-1].split("\n"), 1))
    assert [line for line in known.lines if line.certain and truth.get(line.number) != line.text] == []
    assert known.total in {None, len(truth)}
    assert known.complete or known.notes
