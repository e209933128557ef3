"""Earlier queries, reached from the search bar by `↑` and `↓`."""

from __future__ import annotations

from collections.abc import Sequence


class QueryHistory:
    """Steps back through earlier queries from what is typed, and forward to it again.

    Only queries that begin with what is typed are offered. When the newest query of all stands in the bar, all others
    are.
    """

    def __init__(self, typed: str, queries: Sequence[str]) -> None:
        text = typed.strip()
        prefix = "" if text == next(iter(queries), "") else typed.lstrip().casefold()
        self._queries = [typed, *(one for one in queries if one != text and one.casefold().startswith(prefix))]
        self._position = 0

    @property
    def shown(self) -> str:
        """The query to show now."""
        return self._queries[self._position]

    def older(self) -> bool:
        """One query back; False at the oldest."""
        return self._step(1)

    def newer(self) -> bool:
        """One query forward, at last to what was typed; False when it is shown already."""
        return self._step(-1)

    def _step(self, count: int) -> bool:
        if not 0 <= self._position + count < len(self._queries):
            return False
        self._position += count
        return True
