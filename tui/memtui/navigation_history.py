"""Where one has been: a list of places with a way back and forward, as in an editor."""

from __future__ import annotations

from dataclasses import dataclass, field

Place = tuple[int, int | None]
"""A session and the number of a turn."""
_MOST = 100


@dataclass
class NavigationHistory:
    """The places that were read, the last one at the end."""

    _places: list[Place] = field(default_factory=list)
    _at: int = -1

    def visit(self, place: Place) -> None:
        """Another place is read now."""
        if self._at >= 0 and self._places[self._at] == place:
            return
        del self._places[self._at + 1 :]
        self._places = [*self._places, place][-_MOST:]
        self._at = len(self._places) - 1

    def reach(self, place: Place) -> None:
        """Another turn of the same session is read: one comes back to it, not to where the session was entered."""
        if self._at >= 0 and self._places[self._at][0] == place[0]:
            self._places[self._at] = place

    def step(self, direction: int) -> Place | None:
        """The place before (-1) or after (1); None when there is none."""
        if not 0 <= self._at + direction < len(self._places):
            return None
        self._at += direction
        return self._places[self._at]
