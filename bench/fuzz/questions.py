"""Queries, and everything else that a user or an agent asks with a text, of an index of the sample sessions."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.agents.__main__ import SAMPLES
from bench.fuzz.mutation import TEXTS, any_value, encoded, mutated_text, mutated_value
from bench.fuzz.target import Attempt, Target
from memtui.agents.hooks.hook_call import BadCall
from memtui.agents.hooks.run import hook_output
from memtui.agents.mcp.registry import TOOLS
from memtui.agents.mcp.toolbox import Toolbox
from memtui_core.errors import MemtuiError
from memtui_core.index.index import Index
from memtui_core.index.search import complete, filters_by_name, parse
from memtui_core.ingest.indexer import Indexer
from memtui_core.readers.locations import Location
from memtui_core.text.json_text import json_text

_WORDS: Final = (
    "upload", "retry", '"exact phrase"', "src/upload.py", "*.py", "-", "OR", "tui/", "@x", "İ", "ŉ", "ﬁ",
    "straße", "漢字",
    "agent:claude-code", "has:error", "-has:error", "file:upload.py", "since:2026-11-01", "until:today",
    "tool:=Bash", "pr:14",
    "in:note", "project:shop", "session:db9c", 'model:"=opus + haiku"', "branch:main", "turn:3",
    "machine:here", "type:decision",
)  # fmt: skip
_CALL: Final = {
    "session_id": "db9cde85-9adb-4762-985f-42e87f989d54", "cwd": "/home/ana/code/shop-api",
    "prompt": "retry the upload",
    "tool_name": "Read", "tool_input": {"file_path": "/home/ana/code/shop-api/src/upload.py"},
    "source": "startup",
    "transcript_path": "/nowhere/x.jsonl",
}  # fmt: skip
_EVENTS: Final = ("PreToolUse", "UserPromptSubmit", "SessionStart", "PreCompact", "Stop")


def targets() -> list[Target]:
    """Searches, other questions, tools of the MCP server, hooks."""
    return [
        Target("query parser", _parsing, 60),
        Target("search", _searching, 12),
        Target("questions", _asking, 8),
        Target("mcp tools", _calling, 3),
        Target("hooks", _hooking, 6),
    ]


def query(chance: Random) -> str:
    """A query of words and filters, most of them odd."""
    filters = sorted(filters_by_name())
    words = []
    for _ in range(chance.randint(1, 5)):
        kind = chance.randrange(4)
        if kind == 0:
            words.append(f"{chance.choice(('', '-'))}{chance.choice(filters)}:{chance.choice(TEXTS)}")
        else:
            words.append(chance.choice(_WORDS if kind < 3 else TEXTS))
    text = " ".join(words)
    return mutated_text(chance, text)[:500] if chance.random() < 0.6 else text


def indexed() -> Path:
    """The data folder of an index of all samples, which goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="memtui-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with Indexer(folder / "data") as indexer:
        for _ in indexer.update([Location(None, samples) for samples in SAMPLES if samples.is_dir()]):
            pass
    return folder / "data"


def _parsing() -> Attempt:
    values = Index.open(indexed()).search.filter_values()

    def attempt(chance: Random) -> None:
        text = query(chance)
        parse(text)
        complete(text, values)

    return attempt


def _searching() -> Attempt:
    index = Index.open(indexed())

    def attempt(chance: Random) -> None:
        result = index.search(query(chance), chance.randint(1, 20), live=chance.random() < 0.5)
        for hit in result.hits:
            json_text([hit.snippet, hit.title, hit.why])
            if any(not 0 <= span.start <= span.end <= len(hit.snippet) for span in hit.spans):
                raise AssertionError("a match lies outside of its snippet")

    return attempt


def _asking() -> Attempt:
    index = Index.open(indexed())
    sessions = index.sessions.all()

    def attempt(chance: Random) -> None:
        text, session = query(chance), chance.choice(sessions)
        with suppress(MemtuiError):
            kind = chance.randrange(8)
            if kind == 0:
                index.files.find(text)
            elif kind == 1:
                index.files.touches(text, chance.choice((None, session.root)))
            elif kind == 2:
                index.files.resolve(text, index.sessions.project_at(text), mistyped=True)
            elif kind == 3:
                index.recall.for_prompt(text)
            elif kind == 4:
                index.recall.for_file(text)
            elif kind == 5:
                index.sessions.find(text)
            elif kind == 6:
                index.handoffs.of_file(text)
            else:
                index.compactions.all(text)
                index.files.content_at(session.key, text, chance.randint(-2, 2**40))

    return attempt


def _calling() -> Attempt:
    toolbox = Toolbox(indexed())

    def attempt(chance: Random) -> None:
        tool = chance.choice(TOOLS)
        arguments = {name: query(chance) if chance.random() < 0.6 else any_value(chance, 3) for name in tool.properties}
        answer = toolbox.call(tool.name, {name: value for name, value in arguments.items() if chance.random() < 0.7})
        answer.text.encode()
        if answer.failed and any(name in answer.text for name in _DEFECTS):
            raise AssertionError(f"{tool.name}: {answer.text}")

    return attempt


_DEFECTS: Final = (
    "Traceback", "KeyError", "TypeError", "object has no", "codec can't", "list index", "NoneType",
    "Binder Error",
    "Conversion Error", "Parser Error", "Invalid Input", "surrogates", "embedded null", "out of range",
    "too large",
)  # fmt: skip
"""What a message contains if an error was not foreseen."""


def _hooking() -> Attempt:
    folder = indexed()

    def attempt(chance: Random) -> None:
        value: Any = mutated_value(chance, _CALL)
        content = (
            encoded(value).encode() if chance.random() < 0.9 else json.dumps(_CALL).encode()[: chance.randint(0, 300)]
        )
        event = chance.choice(_EVENTS)
        with suppress(BadCall):
            hook_output(event, content, folder)

    return attempt
