"""What the rows of the session tree show of their titles, beside those of the same parent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from memtui.views.sessions.items import SessionGroup, TreeItem, TreeKey, item_key, started_at
from memtui.wording.formatting import cut, day_and_time
from memtui.wording.sibling_titles import SiblingTitles
from memtui_core.model import Session


class RowLabels:
    """The labels of the sessions below each parent, made when their rows are drawn."""

    def __init__(self) -> None:
        self._siblings: dict[TreeKey, _Siblings] = {}
        self._tree_width = 0

    def show(self, parent: TreeKey, items: Sequence[TreeItem]) -> None:
        """Take all children of a parent, before their rows are added; those of a group have no titles, but times."""
        if parent[0] == "group":
            return
        siblings = _Siblings([item for item in items if isinstance(item, Session | SessionGroup)])
        before = self._siblings.get(parent)
        # Made anew only for other titles: those of ten thousand sessions are compared with each other.
        if before is None or (before.places, before.titles) != (siblings.places, siblings.titles):
            self._siblings[parent] = siblings

    def shortening(self, parent: TreeKey, item: TreeItem, tree_width: int) -> Callable[[str, int], str]:
        """What makes the title of an item fit into some cells, in a tree of a width."""
        if tree_width != self._tree_width:
            self._tree_width = tree_width
            self._siblings = {key: _Siblings(siblings.sessions) for key, siblings in self._siblings.items()}
        siblings = self._siblings.get(parent)
        index = siblings.places.get(item_key(item)) if siblings is not None else None
        return cut if siblings is None or index is None else lambda _, width: siblings.labels.label(index, width)


class _Siblings:
    """The sessions and groups below a parent."""

    def __init__(self, sessions: Sequence[Session | SessionGroup]) -> None:
        self.sessions = sessions
        self.titles = [_title(item) for item in sessions]
        self.places = {item_key(item): index for index, item in enumerate(sessions)}

    @cached_property
    def labels(self) -> SiblingTitles:
        """The labels of the titles."""
        return title_labels(self.sessions)


def title_labels(sessions: Sequence[Session | SessionGroup]) -> SiblingTitles:
    """The labels of the titles of sessions that stand in one list; those that look alike get their day and time."""
    return SiblingTitles([_title(item) for item in sessions], lambda index: day_and_time(started_at(sessions[index])))


def _title(item: Session | SessionGroup) -> str:
    return item.first.title if isinstance(item, SessionGroup) else item.title
