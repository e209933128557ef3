"""Dispatch of tool calls: a call never raises, and every answer keeps to its maximum of tokens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memtui.mcp import observation_tools, show_tool, transcript_tools
from memtui.mcp.arguments import DEFAULT_MAX_TOKENS, Arguments
from memtui.mcp.backend import DEFAULT_MODEL_WAIT, Backend, BackendState
from memtui.mcp.schemas import TOOLS, ToolSpec
from memtui.mcp.token_limit import ToolAnswer, truncated
from memtui_core.errors import MemtuiError
from memtui_core.text.token_estimate import CHARS_PER_TOKEN

_log = logging.getLogger(__name__)
_HANDLERS: Mapping[str, Callable[[BackendState, Arguments], ToolAnswer]] = {
    "mem-search": observation_tools.search,
    "mem-save": observation_tools.save,
    "mem-timeline": observation_tools.timeline,
    "mem-show": show_tool.show,
    "mem-files": transcript_tools.files,
    "mem-handoff": transcript_tools.handoff,
    "mem-forget": observation_tools.forget,
}
_SEMANTIC = {"mem-search"}
"""The tools that use semantic search."""
_SPECS = {spec.name: spec for spec in TOOLS}


class Toolbox:
    """The tools for one data folder; thread-safe."""

    def __init__(self, folder: Path, model_wait: float = DEFAULT_MODEL_WAIT, vectors: str = "auto") -> None:
        self.backend = Backend(folder, model_wait, vectors)

    def call(self, name: str, values: Mapping[str, Any]) -> ToolAnswer:
        """The answer of a tool to its arguments, also if it failed."""
        spec = _SPECS.get(name)
        if spec is None:
            return ToolAnswer(f"There is no tool {name[:60]!r}; there are {', '.join(_SPECS)}.", failed=True)
        arguments, max_tokens = Arguments(values), DEFAULT_MAX_TOKENS
        try:
            arguments.allow_only(spec.properties)
            max_tokens = arguments.max_tokens
            answer = _HANDLERS[name](self.backend.state(semantic=name in _SEMANTIC), arguments)
        except Exception as error:
            answer = _failure(spec, error)
        return truncated(answer.sanitized(), max_tokens * CHARS_PER_TOKEN, "ask with a greater max_tokens")


def _failure(spec: ToolSpec, error: Exception) -> ToolAnswer:
    if not isinstance(error, MemtuiError):
        _log.exception("%s failed", spec.name, exc_info=error)
    return ToolAnswer(f"{spec.word} error: {str(error) or type(error).__name__}", failed=True)
