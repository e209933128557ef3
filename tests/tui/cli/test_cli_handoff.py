from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli.agents.handoff import handoff
from support.indexes import update
from support.transcripts import SESSION, Script

BEGIN, END = "[CONTEXT FROM PREVIOUS SESSION]\n\n", "\n\n[/CONTEXT FROM PREVIOUS SESSION]\n"
COMMANDS = "\n\n## Commands Executed\n### make\n```\nbuilt 3\n```"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of one session; read only."""
    folder = tmp_path_factory.mktemp("built")
    script = Script()
    for number, text in enumerate(("Retry the upload", "Does it log?", "Ship it"), 1):
        script.user(text)
        script.calls("Bash", {"command": "make"}, f"b{number}")
        script.result(f"built {number}", f"b{number}")
        script.calls("Write", {"file_path": "/home/ana/code/shop/a.py", "content": f"x = {number}\n"}, f"w{number}")
        script.result("ok", f"w{number}")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


def run(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(handoff, [*arguments, "--data-dir", str(folder.parent / "data")])


def test_a_session_goes_to_stdout(folder: Path) -> None:
    result = run(folder, "1111")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{BEGIN}## Summary\nExtracted from the session")
    assert result.stdout.endswith(f"{COMMANDS}{END}")
    assert run(folder, SESSION, "--to", "-").stdout == result.stdout


def test_some_turns(folder: Path) -> None:
    for span, shown in (("1111:2", "built 2"), ("1111:1-2", "built 2"), ("1111:2-9", "built 3")):
        assert f"### make\n```\n{shown}\n```{END}" in run(folder, span).stdout


def test_the_summary_only(folder: Path) -> None:
    text = run(folder, "1111", "--no-tools").stdout
    assert "## Commands" not in text
    assert run(folder, "1111", "--max-chars", "0").stdout == text


def test_lengths(folder: Path) -> None:
    assert "```\nbu\n[… 3 characters omitted]\nt 3\n```" not in run(folder, "1111").stdout
    assert "```\nbu\n[… 3 characters omitted]\n 3\n```" in run(folder, "1111", "--max-result-chars", "4").stdout
    short = run(folder, "1111", "--max-chars", "60")
    assert short.stderr == "1 older tool result is left out; --max-chars sets how much fits.\n"
    assert "\n… 1 older tool result omitted\n" in short.stdout


def test_json(folder: Path) -> None:
    result = run(folder, "1111:2-3", "--json")
    given = json.loads(result.stdout)
    text = run(folder, "1111:2-3").stdout.rstrip("\n")
    summary = given["sections"][0]["text"].removeprefix("## Summary\n")
    assert {key: value for key, value in given.items() if key != "sections"} == {
        "session_id": SESSION,
        "first": 2,
        "last": 3,
        "summary": summary,
        "kind_of_summary": "extract",
        "text": text,
    }
    assert given["sections"][2] == {"title": "Commands Executed", "text": COMMANDS[2:], "chars": 45, "tokens": 12}


def test_a_new_file_is_written_and_none_is_overwritten(folder: Path) -> None:
    text = run(folder, "1111").stdout
    for name in ("next.md", "next-2.md"):
        result = run(folder, "1111", "--to", "next.md")
        size = f"{name}: {len(text)} characters, about {-(-len(text) // 4)} tokens.\n"
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", size)
        assert (folder / name).read_text("utf-8") == text


def test_a_file(folder: Path) -> None:
    for path in ("a.py", "/home/ana/code/shop/a.py"):
        text = run(folder, "--file", path).stdout
        assert text.startswith(f"{BEGIN}## File\na.py in shop: changed in 3 turns,")
        assert text.endswith(f"{SESSION}:3 · 2026-11-01 09:01 UTC (Write)\n```python\nx = 3\n```{END}")
    unknown = run(folder, "--file", "b.py")
    assert (unknown.exit_code, unknown.stderr) == (1, "memtui: No session touched a file 'b.py'.\n")


def test_failures(folder: Path) -> None:
    unknown = run(folder, "zebra")
    assert (unknown.exit_code, unknown.stderr) == (1, "memtui: There is no session whose id begins with 'zebra'.\n")
    nowhere = run(folder, "1111", "--to", "no/a.md")
    assert (nowhere.exit_code, nowhere.stderr) == (1, "memtui: no/a.md cannot be written: No such file or directory.\n")
    for arguments in (["1111:9"], ["1111:x"], [], ["1111", "--file", "a"], ["1111", "--max-chars", "-1"]):
        wrong = run(folder, *arguments)
        assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert list(folder.iterdir()) == []


@pytest.mark.spec("S1.20")
def test_the_text_goes_into_the_first_message_of_a_person(folder: Path) -> None:
    text = run(folder, "1111").stdout.removesuffix("\n")
    given = [
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "Go on"},
        {"role": "user", "content": "later"},
    ]
    Path("prompt.json").write_text(json.dumps(given), "utf-8")
    result = run(folder, "1111", "--messages", "prompt.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == [given[0], {"role": "user", "content": f"{text}\n\nGo on"}, given[2]]
    assert json.loads(Path("prompt.json").read_text("utf-8")) == given
    image = {"type": "image", "source": {}}
    blocks = json.dumps([{"role": "user", "content": [image, {"type": "text", "text": "Go on"}]}])
    arguments = ["1111", "--messages", "-", "--data-dir", str(folder.parent / "data")]
    piped = CliRunner().invoke(handoff, arguments, input=blocks)
    assert json.loads(piped.stdout) == [
        {"role": "user", "content": [image, {"type": "text", "text": f"{text}\n\nGo on"}]}
    ]
    assert run(folder, "1111", "--messages", "prompt.json", "--to", "whole.json").stdout == ""
    assert Path("whole.json").read_text("utf-8") == result.stdout


@pytest.mark.spec("S1.20")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "No message of m.json has the role user and a content: the text cannot be added."),
        ('[{"role": "assistant", "content": "Hi"}]',
         "No message of m.json has the role user and a content: the text cannot be added."),
        ("{}", "m.json is not a list of messages."),
        ("[1]", "m.json is not a list of messages."),
        ("[", "m.json is not JSON: "),
    ],
)  # fmt: skip
def test_messages_that_cannot_take_the_text_are_a_failure(folder: Path, content: str, said: str) -> None:
    Path("m.json").write_text(content, "utf-8")
    result = run(folder, "1111", "--messages", "m.json")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"memtui: {said}")
    assert run(folder, "1111", "--messages", "m.json", "--json").exit_code == 2
    assert run(folder, "1111", "--messages", "nowhere.json").exit_code == 2
