"""The wall between the core and the screen, and what a cold start may load."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import textwrap
from functools import cache
from pathlib import Path

import pytest

import memtui_core
from support.kept import kept
from support.transcripts import SESSION


@cache
def modules(code: str) -> frozenset[str]:
    """The modules that a fresh interpreter has loaded after some code."""
    tail = "\nimport sys\nprint(*(name for name, module in sys.modules.items() if module))"
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code) + tail], capture_output=True, text=True, check=True
    )
    return frozenset(run.stdout.splitlines()[-1].split())


def loaded(code: str) -> set[str]:
    """The top-level packages of these modules."""
    return {name.partition(".")[0] for name in modules(code)}


@pytest.mark.spec("S5.7")
def test_the_core_never_loads_textual_or_rich() -> None:
    code = """
        import importlib, pkgutil, memtui_core
        for module in pkgutil.walk_packages(memtui_core.__path__, "memtui_core."):
            importlib.import_module(module.name)
    """
    used = loaded(code)
    assert "duckdb" in used
    assert used & {"textual", "rich", "memtui"} == set()


def modules_after(*commands: tuple[str, ...]) -> dict[tuple[str, ...], set[str]]:
    """The modules that are loaded after each of some commands, which one fresh interpreter runs one after another.

    Those of memtui itself are what the command has loaded, the others what it or one before it has loaded.
    """
    code = f"""
        import sys
        for arguments in {commands!r}:
            for name in [name for name in sys.modules if name.partition(".")[0] == "memtui"]:
                del sys.modules[name]
            from memtui.__main__ import main
            sys.argv = ["memtui", *arguments]
            try:
                main()
            except SystemExit:
                pass
            print()
            print("loaded", *(name for name, module in sys.modules.items() if module))
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    lines = [line.split()[1:] for line in run.stdout.splitlines() if line.startswith("loaded ")]
    return {command: set(names) for command, names in zip(commands, lines, strict=True)}


def packages(names: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_the_command_line_loads_no_more_than_it_needs() -> None:
    banned = {
        # Without a terminal the app ends before it is imported.
        ("--source", str(Path(__file__).parent)): {"textual", "rich", "duckdb", "tomllib"},
        ("--help",): {"textual", "rich", "duckdb", "tantivy", "psycopg"},
        ("search", "--help"): {"textual", "rich", "duckdb", "tantivy", "psycopg"},
        ("search", "x", "--data-dir", "/nonexistent"): {"textual", "rich", "pandas", "numpy", "psycopg"},
        ("team", "--help"): {"textual", "rich", "duckdb", "tantivy", "psycopg"},
        ("team", "status", "--data-dir", "/nonexistent"): {"textual", "rich", "duckdb", "tantivy", "psycopg"},
    }
    used = modules_after(*banned)
    assert {command: packages(used[command]) & banned[command] for command in banned} == {
        command: set() for command in banned
    }


HEAVY = {"numpy", "onnxruntime", "tokenizers", "fastembed", "arro3", "duckdb", "mcp", "watchfiles", "pandas", "pyarrow"}
"""What the words of a query and the rows of a list need nothing of; of DuckDB the engine `_duckdb` is enough."""


def test_a_cold_command_loads_no_model_and_no_matrix_and_no_other_command(sample_index: Path) -> None:
    commands = [
        (*arguments, "--data-dir", str(sample_index))
        for arguments in (
            ("prs",),
            ("files", "upload"),
            ("show", "11111111", "--json"),
            ("stats",),
            ("recall", "--file", "upload.py"),
            ("search", '"upload"'),
            ("search", "--json", "upload in:user"),
        )
    ]
    used = modules_after(*commands)
    assert "_duckdb" in used[commands[0]]
    found = {command: packages(used[command]) & (HEAVY | {"textual"}) for command in commands}
    assert found == {command: set() for command in commands}
    own = {name for name in used[commands[0]] if name.startswith("memtui.cli.")}
    names = ("commands", "group", "opened", "options", "output", "reading", "reading.prs")
    assert own == {f"memtui.cli.{name}" for name in names}
    assert [command[0] for command in commands if "tantivy" in used[command]] == ["search", "search"]


def test_an_indexer_that_finds_nothing_new_loads_no_reviews(sample_index: Path, tmp_path: Path) -> None:
    data, source = tmp_path / "data", tmp_path / "source"
    shutil.copytree(sample_index, data)
    source.mkdir()
    code = f"""
        import sys
        from memtui.__main__ import main
        sys.argv = ["memtui", "index", "--no-embed", "--data-dir", {str(data)!r}, "--source", {str(source)!r}]
        try:
            main()
        except SystemExit:
            pass
    """
    used = modules(code)
    assert "memtui_core.ingest.indexer" in used
    assert {name for name in used if name.startswith(("memtui_core.compaction", "watchfiles", "onnxruntime"))} == set()


def test_an_app_that_shows_a_list_loads_no_model_and_no_matrix(sample_index: Path) -> None:
    code = f"""
        import asyncio
        from pathlib import Path
        from memtui.__main__ import main
        from memtui.app import MemtuiApp
        from memtui.settings.config import Config
        from memtui.views.sessions.tree import SessionTree

        async def run():
            app = MemtuiApp(Path({str(sample_index)!r}), config=Config(), run_indexer=False)
            async with app.run_test(size=(140, 40)) as pilot:
                while not app.screen.query_one(SessionTree).root.children:
                    await pilot.pause(0.01)

        asyncio.run(run())
    """
    used = loaded(code)
    assert {"_duckdb", "textual"} <= used
    assert used & (HEAVY | {"pygments", "tantivy", "click"}) == set()


def test_a_list_that_was_kept_is_drawn_before_the_main_screen_is_imported(sample_index: Path, tmp_path: Path) -> None:
    shutil.copytree(sample_index, data := tmp_path / "data")
    title = kept(data).sessions[0].title
    code = f"""
        from pathlib import Path
        from memtui.app import MemtuiApp
        from memtui.settings.config import Config
        from memtui.startup.kept_list import read_kept

        class OnlyTheStart(MemtuiApp):
            def _show_main_screen(self):
                lines = [strip.text for strip in self.screen._compositor.render_strips()]
                assert any({title[:12]!r} in line for line in lines), lines
                self.exit()

        data = Path({str(data)!r})
        OnlyTheStart(data, config=Config(), run_indexer=False, first_list=read_kept(data)).run(headless=True)
    """
    used = modules(code)
    own = {name for name in used if name.startswith("memtui.")}
    assert own - {"memtui.system.terminal_driver"} == {
        "memtui.app",
        *("memtui.keys", "memtui.keys.declarations"),
        *("memtui.settings", "memtui.settings.app_state", "memtui.settings.config", "memtui.settings.legible"),
        *("memtui.startup", "memtui.startup.kept_list", "memtui.startup.start_screen"),
        "memtui.system",
        *(f"memtui.system.{name}" for name in ("clock", "input_order", "plain_console", "terminals", "timers")),
        *("memtui.views", "memtui.views.registry", "memtui.views.sessions"),
        *(f"memtui.views.sessions.{name}" for name in ("items", "labels", "rows")),
        *("memtui.widgets", "memtui.widgets.requests", "memtui.widgets.requests.pane_widths"),
        *("memtui.widgets.search", "memtui.widgets.search.words", "memtui.widgets.view_tabs"),
        "memtui.wording",
        *(
            f"memtui.wording.{name}"
            for name in (
                "annotated",
                "formatting",
                "numbers",
                "path_text",
                "session_state",
                "sibling_titles",
                "usage_text",
            )
        ),
    }
    assert "tomllib" not in used
    heavy = HEAVY | {"_duckdb", "pygments", "tantivy", "click", "sqlite3"}
    assert {name.partition(".")[0] for name in used} & heavy == set()


def test_the_library_imports_nothing_before_a_name_is_used() -> None:
    own = {name for name in modules("import memtui_core") if name.startswith("memtui_core")}
    # It hands the readers' knowledge of tools down to `tools`.
    assert own == {"memtui_core", "memtui_core.tools"}
    used = modules("from memtui_core import MemtuiError, Session")
    assert {name for name in used if name.startswith("memtui_core")} == {
        "memtui_core",
        "memtui_core.errors",
        "memtui_core.model",
        "memtui_core.tools",
    }
    heavy = {"duckdb", "numpy", "tantivy", "onnxruntime"}
    assert loaded("from memtui_core import MemtuiError, Session") & heavy == set()


def test_a_question_loads_no_fastembed() -> None:
    heavy = {"fastembed", "huggingface_hub", "requests"}
    for opens, needs_onnxruntime in (("open_model", True), ("open_brief_model", False)):
        used = loaded(f"from memtui_core.search.embed import {opens}; {opens}().embed(['hello world'])")
        assert (used & heavy, "onnxruntime" in used) == (set(), needs_onnxruntime)


def test_the_version_is_read_when_it_is_asked_for() -> None:
    assert "importlib.metadata" not in modules("import memtui_core")
    run = subprocess.run(
        [sys.executable, "-c", "import memtui_core; print(memtui_core.__version__)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == f"{importlib.metadata.version('memtui')}\n"
    with pytest.raises(AttributeError, match="module 'memtui_core' has no attribute 'zebra'"):
        memtui_core.zebra  # type: ignore[attr-defined]  # noqa: B018


def test_a_hook_loads_nothing_to_log_with() -> None:
    """An agent waits for it; only a hook that fails writes to the log."""
    hooks = ("run", "background_index", "reminder_text")
    code = (
        f"import {', '.join(f'memtui.agents.hooks.{name}' for name in hooks)},"
        " memtui_core.memory.recall.file_reminders, memtui_core.store.marks.reminder_log"
    )
    assert loaded(code) & {"logging", "filelock", "click", "duckdb"} == set()


def test_the_hook_of_a_file_loads_no_database() -> None:
    """The small files of the indexer answer it; only where they end the index is opened."""
    code = """
        import memtui.agents.hooks.compaction_reminder, memtui.agents.hooks.reminder_text, memtui.agents.hooks.run
        import memtui_core.memory.recall.file_recall, memtui_core.readers.agents.claude_code.profile
    """
    heavy = {"_duckdb", "duckdb", "orjson", "dataclasses", "inspect", "hashlib", "memtui_core.model"}
    assert modules(code) & heavy == set()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a package knows the folders")
def test_a_status_line_loads_json_and_next_to_nothing_of_memtui(tmp_path: Path) -> None:
    """An agent runs it after each answer: the whole command, with the default folder of the index."""
    (tmp_path / "memtui").mkdir()
    used = {"dollars": 0.42, "is_whole": True, "active": 720.0, "in": 38_000, "out": 4_000}
    (tmp_path / "memtui" / "statusline.json").write_text(json.dumps({"sessions": {SESSION: used}}))
    code = """
        import os, sys
        alone = set(sys.modules)
        def end(code):
            print(*sorted(name for name, module in sys.modules.items() if module and name not in alone))
            sys.stdout.flush()
            exit(code)
        exit, os._exit = os._exit, end
        sys.argv = ["memtui", "statusline"]
        from memtui.__main__ import main
        main()
    """
    environment = {name: value for name, value in os.environ.items() if name != "MEMTUI_DATA_DIR"}
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        input=json.dumps({"session_id": SESSION}), capture_output=True, text=True, check=True,
        env=environment | {"XDG_DATA_HOME": str(tmp_path), "PYTHONUTF8": "1"},
    )  # fmt: skip
    said, loaded_names = run.stdout.splitlines()
    assert said == "≈ $0.42 · 38k in · 4k out · 12 min"
    names = set(loaded_names.split())
    assert {name for name in names if name.startswith("memtui")} == {
        *("memtui", "memtui.__main__", "memtui.agents", "memtui.agents.hooks", "memtui.agents.hooks.process"),
        *("memtui.agents.hooks.status_line", "memtui.wording", "memtui.wording.numbers"),
        *("memtui_core", "memtui_core.system", "memtui_core.system.own_folders", "memtui_core.tools"),
    }
    assert {name for name in names if not name.startswith("memtui")} <= modules("import __future__, importlib, json")


def test_completing_a_word_in_a_shell_loads_json_and_next_to_nothing_of_memtui() -> None:
    """A person waits for it after each tab."""
    used = loaded("import memtui.__main__, memtui.cli.shell.answer")
    assert used & {"click", "pathlib", "typing", "dataclasses", "logging", "_duckdb", "orjson"} == set()


def test_the_list_of_readers_loads_no_decoder() -> None:
    heavy = {"orjson", "sqlite3", "zipfile", "backports.zstd", "compression.zstd", "hashlib"}
    heavy |= {
        f"memtui_core.{name}"
        for name in ("readers.formats.document", "readers.formats.jsonl", "text.redaction", "tools.call")
    }
    assert heavy & modules("import memtui_core.readers.registry") == set()


def test_an_indexer_without_vectors_loads_no_numpy(tmp_path: Path) -> None:
    samples = Path(__file__).parents[1] / "sample_sessions" / "projects"
    code = f"""
        from pathlib import Path
        from memtui_core.ingest.indexer import Indexer
        from memtui_core.readers.locations import Location
        with Indexer(Path({str(tmp_path)!r})) as indexer:
            for _ in indexer.update([Location("claude-code", Path({str(samples)!r}))]):
                pass
        assert indexer.counts.turns_written > 20
    """
    assert "numpy" not in loaded(code)
