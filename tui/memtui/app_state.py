"""What the app remembers from one run to the next: the theme, the last searches, the saved ones.

All of it is one small file. Losing it costs nothing but the memory, so nothing here raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import orjson

from memtui_core.store.files import write_atomically

FILE_NAME: Final = "state.json"
MOST_SEARCHES: Final = 200
_LONGEST = 1000
"""Characters of the longest query that is remembered by itself: what is longer was pasted."""

State = dict[str, object]
"""The file as it is, keys of other versions too: `theme` a name, `searches` newest first, `saved` name to query."""
_Change = Callable[[State], State]


class AppState:
    """The state file of a data folder: read once, and again before each change, which is written at once.

    Two apps can so lose no more than what both wrote in the same millisecond. What cannot be written is still
    remembered until the app ends.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE_NAME
        self._state: State = _read(self._path) or {}
        self._unwritten: list[_Change] = []

    @property
    def theme(self) -> str | None:
        """The theme chosen last."""
        theme = self._state.get("theme")
        return theme if isinstance(theme, str) else None

    @property
    def searches(self) -> tuple[str, ...]:
        """Queries that led to a hit, newest first, each once."""
        return _searches(self._state)

    @property
    def saved(self) -> dict[str, str]:
        """Saved queries, by name, in the order in which they were saved."""
        return _saved(self._state)

    @property
    def queries(self) -> tuple[str, ...]:
        """The searches, then the saved ones that are not among them."""
        return tuple(dict.fromkeys((*self.searches, *self.saved.values())))

    def refresh(self) -> None:
        """Take in what other apps have written."""
        self._state = self._newest()

    def choose_theme(self, name: str) -> None:
        """Remember a theme."""
        self._change(lambda state: state | {"theme": name})

    def first_time(self, name: str) -> bool:
        """True when something was not said yet; from now on it was."""
        said = _said(self._state)
        if first := name not in said:
            self._change(lambda state: state | {"said": sorted({*_said(state), name})})
        return first

    def add(self, query: str) -> None:
        """Remember a query as the newest; not an empty one, and none that was pasted in by the page."""
        query = _clean(query)
        if 0 < len(query) <= _LONGEST and self.searches[:1] != (query,):
            self._change(lambda state: state | {"searches": with_newest(_searches(state), query)})

    def forget(self, query: str) -> None:
        """Remember a query no longer, neither as a search nor as a saved one."""
        query = _clean(query)
        self._change(
            lambda state: (
                state
                | {"searches": [one for one in _searches(state) if one != query]}
                | {"saved": {name: one for name, one in _saved(state).items() if one != query}}
            )
        )

    def toggle(self, query: str) -> bool:
        """Save a query under its own text, or no longer if it is saved; True when it is saved now."""
        query = _clean(query)
        if saved := bool(query) and query not in self.saved.values():
            self._change(lambda state: state | {"saved": _saved(state) | {query: query}})
        else:
            self._change(
                lambda state: state | {"saved": {name: one for name, one in _saved(state).items() if one != query}}
            )
        return saved

    def _change(self, change: _Change) -> None:
        # Changes that could not be written come again on top of what another app wrote since; each may come twice.
        self._unwritten.append(change)
        self._state = self._newest()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, orjson.dumps(self._state, option=orjson.OPT_INDENT_2))
        except OSError:
            return
        self._unwritten.clear()

    def _newest(self) -> State:
        state = _read(self._path)
        if state is None:
            state = self._state
        for change in self._unwritten:
            state = change(state)
        return state


def with_newest(searches: Iterable[str], query: str) -> list[str]:
    """The searches, newest first, after one more: without doubles, and the oldest dropped from the 201st on."""
    return [one for one in dict.fromkeys((query, *searches)) if one][:MOST_SEARCHES]


def _clean(query: str) -> str:
    """A query as it is remembered: a file cannot hold half a surrogate pair."""
    return query.strip().encode(errors="replace").decode()


def _read(path: Path) -> State | None:
    try:
        state = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None
    return state if isinstance(state, dict) else None


def _searches(state: State) -> tuple[str, ...]:
    found = state.get("searches")
    texts = [one.strip() for one in found if isinstance(one, str)] if isinstance(found, list) else []
    return tuple(one for one in dict.fromkeys(texts) if one)[:MOST_SEARCHES]


def _said(state: State) -> list[str]:
    found = state.get("said")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _saved(state: State) -> dict[str, str]:
    found = state.get("saved")
    texts = found.items() if isinstance(found, dict) else ()
    return {name: one.strip() for name, one in texts if isinstance(one, str) and one.strip()}
