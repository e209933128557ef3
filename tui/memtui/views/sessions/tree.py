"""Projects, their sessions, and what each session started: a tree that fills as it is opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from memtui import clock
from memtui.formatting import cut
from memtui.views.sessions.labels import Item, Labels
from memtui.views.sessions.nodes import reconcile, walk
from memtui_core.model import Compaction, Project, Session

Key = tuple[str, object]
_SLICE = 250
"""Rows added before the screen gets its turn: the tree is laid out anew at each."""


class SessionTree(Tree[Item]):
    """Project -> session -> subagents and compactions. Nodes are kept across updates, by what they stand for."""

    HELP: ClassVar[str] = """\
## Sessions

Projects with their sessions, the newest first. `●` a session, `◌` a subagent, `⧉` a compaction.
`l` or `→` opens a node, `h` or `←` closes it or goes to what it belongs to, `enter` reads a session, `f` finds
sessions by words of their titles.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "Down", tooltip="To the next row", show=False, id="tree.down"),
        Binding("k", "cursor_up", "Up", tooltip="To the row before", show=False, id="tree.up"),
        Binding("l,right", "open", "Open", tooltip="Open the node, or go into it", show=False, id="tree.open"),
        Binding("h,left", "close", "Close", tooltip="Close the node, or go to its parent", show=False, id="tree.close"),
        Binding("g,home", "scroll_home_row", "Top", tooltip="To the first row", show=False, id="tree.top"),
        Binding("G,end", "scroll_end_row", "End", tooltip="To the last row", show=False, id="tree.bottom"),
        Binding("f", "find_title", "Filter", tooltip="Find sessions by their titles", id="tree.filter"),
        Binding("enter", "select_cursor", "Read", tooltip="Read the session", id="tree.select"),
    ]

    @dataclass
    class SessionsRequested(Message):
        """A project was opened."""

        project: Project

    @dataclass
    class ChildrenRequested(Message):
        """A session was opened."""

        session: int

    @dataclass
    class Chosen(Message):
        """A session is to be shown from a turn on; `read` when the person wants to go there."""

        session: int
        at: int | None
        read: bool

    class TitleSearchRequested(Message):
        """The sessions with some words in their titles are wanted."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__("projects", id=id)
        self.show_root = False
        self.auto_expand = False
        self.guide_depth = 2
        self._unused = True
        self._labels = Labels()
        self._filling: dict[Key, Sequence[Item]] = {}
        """What a project still takes in, by its key."""

    def action_find_title(self) -> None:
        """Find sessions by their titles."""
        self.post_message(self.TitleSearchRequested())

    def show_projects(self, projects: Sequence[Project]) -> None:
        """Take the projects; the newest is opened when the tree was empty."""
        if self._labels.take_projects(projects):
            self._draw_anew(self.root)
        with self._steady():
            self._fill(self.root, projects)
        for node in self.root.children:
            if node.is_expanded and isinstance(node.data, Project):
                self.post_message(self.SessionsRequested(node.data))
        if self._unused and self.root.children:
            self.root.children[0].expand()

    def show_sessions(self, project: Project, sessions: Sequence[Session]) -> None:
        """Take the sessions of a project; the newest is chosen when nothing was before."""
        key = _key(project)
        self._filling[key] = sessions
        self._take(key)
        node = self._node(key)
        if node is None:
            return
        if self._labels.take_sessions(project, sessions):
            self._draw_anew(node)
        for child in node.children:
            if child.is_expanded and isinstance(child.data, Session):
                self.post_message(self.ChildrenRequested(child.data.key))
        if self._unused and node.children:
            self._unused = False
            self.call_after_refresh(self.move_cursor, node.children[0])

    def show_children(self, session: int, children: Sequence[Session], compactions: Sequence[Compaction]) -> None:
        """Take what a session started and where it was compacted, in order of time."""
        node = self._node(("session", session))
        if node is not None:
            start = datetime.min.replace(tzinfo=UTC)
            times = {_key(item): item.started_at for item in children} | {_key(item): item.at for item in compactions}
            items: list[Item] = [*children, *compactions]
            with self._steady():
                self._fill(node, sorted(items, key=lambda item: times[_key(item)] or start))

    def _draw_anew(self, parent: TreeNode[Item]) -> None:
        for child in parent.children:
            child.refresh()

    def _take(self, key: Key) -> None:
        """Take in some of the sessions of a project, and the rest when the screen had its turn."""
        node, items = self._node(key), self._filling.get(key)
        if node is None or items is None:
            return
        with self._steady():
            whole = self._fill(node, items)
        if whole:
            del self._filling[key]
        else:
            self.call_later(self._take, key)

    def _fill(self, parent: TreeNode[Item], items: Sequence[Item]) -> bool:
        return reconcile(parent, items, _key, _opens, _SLICE)

    @contextmanager
    def _steady(self) -> Iterator[None]:
        """Keep the cursor on what it stands on, and that where it is on the screen, while rows come and go."""
        before = self.cursor_node
        key = _key(before.data) if before is not None and before.data is not None else None
        line, row = self.cursor_line, self.cursor_line - round(self.scroll_y)
        with self.prevent(Tree.NodeHighlighted):
            yield
            after = self._node(key) if key is not None else None
            # Asking for the last line lays the tree out, which the new place of the cursor needs.
            last = self.last_line
            if after is not None:
                self._put_cursor(after.line)
                if 0 <= row < self.size.height:
                    self.scroll_to(y=after.line - row, animate=False, force=True, immediate=True)
        if key is not None and after is None and last >= 0:
            self._put_cursor(min(line, last))

    def _put_cursor(self, line: int) -> None:
        # Set without a watcher first: the line may be the same while another node stands there.
        self.set_reactive(Tree.cursor_line, -1)
        self.cursor_line = line

    def _node(self, key: Key) -> TreeNode[Item] | None:
        # Projects are on top: among ten thousand sessions they are found at once.
        nodes = self.root.children if key[0] == "project" else walk(self.root)
        return next((node for node in nodes if node.data is not None and _key(node.data) == key), None)

    def render_label(self, node: TreeNode[Item], base_style: Style, style: Style) -> Text:
        """A row: a mark, a title cut to fit, numbers at the right."""
        item = node.data
        if item is None:
            return Text("")
        depth = 0 if isinstance(item, Project) else 1 if isinstance(item, Session) and item.parent is None else 2
        arrow = ("▾ " if node.is_expanded else "▸ ") if node.allow_expand else "  "
        mark, title, right = self._labels.parts(item, clock.now())
        width = max(12, self.size.width - 2 - self.guide_depth * depth)
        left = f"{arrow}{mark}{cut(title, max(4, width - cell_len(arrow + mark + right) - 1))}"
        gap = " " * max(1, width - cell_len(left) - cell_len(right))
        text = Text(left + gap, style=style, no_wrap=True)
        if node.allow_expand:
            text.stylize(Style.from_meta({"toggle": True}), 0, len(arrow))
        text.append(right, style=style + Style(dim=True))
        return text

    def get_label_width(self, node: TreeNode[Item]) -> int:
        """Rows always fit: no need to draw each to know how wide it is."""
        return 0

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Item]) -> None:
        """Ask for what belongs below."""
        item = event.node.data
        if isinstance(item, Project):
            self.post_message(self.SessionsRequested(item))
        elif isinstance(item, Session):
            self.post_message(self.ChildrenRequested(item.key))

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Item]) -> None:
        """Preview the session under the cursor."""
        event.stop()
        self._choose(event.node.data, read=False)

    def on_click(self, event: events.Click) -> None:
        """A click puts the cursor on a row and opens or closes a project; a double click reads a session."""
        event.prevent_default()
        line = event.style.meta.get("line")
        node = self.get_node_at_line(line) if line is not None else None
        if line is None or node is None:
            return
        self.cursor_line = line
        if event.style.meta.get("toggle") or isinstance(node.data, Project):
            node.toggle()
        elif event.chain == 2:
            self.action_select_cursor()

    def on_tree_node_selected(self, event: Tree.NodeSelected[Item]) -> None:
        """Read a session; a project opens or closes."""
        event.stop()
        if isinstance(event.node.data, Project):
            event.node.toggle()
        self._choose(event.node.data, read=True)

    def _choose(self, item: Item | None, *, read: bool) -> None:
        if isinstance(item, Session):
            self.post_message(self.Chosen(item.key, None, read))
        elif isinstance(item, Compaction):
            self.post_message(self.Chosen(item.session, item.turn, read))

    def action_open(self) -> None:
        """Open the node; of an open one a session is read, and a project's first session gone to."""
        node = self.cursor_node
        if node is not None and node.allow_expand and not node.is_expanded:
            node.expand()
        elif node is not None and isinstance(node.data, Project):
            self.move_cursor(node.children[0] if node.children else node)
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
        self._go_to_line(0)

    def action_scroll_end_row(self) -> None:
        """To the last row."""
        self._go_to_line(self.last_line)

    def _go_to_line(self, line: int) -> None:
        self.cursor_line = line
        self.scroll_to_line(line, animate=False)


def _key(item: Item) -> Key:
    if isinstance(item, Project):
        return "project", (item.root, item.name)
    if isinstance(item, Compaction):
        return "compaction", (item.session, item.line)
    return "session", item.key


def _opens(item: Item) -> bool:
    return isinstance(item, Project) or (isinstance(item, Session) and bool(item.children or item.compactions))
