"""The line that an agent shows below its prompt: what its session used, read from the small file of the indexer.

The agent runs the command after each answer, so it imports next to nothing and opens no index. It never fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from memtui.agents.hooks.process import end_with, parse_arguments
from memtui.wording.numbers import about, tokens, worked
from memtui_core.store.data_folder import DataDir
from memtui_core.system import locations

UNKNOWN: Final = "memtui: no figures yet"
"""The line for a session of which the indexer has not written anything."""


def main(arguments: Sequence[str]) -> NoReturn:
    """Answer the JSON object on standard input with a line on standard output, and end the process with code 0."""
    _, folder_option = parse_arguments(arguments)
    line = UNKNOWN
    with suppress(Exception):
        folder = locations.data_dir(Path(folder_option) if folder_option else None)
        # Typed by a person, there is no call to wait for.
        line = status_line(b"" if sys.stdin.isatty() else sys.stdin.buffer.read(), folder)
    end_with(f"{line}\n")


def status_line(call_json: bytes, folder: Path) -> str:
    """The line for the session of a call: `≈ $0.42 · 38k in · 4k out · 12 min`, as far as it is known."""
    try:
        call = json.loads(call_json)
        session = call.get("session_id") or Path(call["transcript_path"]).stem
        used = json.loads(DataDir(folder).status_line.read_bytes())["sessions"][session]
        return " · ".join(_facts(used)) or UNKNOWN
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return UNKNOWN


def _facts(used: dict[str, Any]) -> list[str]:
    dollars, active = used["dollars"], used["active"]
    facts = [about(dollars, is_all=used["is_whole"])] if dollars is not None else []
    if used["in"] or used["out"]:
        facts += [f"{tokens(used['in'])} in", f"{tokens(used['out'])} out"]
    return [*facts, worked(active)] if active is not None and active >= 1 else facts
