"""What an agent needs to go on: hand-offs of a session or a file, and sessions that are taken back to a turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from memtui_core.memory.handoff.conversation import conversation
from memtui_core.memory.handoff.file import file_handoff
from memtui_core.memory.handoff.model import SECTION_TITLES, Handoff, HandoffItem, HandoffOptions, lead_section
from memtui_core.memory.handoff.session import handoff
from memtui_core.memory.handoff.start import fits_argument, prompt_in_file
from memtui_core.readers.new_session import NewSession

if TYPE_CHECKING:
    from memtui_core.index.index import Index
    from memtui_core.memory.rewind.changed_files import FileSince as FileSince
    from memtui_core.memory.rewind.rewound import Rewound as Rewound

__all__ = ["SECTION_TITLES", "Handoff", "HandoffItem", "HandoffOptions", "Handoffs", "fits_argument", "prompt_in_file"]


CHOSEN_ROWS = "What Its Summary Lacks, Chosen by the User"
"""The heading of the rows of a review that a person sent to the agent."""


class Handoffs:
    """Makes hand-offs."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def of_session(
        self, session: int, first: int | None = None, last: int | None = None, options: HandoffOptions | None = None
    ) -> Handoff:
        """The hand-off of a session, or of its turns from number `first` to `last`. Raises SessionUnknown."""
        snapshot = self._index.snapshot_of(session)
        made = handoff(snapshot, session, first=first, last=last, options=options or HandoffOptions())
        rows = self._index.compactions.marks.waiting(made.session_id)
        return replace(made, lead=(*made.lead, lead_section(CHOSEN_ROWS, "\n".join(rows)))) if rows else made

    def of_file(self, path: str, root: str | None = None, options: HandoffOptions | None = None) -> Handoff:
        """The history of a file over all sessions as a hand-off. Raises MemtuiError unless exactly one file matches."""
        return file_handoff(self._index.snapshot, path, root=root, options=options or HandoffOptions())

    def conversation(
        self, session: int, first: int | None = None, last: int | None = None, options: HandoffOptions | None = None
    ) -> NewSession | None:
        """The texts of a session or of some turns as a new session for another agent. Raises SessionUnknown.

        None if there are no texts.
        """
        snapshot = self._index.snapshot_of(session)
        return conversation(snapshot, session, first=first, last=last, options=options or HandoffOptions())

    def rewound(
        self, session: int, turn: int, environ: Mapping[str, str], now: datetime, *, before: bool = False
    ) -> Rewound:
        """A session up to a turn, that included, as a new one; with `before` up to the turn before it.

        Nothing is written, see `Rewound.write`. Raises SessionUnknown, NothingBefore, SourceUnreadable, and MemtuiError
        if its agent cannot go on from there.
        """
        from memtui_core.memory.rewind.rewound import rewound

        snapshot = self._index.snapshot_of(session)
        return rewound(snapshot, self._index.data, session, turn, environ, now, before=before)

    def files_since(self, session: int, turn: int) -> list[FileSince]:
        """The files that a session read or wrote up to a turn, and how they are on this disk, the changed ones first.

        Raises SessionUnknown.
        """
        from memtui_core.memory.rewind.changed_files import files_since

        return files_since(self._index.snapshot_of(session), session, turn)
