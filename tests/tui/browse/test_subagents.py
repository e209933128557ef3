"""From a call to the session of the subagent that it started, and back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.widgets.requests.target import Target
from memtui_core.index.index import Index
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, browse, draw_lines, hold, notices, settled, transcript
from support.transcripts import SESSION, Script


@pytest.fixture(scope="module")
def agents_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of a session with two subagents; before them another tool and many turns."""
    made = tmp_path_factory.mktemp("agents")
    parent = Script()
    parent.user("Begin")
    parent.calls("Task", {"description": "Not in the index", "prompt": "Go."}, "t0")
    parent.result("gone", "t0", toolUseResult={"agentId": "a0", "status": "completed"})
    for number in range(60):
        parent.user(f"step {number}")
        parent.says("Done.")
    parent.user("Where are retries and prices?")
    parent.calls("Read", {"file_path": "a.py"}, "t1")
    parent.result("1\tx", "t1")
    for name, call in (("retries", "t2"), ("prices", "t3")):
        parent.calls("Task", {"description": f"Find {name}", "prompt": f"Find the {name}."}, call)
        parent.result(f"in {name}.py", call, toolUseResult={"agentId": name, "status": "completed"})
    folder = made / "src"
    parent.write(folder)
    for name in ("retries", "prices"):
        child = Script(prefix=name[0])
        child.user(f"Find the {name}.", isSidechain=True, agentId=name)
        child.says(f"In {name}.py.", isSidechain=True, agentId=name)
        if name == "prices":
            child.user("And the taxes.", isSidechain=True, agentId=name)
        child.write(folder, f"{SESSION}/subagents/agent-{name}.jsonl")
    update(made / "data", folder)
    return made / "data"


@pytest.fixture
def agents(agents_made: Path, tmp_path: Path) -> Path:
    """The index of a session with two subagents, in which the app may remember things."""
    return shutil.copytree(agents_made, tmp_path / "data")


def seen(pilot: Pilot[None]) -> tuple[str, int, list[str]]:
    """The session, the turn, and the headings of calls on the screen, without their durations."""
    view = transcript(pilot)
    assert view.session is not None
    lines = [view.render_line(y).text.strip("▎▌ ") for y in range(view.page)]
    calls = [line.removesuffix("10 s").rstrip() for line in lines if line.startswith(("▸ Task", "▾ Task"))]
    return view.session.session_id, view.number, calls


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
        draw_lines(pilot)
        await pilot.pause()


@pytest.mark.parametrize("size", [(110, 40), (80, 24)])
async def test_s_opens_the_session_of_a_call_and_goes_back_to_the_call(agents: Path, size: tuple[int, int]) -> None:
    async with app_on(agents).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        assert seen(pilot) == (SESSION, 1, ["▸ Task  Not in the index"])
        # Beside the list the pane has no room for all words.
        opens = "S opens it" if size == (110, 40) else "S opens its session"
        headings = [f"Task  Find retries · {opens} · 1 turn", f"Task  Find prices · {opens} · 2 turns"]
        # No call on the screen has started a subagent: the next one that has is gone to.
        await press(pilot, "S")
        assert seen(pilot) == (SESSION, 62, [f"▸ {heading}" for heading in headings])
        await press(pilot, "G", "t", "G")
        assert seen(pilot) == (SESSION, 62, [f"▾ {heading}" for heading in headings])
        await press(pilot, "S")
        assert seen(pilot) == ("agent-retries", 1, [])
        assert str(transcript(pilot).border_subtitle).startswith("S back to its call")
        await press(pilot, "S")
        assert seen(pilot)[:2] == (SESSION, 62)
        call = transcript(pilot).visible_call()
        assert call is not None
        assert (call.name, call.block.tool_id) == ("Task", "t2")
        # The call of the current match is meant before another one on the screen.
        await press(pilot, "f")
        await paste(pilot, "Find prices")
        await press(pilot, "enter", "S", "ctrl+o")
        assert seen(pilot)[0] == SESSION
        await press(pilot, "alt+right")
        assert seen(pilot)[0] == "agent-prices"


async def test_a_call_among_others_on_a_line_opens_its_session_too(agents: Path) -> None:
    async with app_on(agents).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "G", "S")
        assert seen(pilot)[0] == "agent-retries"


async def test_s_goes_back_to_a_call_if_none_follows_and_says_if_there_is_none(tmp_path: Path) -> None:
    script = Script()
    script.user("Find it")
    script.calls("Agent", {"description": "Find it", "prompt": "Find it."}, "t1")
    script.result("here", "t1", toolUseResult={"agentId": "finder", "status": "completed"})
    child = Script(prefix="c")
    child.user("Find it.", isSidechain=True, agentId="finder")
    other = Script("other", prefix="o")
    for each in (script, other):
        for number in range(60):
            each.user(f"step {number}")
            each.calls("mcp__notes__add", {"text": "Done."}, f"n{number}")
    script.write(tmp_path / "src")
    child.write(tmp_path / "src", f"{SESSION}/subagents/agent-finder.jsonl")
    other.write(tmp_path / "src", "other.jsonl")
    update(tmp_path / "data", tmp_path / "src")
    found = {}
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        view = transcript(pilot)
        for row in ([], ["j"]):
            await press(pilot, *row, "enter", "G", "S")
            assert view.session is not None
            lines = [view.render_line(y).text for y in range(view.page)]
            marked = [line.strip("▌ ") for line in lines if line.startswith("▌")]
            found[view.session.session_id] = marked, notices(pilot)
            await press(pilot, "escape")
    assert found == {
        SESSION: ([f"{'▸ Agent  Find it · S opens its session · 1 turn':<57}10 s"], []),
        "other": ([], ["This session has no call of a subagent."]),
    }


async def test_s_goes_to_the_call_of_a_subagent_whose_parent_is_indexed_after_it_was_opened(tmp_path: Path) -> None:
    parent, child = Script(), Script(prefix="c")
    child.user("Find it.", isSidechain=True, agentId="finder")
    child_path = child.write(tmp_path / "src", f"{SESSION}/subagents/agent-finder.jsonl")
    update(tmp_path / "data", child_path)
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "slash")
        await paste(pilot, "find")
        await press(pilot, "enter", "S")
        assert notices(pilot) == ["This session has no call of a subagent."]
        parent.user("Where is it?")
        parent.calls("Agent", {"description": "Find it", "prompt": "Find it."}, "t1")
        parent.result("here", "t1", toolUseResult={"agentId": "finder", "status": "completed"})
        parent.write(tmp_path / "src")
        update(tmp_path / "data", tmp_path / "src")
        await press(pilot, "R", "S")
        assert seen(pilot)[:2] == (SESSION, 1)


def place(pilot: Pilot[None]) -> tuple[str, str, int, list[str]]:
    """The pane in focus, the session, the turn and the lines on the screen."""
    view = transcript(pilot)
    focused = type(pilot.app.focused).__name__
    return (
        focused,
        view.session.session_id if view.session else "",
        view.number,
        [view.render_line(y).text for y in range(view.page)],
    )


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_escape_returns_step_by_step_to_where_s_was_pressed(agents: Path, size: tuple[int, int]) -> None:
    async with app_on(agents).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "slash")
        await paste(pilot, "taxes")
        await press(pilot, "enter")
        places = [place(pilot)]
        for _ in range(3):
            await press(pilot, "S")
            places.append(place(pilot))
        assert [where[:3] for where in places] == [
            ("TranscriptPane", "agent-prices", 2),
            ("TranscriptPane", SESSION, 62),
            ("TranscriptPane", "agent-prices", 1),
            ("TranscriptPane", SESSION, 62),
        ]
        await press(pilot, "escape")
        assert place(pilot) == places[2]
        # The second S went back to the session of the hit, which was opened from the list.
        await press(pilot, "escape")
        assert place(pilot)[:3] == ("HitList", "agent-prices", 1)


async def test_escape_returns_through_subagents_of_subagents(agents: Path) -> None:
    async with app_on(agents).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "S")
        first = place(pilot)
        await press(pilot, "S")
        second = place(pilot)
        assert [where[1] for where in (first, second)] == [SESSION, "agent-retries"]
        await press(pilot, "escape")
        assert place(pilot) == first


async def test_the_way_back_from_a_subagent_is_that_of_its_view_and_ends_at_a_list(agents: Path) -> None:
    async with app_on(agents).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "S", "S")
        assert place(pilot)[:3] == ("TranscriptPane", "agent-retries", 1)
        await press(pilot, "5", "1", "escape")
        assert place(pilot)[:3] == ("TranscriptPane", SESSION, 62)
        # It is a step in the history, too.
        await press(pilot, "alt+right")
        assert place(pilot)[:3] == ("TranscriptPane", "agent-retries", 1)
        await press(pilot, "ctrl+o", "S", "tab", "shift+tab", "shift+tab", "enter", "escape")
        assert place(pilot)[0] == "SessionTree"


@pytest.mark.parametrize("opened", ["a view", "a row"])
async def test_a_call_that_is_found_late_leaves_what_was_opened_meanwhile(agents: Path, opened: str) -> None:
    other = Index.open(agents).sessions.find("agent-prices").key
    async with app_on(agents).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", "S", "S")
        subagent = place(pilot)
        assert subagent[:3] == ("TranscriptPane", "agent-retries", 1)
        held = await hold(pilot, "open")
        await pilot.press("S")
        if opened == "a view":
            await pilot.press("5")
        else:
            browse(pilot).reader.reading.open(Target(other), read=False)
        held.set()
        await settled(pilot)
        if opened == "a view":
            assert (place(pilot)[0], browse(pilot).view) == ("StatsPane", "stats")
            await press(pilot, "1")
            assert place(pilot) == subagent
        else:
            assert place(pilot)[:3] == ("TranscriptPane", "agent-prices", 1)


def test_the_turn_in_which_a_subagent_was_started(agents: Path) -> None:
    index = Index.open(agents)
    session = index.sessions.find(SESSION)
    found = {
        agent.session_id: index.sessions.calling_turn(agent.key) for agent in index.sessions.subagents(session.key)
    }
    assert found == {"agent-retries": 62, "agent-prices": 62}
    assert index.sessions.calling_turn(session.key) is None
