"""The numbers of calls, results, errors, edits and tokens that memtui has of the sessions of an agent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memtui_core.index.index import Index
from memtui_core.tools.pairing import paired_turns

NUMBERS: Final = ("calls", "results", "errors", "edits", "input", "output")
"""What is counted: results that failed are errors, calls that edit or write a file are edits, the rest are tokens."""


def numbers(data_dir: Path, agent: str) -> dict[str, int]:
    """The numbers of an agent in an index; hidden sessions count, too."""
    index = Index.open(data_dir)
    try:
        found = dict.fromkeys(NUMBERS, 0)
        rows = index.snapshot.rows("SELECT key FROM sessions WHERE agent = ?", [agent])
        for (session,) in rows:
            turns = index.sessions.turns(session)
            found["input"] += sum(turn.input_tokens for turn in turns)
            found["output"] += sum(turn.output_tokens for turn in turns)
            blocks = sorted(index.sessions.blocks(session, 1, len(turns)).items())
            of_session = [block for _, of_turn in blocks for block in of_turn]
            found["calls"] += sum(block.kind == "tool_call" for block in of_session)
            results = [block for block in of_session if block.kind == "tool_result"]
            found["results"] += len(results)
            found["errors"] += sum(result.is_error for result in results)
            calls = [call for call in paired_turns(blocks) if not call.is_orphan]
            found["edits"] += sum(call.family in {"edit", "write"} and bool(call.edits) for call in calls)
        return found
    finally:
        index.close()
