"""A hand-off that starts an agent, and one that becomes a session in an agent's own store."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memtui.cli import cli
from memtui_core.index.index import Index
from memtui_core.memory.handoff import start
from memtui_core.readers.registry import reader_named, starting_readers
from support.indexes import build, update, whole_turns
from support.transcripts import SESSION, Script


def shop(folder: Path, cwd: Path) -> Script:
    script = Script(cwd=str(cwd))
    script.user("Round the prices")
    script.says("I look first.")
    script.calls("Read", {"file_path": f"{cwd}/src/prices.py"})
    script.result("1\tdef price(): ...")
    script.says("Prices are rounded.")
    script.user("And the discounts")
    script.says("Those, too.")
    script.write(folder)
    return script


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in `shop`, and the index of its session in `data`; read only."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "shop").mkdir()
    shop(folder / "src", folder / "shop")
    update(folder / "data", folder / "src")
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of that index, to be written into."""
    return Path(shutil.copytree(built / "data", tmp_path / "data"))


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["handoff", *arguments, "--data-dir", str(data)])


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `claude` that writes its folder and its arguments into a file, and fails; the file."""
    folder, written = tmp_path / "programs", tmp_path / "started.txt"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\n(pwd; printf "%s\\n" "$@") > {written}\nexit 7\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return written


def test_an_agent_is_started_with_the_text_in_the_folder_of_the_session(built: Path, data: Path, program: Path) -> None:
    result = run(data, SESSION, "--start", "claude")
    text = run(data, SESSION).stdout
    assert (result.exit_code, result.stdout) == (7, "")
    assert program.read_text() == f"{built / 'shop'}\n{text}"
    assert result.stderr == f"Starting Claude Code in {built / 'shop'} with {len(text) - 1} characters.\n"


def test_a_text_that_is_too_long_for_an_argument_is_passed_in_a_file(
    data: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "_MAX_ARGUMENT", 10)
    assert run(data, SESSION, "--start", "Claude Code").exit_code == 7
    [_, prompt] = program.read_text().splitlines()
    path = data / "handoffs" / f"handoff-{SESSION[:8]}.md"
    assert prompt == f"Read {path} first: it is the context of an earlier session, to go on from."
    assert f"{path.read_text()}\n" == run(data, SESSION).stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--start", "claude"], 1, "memtui: claude is not installed."),
        (["--start", "nobody"], 2, "there is no agent 'nobody'. Known: "),
        (["--start", "claude", "--json"], 2, "--start takes the text itself"),
        (["--as-session", "claude", "--to", "x"], 2, "--as-session needs a session, and no other output."),
        (["--as-session", "claude"], 2, "Cannot ask: standard input is not a terminal."),
    ],
)
def test_what_cannot_be_done_is_refused(
    arguments: list[str], code: int, message: str, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = run(data, SESSION, *arguments)
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr


def test_a_text_never_goes_through_the_shell_of_windows(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There, agents that npm installs are scripts, to which the shell passes arguments after it has read them."""
    monkeypatch.setattr(shutil, "which", lambda name: f"C:\\npm\\{name}.CMD")
    result = run(data, SESSION, "--start", "claude")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "memtui: C:\\npm\\claude.CMD is a script of the Windows shell, which would take a part of the text for"
        " commands. Start Claude Code yourself, and give it what memtui handoff prints without --start.\n"
    )


def test_the_session_is_shown_before_it_is_written(
    built: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    result = run(data, SESSION, "--as-session", "claude", "--dry-run")
    folder = tmp_path / "claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", str(built / "shop"))
    lines = result.stdout.splitlines()
    assert (result.exit_code, len(lines), (tmp_path / "claude").exists()) == (0, 6, False)
    assert lines[0].startswith(f"{folder}/")
    assert lines[3:] == [
        "  assistant: I look first. [Read src/prices.py] Prices are rounded.",
        "  user: And the discounts",
        "  assistant: Those, too.",
    ]


@pytest.mark.parametrize(
    ("agent", "variable", "command"),
    [
        ("claude", "CLAUDE_CONFIG_DIR", "claude --resume"),
        ("codex", "CODEX_HOME", "codex resume"),
    ],
)
def test_the_written_session_is_read_back_as_the_same_conversation(
    agent: str,
    variable: str,
    command: str,
    built: Path,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(variable, str(tmp_path / "home-of-agent"))
    before = Index.open(data).sessions.find(SESSION)
    result = run(data, SESSION, "--as-session", agent, "--yes")
    assert result.exit_code == 0
    path = Path(result.stdout.splitlines()[0])
    session_id = path.stem[-36:]
    assert path.is_relative_to(tmp_path / "home-of-agent")
    assert result.stderr == f"Written. cd {built / 'shop'} && {command} {session_id}\n"
    assert session_id != SESSION
    index = build(tmp_path / "again", path, agent=None)
    session = index.sessions.find(session_id)
    assert session.agent.startswith(agent)
    assert (session.title, session.cwd, session.branch) == (before.title, before.cwd, before.branch)
    lead = f"This conversation was begun in Claude Code, in session {SESSION}."
    lead += " Lines in brackets are its tool calls, without their results.\n\n"
    assert [blocks for _, blocks in whole_turns(index, session_id)] == [
        [
            ("user", f"{lead}Round the prices"),
            ("text", "I look first.\n\n[Read src/prices.py]\n\nPrices are rounded."),
        ],
        [("user", "And the discounts"), ("text", "Those, too.")],
    ]
    assert [turn.started_at for turn in index.sessions.turns(session.key)] == [
        turn.started_at for turn in Index.open(data).sessions.turns(before.key)
    ]


def test_of_a_conversation_that_is_too_long_the_last_turns_are_complete(data: Path) -> None:
    from memtui_core.memory.handoff.conversation import conversation

    index = Index.open(data)
    made = conversation(index.snapshot, index.sessions.find(SESSION).key, most_characters=30)
    assert made is not None
    first, *others = made.messages
    assert [message.text for message in others] == ["Those, too."]
    assert first.text.endswith("\n\nAnd the discounts")
    assert "What was before:\n\n" in first.text
    assert "Round the prices" in first.text


def test_agents_are_found_by_their_ids_and_names() -> None:
    names = ("claude", "claude-code", "CLAUDE CODE", "nobody")
    assert [reader.agent if (reader := reader_named(name)) else None for name in names] == [
        "claude-code",
        "claude-code",
        "claude-code",
        None,
    ]
    assert starting_readers()[0].agent == "claude-code"


def messages(tmp_path: Path) -> Path:
    """An index of a conversation without a folder, whose id contains slashes."""
    path, data = tmp_path / "chat.json", tmp_path / "data"
    texts = [{"role": "user", "content": "Round the prices"}, {"role": "assistant", "content": "Rounded."}]
    path.write_text(json.dumps([{"id": "a/b/../0123456789", "messages": texts}]))
    build(data, path, agent="generic")
    return data


def test_the_file_of_a_long_text_is_in_the_data_folder_and_goes_with_the_excluded_sessions(
    tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "_MAX_ARGUMENT", 10)
    data = messages(tmp_path)
    assert run(data, "a/b/../0123456789", "--start", "claude").exit_code == 7
    path = data / "handoffs" / "handoff-a-b-..-0.md"
    assert "Round the prices" in path.read_text()
    config = Path(os.environ["MEMTUI_CONFIG"])
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('exclude = ["agent:generic"]')
    assert CliRunner().invoke(cli, ["forget", "--yes", "--data-dir", str(data)]).exit_code == 0
    assert not path.exists()


def test_a_conversation_without_a_folder_becomes_a_session_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.chdir(tmp_path)
    result = run(messages(tmp_path), "a/b/../0123456789", "--as-session", "claude", "--yes")
    path = Path(result.stdout.splitlines()[0])
    assert path.parent == tmp_path / "claude" / "projects" / re.sub("[^A-Za-z0-9]", "-", str(tmp_path))
    assert result.stderr == f"Written. cd {tmp_path} && claude --resume {path.stem}\n"
