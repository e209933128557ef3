"""What `memtui show` prints."""

from __future__ import annotations

from pathlib import Path

from memtui.cli.opened import open_index
from memtui.cli.output import print_json, show_paged, stdout_width
from memtui.cli.turn_range import session_and_turns


def print_session(session: str, no_tools: bool, no_thinking: bool, data_dir: Path | None, as_json: bool) -> None:
    """Print a session or some of its turns."""
    selected, turns = session_and_turns(open_index(data_dir), session)
    thinking, tools = not no_thinking, not no_tools
    if as_json:
        from memtui_core.export.as_json import turn_objects

        print_json(turn_objects(selected, turns, thinking=thinking, tools=tools))
        return
    from memtui.cli.session_text import session_text

    show_paged(session_text(selected, turns, stdout_width(), thinking=thinking, tools=tools))
