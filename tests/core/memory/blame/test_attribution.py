"""Which edit wrote each line of a file."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.memory.blame.attribution import EditPlace, Event, KnownChange, Shown, attribute, lines_of_file

LOADER = "def load(path):\n    with open(path) as file:\n        return file.read()\n"
SAVER = "def save(path, text):\n    with open(path, 'w') as file:\n        file.write(text)\n"


def replaced(old: str, new: str, line: int | None = None, *, is_lines: bool = False) -> KnownChange:
    """An edit that replaces a text."""
    return KnownChange((EditPlace(old, new, line, is_lines),))


def wrote(events: Sequence[Event], content: str) -> str:
    """The change of each line as a digit, and a dot for a line without one."""
    return "".join("." if index is None else str(index) for index in attribute(events, content))


def test_a_file_that_was_written_belongs_to_its_writer() -> None:
    assert wrote([KnownChange(whole=LOADER)], LOADER) == "000"


def test_lines_around_an_edit_stay_unclaimed() -> None:
    content = "import os\n" + LOADER + "print(load('notes'))\n"
    assert wrote([replaced("def load(path):\n    pass\n", LOADER)], content) == "..00."


def test_context_that_an_edit_repeats_is_not_its_own() -> None:
    edit = replaced("import os\nimport sys\n", "import os\nimport json\nimport sys\n")
    assert wrote([edit], "import os\nimport json\nimport sys\n") == ".0."


def test_a_later_edit_takes_over_the_line_that_it_changes() -> None:
    edits = [KnownChange(whole=LOADER), replaced("return file.read()", "return file.read().strip()")]
    assert wrote(edits, LOADER.replace("read()", "read().strip()")) == "001"


def test_lines_that_a_person_adds_changes_or_removes_are_not_claimed() -> None:
    edits = [KnownChange(whole=LOADER + SAVER)]
    content = (
        (LOADER + SAVER)
        .replace("with open(path) as file:", "with path.open() as file:")
        .replace("        file.write(text)\n", "        file.write(text)\n        file.flush()\n")
    )
    assert wrote(edits, content) == "0.0000."
    assert wrote([replaced("", LOADER + SAVER)], content) == "0.0000."


def test_a_line_that_a_later_edit_took_out_and_that_is_there_again_is_not_claimed() -> None:
    edits = [replaced("a = None", "limit = 10"), replaced("limit = 10\n", "")]
    assert wrote(edits, "limit = 10\nother = 1\n") == ".."
    assert wrote([KnownChange(whole="limit = 10\nother = 1\n"), edits[1]], "limit = 10\nother = 1\n") == ".0"


def test_what_was_undone_claims_nothing() -> None:
    undone = replaced("def load(path):\n    pass\n", LOADER)
    assert wrote([undone], "def load(path):\n    pass\n") == ".."


def test_equal_lines_are_claimed_only_in_their_block() -> None:
    edit = replaced("", "function load() {\n  return read();\n}\n", is_lines=True)
    content = (
        "function save() {\n  store();\n}\nfunction load() {\n  return read();\n}\nfunction drop() {\n  drops();\n}\n"
    )
    assert wrote([edit], content) == "...000..."


def test_a_line_that_occurs_twice_is_claimed_by_the_context_of_its_patch() -> None:
    content = "def first():\n    return None\ndef second():\n    return None\n"
    patch = "def second():\n    return None"
    assert wrote([replaced("def second():\n    pass", patch, is_lines=True)], content) == "...0"
    assert wrote([replaced("    pass", "    return None", is_lines=True)], content) == "...."
    assert wrote([replaced("    pass", "    return None", 2, is_lines=True)], content) == ".0.."


def test_what_was_read_before_a_file_was_rewritten_is_older_than_that() -> None:
    events: list[Event] = [Shown(LOADER), KnownChange(whole=LOADER + SAVER)]
    assert wrote(events, LOADER + SAVER) == "...111"


def test_a_rewrite_leaves_lines_to_the_edit_that_wrote_them_first() -> None:
    events: list[Event] = [
        replaced("def load(path):\n    pass\n", LOADER),
        Shown(LOADER),
        KnownChange(whole=LOADER + SAVER),
    ]
    assert wrote(events, LOADER + SAVER) == ".00222"
    assert wrote([events[0], events[2]], LOADER + SAVER) == ".00111"


def test_a_copy_in_a_worktree_does_not_end_what_was_there_before() -> None:
    here, other = KnownChange(whole=LOADER), KnownChange(whole=SAVER, is_elsewhere=True)
    assert wrote([here, other], LOADER + SAVER) == "000111"
    assert wrote([here, KnownChange(whole=SAVER)], LOADER + SAVER) == "...111"


def test_a_file_that_was_deleted_is_begun_anew() -> None:
    assert wrote([KnownChange(whole=LOADER), KnownChange(removes=True)], LOADER) == "..."
    assert wrote([KnownChange(whole=LOADER), KnownChange(removes=True, is_elsewhere=True)], LOADER) == "000"


def test_an_edit_of_which_much_was_changed_by_others_still_claims_the_rest() -> None:
    edit = replaced("", "def scale(size, factor):\n    width = size * factor\n    check(width)\n    return width\n")
    content = (
        "def scale(size, factor):\n    width = size * factor\n    log(width)\n    check(width)\n    return width\n"
    )
    assert wrote([edit], content) == "00.00"
    assert wrote([edit], "a = 1\n    check(width)\nb = 2\n") == "..."


def test_a_block_that_was_moved_as_it_is_keeps_its_writer() -> None:
    edit = replaced("pass", LOADER.rstrip("\n"))
    assert wrote([edit], SAVER + LOADER) == "...000"


def test_a_reindented_block_is_unknown() -> None:
    indented = "".join(f"    {line}\n" for line in LOADER.splitlines())
    assert wrote([replaced("", LOADER)], f"class Files:\n{indented}") == "...."


@pytest.mark.parametrize(
    ("written", "content"),
    [
        (LOADER, LOADER.replace("\n", "\r\n")),
        (LOADER.replace("\n", "\r\n"), LOADER),
        (LOADER, LOADER.rstrip("\n")),
        (LOADER.rstrip("\n"), LOADER),
        ("if x:\n\treturn value\n\tpass\n", "if x:\n\treturn value\n\tpass\n"),
    ],
)
def test_the_ends_of_lines_and_of_the_file_do_not_matter(written: str, content: str) -> None:
    assert wrote([KnownChange(whole=written)], content) == "000"
    assert wrote([replaced("", written)], content) == "000"


def test_the_places_of_one_edit_are_taken_back_from_its_end() -> None:
    content = "".join(f"line number {number}\n" for number in range(20))
    places = tuple(
        EditPlace("old text", f"line number {number}\nline number {number + 1}", number + 1, is_lines=True)
        for number in (2, 10)
    )
    assert wrote([KnownChange(places)], content) == "..00......00........"


def test_the_lines_of_a_file() -> None:
    cases = {"": [], "a": ["a"], "a\n": ["a"], "a\r\n\r\n": ["a", ""], "\n": [""]}
    assert {text: lines_of_file(text) for text in cases} == cases


WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "}", "", "return value", "value = read()"])
LINES = st.lists(st.tuples(WORDS, st.integers(0, 30)).map(lambda pair: f"{pair[0]} {pair[1]}" if pair[0] else ""))
STEPS = st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1), st.floats(0, 1), LINES), max_size=8)


class History:
    """A file that agents edit, and a person and others; the edits that are known of it."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.events: list[KnownChange] = []
        self.texts: list[set[str]] = []

    def step(self, kind: int, at: float, size: float, new: list[str]) -> None:
        """Replace some lines: by an edit, by a patch with context, by a write of the file, or by a person."""
        start = int(at * len(self.lines))
        end = start + int(size * (len(self.lines) - start))
        after = [*self.lines[:start], *new, *self.lines[end:]]
        if kind == 0:
            self.add(replaced("\n".join(self.lines[start:end]), "\n".join(new), is_lines=True), new)
        elif kind == 1:
            low, high = max(0, start - 3), end + 3
            old, context = self.lines[low:high], [*self.lines[low:start], *new, *self.lines[end:high]]
            self.add(replaced("\n".join(old), "\n".join(context), low + 1, is_lines=True), context)
        elif kind == 2:
            self.add(KnownChange(whole="\n".join(after)), after)
        self.lines = after

    def add(self, change: KnownChange, texts: list[str]) -> None:
        """Add a known edit, and the lines of its new text."""
        self.events.append(change)
        self.texts.append(set(texts))


@given(STEPS)
def test_what_is_claimed_was_in_the_new_text_of_the_edit(steps: list[tuple[int, float, float, list[str]]]) -> None:
    history = History()
    for step in steps:
        history.step(*step)
    content = "\n".join(history.lines)
    claimed = attribute(history.events, content)
    lines = lines_of_file(content)
    assert [
        line for line, at in zip(lines, claimed, strict=True) if at is not None and line not in history.texts[at]
    ] == []


@given(STEPS, st.data())
def test_without_a_session_its_claims_are_gone(
    steps: list[tuple[int, float, float, list[str]]], data: st.DataObject
) -> None:
    history = History()
    for step in steps:
        history.step(*step)
    content = "\n".join(history.lines)
    removed = data.draw(st.integers(0, max(0, len(history.events) - 1)))
    kept = [event for at, event in enumerate(history.events) if at != removed]
    claimed = {at for at in attribute(kept, content) if at is not None}
    assert claimed <= set(range(len(kept)))


@given(st.lists(st.integers(0, 8), max_size=5))
def test_lines_that_others_insert_never_change_the_writer_of_the_rest(places: list[int]) -> None:
    edits = [KnownChange(whole=LOADER + "\n" + SAVER), replaced("file.write(text)", "file.write(text.strip())")]
    lines = (LOADER + "\n" + SAVER).replace("write(text)", "write(text.strip())").splitlines()
    expected = list(zip(lines, attribute(edits, "\n".join(lines)), strict=True))
    for number, place in enumerate(places):
        lines.insert(min(place, len(lines)), f"typed by hand {number}")
    found = list(zip(lines, attribute(edits, "\n".join(lines)), strict=True))
    assert [pair for pair in found if not pair[0].startswith("typed")] == expected
    assert {at for line, at in found if line.startswith("typed")} <= {None}


@given(STEPS, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 10**6)), max_size=4))
def test_lines_that_others_insert_give_no_line_to_an_edit_that_does_not_have_it(
    steps: list[tuple[int, float, float, list[str]]], inserted: list[tuple[float, int]]
) -> None:
    history = History()
    for step in steps:
        history.step(*step)
    lines = list(history.lines)
    for place, number in inserted:
        lines.insert(int(place * (len(lines) + 1)), f"typed by hand {number}")
    found = zip(lines_of_file("\n".join(lines)), attribute(history.events, "\n".join(lines)), strict=True)
    claims = [(line, at) for line, at in found if at is not None]
    assert [line for line, at in claims if line not in history.texts[at]] == []
