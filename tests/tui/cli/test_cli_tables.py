"""Tables of the commands on a terminal, whose width they fit, and in a pipe, where they are as they are."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from memtui.cli import cli
from memtui.cli.output import print_table, short_session
from support.indexes import update
from support.transcripts import SESSION, Script

ROWS = [("path", "edited", "first", "project"), ("src/deep/er/upload.py", "12", "2026-11-01", "the shop of ana")]
WHOLE = [
    "path                   edited  first       project",
    "src/deep/er/upload.py      12  2026-11-01  the shop of ana",
]
NUMBER, URL = 14, "https://github.com/ana/shop/pull/14"


class TerminalStream(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, width: int | None) -> io.StringIO:
    """Take stdout as a terminal of some columns without colours, or as a pipe."""
    stream = io.StringIO() if width is None else TerminalStream()
    monkeypatch.setattr("sys.stdout", stream)
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    return stream


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (None, WHOLE),
        (80, WHOLE),
        (50, ["path                   edited  project", "src/deep/er/upload.py      12  the shop of ana"]),
        (40, ["path             edited  project", "…p/er/upload.py      12  the shop of ana"]),
        (20, ["path          edited  project", "…r/upload.py      12  the shop of…"]),
    ],
)  # fmt: skip
def test_a_table_leaves_out_and_cuts_columns_on_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, width: int | None, lines: list[str]
) -> None:
    stream = on_terminal(monkeypatch, width)
    print_table(ROWS, right=(1,), head=True, shrinks={0: "start", 3: "end"}, drops=(2,))
    assert stream.getvalue().splitlines() == lines


def test_the_title_of_a_table_is_cut_last_and_only_where_nothing_is_left_to_leave_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    title = "Retry uploads in the background"
    rows = [("PR", "title", "repository", "last"), ("#14", title, "ana/shop-of-everything", "2026-11-01 10:00")]

    def printed(width: int | None) -> list[str]:
        stream = on_terminal(monkeypatch, width)
        print_table(rows, right=(0,), head=True, shrinks={1: "end", 2: "start"}, drops=(3,), title=1)
        return stream.getvalue().splitlines()

    assert {width: printed(width)[1] for width in (None, 80, 70, 60, 50, 30)} == {
        None: f"#14  {title}  ana/shop-of-everything  2026-11-01 10:00",
        80: f"#14  {title}  ana/shop-of-everything  2026-11-01 10:00",
        70: f"#14  {title}  ana/shop-of-everything",
        60: f"#14  {title}  ana/shop-of-everything",
        50: f"#14  {title}  …-everything",
        30: "#14  Retry uploa…  …-everything",
    }


def test_only_a_uuid_is_short() -> None:
    assert (short_session(SESSION), short_session("ses_01JQ8")) == ("11111111", "ses_01JQ8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with a pull request and a compaction."""
    folder = tmp_path_factory.mktemp("tables")
    script = Script()
    script.user("Retry the upload")
    script.calls("Bash", {"command": "gh pr create --draft --title 'Retry uploads'"})
    script.result(URL)
    script.raw({"type": "pr-link", "prNumber": NUMBER, "prUrl": URL, "prRepository": "ana/shop", "sessionId": SESSION,
                "timestamp": "2026-11-01T10:00:00Z"})  # fmt: skip
    script.compacts("Nothing.", 150_000)
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


def test_pull_requests_and_compactions_are_tables_on_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    def printed(command: str, width: int | None) -> list[list[str]]:
        stream = on_terminal(monkeypatch, width)
        cli.main([command, "--data-dir", str(data)], standalone_mode=False)
        return [re.split(r" {2,}", line.strip()) for line in stream.getvalue().splitlines()]

    story = [f"#{NUMBER}", "draft", "Retry uploads", "ana/shop", "11111111", "Retry the upload", "2026-11-01 09:00"]
    heads = ["PR", "state", "title", "repository", "session", "session title", "last"]
    assert printed("prs", 200) == [[*heads, "address"], [*story, URL]]
    assert printed("prs", 100) == [heads, story]
    assert printed("prs", None) == [
        [story[0], "ana/shop", SESSION, "Retry the upload", story[6], URL, "draft", "Retry uploads"]
    ]
    [head, row] = printed("compactions", 200)
    assert head[:5] == ["when", "session", "title", "project", "tokens"]
    assert row[:5] == ["2026-11-01 09:00", "11111111:2", "Retry the upload", "shop", "150k"]
    assert printed("compactions", None)[0] == ["Retry the upload"]
