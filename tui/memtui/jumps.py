"""Where one has been: a list of places with a way back and forward, as in an editor."""

from __future__ import annotations

from dataclasses import dataclass, field

Place = tuple[int, int | None]
"""A session and the number of a turn."""
_MOST = 100


@dataclass
class Jumps:
    """The places that were read, the last one at the end."""

    _places: list[Place] = field(default_factory=list)
    _at: int = -1

    def visit(self, place: Place, left: Place | None) -> None:
        """Another place is read now; `left` is where one was, at the turn that was reached there."""
        self._leave(left)
        if self._at >= 0 and self._places[self._at] == place:
            return
        del self._places[self._at + 1 :]
        self._places = [*self._places, place][-_MOST:]
        self._at = len(self._places) - 1

    def step(self, direction: int, left: Place | None) -> Place | None:
        """The place before (-1) or after (1); None when there is none."""
        self._leave(left)
        if not 0 <= self._at + direction < len(self._places):
            return None
        self._at += direction
        return self._places[self._at]

    def _leave(self, left: Place | None) -> None:
        """Come back to the turn that was reached, not to the one where the session was entered."""
        if left is not None and self._at >= 0 and self._places[self._at][0] == left[0]:
            self._places[self._at] = left
