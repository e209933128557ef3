"""The tree of projects, sessions, subagents and compactions, whose nodes are loaded when they are unfolded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Final

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.binding import BindingType
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from memtui.keys.annotation_keys import ANNOTATION_KEYS
from memtui.keys.declarations import Key, keys
from memtui.keys.names import KeyNames
from memtui.services.sharing_service import NEXT, SharedMarks
from memtui.system import clock
from memtui.views.sessions.items import (
    ProjectGroup,
    SessionGroup,
    TreeItem,
    TreeKey,
    can_expand,
    fold_titles,
    grouped,
    item_key,
    project_key,
    shown_session,
    started_at,
)
from memtui.views.sessions.labels import RowLabels
from memtui.views.sessions.nodes import reconcile, walk
from memtui.views.sessions.rows import GUIDE_DEPTH, SPENDING, arrow, item_state, row_text
from memtui.widgets.requests.panes import (
    AnnotationAction,
    AnnotationRequested,
    ForgetRequested,
    LeftAtTop,
    TargetChosen,
)
from memtui.widgets.requests.target import Target
from memtui.wording.usage_text import Spending
from memtui_core.model import Compaction, Grouping, Project, Session

if TYPE_CHECKING:
    from memtui_team.sharing import Choice

_BATCH = 250
"""Rows that are added at once, because the tree is laid out again for each of them while the screen waits."""
_Folder: Final = ProjectGroup | Project | SessionGroup
"""Items that are only folded and unfolded."""
_ROOT: Final[TreeKey] = ("root", None)
"""The key of the node that holds the projects."""


class SessionTree(Tree[TreeItem]):
    """Project -> session -> subagents and compactions, sessions with one title as a group.

    Nodes are identified by their keys and kept across updates.
    """

    HELP: ClassVar[str] = """\
## Sessions

Projects with their sessions, the newest first. `●` is a session, `◉` one that runs, `?` one that waits for your
answer, `✗` one that an error ended; `◌` is a subagent, `⧉` a compaction, `○` a session of which only the prompts are
left; `×9` folds sessions of one title. In a title, `…` stands for what sessions near it say, too, and for what does
not fit. `l` or `→` unfolds a node, `h` or `←` folds it or goes to its parent, `enter` reads a session, or goes to the
page of a project: what is open there, and what was done last. `/` and then `ctrl+r`
filters sessions by words of their titles. `A` groups them by agent; with several agents, two letters before a title
name the agent. `p` shares a session with the team (`↑`), keeps it private (`⊘`), or treats it as its project.

With `*` a session is pinned (`★`): it comes first in its project. `#` changes its tags, `a` its note (`¶`), `c` its
title; the agent's stays in the inspector. `x` archives it (`⊟`): it is left out of lists and searches; `X` lists such
sessions, too. With `del` a session or a project is forgotten, after a question: it is gone from everything, and after
30 days for good. `u` brings back what was forgotten last, and memtui forget --list shows the rest.
"""
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tree--waiting", "tree--running", "tree--failed"}
    DEFAULT_CSS = """
    SessionTree {
        & > .tree--waiting { color: $text-accent; text-style: bold; }
        & > .tree--running { color: $text-accent; }
        & > .tree--failed { color: $text-error; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *keys(
            "session tree",
            Key("j", "cursor_down", "Down", "Go to the next row", "tree.down", moves=True),
            Key("k", "row_up", "Up", "Go to the previous row", "tree.up", moves=True),
            Key("l,right", "open", "Unfold", "Unfold the node, or go into it", "tree.open"),
            Key("h,left", "close", "Fold", "Fold the node, or go to its parent", "tree.close"),
            Key("g,home", "scroll_home_row", "Top", "Go to the first row", "tree.top", moves=True),
            Key("G,end", "scroll_end_row", "End", "Go to the last row", "tree.bottom", moves=True),
            Key("enter", "select_cursor", "Read", "Read the session, or go to the project", "tree.select", show=True),
            Key("A", "by_agent", "Agents", "Group by agent, or not", "tree.by-agent"),
            Key(
                "M",
                "by_machine",
                "Machines",
                "Group by machine, or not",
                "tree.by-machine",
                synonyms="computer host laptop",
            ),
            Key(
                "p",
                "share",
                "Share",
                "Share with the team, keep private, or as the project",
                "tree.share",
                synonyms="team push colleagues public secret",
            ),
            Key(
                "X",
                "show_archived",
                "Archived",
                "List archived sessions, too, or not",
                "tree.archived",
                synonyms="hidden done all",
            ),
            Key(
                "delete",
                "forget",
                "Forget",
                "Forget the session or project, after a question",
                "tree.forget",
                synonyms="delete remove erase privacy",
            ),
        ),
        *ANNOTATION_KEYS,
    ]

    def __init__(
        self,
        load: Callable[[Project | Session], None],
        show_project: Callable[[Project, bool], None],
        group: Callable[[Grouping], None],
        share: Callable[[Sequence[Session], Choice | None], None],
        switch_archived: Callable[[], None],
    ) -> None:
        """`load` is called with an unfolded item, and passes what is below it to `show_sessions` or `show_children`.

        `show_project` is called with the project under the cursor, and whether to go to its page. `group` groups the
        projects, or shows them without groups if they are grouped so. `share` keeps what the user chose for sessions.
        `switch_archived` lists archived sessions, too, or no longer.
        """
        super().__init__("projects", id="tree")
        self._key_names = KeyNames(self, "select_cursor")
        self._load = load
        self._show_project = show_project
        self._group = group
        self._share = share
        self._switch_archived = switch_archived
        self._marks: SharedMarks | None = None
        """What is shared; None if no team was joined."""
        self.show_root = False
        self.auto_expand = False
        self.guide_depth = GUIDE_DEPTH
        self.shows_agents = False
        """Whether each session has the label of its agent, because there are several agents."""
        self.has_machines = False
        """Whether there are sessions of other machines."""
        self.shows_machines = True
        """Whether a session of another machine has the name of it: not below the machine."""
        self._spent: dict[int, Spending] = {}
        """What sessions cost, by key, where there is room for it."""
        self._is_new = True
        """Whether no session has been shown yet."""
        self._is_kept = False
        """Whether the rows are those of the last time, and the index is not open yet."""
        self.follows_newest = False
        """Whether the newest project is unfolded and its newest session chosen, until the user does something here."""
        self._pending: dict[TreeKey, Sequence[TreeItem]] = {}
        """The children of nodes to which not all rows are added yet, by the key of the node."""
        self._labels = RowLabels()
        self._revealed: Session | None = None
        """The session to which the cursor goes as soon as its row is there."""
        self._unfolded: TreeKey | None = None
        """The item that was unfolded under the cursor and whose children come into sight as soon as they are there."""

    @property
    def project(self) -> Project | None:
        """The project under the cursor; None on anything else."""
        item = self.cursor_node.data if self.cursor_node is not None and not self._is_kept else None
        return item if isinstance(item, Project) else None

    def unfold(self) -> None:
        """Unfold the node under the cursor."""
        if self.cursor_node is not None:
            self.cursor_node.expand()

    @property
    def session(self) -> Session | None:
        """The session under the cursor, of a group its first; None on anything else."""
        item = self.cursor_node.data if self.cursor_node is not None else None
        return item.first if isinstance(item, SessionGroup) else item if isinstance(item, Session) else None

    def start_over(self) -> None:
        """Unfold the newest project and go to its newest session when projects are shown next."""
        self._is_new = True

    def reveal(self, session: Session) -> None:
        """Move the cursor to a session, without a preview; what contains it is unfolded, and loaded if need be."""
        self.follows_newest = False
        self._revealed = session
        self._continue_revealing()

    def _continue_revealing(self) -> None:
        session = self._revealed
        if session is None:
            return
        if (node := self._node(("session", session.key))) is not None:
            self._revealed, self._is_new = None, False
            self._put_cursor_on(node)
            return
        place = session.root, session.project
        keys: list[TreeKey] = [
            project_key(*place, session.agent),
            project_key(*place, machine=session.machine),
            project_key(*place),
            ("agent", session.agent),
            ("machine", session.machine),
        ]
        project = next(filter(None, map(self._node, keys)), None)
        holder = self._group_of(session) or self._node(("session", session.parent)) or project
        if holder is not None and not holder.is_expanded:
            holder.expand()

    def _group_of(self, session: Session) -> TreeNode[TreeItem] | None:
        """The row that folds a session with others of its title."""
        for node in walk(self.root):
            if isinstance(node.data, SessionGroup) and session.key in {one.key for one in node.data.sessions}:
                return node
        return None

    def _put_cursor_on(self, node: TreeNode[TreeItem]) -> None:
        parent = node.parent
        while parent is not None:
            parent.expand()
            parent = parent.parent
        # Reading the last line lays out the tree, which is needed for the line of the node.
        if self.last_line >= 0:
            with self.prevent(Tree.NodeHighlighted):
                self._put_cursor(node.line)
            self.scroll_to_line(node.line, animate=False)

    def action_cursor_up(self) -> None:
        """Move the cursor up; from the first row go to the widget above the tree."""
        self._move_up(by_letter=False)

    def action_row_up(self) -> None:
        """The same by a letter."""
        self._move_up(by_letter=True)

    def _move_up(self, *, by_letter: bool) -> None:
        if self.cursor_line <= 0:
            self.post_message(LeftAtTop(by_letter))
        else:
            super().action_cursor_up()

    def show_kept(self, projects: Sequence[Project], sessions: Sequence[Session]) -> None:
        """Show what was kept: projects, and the sessions of the first one. Nothing can be opened yet.

        The first call of `show_projects` replaces it.
        """
        self._is_kept = True
        self._show_items(_ROOT, projects)
        self.root.children[0].expand()
        self._show_items(item_key(projects[0]), fold_titles(sessions))

    def show_projects(self, projects: Sequence[Project]) -> None:
        """Show projects, those with an agent or a machine below it; at the first time, the newest is unfolded."""
        self._is_kept = False
        self._show_items(_ROOT, grouped(projects))
        for node in self.root.children:
            if node.is_expanded and isinstance(node.data, ProjectGroup):
                self._show_items(item_key(node.data), node.data.projects)
        for node in self._project_nodes():
            if node.is_expanded and isinstance(node.data, Project):
                self._load(node.data)
        if self._is_following:
            for node in self.root.children[1:]:
                node.collapse()
        if (self._is_new or self._is_following) and self.root.children:
            self.root.children[0].expand()

    def show_marks(self, marks: SharedMarks | None) -> None:
        """Show what is shared."""
        if marks != self._marks:
            self._marks = marks
            for node in walk(self.root):
                node.refresh()

    @property
    def has_room_for_spending(self) -> bool:
        """Whether the rows say what sessions cost, and how long they took."""
        return self.size.width >= SPENDING

    def show_spending(self, spent: Mapping[int, Spending]) -> None:
        """Show what sessions cost, by their keys, and how long they took."""
        changed = {key for key, one in spent.items() if self._spent.get(key) != one}
        self._spent |= spent
        if changed:
            for node in walk(self.root):
                node.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Ask for what sessions cost when there is room for it for the first time."""
        if self.has_room_for_spending and not self._spent and not self._is_kept:
            for node in self._project_nodes():
                if node.is_expanded and isinstance(node.data, Project):
                    self._load(node.data)

    def show_sessions(self, project: Project, sessions: Sequence[Session]) -> None:
        """Show the sessions of a project; at the first time, the cursor goes to the newest."""
        key = item_key(project)
        self._show_items(key, fold_titles(sessions))
        node = self._node(key)
        if node is None:
            return
        self._update_groups(node)
        for child in walk(node):
            if child.is_expanded and isinstance(child.data, Session):
                self._load(child.data)
        if self._is_new and node.children and self._revealed is None:
            self._is_new = False
            if self.cursor_node is None:
                self.call_after_refresh(self._go_to_first, node)
            else:
                # The user was faster than the index.
                self._choose(self.cursor_node.data, read=False)
        elif self._is_following and node is next(self._project_nodes()):
            self.call_after_refresh(self._go_to_newest)

    def _go_to_first(self, project: TreeNode[TreeItem]) -> None:
        """Choose the first session, unless another row was chosen or is looked for."""
        if self.cursor_node is None and self._revealed is None and project.children:
            self.move_cursor(project.children[0])

    @property
    def _is_following(self) -> bool:
        return self.follows_newest and self.screen.focused in (None, self)

    def _go_to_newest(self) -> None:
        newest = next(self._project_nodes(), None)
        if self._is_following and newest is not None and newest.children:
            self.move_cursor(newest.children[0])
            self.scroll_home(animate=False)

    def show_children(self, session: int, children: Sequence[Session], compactions: Sequence[Compaction]) -> None:
        """Show the subagents and the compactions of a session in order of time."""
        start = datetime.min.replace(tzinfo=UTC)
        items = sorted([*fold_titles(children), *compactions], key=lambda item: started_at(item) or start)
        key: TreeKey = ("session", session)
        self._show_items(key, items)
        if (node := self._node(key)) is not None:
            self._update_groups(node)

    def _update_groups(self, parent: TreeNode[TreeItem]) -> None:
        """Show the sessions of the groups below a node that are unfolded."""
        for node in list(walk(parent)):
            if node.is_expanded and isinstance(node.data, SessionGroup):
                for child in node.children:
                    child.refresh()
                self._show_items(item_key(node.data), node.data.sessions)

    def _show_items(self, key: TreeKey, items: Sequence[TreeItem]) -> None:
        self._labels.show(key, items)
        self._pending[key] = items
        self._add_pending(key)

    def _add_pending(self, key: TreeKey) -> None:
        """Add a batch of the children of a node, and the next one after other messages."""
        node, items = self._node(key), self._pending.get(key)
        if node is None or items is None:
            return
        with self._steady():
            is_complete = reconcile(node, items, item_key, can_expand, _BATCH)
        self._continue_revealing()
        if is_complete:
            del self._pending[key]
            if key == self._unfolded:
                self._unfolded = None
                self._scroll_to_children(node)
        else:
            self.call_later(self._add_pending, key)

    def _scroll_to_children(self, node: TreeNode[TreeItem]) -> None:
        """Make as many children of a node visible as there is room for below it."""
        # Reading the last line lays out the tree, which is needed for the lines of the nodes.
        if self.last_line >= 0 and node.children:
            top = min(node.line, node.children[-1].line - self.size.height + 1)
            if top > self.scroll_y:
                self.scroll_to(y=top, animate=False, force=True)

    @contextmanager
    def _steady(self) -> Iterator[None]:
        """Keep the cursor on its item, and the item at its position on the screen, while rows change.

        A tree at its top stays there as long as the cursor is visible, so that what is newest comes into sight.
        """
        before = self.cursor_node
        key = item_key(before.data) if before is not None and before.data is not None else None
        line, row = self.cursor_line, self.cursor_line - round(self.scroll_y)
        with self.prevent(Tree.NodeHighlighted):
            yield
            after = self._node(key) if key is not None else None
            # Reading the last line lays out the tree, which is needed for the new position of the cursor.
            last = self.last_line
            if after is not None:
                self._put_cursor(after.line)
                if 0 <= row < self.size.height:
                    stays_at_top = row == line and after.line < self.size.height
                    top = 0 if stays_at_top else after.line - row
                    self.scroll_to(y=top, animate=False, force=True, immediate=True)
        if key is not None and after is None and last >= 0:
            self._put_cursor(min(line, last))

    def _put_cursor(self, line: int) -> None:
        # Reset it without a watcher first: the line may be the same although its node has changed.
        self.set_reactive(Tree.cursor_line, -1)
        self.cursor_line = line

    def _node(self, key: TreeKey) -> TreeNode[TreeItem] | None:
        if key == _ROOT:
            return self.root
        # Groups and projects are at the top: do not walk through ten thousand sessions to find one.
        nodes: Iterable[TreeNode[TreeItem]] = walk(self.root)
        if key[0] in {"agent", "machine"}:
            nodes = self.root.children
        elif key[0] == "project":
            nodes = self._project_nodes()
        return next((node for node in nodes if node.data is not None and item_key(node.data) == key), None)

    def _project_nodes(self) -> Iterator[TreeNode[TreeItem]]:
        for node in self.root.children:
            if isinstance(node.data, ProjectGroup):
                yield from node.children
            else:
                yield node

    def render_label(self, node: TreeNode[TreeItem], base_style: Style, style: Style) -> Text:
        """A row: the mark, the title shortened to fit, and numbers at the right."""
        item = node.data
        if item is None:
            return Text("")
        parent = node.parent.data if node.parent else None
        sign = arrow(can_expand=node.allow_expand, is_expanded=node.is_expanded)
        shared = self._marks.sign(own) if self._marks is not None and (own := _sessions(item)) else ""
        width = self.size.width
        siblings = _ROOT if parent is None else item_key(parent)
        left, right = row_text(
            item,
            parent,
            sign,
            _depth(node),
            width,
            clock.now(),
            shows_agent=self.shows_agents,
            shows_machine=self.shows_machines,
            shared=shared,
            spent=self._spent,
            shorten=self._labels.shortening(siblings, item, width),
        )
        text = Text(left, style=style, no_wrap=True)
        state = item_state(item, clock.now())
        if state != "ended":
            text.stylize(self.get_component_rich_style(f"tree--{state}", partial=True), len(sign), len(sign) + 1)
        if node.allow_expand:
            text.stylize(Style.from_meta({"toggle": True}), 0, len(sign))
        text.append(right, style=style + Style(dim=True))
        return text

    def get_label_width(self, node: TreeNode[TreeItem]) -> int:
        """0, so that rows need not be drawn to measure them: they always fit."""
        return 0

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[TreeItem]) -> None:
        """Request the children of the node."""
        item = event.node.data
        self._key_names.update()
        if item is not None and event.node is self.cursor_node:
            self._unfolded = item_key(item)
        if self._is_kept:
            return
        if isinstance(item, Project | Session):
            self._load(item)
        elif isinstance(item, SessionGroup):
            self._show_items(item_key(item), item.sessions)
        elif isinstance(item, ProjectGroup):
            self._show_items(item_key(item), item.projects)
            if (self._is_new or self._is_following) and event.node is self.root.children[0]:
                event.node.children[0].expand()

    def on_tree_node_collapsed(self) -> None:
        """Name the keys by what they do now."""
        self._key_names.update()

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[TreeItem]) -> None:
        """Show a preview of what is under the cursor, unless it is about to go to a revealed session."""
        event.stop()
        self._key_names.update()
        if self._revealed is None and event.node is self.cursor_node:
            self._choose(event.node.data, read=False)

    @on(events.Key)
    @on(events.MouseDown)
    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def _touched(self) -> None:
        """Leave the cursor to the user, once there is something to go to."""
        self.follows_newest = self.follows_newest and self.cursor_node is None
        self._revealed = None

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row, and fold or unfold a project; a double click reads a session."""
        event.prevent_default()
        line = event.style.meta.get("line")
        node = self.get_node_at_line(line) if line is not None else None
        if line is None or node is None:
            return
        self.cursor_line = line
        if event.style.meta.get("toggle") or isinstance(node.data, _Folder):
            node.toggle()
        elif event.chain == 2:
            self.action_select_cursor()

    def on_tree_node_selected(self, event: Tree.NodeSelected[TreeItem]) -> None:
        """Read a session or the page of a project; fold or unfold a group."""
        event.stop()
        if isinstance(event.node.data, ProjectGroup | SessionGroup):
            event.node.toggle()
        else:
            self._choose(event.node.data, read=True)

    def _choose(self, item: TreeItem | None, *, read: bool) -> None:
        if self._is_kept:
            return
        if isinstance(item, Project):
            self._show_project(item, read)
        elif item is not None and (session := shown_session(item)) is not None:
            turn = item.turn if isinstance(item, Compaction) else None
            self.post_message(TargetChosen(Target(session, turn), read))

    def action_open(self) -> None:
        """Unfold the node; if it is unfolded, read the session or go to the first session of a project or group."""
        node = self.cursor_node
        if node is not None and node.allow_expand and not node.is_expanded:
            node.expand()
        elif node is not None and isinstance(node.data, _Folder):
            self.move_cursor(node.children[0] if node.children else node)
        else:
            self.action_select_cursor()

    def action_close(self) -> None:
        """Fold the node, or go to its parent."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded:
            node.collapse()
        elif node.parent is not None and node.parent is not self.root:
            self.move_cursor(node.parent)

    def key_name(self, action: str) -> str | None:
        """A group is unfolded or folded, and of a project there is a page (`NamesKeys`)."""
        node = self.cursor_node
        if action != "select_cursor" or node is None:
            return None
        if isinstance(node.data, ProjectGroup | SessionGroup):
            return "Fold" if node.is_expanded else "Unfold"
        return "Project" if isinstance(node.data, Project) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Group by machine only where there are several."""
        return action != "by_machine" or self.has_machines

    def action_by_agent(self) -> None:
        """Group by agent, or by project only."""
        self._group("agent")

    def action_by_machine(self) -> None:
        """Group by machine, or by project only."""
        self._group("machine")

    def action_show_archived(self) -> None:
        """List archived sessions, too, or no longer."""
        self._switch_archived()

    def action_forget(self) -> None:
        """Ask to forget the session under the cursor, all of a group, or a project."""
        item = self.cursor_node.data if self.cursor_node is not None else None
        sessions = _sessions(item)
        project = item if isinstance(item, Project) else None
        title = project.name if project is not None else sessions[0].title if sessions else ""
        self.post_message(ForgetRequested(tuple(session.key for session in sessions), title, project))

    def action_annotate(self, kind: AnnotationAction) -> None:
        """Ask to annotate the session under the cursor, or all of a group."""
        item = self.cursor_node.data if self.cursor_node is not None else None
        sessions = _sessions(item)
        title = sessions[0].title if sessions else ""
        self.post_message(AnnotationRequested(kind, tuple(session.key for session in sessions), title))

    def action_share(self) -> None:
        """Choose the next for a session, or for all of a group: shared, private, or as its project."""
        sessions = _sessions(self.cursor_node.data) if self.cursor_node is not None else ()
        if self._marks is None:
            self.notify("Join a team first: memtui team join")
        elif not sessions:
            self.notify("Choose a session first.")
        elif sessions[0].parent is not None:
            self.notify("A subagent is shared as the session that started it.")
        else:
            self._share(sessions, NEXT[self._marks.choice(sessions[0])])

    def action_scroll_home_row(self) -> None:
        """Go to the first row."""
        self._go_to_line(0)

    def action_scroll_end_row(self) -> None:
        """Go to the last row."""
        self._go_to_line(self.last_line)

    def _go_to_line(self, line: int) -> None:
        self.cursor_line = line
        self.scroll_to_line(line, animate=False)


def _sessions(item: TreeItem | None) -> Sequence[Session]:
    """The session of a row, or those that it folds."""
    return item.sessions if isinstance(item, SessionGroup) else (item,) if isinstance(item, Session) else ()


def _depth(node: TreeNode[TreeItem]) -> int:
    """How many nodes are above it, without the root, which is not shown."""
    depth, parent = 0, node.parent
    while parent is not None and parent.parent is not None:
        depth, parent = depth + 1, parent.parent
    return depth
