"""The earlier queries that `↑` and `↓` show in the search bar."""

from __future__ import annotations

from collections.abc import Sequence


class QueryHistory:
    """Steps back through earlier queries, starting from the typed text, and forward to it again.

    Only queries that begin with the typed text are offered; all of them when the typed text is the newest query.
    """

    def __init__(self, typed: str, queries: Sequence[str]) -> None:
        text = typed.strip()
        prefix = "" if text == next(iter(queries), "") else typed.lstrip().casefold()
        earlier = (query for query in queries if query != text and query.casefold().startswith(prefix))
        self._queries = [typed, *earlier]
        self._position = 0

    @property
    def current(self) -> str:
        """The query at the current position."""
        return self._queries[self._position]

    def older(self) -> bool:
        """Go one query back; False at the oldest."""
        return self._step(1)

    def newer(self) -> bool:
        """Go one query forward, finally to the typed text; False when that is the current query already."""
        return self._step(-1)

    def _step(self, count: int) -> bool:
        if not 0 <= self._position + count < len(self._queries):
            return False
        self._position += count
        return True
