"""Only an agent's reader names the agent and its files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from memtui_core.readers.registry import all_readers, connections, starting_readers
from memtui_core.tools.profile import Profile

ROOT = Path(__file__).resolve().parents[1]
READERS = ROOT / "core" / "memtui_core" / "readers"
FILES = re.compile(r"\.jsonl|\bsubagents/|^subagents$|rollout-|acompact")
"""Names of files that tell one agent from another."""
OWN_WORDS = {"assistant", "continue", "cursor", "generic"}
"""Names of agents that memtui also uses as words."""


def names_of_agents() -> re.Pattern[str]:
    """Any agent's id, name or folder in a text."""
    names = {name for one in all_readers() for name in (one.agent, one.short_name, one.name.lower())}
    folders = {folder.strip("/") for one in all_readers() for folder in one.own_folders}
    words = "|".join(re.escape(name) for name in sorted(names | folders, key=len) if name not in OWN_WORDS)
    return re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)


def names_of_tools() -> set[str]:
    """The tools and arguments that an agent has for itself, but plain words such as `replace`."""
    profiles = [reader.profile for reader in all_readers() if reader.agent != "generic"]
    values = {value for profile in profiles for field in Profile.__match_args__ for value in getattr(profile, field)}
    names = {value for value in values if isinstance(value, str) and not (value.isalpha() and value.islower())}
    return {name.lower() for name in names}


AGENT, TOOLS = names_of_agents(), names_of_tools()
COMPLETED = set(AGENT.findall(" ".join([*connections(), *(reader.agent for reader in starting_readers())])))

EXCEPTIONS = {
    # Programs, products and folders that commands and texts name.
    "core/memtui_core/tools/shell/programs.py": {"claude"},
    "core/memtui_core/compaction/facts/recurring_names.py": {"claude", "chatgpt"},
    "core/memtui_core/compaction/statements/task_texts.py": {"kiro"},
    "tui/memtui/system/editor.py": {"zed"},
    # Worktrees in `.claude/worktrees` belong to the repository around them; Codex has another layout than other tools.
    "core/memtui_core/text/paths.py": {"claude", "codex"},
    # The logs of memtui itself.
    "core/memtui_core/store/data_folder.py": {".jsonl"},
    "core/memtui_core/system/own_folders.py": {".jsonl"},
    "tui/memtui/cli/marks/annotations.py": {".jsonl"},
    # A field of their JSON output.
    "tui/memtui/cli/keeping/forget.py": {"subagents"},
    "tui/memtui/cli/reading/project.py": {"subagents"},
    "tui/memtui/cli/reading/sessions.py": {"subagents"},
    # The help of commands, from which it is made, and the agents that are completed.
    "tui/memtui/cli/shell/command_table.py": {"claude", ".jsonl"} | COMPLETED,
    # What hooks and tools are called from, and the file of a session.
    "tui/memtui/agents/hooks/hook_call.py": {"claude"},
    "tui/memtui/agents/hooks/run.py": {".jsonl"},
    "tui/memtui/agents/mcp/call_scope.py": {"claude"},
    # The vendor's prefix of the models.
    "tui/memtui/views/sessions/rows.py": {"claude"},
    # Words by which the palette finds the hand-off and the resuming of a session.
    "tui/memtui/keys/declarations.py": {"claude", "codex"},
    "tui/memtui/screens/outgoing/handoff/screen.py": {"claude", "codex"},
}


def imports(tree: ast.Module) -> str:
    """The modules that a module imports."""
    return "\n".join(node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))


def texts(tree: ast.Module) -> Iterator[str]:
    """The strings of a module but its docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
    yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def named(path: Path) -> set[str]:
    """What of agents a module names."""
    tree = ast.parse(path.read_text("utf-8"))
    found = {match.lower() for match in AGENT.findall(imports(tree))}
    for text in texts(tree):
        found |= {match.lower() for pattern in (AGENT, FILES) for match in pattern.findall(text)}
        found |= {text.lower()} & TOOLS
    return found


def test_nothing_outside_the_readers_names_an_agent_or_its_files() -> None:
    modules = [path for part in ("core", "tui") for path in (ROOT / part).rglob("*.py") if READERS not in path.parents]
    names = {path.relative_to(ROOT).as_posix(): found for path in modules if (found := named(path))}
    assert len(modules) > 200
    assert names == EXCEPTIONS
