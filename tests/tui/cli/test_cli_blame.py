"""`memtui blame` and `memtui why`: what they print of real files and sessions."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.origin.blame import blame
from memtui.cli.origin.why import why
from support.indexes import update
from support.transcripts import SESSION, Script

LOADER = "def load(path):\n\twith open(path) as file:\n\t\treturn file.read()\n"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project in which a session has written one file and changed a line of it."""
    root = tmp_path / "shop"
    root.mkdir()
    script = Script(cwd=str(root))
    script.user("Write a loader\x1b[31m for files")
    script.thinks("A function is enough.")
    script.says("I write it as a function.")
    script.calls("Write", {"file_path": f"{root}/load.py", "content": LOADER}, "t1")
    script.result("File created successfully", "t1")
    script.compacts("The loader is there.")
    script.says("Now without blanks.")
    script.calls("Edit", {"file_path": f"{root}/load.py", "old_string": "read()", "new_string": "read().strip()"}, "t2")
    script.result("ok", "t2")
    script.calls("Bash", {"command": "pytest -q"}, "t3")
    script.result("3 passed in 0.1s", "t3")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    (root / "load.py").write_text(LOADER.replace("read()", "read().strip()") + "\x1b[2Jprint('by hand')\n")
    monkeypatch.chdir(root)
    return root


def run_blame(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(blame, [*arguments, "--data-dir", str(folder.parent / "data")])


def run_why(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(why, [*arguments, "--data-dir", str(folder.parent / "data")])


def test_blame_names_each_turn_once_and_never_acts_on_the_terminal(shop: Path) -> None:
    result = run_blame(shop, "load.py")
    lines = [re.sub(r"\d+ [smhdy](?=  claude)", "AGE", line) for line in result.stdout.splitlines()]
    assert [[word.strip(" ") for word in line.split("  ") if word] for line in lines] == [
        ["11111111:1", "AGE", "claude", "1", "def load(path):"],
        ["2", "\twith open(path) as file:"],
        ["11111111:2", "AGE", "claude", "3", "\t\treturn file.read().strip()"],
        ["unknown", "4", "print('by hand')"],
    ]
    starts = {line.index(f"  {number}  ") + 2 for number, line in enumerate(result.stdout.splitlines(), 1)}
    assert starts == {result.stdout.index("  1  ") + 2}
    assert result.stderr == "3 of 4 lines are claimed. Nothing proves the others.\n"


def test_blame_as_json_has_every_line(shop: Path) -> None:
    result = run_blame(shop, "load.py:3-9", "--json")
    assert json.loads(result.stdout) == [
        {
            "line": 3,
            "text": "\t\treturn file.read().strip()",
            "session_id": SESSION,
            "turn": 2,
            "at": "2026-11-01T09:01:30Z",
            "evidence": "wrote",
        },
        {
            "line": 4,
            "text": "\x1b[2Jprint('by hand')",
            "session_id": None,
            "turn": None,
            "at": None,
            "evidence": None,
        },
    ]
    assert "\x1b" not in result.stdout


def test_why_tells_what_led_to_a_line_and_what_was_checked_then(shop: Path) -> None:
    result = run_why(shop, "load.py:3")
    head, facts, *body = result.stdout.splitlines()
    assert head == "load.py:3  return file.read().strip()"
    assert facts.startswith("11111111:2 · Claude Code · ")
    assert body == [
        "",
        "Request",
        "  Write a loader for files",
        "",
        "Before the edit",
        "  Now without blanks.",
        "",
        "Edit",
        "  --- a/load.py",
        "  +++ b/load.py",
        "  @@ -1,1 +1,1 @@",
        "  -read()",
        "  +read().strip()",
        "",
        "Checks after it",
        "  passed  pytest -q · 3 passed in 0.1s",
    ]


def test_why_as_json_cites_the_turn_of_the_request(shop: Path) -> None:
    [found] = json.loads(run_why(shop, "load.py:3", "--json").stdout)
    del found["diff"], found["at"]
    assert found == {
        "line": 3,
        "text": "\t\treturn file.read().strip()",
        "session_id": SESSION,
        "turn": 2,
        "evidence": "wrote",
        "commit": None,
        "agent": "claude-code",
        "title": "Write a loader for files",
        "request": "Write a loader\x1b[31m for files",
        "request_turn": 1,
        "reasoning": "Now without blanks.",
        "checks": [{"command": "pytest -q", "outcome": "passed", "line": "3 passed in 0.1s", "turn": 2}],
    }


def test_why_says_that_nothing_is_proved(shop: Path) -> None:
    result = run_why(shop, "load.py:4")
    assert (result.exit_code, result.stdout) == (0, "load.py:4  print('by hand')\n")
    assert result.stderr == (
        "Nothing proves who wrote this line. What you typed is unknown, and what is older than the first edit that"
        " memtui knows.\n"
    )
    [found] = json.loads(run_why(shop, "load.py:4", "--json").stdout)
    assert {name for name, value in found.items() if value} == {"line", "text"}


def test_of_a_long_text_the_beginning_is_printed_and_of_a_long_edit_what_is_around_the_line(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    content = "".join(f"value_{number} = {number}\n" for number in range(100))
    script = Script(cwd=str(root))
    script.user("\n".join(f"point {number}" for number in range(20)))
    script.calls("Write", {"file_path": f"{root}/values.py", "content": content}, "t1")
    script.result("File created successfully", "t1")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    (root / "values.py").write_text(content)
    lines = run_why(root, f"{root}/values.py:51").stdout.splitlines()
    assert [lines[at] for at in (4, 18, 19)] == ["  point 0", "  point 14", "  … 5 more lines: memtui show 11111111:1"]
    assert (lines[21:24], lines[-2:]) == (
        ["Edit", "  … 38 lines", "  +value_35 = 35"],
        ["  +value_64 = 64", "  … 35 lines"],
    )


def test_why_shows_what_a_command_wrote(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    script = Script(cwd=str(root))
    script.user("Note it")
    script.calls("Bash", {"command": "cat > notes.md <<'EOF'\nIt is done.\nEOF"}, "t1")
    script.result("", "t1")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    (root / "notes.md").write_text("It is done.\n")
    lines = run_why(root, f"{root}/notes.md:1").stdout.splitlines()
    assert lines[-2:] == ["  @@ -0,0 +1,1 @@", "  +It is done."]


def test_what_is_no_line_of_the_file_is_refused(shop: Path) -> None:
    refused = {
        arguments: result.stderr.splitlines()[-1]
        for arguments, result in {
            "blame load.py:9": run_blame(shop, "load.py:9"),
            "blame load.py:3-2": run_blame(shop, "load.py:3-2"),
            "why load.py": run_why(shop, "load.py"),
            "why load.py:1-2": run_why(shop, "load.py:1-2"),
            "blame none.py": run_blame(shop, "none.py"),
        }.items()
    }
    assert refused == {
        "blame load.py:9": "Error: Invalid value for FILE: load.py has 4 lines.",
        "blame load.py:3-2": "Error: Invalid value for FILE: load.py has 4 lines.",
        "why load.py": "Error: Invalid value for FILE: name one line: FILE:12.",
        "why load.py:1-2": "Error: Invalid value for FILE: name one line: FILE:12.",
        "blame none.py": "memtui: none.py cannot be read: No such file or directory.",
    }


def test_a_file_whose_name_ends_like_a_line(shop: Path) -> None:
    (shop / "load.py:3").write_text("other\n")
    assert run_blame(shop, "load.py:3").stdout.split() == ["unknown", "1", "other"]


def test_edits_of_a_file_like_it_in_another_folder_claim_nothing_and_are_named(shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "copy" / "load.py"
    other.parent.mkdir()
    other.write_text(f"{LOADER}# typed by hand\n")
    alike = tmp_path / "copy" / "other" / "load.py"
    alike.parent.mkdir()
    alike.write_text("def load(path):\n    return 1\n\n\ndef store(path):\n    return 2\n")
    elsewhere = (
        f"Sessions edited load.py in {shop}, which memtui does not take for this repository: another folder, and no"
        " common remote is known.\n"
    )
    assert run_blame(shop, str(other)).stderr == f"0 of 4 lines are claimed. Nothing proves the others.\n{elsewhere}"
    assert run_why(shop, f"{other}:1").stderr.endswith(f" memtui knows.\n{elsewhere}")
    # In a repository its path there has to be the same.
    (tmp_path / "copy" / "src").mkdir()
    moved = other.rename(tmp_path / "copy" / "src" / "load.py")
    assert run_blame(shop, str(moved)).stderr.endswith(elsewhere)
    subprocess.run(["git", "init", "-q", str(tmp_path / "copy")], check=True)
    assert run_blame(shop, str(moved)).stderr == "0 of 4 lines are claimed. Nothing proves the others.\n"
    assert run_blame(shop, str(alike)).stderr == "0 of 6 lines are claimed. Nothing proves the others.\n"
