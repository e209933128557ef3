"""No text of a transcript acts on the terminal: every command and every view, on hostile sessions, through a pty."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
import orjson
import pytest
from textual.screen import ModalScreen, Screen

import memtui
import memtui.cli
from memtui.settings.toml_text import toml_text
from memtui.views.registry import VIEWS
from memtui_core.export.formats import FORMATS
from support import several_commands
from support.commands import every_command
from support.forks import Forks
from support.hostile import (
    ATTACKS,
    IN_PATH,
    JOINED,
    LIE,
    MARK,
    ROOT,
    TARGET,
    attacks_in,
    named,
    shown_in,
    write_sessions,
)
from support.indexes import embed, update
from support.several_commands import ENDED
from support.terminal import Terminal
from support.transcripts import SESSION


class Run(NamedTuple):
    """A call of a command."""

    arguments: tuple[str, ...]
    shows: tuple[str, ...] = ()
    """Names of hostile texts that it must show."""
    code: int = 0
    given: bytes | None = None
    """Piped to standard input, which is the terminal else."""
    is_json: bool = True
    """Whether it is also called with --json."""


def _rpc(*calls: tuple[str, dict[str, Any]]) -> bytes:
    """What an agent says to the server of tools."""
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    said: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        *(
            {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(calls, 1)
        ),
    ]
    return b"".join(orjson.dumps({"jsonrpc": "2.0", **one}) + b"\n" for one in said)


def _hook(event: str, **fields: Any) -> bytes:
    given = {"session_id": "asker", "transcript_path": "", "cwd": ROOT, "hook_event_name": event}
    return orjson.dumps({**given, **fields})


_PATH = f"path{MARK}"
_FILE = f"{ROOT}/src/{named('path', IN_PATH)}.py"
_ASKED = f"please prompt{MARK} second line line{MARK}"
RUNS: Final[Mapping[str, tuple[Run, ...]]] = {
    "index": (Run(("index", "--no-embed")), Run(("index", f"--{ATTACKS}"), code=2, is_json=False)),
    "forget": (
        Run(("forget", "--dry-run"), ("root",)),
        Run(("forget", "--matching", "promptzqx", "--dry-run"), ("root", "title"), is_json=False),
        Run(("forget", "--list"), is_json=False),
        Run(("forget", ATTACKS, "--dry-run"), code=1, is_json=False),
    ),
    # The settings name the attacks as an agent that is excluded.
    "config": (
        Run(("config", "--check"), code=1),
        Run(("config", "--json"), is_json=False),
        Run(("config", "--path"), is_json=False),
        Run(("config", "--default"), is_json=False),
        Run(("config", f"--{ATTACKS}"), code=2, is_json=False),
    ),
    "search": (
        Run(("search", "promptzqx"), ("title", "prompt", "root")),
        Run(("search", _PATH), ("path", "title")),
        Run(("search", "promptzqx", "--format", "{id} {title} {snippet}"), ("title", "prompt"), is_json=False),
        Run(("search", f"branch:x {ATTACKS}")),
    ),
    # What there is opens the app.
    "open": (Run(("open", f"memtui://{ATTACKS}"), code=2, is_json=False), Run(("open", MARK), code=1, is_json=False)),
    "sql": (
        Run(("sql", "SELECT title, prompt FROM sessions JOIN turns USING (session_id)"), ("title", "prompt")),
        Run(("sql", "FROM tool_calls", "--csv"), ("command", "failure"), is_json=False),
        Run(("sql", f"SELECT '{ATTACKS}'"), is_json=False),
        Run(("sql", ATTACKS), code=1, is_json=False),
    ),
    "completion": (Run(("completion", ATTACKS), code=2, is_json=False), Run(("completion", "zsh"), is_json=False)),
    "annotations": (
        Run(("annotations",), ("title", "tagged", "added", "below")),
        Run(("annotations", "--history"), ("renamed", "tagged", "added", "by", "machine")),
        Run(("annotations", ATTACKS), code=1),
    ),
    "archive": (
        Run(("archive", SESSION), ("title",), is_json=False),
        Run(("archive", ATTACKS), code=2, is_json=False),
    ),
    "note": (
        Run(("note", SESSION), ("added", "below"), is_json=False),
        Run(("note", f"{SESSION}:1", ATTACKS), ("title",), is_json=False),
        Run(("note", SESSION, "--remove", ATTACKS), code=1, is_json=False),
    ),
    "pin": (Run(("pin", SESSION), ("title",), is_json=False), Run(("pin", ATTACKS), code=2, is_json=False)),
    "rename": (Run(("rename", SESSION, named("mine")), ("mine", "title"), is_json=False),),
    "tag": (
        Run(("tag", SESSION), ("tagged",), is_json=False),
        Run(("tag",), ("tagged",), is_json=False),
        Run(("tag", SESSION, ATTACKS), code=1, is_json=False),
    ),
    # Its own commands are tried in tests/tui/cli/team, with a server.
    "team": (
        Run(("team", "status"), code=1, is_json=False),
        Run(("team", "join", ATTACKS), code=1, is_json=False),
        Run(("team", ATTACKS), code=2, is_json=False),
    ),
    "recall": (
        Run(("recall", "--everywhere", "please", "promptzqx", "second", "line", "linezqx"), ("prompt", "title")),
        Run(("recall", "--everywhere", "--file", _PATH), ("path", "title")),
        Run(("recall", "--everywhere", "--file", ATTACKS)),
    ),
    "files": (
        Run(("files",), ("path", "root")),
        Run(("files", "--sessions"), ("path", "title")),
        Run(("files", ATTACKS)),
    ),
    "blame": (
        Run(("blame", "typed.py"), ("typed",)),
        Run(("blame", ATTACKS), code=1),
        Run(("blame", f"typed.py:{ATTACKS}"), code=1),
    ),
    "why": (
        Run(("why", "typed.py:1"), ("typed",)),
        Run(("why", "typed.py:2"), code=2),
        Run(("why", ATTACKS), code=2),
    ),
    "fix": (
        Run(("fix", f"error: no such page, {named('failure')}"), ("failure", "command")),
        Run(("fix", ATTACKS)),
        Run(("fix", "-"), given=ATTACKS.encode()),
    ),
    "friction": (Run(("friction",)), Run(("friction", "--project", ATTACKS), code=2)),
    "commit": (Run(("commit", "HEAD"), code=1), Run(("commit", ATTACKS), code=1)),
    "told": (Run(("told", SESSION), ("event", "told")), Run(("told", ATTACKS), code=1)),
    "decisions": (Run(("decisions",)), Run(("decisions", ATTACKS)), Run(("decisions", "--project", ATTACKS), code=2)),
    "show": (
        Run(
            ("show", SESSION, "--full"),
            ("title", "prompt", "thinking", "old", "new", "content", "summary", "tool", "key", "printed"),
        ),
        Run(("show", SESSION), ("title", "prompt", "path", "summary", "tool", "printed")),
        Run(("show", "sessionzqx"), ("session", "said")),
        Run(("show", ATTACKS), code=2),
        Run(("show", f"{SESSION}:{ATTACKS}"), code=2),
        Run(("show", ""), code=2),
        Run(("show", SESSION, ATTACKS), code=2, is_json=False),
    ),
    "export": (
        *(
            Run(
                ("export", SESSION, "--output", "-", "--format", each.name),
                ("title", "prompt", "answer"),
                is_json=False,
            )
            for each in FORMATS
        ),
        Run(("export", SESSION), is_json=False),
        Run(("export", SESSION, "--output", f"no/such/{ATTACKS}"), code=1, is_json=False),
        Run(("export", SESSION, "--format", ATTACKS), code=2, is_json=False),
    ),
    "share": (
        Run(("share", SESSION, "--preview"), ("root",)),
        Run(
            ("share", SESSION, "--yes", "--output", "-", "--keep", "root"), ("title", "prompt", "answer"), is_json=False
        ),
        Run(("share", SESSION, "--yes"), is_json=False),
        Run(("share", SESSION, "--leave-out", ATTACKS), code=2, is_json=False),
        Run(("share", SESSION, "--preview", "--redact", ATTACKS)),
    ),
    "restore": (
        Run(("restore", SESSION), code=1, is_json=False),
        Run(
            ("restore", _FILE.removeprefix(f"{ROOT}/"), "--at", SESSION, "--output", "-"),
            ("content",),
            is_json=False,
        ),
        Run(("restore", ATTACKS, "--at", f"{SESSION}:1"), code=1, is_json=False),
        Run(("restore", SESSION, "--at", ATTACKS), code=2, is_json=False),
    ),
    "backup": (
        Run(("backup", "all.tar.zst"), is_json=False),
        Run(("backup", "--check", "all.tar.zst")),
        Run(("backup", f"no/such/{ATTACKS}"), code=1, is_json=False),
    ),
    "import": (
        Run(("backup", "all.tar.zst"), is_json=False),
        Run(("import", "all.tar.zst")),
        Run(("export", "--all", "everything"), is_json=False),
        Run(("import", "everything")),
        Run(("import", ATTACKS), code=2, is_json=False),
    ),
    "compactions": (
        Run(("compactions",), ("title", "root")),
        Run(("compactions", SESSION), ("title", "trigger")),
        Run(("compactions", SESSION, "--prompt"), is_json=False),
        Run(("compactions", SESSION, "--prompt", ATTACKS), code=2, is_json=False),
    ),
    "rewind": (
        Run(("rewind", f"{SESSION}:1", "--dry-run", "--diff"), ("title", "root")),
        Run(("rewind", ATTACKS), code=2),
    ),
    "handoff": (
        Run(("handoff", SESSION), ("root", "summary", "kept")),
        Run(("handoff", f"{SESSION}:1"), ("prompt", "tool", "path", "todo", "answer")),
        Run(("handoff", "--file", _FILE.removeprefix(f"{ROOT}/")), ("path", "content")),
        Run(("handoff", "--file", ATTACKS), code=1),
        Run(("handoff", SESSION, "--to", "handed.md"), is_json=False),
        Run(("handoff", SESSION, "--start", "claude"), is_json=False),
        Run(("handoff", SESSION, "--start", ATTACKS), code=2, is_json=False),
        Run(("handoff", SESSION, "--as-session", "claude", "--dry-run"), ("heading", "kept"), is_json=False),
    ),
    "pr": (Run(("pr", "7"), ("repository", "title", "prurl")), Run(("pr", ATTACKS), code=2)),
    "prs": (Run(("prs",), ("repository", "title", "prurl")), Run(("prs", ATTACKS), code=2)),
    "sessions": (
        Run(("sessions",), ("title", "root")),
        Run(("sessions", "--project", ATTACKS), code=2),
        Run(("sessions", "--format", "{title} {branch} {end}"), ("title", "branch"), is_json=False),
        Run(("sessions", "--format", f"{{{ATTACKS}}}"), code=2, is_json=False),
    ),
    "statusline": (
        Run(("statusline",), given=orjson.dumps({"session_id": SESSION, "model": {"id": ATTACKS}}), is_json=False),
        Run(("statusline",), given=ATTACKS.encode(), is_json=False),
    ),
    # What it prints of a session is tried in tests/tui/cli/test_tail.py, which ends it.
    "tail": (Run(("tail", ATTACKS), code=1, is_json=False),),
    "stats": (
        Run(("stats",), ("tool", "path", "model", "root")),
        Run(("stats", "--project", f"root{MARK}"), ("root",)),
        Run(("stats", "--project", "nothing"), ("root", "folder"), code=2),
        Run(("stats", "--project", ATTACKS), code=2),
    ),
    "project": (
        Run(("project", f"root{MARK}"), ("root", "title", "path", "branch", "model", "repository")),
        Run(("project", "nothing"), ("root",), code=2),
        Run(("project", ATTACKS), code=2),
    ),
    "timeline": (
        Run(("timeline", "--everywhere"), ("title", "path", "noted")),
        Run(("timeline", SESSION), ("noted",)),
        Run(("timeline", ATTACKS), code=1),
    ),
    "doctor": (Run(("doctor",), ("folder", "file", "address", "failed")),),
    "machine": (
        Run(("machine", "list"), ("address", "failed"), is_json=False),
        Run(("machine", "list", "--json"), ("address", "failed"), is_json=False),
        Run(("machine", "pull"), ("address",), code=1, is_json=False),
        Run(("machine", "pull", ATTACKS), code=1, is_json=False),
        Run(("machine", "add", "other", f"no/{named('place')}"), ("place",), is_json=False),
        Run(("machine", "add", ATTACKS, "ssh://host"), code=1, is_json=False),
        Run(("machine", "add", "third", ATTACKS), code=1, is_json=False),
        Run(("machine", ATTACKS), code=2, is_json=False),
        Run(("machine", "remove", ATTACKS), code=1, is_json=False),
    ),
    "enable": (Run(("enable", "--dry-run"), ("setting",), is_json=False),),
    "disable": (Run(("disable", "--dry-run"), is_json=False),),
    "hook": (
        Run(
            ("hook",),
            ("title", "path"),
            given=_hook("PreToolUse", tool_name="Edit", tool_input={"file_path": _FILE}),
            is_json=False,
        ),
        Run(
            ("hook",),
            given=_hook("UserPromptSubmit", prompt="please promptzqx linezqx"),
            is_json=False,
        ),
        Run(("hook",), ("path",), given=_hook("SubagentStart", session_id=SESSION), is_json=False),
    ),
    "mcp": (
        Run(
            ("mcp",),
            ("title", "prompt", "path", "noted", "added", "failure"),
            given=_rpc(
                ("mem-search", {"query": "promptzqx", "project": "all"}),
                ("mem-search", {"query": ATTACKS, "project": ATTACKS}),
                ("mem-timeline", {"project": "all"}),
                ("mem-timeline", {"session_id": SESSION}),
                ("mem-show", {"turns": SESSION}),
                ("mem-show", {"turns": ATTACKS}),
                ("mem-files", {"path": f"src/{_PATH}", "project": "all"}),
                ("mem-fix", {"error": f"error: no such page, {named('failure')}", "project": "all"}),
                ("mem-fix", {"error": ATTACKS}),
                ("mem-why", {"place": "typed.py:1"}),
                ("mem-why", {"place": ATTACKS}),
                ("mem-handoff", {"session": SESSION}),
                ("mem-annotate", {"target": f"{SESSION}:1"}),
                ("mem-annotate", {"target": SESSION, "add_tags": [ATTACKS]}),
                ("mem-forget", {"id": ATTACKS}),
                (ATTACKS, {}),
            ),
            is_json=False,
        ),
    ),
}
"""Calls of every command that prints; `demo` opens the app on sessions of ours."""
OPENS_THE_APP: Final = {"demo", "pick"}
TOP: Final = (
    Run((ATTACKS,), code=2),
    Run((f"--{ATTACKS}",), code=2),
    Run(("--source", ATTACKS), code=2),
)
"""Calls without a command."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sessions in `projects` and their index, with vectors and an observation, in `data`."""
    return made(tmp_path_factory.mktemp("hostile"))


def made(folder: Path) -> Path:
    """The folder, filled."""
    write_sessions(folder / "projects")
    update(folder / "data", folder / "projects")
    embed(folder / "data")
    # Written by another program: memtui's own lines are safe already.
    line = {
        "kind": "observation", "session_id": SESSION, "root": ROOT, "tool_name": "mem-save",
        "type": "decision", "title": named("noted"), "narrative": named("narrated"), "subtitle": named("subtitle"),
        "facts": [named("fact")], "concepts": [named("concept")], "files_modified": [named("modified")],
        "files_read": [], "id": "abc123", "at": "2026-11-01T09:00:30Z",
    }  # fmt: skip
    (folder / "data" / "observations.jsonl").write_bytes(orjson.dumps(line) + b"\n")
    of_session = {"agent": "claude-code", "session": SESSION, "by": named("by"), "machine": named("machine")}
    added: list[dict[str, Any]] = [
        {"kind": "renamed", "text": named("renamed")},
        {"kind": "renamed", "text": ""},
        {"kind": "tagged", "text": named("tagged")},
        *({"kind": "noted", "text": f"{named('added')}\n{named('below')}", "turn": turn} for turn in (0, 1, 2)),
    ]
    lines = [
        {**of_session, **one, "id": f"r{number}", "at": f"2026-11-01T09:00:0{number}Z"}
        for number, one in enumerate(added)
    ]
    (folder / "data" / "annotations.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
    reminder = {"at": 1, "event": named("event"), "references": [f"{SESSION}:1"], "text": named("told")}
    (folder / "data" / "told").mkdir()
    (folder / "data" / "told" / SESSION).write_bytes(orjson.dumps(reminder) + b"\n")
    machines = folder / "data" / "machines"
    (machines / "laptop").mkdir(parents=True)
    declared = {"machines": {"laptop": {"address": f"/nowhere/{named('address')}"}}}
    (machines / "machines.json").write_bytes(orjson.dumps(declared))
    (machines / "laptop" / "state.json").write_bytes(orjson.dumps({"error": named("failed")}))
    return folder


@pytest.fixture
def place(hostile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, with a folder as the current one that has a hostile file, and hostile settings of the agent."""
    shutil.copytree(hostile, tmp_path / "all")
    settings = {"hooks": {}, named("setting"): named("set"), "env": {}}
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "settings.json").write_text(json.dumps(settings, ensure_ascii=False, indent=2))
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "typed.py").write_text(named("typed"))
    agent = tmp_path / "bin" / "claude"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "all"


def environment(place: Path) -> dict[str, str]:
    """Of a person with a terminal, whose agent has no sessions but the hostile ones."""
    kept = {name: value for name, value in os.environ.items() if name not in {"VISUAL", "COLUMNS", "LINES"}}
    return kept | {
        "MEMTUI_DATA_DIR": str(place / "data"), "TERM": "xterm-256color", "PAGER": "cat",
        "HOME": str(place.parent / "home"), "PATH": f"{place.parent / 'bin'}:{os.environ['PATH']}",
    }  # fmt: skip


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Starts the commands."""
    of_commands = [module.name for module in pkgutil.iter_modules(memtui.cli.__path__, "memtui.cli.")]
    with Forks("_duckdb", "tantivy", "memtui.agents.hooks.run", "memtui.agents.mcp.toolbox", *of_commands) as forks:
        yield forks


def ran(runs: Sequence[Run], place: Path, forks: Forks) -> list[str]:
    """What each call writes to a terminal, which shows all that it should and obeys none of it.

    Those that read the terminal share a process, as they share the model that it loads.
    """
    together = [run for run in runs if run.given is None]
    written = dict(zip(together, _written_together(together, place, forks), strict=True))
    written |= {run: _written_alone(run, run.given, place, forks) for run in runs if run.given is not None}
    for run, (code, text) in written.items():
        shown = shown_in(text)
        missing = [name for name in run.shows if f"{name}{MARK}" not in shown]
        assert (code, missing, attacks_in(text)) == (run.code, [], []), (run.arguments, shown[-1500:])
    return [shown_in(written[run][1]) for run in runs]


def _written_together(runs: Sequence[Run], place: Path, forks: Forks) -> list[tuple[int, bytes]]:
    """The exit code of each call and what it wrote, one after the other."""
    if not runs:
        return []
    calls = json.dumps([run.arguments for run in runs])
    # Wide, so that tables show all columns.
    terminal = Terminal(forks.command(several_commands.__file__, calls), environment(place), (1_000, 24))
    try:
        code, written = terminal.end()
    finally:
        terminal.close()
    *each, rest = re.split(rb"%s(\d+)\r\n" % ENDED.encode(), written)
    assert (code, rest, len(each)) == (0, b"", 2 * len(runs)), shown_in(written)[-1500:]
    return [(int(code), text) for text, code in zip(each[::2], each[1::2], strict=True)]


def _written_alone(run: Run, given: bytes, place: Path, forks: Forks) -> tuple[int, bytes]:
    """The exit code of a call that reads a pipe, and what it wrote."""
    terminal = Terminal(forks.command("memtui", *run.arguments), environment(place), (80, 24), given)
    try:
        if run.arguments[0] == "mcp":
            answers = given.count(b"\n") - 1
            terminal.until(lambda written: written.count(b'"jsonrpc"') == answers)
        return terminal.end()
    finally:
        terminal.close()


def test_every_command_is_tried() -> None:
    assert set(RUNS) | OPENS_THE_APP == set(every_command())
    takes_json = {
        name
        for name, command in every_command().items()
        if any(isinstance(option, click.Option) and "--json" in option.opts for option in command.params)
    }
    assert {name for name, runs in RUNS.items() if any(run.is_json for run in runs)} == takes_json


@pytest.mark.parametrize("name", [*RUNS, ""])
def test_no_command_lets_a_transcript_act_on_the_terminal(name: str, place: Path, forks: Forks) -> None:
    runs = RUNS[name] if name else TOP
    if name == "forget":
        Path(os.environ["MEMTUI_CONFIG"]).write_text('exclude = ["agent:claude-code"]')
    if name == "config":
        Path(os.environ["MEMTUI_CONFIG"]).write_text(f"exclude = [{toml_text(f'agent:{ATTACKS}')}]", "utf-8")
    # What fails says the same with it.
    as_json = [
        run._replace(arguments=(*run.arguments, "--json"), shows=()) for run in runs if run.is_json and not run.code
    ]
    shown = ran([*runs, *as_json], place, forks)
    for run, text in zip(as_json, shown[len(runs) :], strict=True):
        told = text[max(text.find("[\r\n"), 0) :]
        assert MARK in json.dumps(_documents(told)) or not _named(runs, run), run.arguments


def _named(runs: Sequence[Run], as_json: Run) -> tuple[str, ...]:
    """The names that a call shows which was made without --json."""
    return next(run.shows for run in runs if run.arguments == as_json.arguments[:-1])


def _documents(text: str) -> list[Any]:
    """The JSON documents at the beginning of a text, each on lines of its own."""
    found, rest = [], text.strip()
    while rest.startswith(("[", "{")):
        value, end = json.JSONDecoder().raw_decode(rest)
        found.append(value)
        rest = rest[end:].strip()
    return found


APP: Final = """
import sys
from pathlib import Path
from memtui.app import MemtuiApp
MemtuiApp(Path(sys.argv[1]), run_indexer=False).run()
"""
ESC: Final = "\x1b"
WALK: Final[tuple[tuple[str, str, str], ...]] = (
    ("project", "g\r", "Recent sessions"),
    ("sessions", ESC, f"title{MARK}"),
    ("sessions", "gj", f"title{MARK}"),
    ("ForgetScreen", "\x1b[3~", "enter forget"),
    ("sessions", ESC, f"title{MARK}"),
    ("transcript", "\r", f"prompt{MARK}"),
    ("transcript", "tT", f"entity{MARK}"),
    ("transcript", "G", "turn 2 of 2"),
    ("find", "f", "find in this session"),
    ("find", f"output{MARK}", f"output{MARK}"),
    ("transcript", ESC, f"title{MARK}"),
    ("PagerScreen", "v", "esc back"),
    ("transcript", ESC, f"title{MARK}"),
    ("inspector", "i", f"model{MARK}"),
    ("RemindersScreen", "\r", f"event{MARK}"),
    ("PagerScreen", "v", f"told{MARK}"),
    ("RemindersScreen", ESC, "told by memtui"),
    ("inspector", ESC, f"title{MARK}"),
    ("transcript", "i", f"title{MARK}"),
    ("HelpScreen", "?", "keys or legend"),
    ("HelpScreen", "\t", "The minimap"),
    ("transcript", ESC, f"title{MARK}"),
    ("nowhere", "r", "The folder does not exist."),
    ("HandoffScreen", "H", f"root{MARK}"),
    ("transcript", ESC, f"title{MARK}"),
    ("RewindScreen", "W", "rewind?"),
    ("transcript", ESC, f"title{MARK}"),
    ("ShareScreen", "P", f"title{MARK}"),
    ("transcript", ESC, f"title{MARK}"),
    ("transcript", "g", "turn 1 of 2"),
    ("KnownErrorsScreen", "F", f"failure{MARK}"),
    ("transcript", ESC, f"title{MARK}"),
    ("transcript", "G", "turn 2 of 2"),
    ("ChoiceScreen", "e", "Markdown"),
    ("export", "\r", "Written"),
    ("copy", "Y", "copied"),
    ("AnnotationForm", "a", f"added{MARK}"),
    ("transcript", ESC, f"title{MARK}"),
    ("files", "2", f"path{MARK}"),
    ("files", "\r", f"title{MARK}"),
    ("BlameScreen", "b", "what a session knew of it"),
    ("files", ESC, f"title{MARK}"),
    ("compactions", "3", f"title{MARK}"),
    ("review", "\r", "Afterwards"),
    ("prs", "4", f"repository{MARK}"),
    ("stats", "5", "turns per day"),
    ("stats", f"{ESC}[6~", ""),
    ("timeline", "6", f"noted{MARK}"),
    ("ObservationForm", "a", "save"),
    ("timeline", ESC, f"noted{MARK}"),
    ("search", "/", "Hits"),
    ("search", f"prompt{MARK}", " hits · "),
    ("search", "\x13", "saved"),
    ("searches", ESC, "saved and recent"),
    ("near", f"cli/near{MARK}.py", f"nearest{MARK}"),
    ("search", "\x15", "exact phrases"),
    ("search", f"resumed{MARK}", "untitled"),
    ("passage", "\r", "passage 1 of"),
    ("ConfirmScreen", "r", "start claude"),
    ("copy", "y", "The command copied"),
    ("passage", ESC, "passage 1 of"),
    ("files", "2", "filter files"),
    ("files", "/", ""),
    ("near", f"cli/near{MARK}.py", f"shown: nearest{MARK}"),
)
"""What is typed, one after the other, and what must come: every view of the app and every screen over it."""


def _screens(kind: type[Screen[Any]]) -> set[type[Screen[Any]]]:
    return {kind, *(one for sub in kind.__subclasses__() for one in _screens(sub))}


def test_every_view_is_shown() -> None:
    for module in pkgutil.walk_packages(memtui.__path__, "memtui."):
        if ".screens" in module.name or ".widgets" in module.name:
            importlib.import_module(module.name)
    shown = {view for view, _, _ in WALK}
    over = {kind.__name__ for kind in _screens(ModalScreen) if kind.__module__.startswith("memtui.")}
    # The base of dialogs, and the lists of actions and of themes, whose names are no text of a transcript.
    over -= {"Dialog", "FilteredScreen"}
    assert {view.name for view in VIEWS} | over <= shown


def test_no_view_lets_a_transcript_act_on_the_terminal(place: Path) -> None:
    """The app draws every view and every screen over it in a real terminal, one after the other."""
    terminal = Terminal([sys.executable, "-c", APP, str(place / "data")], environment(place), (80, 24))
    before, looked_at = "the start", 0
    try:
        terminal.until_shown(f"title{MARK}")
        for view, typed, awaited in WALK:
            # All that came before is in whole sequences: it had come to rest.
            terminal.type(typed)
            assert attacks_in(_without_ours(terminal.all[looked_at:])) == [], before
            looked_at = len(terminal.all)
            before = f"{view}, {typed!r}"
            try:
                terminal.until_shown(awaited)
            except AssertionError as error:
                raise AssertionError(f"{before}: {awaited!r} {error}") from None
        terminal.rest()
        assert attacks_in(_without_ours(terminal.all)) == [], before
        assert {link["target"].decode() for link in _LINK.finditer(terminal.all)} == {LIE, TARGET}
        assert JOINED in shown_in(terminal.all)
    finally:
        terminal.close()


UNCAUGHT: Final = {
    "in a thread and in the command line": """
import sys, threading
from memtui.__main__ import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    pass
def fail(): raise ValueError({text!r})
thread = threading.Thread(target=fail)
thread.start()
thread.join()
fail()
""",
    "in the log of the server of tools": """
import logging
from pathlib import Path
from memtui.agents.mcp.server import serve
serve(Path("."), 0)
try:
    raise ValueError({text!r})
except ValueError as error:
    logging.getLogger("memtui.agents.mcp").exception("%s", error)
    raise SystemExit(1)
""",
    "in the app": """
from pathlib import Path
from memtui.app import MemtuiApp
class Failing(MemtuiApp):
    def on_ready(self): raise ValueError({text!r})
app = Failing(Path("."), run_indexer=False)
app.run()
raise SystemExit(app.return_code)
""",
}
"""Programs that meet an exception which nothing handles, and whose message quotes a hostile text."""


@pytest.mark.parametrize("place_of_it", UNCAUGHT)
def test_no_message_of_an_exception_acts_on_the_terminal(place_of_it: str, place: Path) -> None:
    program = UNCAUGHT[place_of_it].format(text=named("raised"))
    given = b"" if "server" in place_of_it else None
    terminal = Terminal([sys.executable, "-c", program], environment(place), (80, 24), given)
    try:
        code, written = terminal.end()
    finally:
        terminal.close()
    # Textual rings the bell before it prints a traceback.
    written = _without_ours(written).replace(b"\x07", b"", 1)
    assert (code, attacks_in(written)) == (1, [])
    assert f"ValueError: raised{MARK}" in shown_in(written)


def _without_ours(written: bytes) -> bytes:
    """Without the shape of the pointer, what is copied (in base64, on purpose), and links that say where they lead."""
    written = re.sub(rb"\x1b\](?:22;[a-z]+|52;c;[A-Za-z0-9+/=]*)\x07", b"", written)
    return _LINK.sub(lambda link: link["text"] if _is_honest(link) else link[0], written)


_LINK: Final = re.compile(
    rb"\x1b\]8;id=[0-9-]+;(?P<target>[!-~]+)\x1b\\(?P<text>(?:\x1b\[[0-9;]*m|[^\x1b])*)\x1b\]8;;\x1b\\"
)
"""What Textual writes for a link."""


def _is_honest(link: re.Match[bytes]) -> bool:
    """Whether a link leads to the web address of which its text is a part, or to the file that its text names."""
    text, target = re.sub(rb"\x1b\[[0-9;]*m", b"", link["text"]), link["target"]
    if target.startswith(b"file://"):
        return target.endswith(text.rpartition(b"/")[2])
    return target.startswith((b"http://", b"https://")) and text in target
