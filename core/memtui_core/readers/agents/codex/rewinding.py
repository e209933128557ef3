"""Write the beginning of a rollout as one of its own, as Codex forks a thread: its lines after a new description.

Codex makes the context anew from all lines of a rollout: from the last compaction on, and without turns that were
taken back. So the lines before a place give the context of that place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from memtui_core.errors import NothingBefore
from memtui_core.readers.agents.codex.rollout.entries import EVENT, ITEM, RolloutEntry, rollout_entry
from memtui_core.readers.agents.codex.rollout.items import CALLS, OUTPUTS
from memtui_core.readers.agents.codex.session_file import name_line, rollout_path, time_text
from memtui_core.readers.conversion.json_values import string
from memtui_core.readers.formats.jsonl import decode
from memtui_core.readers.new_session import Rewinding, SessionFile

_ABORTED: Final = "aborted"
"""What Codex sends as the result of a call that has none."""
_BEGINS: Final = frozenset({"task_started", "turn_started"})
"""Events with which a turn begins, before its prompt."""
_NEXT: Final = _BEGINS | {"user_message", "context_compacted", "thread_rolled_back"}
"""Events that do not belong to the turn before them any more."""
_WITHOUT_RESULT: Final = frozenset({"web_search_call", "image_generation_call", "tool_search_call"})
"""Calls whose results are in the same item, or that Codex answers itself."""
_RESULT: Final = {"custom_tool_call": "custom_tool_call_output"}


def rewound(environ: Mapping[str, str], rewinding: Rewinding) -> SessionFile | None:
    """The new rollout; None for one of the first versions, whose first line describes no thread.

    Raises NothingBefore and SourceUnreadable.
    """
    lines = _entries(rewinding)
    first = next(lines, None)
    if first is None or first[1].kind != "session_meta" or "payload" not in first[2]:
        return None
    meta = first[1].payload
    own = string(meta.get("id")) or string(meta.get("session_id"))
    kept = [(raw, item) for raw, item, _ in lines if not _is_of_other(item, own)]
    if rewinding.before:
        kept = _without_begin_of_turn(kept)
    if not any(item.type == "user_message" or item.payload.get("role") == "assistant" for _, item in kept):
        raise NothingBefore("The session has nothing before this turn.")
    at = time_text(rewinding.at)
    content = [orjson.dumps({**first[2], "timestamp": at, "payload": _meta(meta, own, rewinding, at)})]
    content += [raw for raw, _ in kept]
    content += [orjson.dumps(line) for line in _results(kept, at)]
    content.append(orjson.dumps(name_line(rewinding.session_id, rewinding.title, rewinding.at)))
    return SessionFile(rollout_path(environ, rewinding.session_id, rewinding.at), b"\n".join(content) + b"\n")


def _meta(meta: dict[str, Any], own: str | None, rewinding: Rewinding, at: str) -> dict[str, Any]:
    """The description of the new session."""
    ids = {key: rewinding.session_id for key in ("id", "session_id") if meta.get(key) == own}
    return {**meta, **ids, "timestamp": at, "forked_from_id": own}


def _entries(rewinding: Rewinding) -> Iterator[tuple[bytes, RolloutEntry, dict[str, Any]]]:
    """The lines up to the chosen place, and those after the last text of its turn that still belong to it.

    A text is in a rollout several times, and the first of them is where the turn ends for memtui.
    """
    end = rewinding.first if rewinding.before else rewinding.last + 1
    for number, raw in enumerate(rewinding.lines):
        entries, _ = decode(raw)
        items = [rollout_entry(entry) for entry in entries]
        if number >= end and (rewinding.before or any(map(_is_of_next, items))):
            return
        for item, entry in zip(items, entries, strict=True):
            yield raw if len(entries) == 1 else orjson.dumps(entry), item, entry


def _is_of_next(item: RolloutEntry) -> bool:
    """Whether a line after the last text of a turn belongs to the next turn, or to a compaction."""
    is_input = (item.kind, item.type) == (ITEM, "message") and item.payload.get("role") != "assistant"
    return is_input or item.kind in {"turn_context", "compacted", "session_meta"} or item.type in _NEXT


def _is_of_other(item: RolloutEntry, own: str | None) -> bool:
    """Whether a line says what is not so of the new thread: the name of the other one, and that it was resumed."""
    return (item.kind == "session_meta" and item.payload.get("id") == own) or item.type == "thread_name_updated"


def _without_begin_of_turn(kept: list[tuple[bytes, RolloutEntry]]) -> list[tuple[bytes, RolloutEntry]]:
    """The lines without those at the end with which the chosen turn begins before its prompt."""
    for place in range(len(kept) - 1, -1, -1):
        item = kept[place][1]
        if item.kind == EVENT and item.type in _BEGINS:
            return kept[:place]
        if item.kind in {ITEM, "compacted"} and item.payload.get("role") not in {"user", "developer"}:
            break
    return kept


def _results(kept: list[tuple[bytes, RolloutEntry]], at: str) -> Iterator[dict[str, Any]]:
    """Results of the calls that have none."""
    items = [item for _, item in kept if item.kind == ITEM]
    answered = {item.payload.get("call_id") for item in items if item.type in OUTPUTS}
    for item in items:
        call = item.payload.get("call_id")
        if item.type in CALLS - _WITHOUT_RESULT and call is not None and call not in answered:
            kind = _RESULT.get(item.type, "function_call_output")
            yield {"timestamp": at, "type": ITEM, "payload": {"type": kind, "call_id": call, "output": _ABORTED}}
