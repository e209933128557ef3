"""Pull requests that a session made itself: `gh pr create` succeeded in it and printed their addresses.

Not every agent writes a record of its own for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from memtui_core.ingest.sources.entries import microseconds
from memtui_core.model import Block
from memtui_core.tools.pairing import paired
from memtui_core.tools.shell.pull_requests import pr_facts

CREATES: Final = "pr create"
"""Stands in every call that makes one."""


def created_links(session: int, blocks: Iterable[Block], at: datetime | None) -> Iterator[tuple[Any, ...]]:
    """The rows of `pr_links` of a turn; `at` is the time of results that have none of their own."""
    blocks = list(blocks)
    if not any(block.kind == "tool_call" and CREATES in block.text for block in blocks):
        return
    for call in paired(blocks):
        if call.result is None or call.rejected or CREATES not in call.block.text:
            continue
        for fact in pr_facts(call.programs, call.result.text, failed=call.is_error or bool(call.exit_code)):
            if fact.is_new:
                repository = "/".join(fact.url.split("/")[3:5])
                time = microseconds(call.result.at or at)
                yield session, fact.number, fact.url, repository, time, call.result.line
