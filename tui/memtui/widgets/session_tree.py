"""Projects, their sessions, and what each session started: a tree that fills as it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from memtui import moment
from memtui.present import age, clock, cut
from memtui_core.model import Compaction, Project, Session

Item = Project | Session | Compaction
Key = tuple[str, object]
_LIVE_SECONDS = 120
"""A session written to in this time is marked as running."""


class SessionTree(Tree[Item]):
    """Project -> session -> subagents and compactions. Nodes are kept across updates, by what they stand for."""

    HELP: ClassVar[str] = """\
## Sessions

Projects with their sessions, the newest first. `●` a session, `◌` a subagent, `⧉` a compaction.
`l` or `→` opens a node, `h` or `←` closes it or goes to what it belongs to, `enter` reads a session.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", tooltip="To the next row", show=False, id="tree.down"),
        Binding("k", "cursor_up", "Up", tooltip="To the row before", show=False, id="tree.up"),
        Binding("l,right", "open", "Open", tooltip="Open the node", show=False, id="tree.open"),
        Binding("h,left", "close", "Close", tooltip="Close the node, or go to its parent", show=False, id="tree.close"),
        Binding("g,home", "scroll_home_row", "Top", tooltip="To the first row", show=False, id="tree.top"),
        Binding("G,end", "scroll_end_row", "End", tooltip="To the last row", show=False, id="tree.bottom"),
        Binding("enter", "select_cursor", "Read", tooltip="Read the session", id="tree.select"),
    ]

    @dataclass
    class SessionsWanted(Message):
        """A project was opened."""

        project: Project

    @dataclass
    class ChildrenWanted(Message):
        """A session was opened."""

        session: int

    @dataclass
    class Chosen(Message):
        """A session is to be shown from a turn on; `read` when the person wants to go there."""

        session: int
        at: int | None
        read: bool

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("projects", id=id)
        self.show_root = False
        self.guide_depth = 2
        self._unused = True
        self._by_key: dict[Key, TreeNode[Item]] = {}

    def show_projects(self, projects: Sequence[Project]) -> None:
        """Take the projects; the newest is opened when the tree was empty."""
        self._fill(self.root, projects)
        for node in self.root.children:
            if node.is_expanded and isinstance(node.data, Project):
                self.post_message(self.SessionsWanted(node.data))
        if self._unused and self.root.children:
            self.root.children[0].expand()

    def show_sessions(self, project: Project, sessions: Sequence[Session]) -> None:
        """Take the sessions of a project; the newest is chosen when nothing was before."""
        node = self._by_key.get(_key(project))
        if node is None:
            return
        self._fill(node, sessions)
        for child in node.children:
            if child.is_expanded and isinstance(child.data, Session):
                self.post_message(self.ChildrenWanted(child.data.key))
        if self._unused and node.children:
            self._unused = False
            self.call_after_refresh(self.move_cursor, node.children[0])

    def show_children(self, session: int, children: Sequence[Session], compactions: Sequence[Compaction]) -> None:
        """Take what a session started and where it was compacted, in order of time."""
        node = self._by_key.get(("session", session))
        if node is not None:
            start = datetime.min.replace(tzinfo=UTC)
            times = {_key(item): item.started_at for item in children} | {_key(item): item.at for item in compactions}
            items: list[Item] = [*children, *compactions]
            self._fill(node, sorted(items, key=lambda item: times[_key(item)] or start))

    def _fill(self, parent: TreeNode[Item], items: Sequence[Item]) -> None:
        """Make the children of a node these, in this order; nodes that stay keep what is open below them."""
        keys = [_key(item) for item in items]
        present = [_key(child.data) for child in parent.children if child.data is not None]
        kept = [key for key in present if key in set(keys)]
        if kept != [key for key in keys if key in set(present)]:
            parent.remove_children()
            present = []
        for child in list(parent.children):
            if child.data is not None and _key(child.data) not in set(keys):
                child.remove()
        known = {_key(child.data): child for child in parent.children if child.data is not None}
        for index, (key, item) in enumerate(zip(keys, items, strict=True)):
            node = known.get(key)
            if node is None:
                node = parent.add("", item, before=index, allow_expand=_opens(item))
                self._by_key[key] = node
            elif node.data != item:
                node.data = item
                node.allow_expand = _opens(item)
                node.refresh()
        self.refresh()

    def render_label(self, node: TreeNode[Item], base_style: Style, style: Style) -> Text:
        """A row: a mark, a title cut to fit, numbers at the right."""
        item = node.data
        if item is None:
            return Text("")
        depth = 0 if isinstance(item, Project) else 1 if isinstance(item, Session) and item.parent is None else 2
        arrow = ("▾ " if node.is_expanded else "▸ ") if node.allow_expand else "  "
        mark, title, right = self._parts(item)
        width = max(12, self.size.width - 2 - self.guide_depth * depth)
        left = f"{arrow}{mark}{cut(title, max(4, width - cell_len(arrow + mark + right) - 1))}"
        gap = " " * max(1, width - cell_len(left) - cell_len(right))
        text = Text(left + gap, style=style, no_wrap=True)
        text.append(right, style=style + Style(dim=True))
        return text

    def _parts(self, item: Item) -> tuple[str, str, str]:
        now = moment.now()
        if isinstance(item, Project):
            return "", item.name, f"{item.sessions}  {age(item.last, now):>5}"
        if isinstance(item, Compaction):
            return "⧉ ", f"compacted {clock(item.at)}", ""
        live = item.ended_at is not None and (now - item.ended_at).total_seconds() < _LIVE_SECONDS
        mark = "◌ " if item.parent is not None else "◉ " if live else "● "
        return mark, item.title, f"{item.turns}  {age(item.ended_at, now):>5}"

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Item]) -> None:
        """Ask for what belongs below."""
        item = event.node.data
        if isinstance(item, Project):
            self.post_message(self.SessionsWanted(item))
        elif isinstance(item, Session):
            self.post_message(self.ChildrenWanted(item.key))

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Item]) -> None:
        """Preview the session under the cursor."""
        event.stop()
        self._choose(event.node.data, read=False)

    def on_tree_node_selected(self, event: Tree.NodeSelected[Item]) -> None:
        """Read a session; a project opens or closes."""
        event.stop()
        self._choose(event.node.data, read=True)

    def _choose(self, item: Item | None, *, read: bool) -> None:
        if isinstance(item, Session):
            self.post_message(self.Chosen(item.key, None, read))
        elif isinstance(item, Compaction):
            self.post_message(self.Chosen(item.session, item.turn, read))

    def action_open(self) -> None:
        """Open the node; an open one is read."""
        node = self.cursor_node
        if node is not None and node.allow_expand and not node.is_expanded:
            node.expand()
        else:
            self.action_select_cursor()

    def action_close(self) -> None:
        """Close the node, or go to its parent."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded:
            node.collapse()
        elif node.parent is not None and node.parent is not self.root:
            self.move_cursor(node.parent)

    def action_scroll_home_row(self) -> None:
        """To the first row."""
        self.cursor_line = 0

    def action_scroll_end_row(self) -> None:
        """To the last row."""
        self.cursor_line = self.last_line


def _key(item: Item) -> Key:
    if isinstance(item, Project):
        return "project", (item.root, item.name)
    if isinstance(item, Compaction):
        return "compaction", (item.session, item.line)
    return "session", item.key


def _opens(item: Item) -> bool:
    return isinstance(item, Project) or (isinstance(item, Session) and bool(item.children or item.compactions))
