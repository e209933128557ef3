"""What `memtui show` prints."""

from __future__ import annotations

from pathlib import Path

from memtui.cli.opened import open_index
from memtui.cli.output import print_json, show_paged
from memtui.cli.turn_range import session_and_turns


def print_session(session: str, data_dir: Path | None, as_json: bool) -> None:
    """Print a session or some of its turns."""
    selected, turns = session_and_turns(open_index(data_dir), session)
    if as_json:
        from memtui_core.export.as_json import turn_object

        print_json([turn_object(selected, turn, turn.blocks) for turn in turns])
        return
    from memtui.cli.session_text import session_text

    show_paged(session_text(selected, turns))
