"""Sessions that were loaded before the cursor of a list comes to them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

from memtui.widgets.requests.target import Target

_KEPT = 6
"""Sessions that are kept: the one that is shown, those beside it in the list, and some that were there before."""

Loaded = TypeVar("Loaded")


class SessionsAhead(Generic[Loaded]):
    """What was loaded last for targets, from one state of the index."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[tuple[int, int], Loaded] = OrderedDict()

    def keep(self, session: int, turn: int, loaded: Loaded) -> None:
        """Keep what was loaded for a turn of a session."""
        self._loaded[session, turn] = loaded
        self._loaded.move_to_end((session, turn))
        while len(self._loaded) > _KEPT:
            self._loaded.popitem(last=False)

    def get(self, session: int, turn: int) -> Loaded | None:
        """What is loaded for a turn of a session; None if nothing is."""
        return self._loaded.get((session, turn))

    def missing(self, targets: tuple[Target, ...]) -> list[Target]:
        """Those of the targets for which nothing is loaded."""
        return [target for target in targets if self.get(target.session, target.first_turn) is None]
