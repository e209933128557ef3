"""Only an agent's reader names the agent and its files."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READERS = ROOT / "core" / "memtui_core" / "readers"
AGENT = re.compile(
    r"claude|codex|gemini|opencode|copilot|\bcline\b|\.jsonl|\bsubagents/|(?-i:^subagents$)|rollout-|acompact",
    re.IGNORECASE,
)

EXCEPTIONS = {
    # Programs and products that commands and texts name.
    "core/memtui_core/tools/shell/programs.py": {"claude"},
    "core/memtui_core/compaction/recurring_names.py": {"claude"},
    # Worktrees in `.claude/worktrees` belong to the repository around them; Codex has another layout than other tools.
    "core/memtui_core/text/paths.py": {"claude", "codex"},
    # The log of the observations.
    "core/memtui_core/memory/observations.py": {".jsonl"},
    "core/memtui_core/store/review_marks.py": {".jsonl"},
    "core/memtui_core/system/failures.py": {".jsonl"},
    # What memtui puts into the settings of Claude Code, and what is called from there.
    "tui/memtui/cli/enable.py": {"claude"},
    "tui/memtui/hooks/run.py": {".jsonl"},
    "tui/memtui/mcp/call_scope.py": {"claude"},
    "tui/memtui/views/timeline/view.py": {"claude"},
    # The vendor's prefix of the models.
    "tui/memtui/views/sessions/columns.py": {"claude"},
    # Words by which the palette finds the hand-off and the resuming of a session.
    "tui/memtui/keys.py": {"claude", "codex"},
    "tui/memtui/screens/handoff/screen.py": {"claude", "codex"},
}


def texts(tree: ast.Module) -> Iterator[str]:
    """The strings of a module but its docstrings, and the modules that it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value.value = ""
    yield from (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def named(path: Path) -> set[str]:
    """What of agents a module names."""
    return {match.lower() for text in texts(ast.parse(path.read_text("utf-8"))) for match in AGENT.findall(text)}


def test_nothing_outside_the_readers_names_an_agent_or_its_files() -> None:
    modules = [path for part in ("core", "tui") for path in (ROOT / part).rglob("*.py") if READERS not in path.parents]
    names = {path.relative_to(ROOT).as_posix(): found for path in modules if (found := named(path))}
    assert len(modules) > 200
    assert names == EXCEPTIONS
