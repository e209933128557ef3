"""The files of every agent: connected, and put back byte for byte."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui.agents.connecting import json_edit
from memtui.agents.connecting.agent_files import CONNECTED, NO_SUCH_PART, AgentFiles, Parts
from memtui.agents.connecting.change import SettingsChange, SettingsUnusable
from memtui.agents.connecting.toml_settings import with_server
from memtui.agents.connecting.undo import UndoLog
from memtui_core.readers.registry import connections, reader_of
from support.systems import unix_only

AGENTS = connections()
COMMAND = ["/opt/my tools/memtui"]
SERVERS = {
    "claude-code": (".claude.json", "mcpServers", {"command": COMMAND[0], "args": ["mcp"]}),
    "codex": (".codex/config.toml", "mcp_servers", {"command": COMMAND[0], "args": ["mcp"]}),
    "opencode": (
        ".config/opencode/opencode.json",
        "mcp",
        {"type": "local", "command": [*COMMAND, "mcp"], "enabled": True},
    ),
    "kilo": (".config/kilo/kilo.json", "mcp", {"type": "local", "command": [*COMMAND, "mcp"], "enabled": True}),
    "crush": (".config/crush/crush.json", "mcp", {"type": "stdio", "command": COMMAND[0], "args": ["mcp"]}),
    "copilot": (
        ".copilot/mcp-config.json",
        "mcpServers",
        {"type": "local", "command": COMMAND[0], "args": ["mcp"], "tools": ["*"]},
    ),
    "gemini": (".gemini/settings.json", "mcpServers", {"command": COMMAND[0], "args": ["mcp"]}),
    "qwen": (".qwen/settings.json", "mcpServers", {"command": COMMAND[0], "args": ["mcp"]}),
    "cursor": (".cursor/mcp.json", "mcpServers", {"command": COMMAND[0], "args": ["mcp"]}),
}
HOOKS = {
    "claude-code": (".claude/settings.json", 8),
    "codex": (".codex/hooks.json", 6),
    "copilot": (".copilot/hooks/memtui.json", 5),
    "gemini": (".gemini/settings.json", 5),
    "qwen": (".qwen/settings.json", 7),
}
OWN = {
    "codex": [".codex/skills/memtui/SKILL.md"],
    "opencode": [".config/opencode/plugins/memtui.ts", ".config/opencode/skills/memtui/SKILL.md"],
    "kilo": [".config/kilo/plugins/memtui.ts", ".config/kilo/skills/memtui/SKILL.md"],
    "pi": [".pi/agent/extensions/memtui.ts", ".pi/agent/skills/memtui/SKILL.md"],
    "copilot": [".copilot/skills/memtui/SKILL.md"],
    "gemini": [".gemini/skills/memtui/SKILL.md"],
    "qwen": [".qwen/skills/memtui/SKILL.md"],
}


def files_of(
    agent: str,
    home: Path,
    environ: Mapping[str, str] | None = None,
    project: Path | None = None,
    command: Sequence[str] = COMMAND,
) -> AgentFiles:
    reader = reader_of(agent)
    assert reader is not None
    variables = {"HOME": str(home), "USERPROFILE": str(home), "PATH": "", **(environ or {})}
    return AgentFiles(agent, reader.name, AGENTS[agent], command, None, project, variables)


def apply(files: AgentFiles, *, connected: bool) -> list[Path]:
    log, changed = UndoLog(), []
    for change in files.changes(log, connected=connected):
        log.write(change, connected=connected)
        changed.append(change.path)
    return changed


def written(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def value(text: bytes, name: str) -> Any:
    return (
        tomllib.loads(text.decode())
        if name.endswith(".toml")
        else json.loads(json_edit.without_comments(text.decode()))
    )


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_without_settings_gets_files_and_loses_them_again(agent: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    changed = apply(files_of(agent, home), connected=True)
    content = written(home)
    names = [*(part[agent][0] for part in (SERVERS, HOOKS) if agent in part), *OWN.get(agent, ())]
    assert sorted(content) == sorted(set(names)) == sorted({path.relative_to(home).as_posix() for path in changed})
    if agent in SERVERS:
        name, key, entry = SERVERS[agent]
        assert value(content[name], name)[key] == {"memtui": entry}
    if agent in HOOKS:
        name, count = HOOKS[agent]
        lists = value(content[name], name)["hooks"].values()
        assert len({hook["command"] for (group,) in lists for hook in group["hooks"]}) == count
    assert apply(files_of(agent, home), connected=True) == []
    apply(files_of(agent, home), connected=False)
    assert list(home.rglob("*")) == []


def test_folders_that_were_made_go_when_nothing_else_is_in_them(tmp_path: Path) -> None:
    home = tmp_path / "home"
    own = home / ".codex" / "mine"
    empty = home / ".gemini"
    empty.mkdir(parents=True)
    for agent in ("codex", "gemini"):
        apply(files_of(agent, home), connected=True)
    own.write_bytes(b"x")
    for agent in ("codex", "gemini"):
        apply(files_of(agent, home), connected=False)
    assert sorted(home.rglob("*")) == [own.parent, own, empty]


def test_the_folders_of_the_log_go_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / ".config" / "memtui" / "config.toml"))
    for agents in (["cursor"], ["crush", "cursor"], ["cursor", "crush"]):
        for agent in agents:
            apply(files_of(agent, tmp_path), connected=True)
        assert (tmp_path / ".config" / "memtui" / "connected.json").is_file()
        for agent in agents:
            apply(files_of(agent, tmp_path), connected=False)
        assert list(tmp_path.rglob("*")) == []


@st.composite
def json_texts(draw: st.DrawFn, *, comments: bool) -> str:
    """Settings as people write them: with other servers and hooks, empty ones, any indent, and maybe comments."""
    words = st.text('ab"\\/*,]}# ä😀', max_size=6)
    other = st.one_of(st.integers(), st.booleans(), words, st.just({}), st.just([]), st.lists(words, max_size=3))
    table = st.dictionaries(
        st.sampled_from(["x", "other", "// y"]), st.dictionaries(words, other, max_size=2), max_size=2
    )
    group = st.fixed_dictionaries({"hooks": st.lists(st.fixed_dictionaries({"command": words}), max_size=2)})
    hooks = st.dictionaries(
        st.sampled_from(["Stop", "PreToolUse", "AfterAgent", "Mine"]), st.lists(group, max_size=2), max_size=2
    )
    optional = {"mcpServers": table, "mcp": table, "hooks": hooks, "model": other, "a": other}
    content: dict[str, Any] = draw(st.fixed_dictionaries({}, optional=optional))
    text = json.dumps(content, indent=draw(st.sampled_from([None, 0, 1, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    if comments:
        text = draw(st.sampled_from(["", '// why, [ { "\n', "/* a\n * b */ "])) + text
        if draw(st.booleans()) and content:
            text = text[:-1] + draw(st.sampled_from([",", ", // last\n", '/* " */ ,'])) + text[-1]
    if draw(st.booleans()):
        text = text.replace("{}", "{ }").replace("[]", "[\n]")
    text += draw(st.sampled_from(["", "\n", "\n\n", " "]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    """Settings in TOML: keys, comments and tables in any order, with or without a line end."""
    lines = ['a = "x # y"', "# comment", "", "b = [1, 2]", 'text = """\n[mcp_servers.memtui]\n"""']
    tables = [
        "[mcp_servers.other]\ncommand = 'x'",
        '[tables."a.b"] # why\nc = 1',
        "[[list]]\n[list.inner]\nd = 2\n\n# end",
    ]
    text = "\n".join(
        [*draw(st.lists(st.sampled_from(lines), max_size=4, unique=True)), *draw(st.sets(st.sampled_from(tables)))]
    )
    text += draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@st.composite
def homes(draw: st.DrawFn, agent: str) -> dict[str, str]:
    """The settings files of an agent, some of which may be missing."""
    connection, result = AGENTS[agent], {}
    for parts in (SERVERS, HOOKS):
        if agent in parts and draw(st.booleans()):
            name = parts[agent][0]
            server = connection.server
            comments = server is not None and server.comments
            result[name] = draw(toml_texts() if name.endswith(".toml") else json_texts(comments=comments))
    return result


@pytest.mark.parametrize("agent", SERVERS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_disable_restores_every_byte(agent: str, data: st.DataObject) -> None:
    before = data.draw(homes(agent))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, text in before.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(text.encode())
        old = written(home)
        apply(files_of(agent, home), connected=True)
        name, key, entry = SERVERS[agent]
        new = written(home)
        assert value(new[name], name)[key]["memtui"] == entry
        for other, content in old.items():
            kept = value(content, other)
            assert {k: v for k, v in value(new[other], other).items() if k not in (key, "hooks")} == {
                k: v for k, v in kept.items() if k not in (key, "hooks")
            }
        assert apply(files_of(agent, home), connected=True) == []
        # An update of memtui changes the command, and the way back stays the same.
        apply(files_of(agent, home, command=["/new/memtui"]), connected=True)
        apply(files_of(agent, home), connected=False)
        assert written(home) == old


@pytest.mark.parametrize("agent", SERVERS)
def test_what_the_user_changed_meanwhile_stays(agent: str, tmp_path: Path) -> None:
    name = SERVERS[agent][0]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    is_toml = name.endswith(".toml")
    path.write_text("[tools]\nx = 1 # kept\n" if is_toml else '{\n  "a": 1\n}\n')
    apply(files_of(agent, tmp_path), connected=True)
    added = '\n# mine\n[y]\nz = "ä"\n'
    text = path.read_text()
    path.write_text(text + added if is_toml else text.replace('"a": 1', '"a": 1,\n  "b": [2]'))
    apply(files_of(agent, tmp_path), connected=False)
    assert path.read_text() == ("[tools]\nx = 1 # kept\n" + added if is_toml else '{\n  "a": 1,\n  "b": [2]\n}\n')


def test_comments_and_order_stay() -> None:
    text = '{\n\t// first\n\t"b": 1, /* second */\n\t"a": [1, 2,], // third\n}\n'
    added = json_edit.add(text, [], {"x": 1}, "new")
    assert added == (
        '{\n\t// first\n\t"b": 1, /* second */\n\t"a": [1, 2,],\n\t"new": {\n\t\t"x": 1\n\t}, // third\n}\n'
    )
    assert json_edit.remove(added, ["new"]) == text
    assert json_edit.add("{ /* none yet */ }", [], 1, "new") == '{"new": 1 /* none yet */ }'
    assert json_edit.remove('{"new": 1 /* none yet */ }', ["new"]) == "{ /* none yet */ }"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{\n  "a": 1, // e\n}', "{\n   // e\n}"),
        ('{"a": 1 /* , */ , /* x, */ }', "{ /* , */  /* x, */ }"),
        ('{"a": ",", // e\n}', "{ // e\n}"),
        ('{"a": 1,\n}', "{}"),
    ],
)
def test_the_comma_of_the_only_member_goes_with_it_and_comments_stay(text: str, expected: str) -> None:
    assert json_edit.remove(text, ["a"]) == expected
    assert json.loads(json_edit.without_comments(expected)) == {}


@pytest.mark.parametrize(
    "text", ["{,}", "[ ,]", "{ /* x */ , // y\n}", '{"a": [,]}', '{"a": 1,,}', '{"a": {,}, "b": 1}']
)
def test_a_comma_after_no_value_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(json_edit.without_comments(text))


@given(data=st.data())
def test_what_is_left_after_a_removal_has_no_lone_comma(data: st.DataObject) -> None:
    gaps = st.lists(st.sampled_from([" ", "\n", "// , e\n", "/* ,{ */", "\t"]), max_size=3).map("".join)
    names = data.draw(st.lists(st.sampled_from(["a", "b,", "// c", 'd\\"']), min_size=1, max_size=3, unique=True))
    parts = [f'{data.draw(gaps)}"{name}"{data.draw(gaps)}:{data.draw(gaps)}[1]{data.draw(gaps)}' for name in names]
    last = data.draw(st.sampled_from(["", f",{data.draw(gaps)}"]))
    text = f"{{{','.join(parts)}{last}}}"
    for name in [json.loads(f'"{name}"') for name in names]:
        text = json_edit.remove(text, [name])
        bare = re.sub(r"//[^\n]*|/\*.*?\*/|\s", "", re.sub(r'"(?:[^"\\]|\\.)*"', "1", text))
        assert re.fullmatch(r"\{(1:\[1\](,1:\[1\])*,?)?\}", bare), text


def test_a_comment_that_the_user_wrote_behind_memtuis_entry_stays(tmp_path: Path) -> None:
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}\n")
    apply(files_of("gemini", tmp_path), connected=True)
    assert path.read_text().endswith("    }\n  }\n}\n")
    path.write_text(path.read_text().removesuffix("\n}\n") + ", // memtui, see wiki\n}\n")
    apply(files_of("gemini", tmp_path), connected=False)
    assert path.read_text() == "{\n   // memtui, see wiki\n}\n"


@pytest.mark.parametrize(
    ("agent", "text", "table"),
    [
        ("cursor", '{"mcpServers": {"x": {}}, "mcpServers": {"memtui": {"command": "memtui", "args": ["mcp"]}}}', ""),
        ("gemini", '{"hooks": {"x": []}, "hooks": {"BeforeAgent": [{"hooks": [%s]}]}}', "hooks"),
    ],
)
def test_settings_in_which_a_key_stands_twice_are_left_alone(agent: str, text: str, table: str, tmp_path: Path) -> None:
    connection = AGENTS[agent]
    if connection.hooks is not None:
        (event,) = [event for event, named in connection.hooks.events.items() if named == "BeforeAgent"]
        text %= json.dumps({"command": f"memtui hook {event}"})
    path = tmp_path / SERVERS[agent][0]
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(SettingsUnusable, match=f"{table or 'mcpServers'} cannot be edited, maybe because a key"):
        apply(files_of(agent, tmp_path), connected=False)
    assert path.read_text() == text


TABLE = '[mcp_servers.memtui]\ncommand = "/new/memtui"\nargs = ["mcp"]\n'
OLD = '[mcp_servers."memtui"] # ours\ncommand = "/old/memtui"\nargs = ["mcp"]\n[mcp_servers.memtui.tools.x]\ny = 1\n'
OTHER = '[mcp_servers.memtui]\nurl = "https://mine"\n'


@pytest.mark.parametrize(
    ("text", "connected", "disconnected"),
    [
        ("", TABLE, ""),
        ("a = 1", f"a = 1\n\n{TABLE}", "a = 1\n"),
        (f"{OLD}\n# b\n[b]\n", f"\n# b\n[b]\n\n{TABLE}", "\n# b\n[b]\n"),
        (f"a = 1\n\n{OLD}\n# b\n[b]\n", f"a = 1\n\n# b\n[b]\n\n{TABLE}", "a = 1\n\n# b\n[b]\n"),
        (OLD.replace("\n", "\r\n"), TABLE.replace("\n", "\r\n"), ""),
        (OTHER, OTHER, OTHER),
    ],
)
def test_the_table_of_a_server(text: str, connected: str, disconnected: str) -> None:
    entry = {"command": "/new/memtui", "args": ["mcp"]}
    assert with_server(text, ["mcp_servers"], entry) == connected
    assert with_server(connected, ["mcp_servers"], None) == disconnected


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        (".codex/config.toml", "a = ", "is not valid TOML and is left alone: "),
        (".codex/config.toml", "mcp_servers = {}", ": mcp_servers is not written as [tables]; the file is left alone."),
        (".codex/config.toml", "mcp_servers = 1", ": mcp_servers is not a table; the file is left alone."),
        (".codex/hooks.json", "{} // no comments here", "is not valid JSON and is left alone: "),
        (".codex/hooks.json", '{"hooks": {"Stop": {}}}', ": hooks.Stop is not a list; the file is left alone."),
        (".codex/config.toml", b'a = "\xff"', "is not UTF-8 and is left alone: "),
    ],
)
def test_settings_that_cannot_be_understood_are_refused(
    name: str, text: str | bytes, reason: str, tmp_path: Path
) -> None:
    (tmp_path / ".codex").mkdir()
    content = text if isinstance(text, bytes) else text.encode()
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SettingsUnusable) as error:
        apply(files_of("codex", tmp_path), connected=True)
    assert str(error.value).startswith(str(tmp_path / name))
    assert reason in str(error.value)
    assert written(tmp_path) == {name: content}


VARIABLES = {
    "claude-code": ({"CLAUDE_CONFIG_DIR": "c"}, {"c/.claude.json", "c/settings.json"}),
    "codex": ({"CODEX_HOME": "c"}, {"c/config.toml", "c/hooks.json", "c/skills/memtui/SKILL.md"}),
    "gemini": ({"GEMINI_CLI_HOME": "c"}, {"c/.gemini/settings.json", "c/.gemini/skills/memtui/SKILL.md"}),
    "qwen": ({"QWEN_HOME": "c"}, {"c/settings.json", "c/skills/memtui/SKILL.md"}),
    "copilot": (
        {"COPILOT_HOME": "c"},
        {"c/mcp-config.json", "c/hooks/memtui.json", "c/skills/memtui/SKILL.md"},
    ),
    "pi": ({"PI_CODING_AGENT_DIR": "c"}, {"c/extensions/memtui.ts", "c/skills/memtui/SKILL.md"}),
    "opencode": (
        {"OPENCODE_CONFIG": "o.jsonc", "XDG_CONFIG_HOME": "c"},
        {"o.jsonc", "c/opencode/plugins/memtui.ts", "c/opencode/skills/memtui/SKILL.md"},
    ),
    "kilo": (
        {"XDG_CONFIG_HOME": "c"},
        {"c/kilo/kilo.json", "c/kilo/plugins/memtui.ts", "c/kilo/skills/memtui/SKILL.md"},
    ),
    "crush": ({"CRUSH_GLOBAL_CONFIG": "c"}, {"c/crush.json"}),
}


@pytest.mark.parametrize("agent", VARIABLES)
def test_variables_of_agents_are_respected(agent: str, tmp_path: Path) -> None:
    variables, expected = VARIABLES[agent]
    environ = {name: str(tmp_path / path) for name, path in variables.items()}
    apply(files_of(agent, tmp_path / "home", environ), connected=True)
    assert set(written(tmp_path)) - {"connected.json"} == expected


def test_the_file_that_an_agent_has_is_used(tmp_path: Path) -> None:
    folder = tmp_path / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{\n  // mine\n}\n")
    apply(files_of("opencode", tmp_path), connected=True)
    assert sorted(path.name for path in folder.iterdir()) == ["opencode.jsonc", "plugins", "skills"]
    assert (folder / "opencode.jsonc").read_text().endswith("// mine\n}\n")
    # A file that a variable names is meant, though there are others beside it.
    apply(files_of("opencode", tmp_path, {"OPENCODE_CONFIG": str(folder / "mine.json")}), connected=True)
    assert (folder / "mine.json").is_file()


PROJECTS = {
    "claude-code": {".mcp.json", ".claude/settings.json"},
    "codex": {".codex/config.toml", ".codex/hooks.json"},
    "opencode": {"opencode.json"},
    "kilo": {"kilo.json"},
    "crush": {"crush.json"},
    "pi": {".pi/extensions/memtui.ts"},
    "copilot": {".github/mcp.json", ".github/hooks/memtui.json"},
    "gemini": {".gemini/settings.json"},
    "qwen": {".qwen/settings.json"},
    "cursor": {".cursor/mcp.json"},
}


def test_a_project_has_files_of_its_own(tmp_path: Path) -> None:
    found = {}
    for agent in AGENTS:
        project = tmp_path / agent
        apply(files_of(agent, tmp_path / "home", project=project), connected=True)
        found[agent] = set(written(project))
    assert found == PROJECTS


@unix_only
def test_what_was_replaced_is_for_the_user_alone(tmp_path: Path) -> None:
    apply(files_of("cursor", tmp_path / "home"), connected=True)
    log = tmp_path / "connected.json"
    assert log.stat().st_mode & 0o777 == 0o600
    assert list(json.loads(log.read_text())["files"]) == [str(tmp_path / "home" / ".cursor" / "mcp.json")]


@pytest.mark.parametrize("damage", ["{broken", '{"version": 1, "files": {}}', None])
def test_without_the_log_the_entries_are_taken_out(damage: str | None, tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "connected.json"
    (home / ".cursor").mkdir(parents=True)
    (home / ".cursor" / "mcp.json").write_text('{\n  "mcpServers": {}\n}\n')
    apply(files_of("cursor", home), connected=True)
    log.write_text(log.read_text().replace('"start": ', '"start": 1') if damage is None else damage)
    apply(files_of("cursor", home), connected=False)
    assert written(home) == {".cursor/mcp.json": b"{}\n"}


ENTRIES = [
    {},
    7,
    {"after": 1},
    {"before": None},
    {"after": "x", "before": "y"},
    {"after": "x", "before": "y", "start": "0", "end": 0, "text": ""},
    {"after": "x", "before": None, "earlier": {}},
]


@pytest.mark.parametrize("entry", [*ENTRIES, "text", "folders"], ids=str)
def test_entries_of_the_log_that_cannot_be_understood_are_none(entry: Any, tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "connected.json"
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir(parents=True)
    path.write_text('{\n  "mcpServers": {}\n}\n')
    apply(files_of("cursor", home), connected=True)
    content = json.loads(log.read_text())
    if entry == "text":
        content["files"][str(path)]["text"] = "\ud800"
    elif entry == "folders":
        content = {"version": 1, "files": [], "folders": {"x": 1}}
    else:
        content["files"][str(path)] = entry
    log.write_text(json.dumps(content))
    apply(files_of("cursor", home), connected=False)
    assert written(home) == {".cursor/mcp.json": b"{}\n"}
    apply(files_of("cursor", home), connected=True)
    assert UndoLog().original(path, path.read_bytes()) == (True, b"{}\n")


def test_the_log_of_a_newer_version_stays(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "connected.json"
    apply(files_of("cursor", home), connected=True)
    newer = json.dumps({"version": 2, "files": {"x": {"new": 1}}})
    log.write_text(newer)
    with pytest.raises(SettingsUnusable, match=r"connected\.json was written by a newer memtui and is left alone"):
        apply(files_of("crush", home), connected=True)
    assert list(written(home)) == [".cursor/mcp.json"]
    apply(files_of("cursor", home), connected=False)
    assert (written(home), log.read_text()) == ({".cursor/mcp.json": b"{}\n"}, newer)


def test_a_change_that_cannot_be_written_leaves_the_log_as_it_was(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "connected.json"
    apply(files_of("cursor", home), connected=True)
    before = log.read_bytes()
    path = home / ".config" / "crush" / "crush.json"
    with pytest.raises(SettingsUnusable, match="has been changed in the meantime"):
        UndoLog().write(SettingsChange(path, b"{}", b'{"a": 1}'), connected=True)
    assert (log.read_bytes(), path.parent.exists()) == (before, False)


def test_a_skill_that_the_user_changed_stays(tmp_path: Path) -> None:
    home = tmp_path / "home"
    apply(files_of("codex", home), connected=True)
    skill = home / ".codex" / "skills" / "memtui" / "SKILL.md"
    skill.write_text(skill.read_text() + "\nMine.\n")
    apply(files_of("codex", home), connected=False)
    assert list(written(home)) == [".codex/skills/memtui/SKILL.md"]


def test_an_extension_is_recognized_without_the_log(tmp_path: Path) -> None:
    apply(files_of("pi", tmp_path / "home"), connected=True)
    (tmp_path / "connected.json").unlink()
    extension = tmp_path / "home" / ".pi" / "agent" / "extensions" / "memtui.ts"
    assert 'const COMMAND: string[] = ["/opt/my tools/memtui"];\n' in extension.read_text()
    apply(files_of("pi", tmp_path / "home"), connected=False)
    assert written(tmp_path / "home") == {}


PLUGINS = {
    "claude-code": (".claude/settings.json", '{"enabledPlugins": {"memtui@memtui": true}}', "true", "false"),
    "codex": (".codex/config.toml", '[plugins."memtui@memtui"]\nenabled = true\n', "true", "false"),
    "copilot": (".copilot/settings.json", '{"enabledPlugins": {"memtui@memtui": true}}', "true", "false"),
    "gemini": (".gemini/extensions/memtui/gemini-extension.json", "{}", "", ""),
    "qwen": (".qwen/extensions/memtui/qwen-extension.json", "{}", "", ""),
    "pi": (".pi/agent/settings.json", '{"packages": ["../x/plugins/pi"]}', "plugins/pi", "plugins/other"),
}


def plugins() -> Iterator[Any]:
    yield from ((agent, *PLUGINS[agent]) for agent, connection in AGENTS.items() if connection.plugin is not None)


@pytest.mark.parametrize(("agent", "name", "text", "on", "off"), plugins())
def test_an_installed_plugin_is_recognized(agent: str, name: str, text: str, on: str, off: str, tmp_path: Path) -> None:
    assert not files_of(agent, tmp_path).has_plugin()
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert files_of(agent, tmp_path).has_plugin()
    assert files_of(agent, tmp_path).parts().plugin == "installed"
    if on:
        path.write_text(text.replace(on, off))
        assert not files_of(agent, tmp_path).has_plugin()


def test_what_is_connected_is_told(tmp_path: Path) -> None:
    home, program = tmp_path / "home", tmp_path / "memtui"
    program.write_text("")
    program.chmod(0o755)
    files = files_of("codex", home)
    assert files.parts() == Parts("", "", "", "")
    apply(files, connected=True)
    assert files.parts() == Parts("/opt/my tools/memtui is missing", CONNECTED, CONNECTED, "")
    here = files_of("codex", home, command=[str(program)])
    apply(here, connected=True)
    assert here.parts() == Parts(CONNECTED, CONNECTED, CONNECTED, "")
    hooks = home / ".codex" / "hooks.json"
    hooks.write_text(hooks.read_text().replace("hook Stop", "hook Other"))
    assert here.parts().hooks == "5 of 6"
    (home / ".codex" / "config.toml").write_text('[mcp_servers.memtui]\nurl = "https://mine"\n')
    assert here.parts().tools == "another server"
    assert files_of("cursor", home).parts() == Parts("", NO_SUCH_PART, NO_SUCH_PART, NO_SUCH_PART)
