"""`memtui share`: the preview, the question, and the file that is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.reading.documents.share import share
from support.indexes import update
from support.transcripts import SESSION, Script

NAME = "mail-11111111"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one session; read only."""
    folder = tmp_path_factory.mktemp("built")
    script = Script()
    script.user("Mail lena@shop.dev about Acme")
    script.thinks("Hm, a mail.")
    script.calls("Bash", {"command": "cat /home/ana/code/shop/notes.txt"})
    script.result("Acme, ana")
    script.says("Done.")
    script.user("Thanks")
    for number in range(30):
        script.says(f"/home/ana/{number}")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(share, [*arguments, "--data-dir", str(folder.parent / "data")])


FIRST = """\
heading title        e-mail  lena@shop.dev  →  [e-mail]  in: Mail [e-mail] about Acme
1.1     prompt       e-mail  lena@shop.dev  →  [e-mail]  in: Mail [e-mail] about Acme
1.3     tool call    home    /home/ana  →  ~  in: cat ~/code/shop/notes.txt
1.3     tool result  user    ana  →  [user]  in: Acme, [user]
"""
NOTICE = "Replaced for privacy: 2× e-mail address, 1× home folder, 1× user name."


def test_a_preview_lists_every_replacement_and_writes_nothing(folder: Path) -> None:
    result = run(folder, "1111:1", "--preview")
    assert (result.exit_code, result.stdout, result.stderr) == (0, FIRST, f"{NOTICE}\n")
    objects = json.loads(run(folder, "1111:1", "--preview", "--json").stdout)
    assert objects[3] == {
        "place": "1.3",
        "part": "tool result",
        "kind": "user",
        "text": "ana",
        "replacement": "[user]",
        "before": "Acme, ",
        "after": "",
    }
    assert len(objects) == 4
    assert list(folder.iterdir()) == []


def test_nothing_is_written_without_a_yes(folder: Path) -> None:
    result = run(folder, "1111:1")
    assert (result.exit_code, result.stdout) == (2, "")
    cannot = "Cannot ask: standard input is not a terminal. Use --yes to write the changes, or --preview to see them.\n"
    assert result.stderr == f"{FIRST}{NOTICE} Each with its place: --preview.\n{cannot}"
    assert list(folder.iterdir()) == []


def test_the_path_of_the_new_file_is_printed(folder: Path) -> None:
    for arguments, name, begins in (
        ([], f"{NAME}-turn-1.html", "<!doctype html>\n"),
        (["--format", "markdown"], f"{NAME}-turn-1.md", "## Mail \\[e-mail\\] about Acme\n"),
        (["-o", "a.md"], "a.md", "## Mail"),
        (["-o", "b.html"], "b.html", "<!doctype html>\n"),
    ):
        result = run(folder, "1111:1", "--yes", *arguments)
        text = (folder / result.stdout.strip()).read_text("utf-8")
        assert (result.exit_code, text[: len(begins)]) == (0, begins)
        assert result.stdout.strip().endswith(name.rpartition("-11111111")[2])
        assert not [private for private in ("lena@shop.dev", "/home/ana") if private in text]
    assert run(folder, "1111:1", "--yes", "-o", "-", "--format", "markdown").stdout.startswith("## Mail ")


def test_many_replacements_of_one_text_share_a_line(folder: Path) -> None:
    result = run(folder, "1111", "--yes")
    assert result.stderr.splitlines() == [
        "     2×  e-mail  lena@shop.dev  →  [e-mail]   in heading, 1.1",
        "    31×  home    /home/ana  →  ~   in 1.3, 2.2, 2.3, 2.4 … 2.31",
        "     1×  user    ana  →  [user]   in 1.3",
        "Replaced for privacy: 31× home folder, 2× e-mail address, 1× user name. Each with its place: --preview.",
    ]


def test_what_the_options_leave_out_replace_and_keep(folder: Path) -> None:
    def text(*options: str) -> str:
        return run(folder, "1111:1", "--yes", "-o", "-", "--format", "html", *options).stdout

    whole = text()
    for options, gone, stays in (
        (["--without", "thinking"], "Hm, a mail.", "notes.txt"),
        (["--without", "tools"], "notes.txt", "Hm, a mail."),
        (["--without", "results"], "Acme, [user]", "notes.txt"),
        (["--without", "paths"], "~/code/shop/notes.txt", "notes.txt"),
        (["--leave-out", "1.3"], "notes.txt", "left out"),
        (["--redact", "acme"], "Acme", "[redacted]"),
        (["--keep", "ana"], "[user]", "Acme, ana"),
    ):
        made = text(*options)
        assert (options, gone in whole, gone in made, stays in made) == (options, True, False, True)


def test_nothing_private_has_no_place(folder: Path) -> None:
    result = run(folder, "1111:2", "--yes", "-o", "-", "--leave-out", "heading", "--keep", "/home/ana", "--keep", "ana")
    assert (result.exit_code, result.stderr) == (0, "Nothing private was found in it.\n")


def test_failures(folder: Path) -> None:
    unknown = run(folder, "zebra")
    assert (unknown.exit_code, unknown.stderr) == (1, "memtui: There is no session whose id begins with 'zebra'.\n")
    for arguments in (
        ["1111:9"],
        ["1111", "--format", "json"],
        ["1111", "--json"],
        ["1111", "--leave-out", "1.9", "--yes"],
        ["1111:1", "--leave-out", "2", "--yes"],
        ["1111", "--leave-out", "x", "--yes"],
    ):
        wrong = run(folder, *arguments)
        assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert list(folder.iterdir()) == []
    assert SESSION.startswith("1111")
