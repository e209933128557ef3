"""The rows of the session tree: sessions of one title folded, columns by the width."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets.tree import TreeNode

from memtui.views.sessions.items import SessionGroup, TreeItem, fold_titles
from memtui.views.sessions.rows import columns, label_parts
from memtui.views.sessions.title_list import TitleList
from memtui.views.sessions.tree import SessionTree
from memtui.widgets.requests.panes import TargetChosen
from memtui.wording.usage_text import Spending
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import Compaction, EndKind, Project, Session, SessionEnd
from memtui_core.readers.locations import Location
from memtui_core.text.names import ProjectName
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, browse, is_shown, settled, transcript, tree
from support.transcripts import Script

START = datetime(2026, 11, 1, 9, 0, 5, tzinfo=UTC)
NOW = START + timedelta(days=3)
ROLE = "You are a reviewer of changes, and you look at each of them with care.\n"


def session(key: int, title: str = "Fix it", minutes: float = 0, **fields: Any) -> Session:
    """A session that started some minutes after the first one."""
    at = START + timedelta(minutes=minutes)
    values: dict[str, Any] = {
        "session_id": str(key), "agent": "claude-code", "parent": None, "parent_tool_id": None, "project": "shop",
        "root": "/work/shop", "cwd": "/work/shop", "branch": "main", "version": None, "models": ("claude-opus-4-6",),
        "started_at": at, "ended_at": at, "turns": 1, "tool_calls": 0, "input_tokens": 0, "output_tokens": 0,
    }  # fmt: skip
    return Session(key=key, title=title, **{**values, **fields})


def names(sessions: list[Session]) -> list[str]:
    """How the sessions of a group are named."""
    [group] = fold_titles(sessions)
    assert isinstance(group, SessionGroup)
    assert group.sessions == tuple(sessions)
    return [group.name(session) for session in sessions]


def test_sessions_of_one_title_are_one_item() -> None:
    first, other, second = session(1), session(2, "Test it"), session(3)
    group, single = fold_titles([first, other, second])
    assert isinstance(group, SessionGroup)
    assert (group.sessions, single) == ((first, second), other)
    # One that is pinned stands alone; several fold if no other has their title.
    pinned = replace(first, pinned=True)
    third = session(4)
    alone, group = fold_titles([pinned, second, third])
    assert isinstance(group, SessionGroup)
    assert (alone, group.sessions) == (pinned, (second, third))
    [group] = fold_titles([pinned, replace(second, pinned=True)])
    assert label_parts(group, None, START)[:2] == ("● ★ ", first.title)


@pytest.mark.parametrize(
    ("sessions", "expected"),
    [
        ([session(1), session(2, minutes=5)], ["1 Nov 09:00", "1 Nov 09:05"]),
        ([session(1), session(2, minutes=0.5)], ["1 Nov 09:00:05", "1 Nov 09:00:35"]),
        ([session(1), session(2, minutes=600_000)], ["1 Nov 2026 09:00", "23 Dec 2027 01:00"]),
        ([session(1), session(2, minutes=5, branch="fix")], ["1 Nov 09:00 · main", "1 Nov 09:05 · fix"]),
        ([session(1), session(2, started_at=None)], ["1 Nov 09:00", "no time"]),
    ],
)
def test_sessions_of_a_group_are_told_apart(sessions: list[Session], expected: list[str]) -> None:
    assert names(sessions) == expected


GROUP = fold_titles(
    [session(1, tool_calls=7, output_tokens=1500, models=("claude-haiku-4-5-20251001", "b")), session(2, branch="fix")]
)[0]


@pytest.mark.parametrize(
    ("item", "width", "text"),
    [
        (session(1, turns=12), 53, "  3 d"),
        (session(1, turns=12), 84, "   12 turns       3 d"),
        (Project("shop", "/work/shop", 12, START), 71, "12    3 d"),
        (Project("shop", "/work/shop", 1204, START), 84, "1,204 sessions    3 d"),
        (session(1), 98, "main                  1 turn        3 d"),
        (session(1), 114, "main              opus-4-6          1 turn        3 d"),
        (
            session(1, tool_calls=7, output_tokens=1500),
            130,
            "main              opus-4-6          7 tools  1.5k tok      1 turn        3 d",
        ),
        (GROUP, 130, "…                 …                 7 tools  1.5k tok      2 turns       3 d"),
        (Compaction(1, 5, START, "auto", 7, 3), 84, "                  3 d"),
    ],
)
def test_the_columns_grow_with_the_width(item: TreeItem, width: int, text: str) -> None:
    assert columns(item, width, NOW) == text


@pytest.mark.parametrize(
    ("worktree", "branch", "shown"),
    [
        ("/home/ana/.codex/worktrees/44be/shop", None, "44be"),
        ("/home/ana/.codex/worktrees/44be/shop", "HEAD", "44be"),
        ("/home/ana/.herdr/worktrees/shop/fast", None, "fast"),
        ("/home/ana/.herdr/worktrees/shop/fast", "ana/fast", "ana/fast"),
        (None, "HEAD", "HEAD"),
        (None, None, ""),
    ],
)
def test_a_worktree_is_the_label_of_a_session_without_a_branch(
    worktree: str | None, branch: str | None, shown: str
) -> None:
    item = session(1, worktree=worktree, branch=branch)
    assert columns(item, 100, NOW) == f"{shown:<16}      1 turn        3 d"


def test_all_rows_have_columns_of_one_width() -> None:
    items = [session(1), GROUP, Project("shop", "/work/shop", 12, START), Compaction(1, 5, START, "auto", 7, 3)]
    for width in (84, 98, 114, 130, 200):
        assert len({len(columns(item, width, NOW)) for item in items}) == 1


def test_a_session_is_marked_by_its_state_and_a_group_by_the_most_urgent_one() -> None:
    def ended(key: int, kind: EndKind) -> Session:
        return session(key, end=SessionEnd(key, kind, 1, 0, START, ""))

    def mark(*sessions: Session, minutes: float) -> str:
        now = START + timedelta(minutes=minutes)
        item = fold_titles(sessions)[0]
        return label_parts(item, None, now)[0]

    asks, runs, failed, clean = ended(1, "question"), ended(2, "stopped"), ended(3, "error"), session(4)
    assert [mark(one, minutes=4.9) for one in (asks, runs, failed, clean)] == ["? ", "◉ ", "✗ ", "● "]
    assert [mark(one, minutes=5) for one in (asks, runs, failed, clean)] == ["? ", "● ", "✗ ", "● "]
    assert mark(clean, failed, runs, asks, minutes=1) == "? "
    assert mark(clean, failed, runs, minutes=1) == "◉ "
    assert mark(clean, failed, minutes=1) == "✗ "
    # A subagent has its own mark, and so has a session of which only prompts are left.
    assert mark(replace(runs, parent=9), minutes=1) == "◌ "
    assert mark(replace(runs, only_prompts=True), minutes=1) == "○ "


def test_a_wide_row_says_what_a_session_cost_and_how_long_it_took_if_that_is_known() -> None:
    spent = {1: Spending(0.42, True, 725), 2: Spending(None, False, 0), 3: Spending(1.5, True, 4000)}
    assert columns(session(1), 154, NOW, spent).endswith("     ≈ $0.42    12 min      1 turn        3 d")
    assert columns(session(2), 154, NOW, spent).split() == ["main", "opus-4-6", "1", "turn", "3", "d"]
    group = fold_titles([session(1), session(3)])[0]
    assert columns(group, 154, NOW, spent).split()[2:] == ["≈", "$1.92", "1", "h", "18", "m", "2", "turns", "3", "d"]
    # Of a group of which not all is known, nothing is said; nor is there room for it in a narrower row.
    assert "$" not in columns(group, 154, NOW, {1: spent[1]}) + columns(session(1), 153, NOW, spent)
    assert len({len(columns(item, 154, NOW, spent)) for item in (session(1), session(2), group, GROUP)}) == 1


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows below the first project, with their marks, without columns."""
    shown = tree(pilot)

    def below(node: TreeNode[TreeItem]) -> list[str]:
        labels = []
        for child in node.children:
            labels += [shown.render_label(child, Style(), Style()).plain.split("   ")[0].rstrip()]
            labels += below(child) if child.is_expanded else []
        return labels

    return below(shown.root.children[0])


def review(folder: Path, number: int, end: str) -> None:
    """A session that reviews something."""
    script = Script(f"{number:04}1111-1111-4111-8111-111111111111", prefix=f"{number}e")
    script.count = number * 100
    script.user(ROLE + end)
    script.says("Done.")
    script.write(folder)


async def test_what_is_unfolded_at_the_bottom_comes_into_sight(tmp_path: Path) -> None:
    for project in range(15):
        for number in range(12 if project == 13 else 4):
            name = f"{project:04}{number:04}"
            script = Script(f"{name}-1111-4111-8111-111111111111", f"/work/p{project}", name)
            script.count = 1000 - project * 50
            script.user(f"{chr(65 + number)} is asked")
            script.write(tmp_path / "src" / str(project))
    update(tmp_path / "data", tmp_path / "src")
    async with app_on(tmp_path / "data").run_test(size=(80, 14)) as pilot:
        await settled(pilot)
        shown, seen = tree(pilot), []
        for key, steps in (("l", 12), ("l", 1), ("space", 12), ("space", 1)):
            if steps == 12:
                await pilot.press("g", "h")
            await pilot.press(*["j"] * steps)
            await settled(pilot)
            node = shown.cursor_node
            assert node is not None
            before = node.line - round(shown.scroll_y)
            await pilot.press(key)
            await settled(pilot)
            top = round(shown.scroll_y)
            seen.append((before, node.line - top, len(node.children), node.children[-1].line - top))
            await pilot.press("h")
            await settled(pilot)
        assert (shown.size.height, seen) == (9, [(8, 4, 4, 8), (7, 0, 12, 12)] * 2)


async def test_subagents_of_one_title_are_folded_too(tmp_path: Path) -> None:
    script = Script()
    script.user("Look into it")
    for number in range(3):
        script.calls("Task", {"description": "Find it", "prompt": f"Find {number}"}, f"t{number}")
        script.result("found", f"t{number}", toolUseResult={"agentId": f"{number}abc", "content": "found"})
    folder = script.write(tmp_path / "src").parent / script.session_id / "subagents"
    for number in range(3):
        agent = Script(prefix=f"s{number}")
        agent.count = 10 * number
        agent.user(f"Find {number}", agentId=f"{number}abc", isSidechain=True)
        agent.says("found", agentId=f"{number}abc", isSidechain=True)
        agent.write(folder, f"agent-{number}abc.jsonl")
    update(tmp_path / "data", tmp_path / "src")
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("l")
        await settled(pilot)
        assert rows(pilot) == ["▾ ● Look into it", "▸ ◌ Find it ×3"]
        await pilot.press("j", "l")
        await settled(pilot)
        names = ["  ◌ 1 Nov 09:00", "  ◌ 1 Nov 09:01", "  ◌ 1 Nov 09:03"]
        assert rows(pilot) == ["▾ ● Look into it", "▾ ◌ Find it ×3", *names]


async def test_titles_below_each_other_are_told_apart_in_each_width_and_while_the_list_grows(tmp_path: Path) -> None:
    def asks(number: int, prompt: str) -> None:
        script = Script(f"{number:04}1111-1111-4111-8111-111111111111", prefix=f"{number}r")
        script.count = number * 1000
        script.user(prompt)
        script.says("Done.")
        script.write(tmp_path / "src", f"{number}.jsonl")

    data = tmp_path / "data"
    asks(1, "Check both of the fixes in the current uncommitted diff")
    asks(2, "Review only the current uncommitted patch. It has three findings")
    asks(3, "Say what `Cart.total` does")
    update(data, tmp_path / "src")
    wide = [
        "  ● Say what Cart.total does",
        "  ● Review only the current uncommitted patch. It has three findings",
        "  ● Check both of the fixes in the current uncommitted diff",
    ]
    async with app_on(data).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert rows(pilot) == wide
        await pilot.resize_terminal(100, 30)
        await settled(pilot)
        narrow = ["  ● Say what Cart.total does", "  ● Review only … patch", "  ● Check both of the fixes…"]
        assert rows(pilot) == narrow
        asks(4, "Review only the current uncommitted parser. It has one finding")
        update(data, tmp_path / "src")
        await pilot.app.screen.run_action("refresh_index")
        await settled(pilot)
        assert rows(pilot) == ["  ● Review … parser", narrow[0], "  ● Review … patch", narrow[2]]
        # Also where they are listed by a filter.
        await pilot.press("slash", "ctrl+r", "ctrl+r", "ctrl+r")
        await paste(pilot, "current")
        await settled(pilot)
        titles = pilot.app.screen.query_one(TitleList)
        shown = [str(option.prompt).partition("  ")[0] for option in titles.options]
        assert shown == ["Review … parser", "Review … patch", "Check both of the fixes in … diff"]


async def test_a_group_unfolds_and_stays_unfolded_while_it_grows(tmp_path: Path) -> None:
    sources = tmp_path / "src"
    review(sources, 1, "Fix the cart")
    review(sources, 2, "Fix the cart")
    review(sources, 3, "Drop the cache")
    update(tmp_path / "data", sources)
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert rows(pilot) == ["  ● … Drop the cache", "▸ ● … Fix the cart ×2"]
        await pilot.press("j", "enter")
        await settled(pilot)
        opened = ["▾ ● … Fix the cart ×2", "  ● 1 Nov 09:33", "  ● 1 Nov 09:16"]
        assert rows(pilot) == ["  ● … Drop the cache", *opened]
        shown = transcript(pilot).session
        assert shown is not None
        assert (shown.title, shown.session_id[:4]) == ("… Fix the cart", "0002")
        await pilot.press("j", "j")
        review(sources, 4, "Fix the cart")
        update(tmp_path / "data", sources)
        await pilot.app.screen.run_action("refresh_index")
        await settled(pilot)
        opened = ["▾ ● … Fix the cart ×3", "  ● 1 Nov 10:06", "  ● 1 Nov 09:33", "  ● 1 Nov 09:16"]
        assert rows(pilot) == [*opened, "  ● … Drop the cache"]
        assert tree(pilot).cursor_node is tree(pilot).root.children[0].children[0].children[2]
        await pilot.press("enter")
        await settled(pilot)
        assert pilot.app.focused is transcript(pilot)
        await pilot.press("escape", "h", "h")
        await settled(pilot)
        assert rows(pilot) == ["▸ ● … Fix the cart ×3", "  ● … Drop the cache"]


async def test_a_project_stays_unfolded_when_another_gets_its_name(tmp_path: Path) -> None:
    sources = tmp_path / "src"
    review(sources, 1, "Fix the cart")
    update(tmp_path / "data", sources)
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        other = Script("99991111-1111-4111-8111-111111111111", "/home/ben/code/shop", prefix="o")
        other.user("Sell it")
        other.write(sources)
        update(tmp_path / "data", sources)
        await pilot.app.screen.run_action("refresh_index")
        await settled(pilot)
        shown = tree(pilot)
        names = [shown.render_label(node, Style(), Style()).plain.split("   ")[0] for node in shown.root.children]
        assert names == ["▾ shop · ana", "▸ shop · ben"]
        assert shown.cursor_node is shown.root.children[0].children[0]


class Host(App[None]):
    """A tree of many projects; the last one has a session with many compactions and subagents."""

    def __init__(self, projects: int, children: int) -> None:
        super().__init__()
        self.projects = [Project(f"p{number}", f"/work/p{number}", 1, START) for number in range(projects)]
        self.session = session(1, compactions=children, children=children)
        self.compactions = [Compaction(1, line, START, "auto", 7, line) for line in range(children)]
        self.subagents = [session(2 + number, f"Look at {number}", 1, parent=1) for number in range(children)]

    def compose(self) -> ComposeResult:
        yield SessionTree(self._load, lambda *_: None, lambda by: None, lambda *_: None, lambda: None)

    @property
    def sessions(self) -> SessionTree:
        return self.query_one(SessionTree)

    def on_mount(self) -> None:
        self.sessions.focus()
        self.sessions.show_projects(self.projects)

    def _load(self, item: Project | Session) -> None:
        self.call_later(self._show_children, item)

    def _show_children(self, item: Project | Session) -> None:
        if isinstance(item, Project):
            self.sessions.show_sessions(item, [self.session] if item == self.projects[-1] else [])
        else:
            self.sessions.show_children(item.key, self.subagents, self.compactions)


async def test_all_projects_subagents_and_compactions_are_listed_however_many_there_are() -> None:
    app = Host(600, 300)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert [node.data for node in app.sessions.root.children] == app.projects
        await pilot.press("G", "l")
        await settled(pilot)
        await pilot.press("j", "l")
        await settled(pilot)
        [node] = app.sessions.root.children[-1].children
        assert [child.data for child in node.children] == [*app.compactions, *app.subagents]


async def test_a_long_folder_leaves_count_and_age_in_a_narrow_tree() -> None:
    app = Host(1, 0)
    async with app.run_test(size=(40, 24)) as pilot:
        await settled(pilot)
        name = ProjectName("shop", "a/folder/with/a/very/long/name/in/it")
        app.sessions.show_projects([Project(name, "/work/shop", 12, START)])
        label = app.sessions.render_label(app.sessions.root.children[0], Style(), Style())
        assert label.plain == "▸ shop · a/folder/with/a/ve… 12   19 d"


async def test_what_a_session_unfolds_at_the_bottom_comes_into_sight() -> None:
    app = Host(12, 2)
    async with app.run_test(size=(80, 12)) as pilot:
        await settled(pilot)
        await pilot.press("G", "l")
        await settled(pilot)
        await pilot.press("j", "l")
        await settled(pilot)
        node = app.sessions.cursor_node
        assert node is not None
        assert node.data == app.session
        assert node.children[-1].line - round(app.sessions.scroll_y) == app.sessions.size.height - 1


class TwoProjects(App[None]):
    """A tree of two projects, whose sessions a test shows when it wants to; what the tree chose is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.projects = [Project(name, f"/work/{name}", 1, START) for name in ("blog", "shop")]
        self.listed = [session(1, "Post", project="blog", root="/work/blog"), session(2)]
        self.chosen: list[int] = []

    def compose(self) -> ComposeResult:
        yield SessionTree(lambda item: None, lambda *_: None, lambda by: None, lambda *_: None, lambda: None)

    def on_mount(self) -> None:
        self.query_one(SessionTree).show_projects(self.projects)

    def show_post(self) -> None:
        self._show(0)

    def show_fix(self) -> None:
        self._show(1)

    def _show(self, number: int) -> None:
        self.query_one(SessionTree).show_sessions(self.projects[number], [self.listed[number]])

    def reveal_fix(self) -> None:
        self.query_one(SessionTree).reveal(self.listed[1])

    def go_up(self) -> None:
        self.query_one(SessionTree).action_scroll_home_row()

    def on_target_chosen(self, message: TargetChosen) -> None:
        self.chosen.append(message.target.session)


Step = Callable[[TwoProjects], None]
POST, FIX, REVEAL, UP = TwoProjects.show_post, TwoProjects.show_fix, TwoProjects.reveal_fix, TwoProjects.go_up


@pytest.mark.parametrize(
    ("steps", "chosen"),
    [
        # What is revealed comes before the first session is chosen, while it is chosen, or after it.
        ([[REVEAL], [FIX], [POST]], []),
        ([[REVEAL], [POST], [FIX]], []),
        ([[POST, FIX, REVEAL]], []),
        ([[POST, REVEAL], [FIX]], []),
        ([[POST], [REVEAL], [FIX]], [1]),
        # A row to which the cursor has just gone.
        ([[POST], [FIX], [UP, REVEAL]], [1]),
        ([[POST], [UP, REVEAL], [FIX]], [1]),
    ],
)
async def test_a_session_is_revealed_whenever_the_rows_come(steps: list[list[Step]], chosen: list[int]) -> None:
    app = TwoProjects()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for step in steps:
            for act in step:
                act(app)
            await settled(pilot)
        assert (app.query_one(SessionTree).session, app.chosen) == (app.listed[1], chosen)


async def test_a_key_ends_the_way_to_a_revealed_session() -> None:
    app = TwoProjects()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.show_post()
        await settled(pilot)
        app.reveal_fix()
        await pilot.press("k")
        app.show_fix()
        await settled(pilot)
        assert app.query_one(SessionTree).project == app.projects[0]


def two_agents(folder: Path) -> None:
    """A project on which two agents have worked, and one of the newer agent."""
    script = Script()
    script.user("Round the prices")
    script.write(folder / "claude")
    for number, (cwd, text) in enumerate((("/home/ana/code/shop", "Discounts"), ("/home/ana/code/blog", "Comments"))):
        at = (START + timedelta(days=1 + number)).isoformat()
        message = {"role": "user", "content": text, "timestamp": at}
        (folder / f"{number}.json").write_text(json.dumps({"cwd": cwd, "messages": [message]}))


async def test_sessions_are_grouped_by_agent_on_a_key_and_labelled_otherwise(tmp_path: Path) -> None:
    two_agents(tmp_path / "src")
    with Indexer(tmp_path / "data") as indexer:
        for location in (Location(None, tmp_path / "src"), Location("generic", tmp_path / "src")):
            for _ in indexer.update([location]):
                pass
    app = app_on(tmp_path / "data")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)

        def shown() -> list[str]:
            lines = [tree(pilot).get_node_at_line(number) for number in range(tree(pilot).last_line + 1)]
            nodes = [node for node in lines if node is not None]
            return [tree(pilot).render_label(node, Style(), Style()).plain[:22].rstrip() for node in nodes]

        # One project on which two agents have worked is one project.
        assert shown() == ["▾ blog", "  ● ms Comments", "▸ shop"]
        await pilot.press("G", "l")
        await settled(pilot)
        assert shown() == ["▾ blog", "  ● ms Comments", "▾ shop", "  ● ms Discounts", "  ● cc Round the price"]
        await pilot.press("G", "A")
        await settled(pilot)
        assert tree(pilot).border_title == "agents"
        assert shown() == ["▸ Messages in JSON", "▾ Claude Code", "▾ shop", "  ● Round the prices"]
        cursor = tree(pilot).cursor_node
        assert cursor is not None
        assert isinstance(cursor.data, Session)
        assert cursor.data.title == "Round the prices"
        await pilot.press("g", "l")
        await settled(pilot)
        assert shown()[:3] == ["▾ Messages in JSON", "▸ blog", "▸ shop"]
        await pilot.press("A")
        await settled(pilot)
        assert tree(pilot).border_title == "projects"
        assert shown()[0] == "▾ blog"
        await pilot.press("A")
        await settled(pilot)
    app = app_on(tmp_path / "data")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert (tree(pilot).border_title, app.state.grouping) == ("agents", "agent")


@pytest.mark.spec("S5.2")
async def test_the_newest_session_of_an_agent_is_shown_beside_it_and_the_page_of_a_project(tmp_path: Path) -> None:
    for number, (project, text) in enumerate((("blog", "Old"), ("shop", "Older"), ("blog", "New"), ("shop", "Newer"))):
        script = Script(f"{number:04}1111-1111-4111-8111-111111111111", f"/work/{project}", f"{number:04}")
        script.count = number * 1000
        script.user(text)
        script.write(tmp_path / "src" / project)
    update(tmp_path / "data", tmp_path / "src")
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)

        async def shown_after(*keys: str) -> tuple[str, str]:
            await pilot.press(*keys)
            await settled(pilot)
            node = tree(pilot).cursor_node
            assert node is not None
            label = tree(pilot).render_label(node, Style(), Style()).plain.split("   ")[0]
            beside = transcript(pilot) if is_shown(transcript(pilot)) else browse(pilot).query_one("#project")
            return label, str(beside.border_title)

        assert await shown_after("G") == ("▸ blog", "blog")
        assert await shown_after("g") == ("▾ shop", "shop")
        assert await shown_after("A", "g") == ("▾ Claude Code", "Newer")
        assert await shown_after("G") == ("▸ blog", "blog")
