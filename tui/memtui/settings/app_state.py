"""What the app keeps from one run to the next: theme, searches, sizes of panes, zoom of the chart, actions last used.

All of it is in one small file that may be deleted. Errors while reading or writing it are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final

import orjson

from memtui_core.model import Grouping
from memtui_core.system.atomic_files import write_atomically

FILE_NAME: Final = "state.json"
MAX_SEARCHES: Final = 200
_MAX_ACTIONS: Final = 3
"""Used actions that the palette lists before all others."""
_MAX_QUERY = 1000
"""Characters of the longest query that becomes a recent search: a longer text was pasted by mistake."""

State = dict[str, object]
"""The content of the file, keys of other versions included.

`theme` is a name, `searches` a list with the newest first, `saved` maps names to queries, `said` lists shown notices,
`panes` maps views and classes of width to the sizes of their panes, `minimap` is False if it is hidden, `short_hits` is
True if hits have one line, `by_agent` if the tree is grouped by agent, `by_machine` if by machine, `zoom` is the window
of the chart of the timeline, `actions` lists ids of actions, newest first.
"""
_Change = Callable[[State], State]


class AppState:
    """The state file of a data folder: read at the start and before each change, which is written immediately.

    So two running apps overwrite each other's changes only when both write in the same millisecond. Changes that cannot
    be written last until the app ends.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / FILE_NAME
        self._state: State = _read(self._path) or {}
        self._unwritten: list[_Change] = []

    @property
    def theme(self) -> str | None:
        """Name of the theme that was chosen last; None if none was chosen."""
        theme = self._state.get("theme")
        return theme if isinstance(theme, str) else None

    @property
    def searches(self) -> tuple[str, ...]:
        """The recent searches: queries whose hits the user opened, newest first, each once."""
        return _searches(self._state)

    @property
    def saved(self) -> dict[str, str]:
        """The saved searches: queries by name, in the order in which they were saved."""
        return _saved(self._state)

    @property
    def queries(self) -> tuple[str, ...]:
        """The recent searches, then the saved searches that are not among them."""
        return tuple(dict.fromkeys((*self.searches, *self.saved.values())))

    @property
    def shows_minimap(self) -> bool:
        """Whether the transcript has a minimap."""
        return self._state.get("minimap") is not False

    @property
    def short_hits(self) -> bool:
        """Whether each hit of a search has only one line."""
        return self._state.get("short_hits") is True

    @property
    def grouping(self) -> Grouping:
        """What the tree of sessions is grouped by."""
        named: tuple[Grouping, ...] = ("agent", "machine")
        return next((name for name in named if self._state.get(f"by_{name}") is True), "")

    @property
    def zoom(self) -> str | None:
        """The window of the chart that was chosen last, such as `week`; None if none was chosen."""
        zoom = self._state.get("zoom")
        return zoom if isinstance(zoom, str) else None

    @property
    def recent_actions(self) -> tuple[str, ...]:
        """Ids of the actions that were used in the palette, newest first."""
        return _strings(self._state, "actions")

    def use_action(self, name: str) -> None:
        """Store the id of an action that was used in the palette."""
        self._change(
            lambda state: state | {"actions": list(dict.fromkeys((name, *_strings(state, "actions"))))[:_MAX_ACTIONS]}
        )

    def refresh(self) -> None:
        """Read what other apps have written."""
        self._state = self._newest()

    def choose_theme(self, name: str) -> None:
        """Store the name of a theme."""
        self._change(lambda state: state | {"theme": name})

    def show_minimap(self, shown: bool) -> None:
        """Store whether the transcript has a minimap."""
        self._change(lambda state: state | {"minimap": shown})

    def show_short_hits(self, short: bool) -> None:
        """Store whether each hit of a search has only one line."""
        self._change(lambda state: state | {"short_hits": short})

    def group_by(self, name: Grouping) -> None:
        """Store what the tree of sessions is grouped by."""
        self._change(lambda state: state | {"by_agent": name == "agent", "by_machine": name == "machine"})

    def choose_zoom(self, name: str) -> None:
        """Store the window of the chart."""
        self._change(lambda state: state | {"zoom": name})

    def first_time(self, name: str) -> bool:
        """Return True on the first call for a notice, in this run or an earlier one; `name` identifies the notice."""
        is_first = name not in _strings(self._state, "said")
        if is_first:
            self._change(lambda state: state | {"said": sorted({*_strings(state, "said"), name})})
        return is_first

    def pane_sizes(self, key: str) -> Mapping[str, object]:
        """The sizes of the panes of a view, as they were stored."""
        sizes = _panes(self._state).get(key)
        return sizes if isinstance(sizes, dict) else {}

    def keep_pane_sizes(self, key: str, sizes: Mapping[str, object]) -> None:
        """Store the sizes of the panes of a view; those that are None are removed."""
        kept = {name: value for name, value in sizes.items() if value is not None}
        self._change(lambda state: state | {"panes": _panes(state) | {key: kept}})

    def add(self, query: str) -> None:
        """Add a query as the newest recent search; an empty or very long one is ignored."""
        query = _clean(query)
        if 0 < len(query) <= _MAX_QUERY and self.searches[:1] != (query,):
            self._change(lambda state: state | {"searches": with_newest(_searches(state), query)})

    def forget(self, query: str) -> None:
        """Remove a query from the recent and from the saved searches."""
        query = _clean(query)
        self._change(
            lambda state: (
                state
                | {"searches": [search for search in _searches(state) if search != query]}
                | {"saved": _saved_without(state, query)}
            )
        )

    def toggle(self, query: str) -> bool:
        """Save a query with its text as the name, or remove it if it is saved; True when it is saved now."""
        query = _clean(query)
        if saved := bool(query) and query not in self.saved.values():
            self._change(lambda state: state | {"saved": _saved(state) | {query: query}})
        else:
            self._change(lambda state: state | {"saved": _saved_without(state, query)})
        return saved

    def _change(self, change: _Change) -> None:
        # Changes that could not be written are applied again to what other apps wrote since: each may be applied twice.
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
    """Return the searches with a query added in front, each once, at most `MAX_SEARCHES`."""
    return [search for search in dict.fromkeys((query, *searches)) if search][:MAX_SEARCHES]


def _clean(query: str) -> str:
    """A query as it is stored: a file cannot contain half a surrogate pair."""
    return query.strip().encode(errors="replace").decode()


def _read(path: Path) -> State | None:
    try:
        state = orjson.loads(path.read_bytes())
        # What is nested too deeply to be written again counts as damaged.
        orjson.dumps(state)
    except (OSError, orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None
    return state if isinstance(state, dict) else None


def _searches(state: State) -> tuple[str, ...]:
    queries = dict.fromkeys(query.strip() for query in _strings(state, "searches"))
    return tuple(query for query in queries if query)[:MAX_SEARCHES]


def _strings(state: State, key: str) -> tuple[str, ...]:
    value = state.get(key)
    return tuple(text for text in value if isinstance(text, str)) if isinstance(value, list) else ()


def _panes(state: State) -> dict[str, object]:
    value = state.get("panes")
    return value if isinstance(value, dict) else {}


def _saved(state: State) -> dict[str, str]:
    value = state.get("saved")
    queries = value.items() if isinstance(value, dict) else ()
    return {name: query.strip() for name, query in queries if isinstance(query, str) and query.strip()}


def _saved_without(state: State, query: str) -> dict[str, str]:
    return {name: saved for name, saved in _saved(state).items() if saved != query}
