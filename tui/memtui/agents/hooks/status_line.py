"""The line that an agent shows below its prompt: what its session used, read from the small file of the indexer.

The agent runs the command after each answer, so it imports next to nothing and opens no index. It never fails.
"""

from __future__ import annotations

import json
import sys

from memtui.agents.hooks.process import end_with, parse_arguments
from memtui.wording.numbers import about, tokens, worked
from memtui_core.system.own_folders import STATUS_LINE, data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any, NoReturn

UNKNOWN = "memtui: no figures yet"
"""The line for a session of which the indexer has not written anything."""


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer the JSON object on standard input with a line on standard output, and end the process with code 0."""
    _, folder_option = parse_arguments(arguments)
    line = UNKNOWN
    try:
        # Typed by a person, there is no call to wait for.
        call = b"" if sys.stdin.isatty() else sys.stdin.buffer.read()
        line = status_line(call, folder_option or data_folder())
    except Exception:
        # Whatever it is, the agent gets a line.
        pass
    end_with(f"{line}\n")


def status_line(call_json: bytes, folder: str | Path) -> str:
    """The line for the session of a call: `≈ $0.42 · 38k in · 4k out · 12 min`, as far as it is known."""
    try:
        call = json.loads(call_json)
        session = call.get("session_id") or _stem(call["transcript_path"])
        with open(f"{folder}/{STATUS_LINE}", "rb") as file:  # noqa: PTH123
            used = json.load(file)["sessions"][session]
        return " · ".join(_facts(used)) or UNKNOWN
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return UNKNOWN


def _stem(path: str) -> str:
    # Takes as long to import as all else, and nearly all calls name their session.
    from pathlib import Path

    return Path(path).stem


def _facts(used: dict[str, Any]) -> list[str]:
    dollars, active = used["dollars"], used["active"]
    facts = [about(dollars, is_all=used["is_whole"])] if dollars is not None else []
    if used["in"] or used["out"]:
        facts += [f"{tokens(used['in'])} in", f"{tokens(used['out'])} out"]
    return [*facts, worked(active)] if active is not None and active >= 1 else facts
