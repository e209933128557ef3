"""A call of a tool to its answer: nothing ever raises, and every answer keeps to its tokens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memtui.mcp import observed, reading, transcripts
from memtui.mcp.arguments import TOKENS, Arguments
from memtui.mcp.bounds import TOKEN, Answer, clamped
from memtui.mcp.memory import PATIENCE, Memory, View
from memtui.mcp.schemas import SPECS, Spec
from memtui_core.errors import MemtuiError

_log = logging.getLogger(__name__)
_TOOLS: Mapping[str, Callable[[View, Arguments], Answer]] = {
    "mem-search": observed.search,
    "mem-save": observed.save,
    "mem-timeline": observed.past,
    "mem-show": reading.show,
    "mem-files": transcripts.files,
    "mem-handoff": transcripts.handoff,
    "mem-forget": observed.forget,
}
_BY_MEANING = {"mem-search"}
_SPECS = {spec.name: spec for spec in SPECS}


class Toolbox:
    """The tools over one data folder; every thread may call them."""

    def __init__(self, folder: Path, patience: float = PATIENCE) -> None:
        self._memory = Memory(folder, patience)

    def call(self, name: str, given: Mapping[str, Any]) -> Answer:
        """The answer of a tool; an error is an answer too."""
        spec = _SPECS.get(name)
        if spec is None:
            return Answer(f"There is no tool {name[:60]!r}; there are {', '.join(_SPECS)}.", failed=True)
        arguments, room = Arguments(given), TOKENS * TOKEN
        try:
            arguments.only(spec.properties)
            room = arguments.tokens * TOKEN
            answer = _TOOLS[name](self._memory.view(by_meaning=name in _BY_MEANING), arguments)
        except Exception as error:
            answer = _failure(spec, error)
        return clamped(answer.safe(), room, "ask with a greater max_tokens")


def _failure(spec: Spec, error: Exception) -> Answer:
    if not isinstance(error, MemtuiError):
        _log.exception("%s failed", spec.name, exc_info=error)
    return Answer(f"{spec.word} error: {str(error) or type(error).__name__}", failed=True)
