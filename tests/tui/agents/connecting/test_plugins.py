"""The plugins in the repository: they are what is declared, and their commands work with and without memtui."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from memtui.agents.connecting.skill import SKILL
from memtui.agents.mcp.registry import TOOLS
from memtui_core.readers.registry import connections
from support.systems import unix_only
from tools.make_plugins import HOOK, ROOT, SERVE, plugin_files

FOLDERS = (".claude-plugin", ".agents", ".github/plugin", "plugins")


def test_the_files_are_those_that_are_declared() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    assert found == plugin_files()


def test_the_function_that_calls_a_hook_is_written_once_and_in_every_extension() -> None:
    code = (ROOT / "core" / "memtui_core" / "readers" / "connecting" / "remembered.ts").read_text("utf-8")
    extensions = [one.extension for one in connections().values() if one.extension is not None]
    texts = [extension.text(["memtui"], []) for extension in extensions]
    assert [text.count(code) for text in texts] == [1, 1, 1]
    assert [re.findall(r"^.*function remembered\(.*$", text, re.MULTILINE) for text in texts] == [
        ["function remembered(event: string, call: object): Promise<string> {"]
    ] * 3
    sources = {extension.source.read_text("utf-8") for extension in extensions}
    assert [source for source in sources if '"hook", event' in source] == []


def test_every_folder_of_a_marketplace_exists_and_has_the_plugin() -> None:
    files = plugin_files()
    marketplaces = [name for name in files if name.endswith("marketplace.json")]
    assert sorted(marketplaces) == [
        ".agents/plugins/marketplace.json",
        ".claude-plugin/marketplace.json",
        ".github/plugin/marketplace.json",
    ]
    for name in marketplaces:
        (plugin,) = json.loads(files[name])["plugins"]
        source = plugin["source"] if isinstance(plugin["source"], str) else plugin["source"]["path"]
        folder = source.removeprefix("./")
        manifests = [file for file in files if file.startswith(f"{folder}/") and file.endswith("plugin.json")]
        assert [json.loads(files[file])["name"] for file in manifests] == ["memtui"]
        assert f"{folder}/skills/memtui/SKILL.md" in files


def test_the_skill_names_the_tools_that_there_are() -> None:
    """All but the one that marks single turns, which an agent is asked to use."""
    assert {*re.findall(r"`(mem-\w+)`", SKILL), "mem-annotate"} == {tool.name for tool in TOOLS}


@pytest.fixture
def memtui(tmp_path: Path) -> Path:
    """A program of that name, in a folder of its own, that says how it was called."""
    program = tmp_path / "installed" / "memtui"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho called "$@" && cat\nexit 3\n')
    program.chmod(0o755)
    return program


def call(script: str, text: str, *folders: Path, home: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, folders), "/usr/bin", "/bin"])
    environ = {"PATH": path, "HOME": str(home)}
    return subprocess.run(["sh", "-c", script], input=text, env=environ, capture_output=True, text=True)


@unix_only
def test_a_hook_calls_memtui_and_is_silent_without_it(memtui: Path, tmp_path: Path) -> None:
    there = call(f"{HOOK}Stop", "{}", memtui.parent, home=tmp_path)
    assert (there.returncode, there.stdout, there.stderr) == (3, "called hook Stop\n{}", "")
    gone = call(f"{HOOK}Stop", "{}", home=tmp_path)
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, "", "")


@unix_only
def test_memtui_is_found_where_pipx_and_uv_put_it(memtui: Path, tmp_path: Path) -> None:
    (tmp_path / ".local").mkdir()
    memtui.parent.rename(tmp_path / ".local" / "bin")
    assert call(f"{HOOK}Stop", "", home=tmp_path).stdout == "called hook Stop\n"
    assert call(SERVE, "", home=tmp_path).stdout == "called mcp\n"


@unix_only
@pytest.mark.parametrize("number", [0, 17])
def test_without_memtui_the_server_says_what_to_do(number: int, tmp_path: Path) -> None:
    request = {"jsonrpc": "2.0", "method": "initialize", "params": {"clientInfo": {"name": "x"}}, "id": number}
    done = call(SERVE, json.dumps(request) + "\n", home=tmp_path)
    message = (
        "memtui is not installed, or not on the PATH. Install it with: pipx install memtui, or: uv tool install memtui."
        " Then start a new session."
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": number, "error": {"code": -32001, "message": message}}
    assert (done.returncode, done.stderr) == (1, f"{message}\n")
