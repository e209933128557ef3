"""The counts that the module of each agent makes of raw files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from typing import Final

Counts = dict[str, Counter[str]]
"""How often each text, call and result occurs, by kind."""
KINDS: Final = ("text", "tool_call", "tool_result", "nameless_call", "nameless_result", "error", "edit", "tokens")
"""nameless: without an id; error: results that failed; edit: calls that edit or write a file; tokens: `input`, without
those of the cache, and `output`."""


def no_counts() -> Counts:
    """Counters of each kind, all empty."""
    return {kind: Counter() for kind in KINDS}


def count_call(found: Counts, call: str | None, name: object, editors: Container[object]) -> None:
    """Count a call with its id, as an edit too if its tool is one of the editors of the agent."""
    found["nameless_call" if call is None else "tool_call"][call or ""] += 1
    if name in editors:
        found["edit"][call or ""] += 1


def count_result(found: Counts, call: str | None, failed: object) -> None:
    """Count a result with the id of its call, as an error too if it failed."""
    found["nameless_result" if call is None else "tool_result"][call or ""] += 1
    if failed:
        found["error"][call or ""] += 1


def count_tokens(found: Counts, sent: object, received: object) -> None:
    """Count tokens of the input and the output; anything but a number is none."""
    for name, number in (("input", sent), ("output", received)):
        found["tokens"][name] += number if isinstance(number, int) else 0


def raw_numbers(found: Counts) -> dict[str, int]:
    """The numbers in the counts, as `_compared.numbers` has those of memtui."""
    return {
        "calls": found["tool_call"].total() + found["nameless_call"].total(),
        "results": found["tool_result"].total() + found["nameless_result"].total(),
        "errors": found["error"].total(),
        "edits": found["edit"].total(),
        "input": found["tokens"]["input"],
        "output": found["tokens"]["output"],
    }
