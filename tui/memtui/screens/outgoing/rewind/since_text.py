"""What there is on the disk compared with what a session knew of it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memtui.wording.formatting import number, plural
from memtui_core.text.controls import label

if TYPE_CHECKING:
    from memtui_core.index.handoffs import FileSince, Rewound


def missing_folder(made: Rewound) -> str:
    """That the folder in which the new session is resumed does not exist; empty if it does."""
    if made.has_folder:
        return ""
    return f"{label(made.folder)} does not exist: make it first, because the agent looks for sessions by folder."


def changes(file: FileSince) -> str:
    """`+12 −3`, the lines that are new and those that are gone; empty if they are not known."""
    return f"+{number(file.added)} −{number(file.removed)}" if file.added or file.removed else ""


def facts(file: FileSince) -> str:
    """What is known if that is not all, and the later turns of the session that edited the file."""
    turns = file.later_turns
    later = f"edited in turn{'s' * (len(turns) > 1)} {', '.join(map(str, turns))}" if turns else ""
    return " · ".join(text for text in (file.reason, later) if text)


def unchanged(files: Sequence[FileSince]) -> str:
    """How many files are as they were; empty if there are none."""
    count = sum(file.state == "unchanged" for file in files)
    return f"{plural(count, 'file is', 'files are')} as {'it was' if count == 1 else 'they were'}." if count else ""
