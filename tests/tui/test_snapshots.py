"""Every view as a picture in snapshots/, in a small and in a wide terminal, dark and light.

`make snapshots` draws them anew; look at each before you keep it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension, normalize_svg
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from memtui.app import MemtuiApp
from memtui.settings.config import Config
from memtui.widgets.inspector.pane import Inspector
from memtui.widgets.search.bar import SearchBar
from memtui.widgets.search.line import SearchFacts
from memtui.widgets.status.line import StatusLine
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.memory.observations.store import Observations
from memtui_core.model import Progress
from memtui_core.readers.exclusions import Exclusions
from memtui_core.readers.locations import Location
from memtui_core.store.marks.reminder_log import ReminderLog
from support.indexes import update
from support.sample_files import with_files
from support.screens import NOW, Drive, app_on, browse, settled, transcript, type_text
from support.transcripts import Script
from support.two_machines import three_machines

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
SIZES = {"large": (200, 60), "wide": (140, 40), "small": (80, 24)}
Compare = Callable[[str, str], dict[str, Path]]
Draw = Callable[..., Awaitable[dict[str, Path]]]

pytestmark = pytest.mark.usefixtures("snapshot_folder")


def pressing(*keys: str) -> Drive:
    """Press keys, each when the one before has had its effect."""

    async def drive(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return drive


def searching(text: str, *keys: str) -> Drive:
    """Type a query, then press keys. How long the search took is the same in every picture."""

    async def drive(pilot: Pilot[None]) -> None:
        await pressing("slash")(pilot)
        await type_text(pilot, text)
        await timed(*keys)(pilot)

    return drive


def timed(*keys: str) -> Drive:
    """Press keys. How long the search took is the same in every picture."""

    async def drive(pilot: Pilot[None]) -> None:
        await pressing(*keys)(pilot)
        facts = pilot.app.screen.query_one(SearchFacts)
        facts.text = re.sub(r"\d+ ms", "7 ms", facts.text)

    return drive


async def flagship(pilot: Pilot[None]) -> None:
    """Open the session that has everything."""
    await pressing("j", "enter")(pilot)


def reading(number: int, *keys: str) -> Drive:
    """Open the session that has everything at a turn, then press keys."""

    async def drive(pilot: Pilot[None]) -> None:
        await flagship(pilot)
        transcript(pilot).cursor.go_to(number)
        await pressing(*keys)(pilot)

    return drive


async def indexing(pilot: Pilot[None]) -> None:
    """Half of the sessions are read."""
    await settled(pilot)
    browse(pilot).query_one(StatusLine).progress = Progress(31_000_000, 62_000_000, 120, "", at=NOW.timestamp())
    await settled(pilot)


def at(number: int, *keys: str, leave: Sequence[str] = ()) -> Drive:
    """Press the keys of `leave`, go to a turn of the session that is open, then press keys."""

    async def drive(pilot: Pilot[None]) -> None:
        await pressing(*leave)(pilot)
        transcript(pilot).cursor.go_to(number)
        await pressing(*keys)(pilot)

    return drive


async def showing_facts(pilot: Pilot[None]) -> None:
    """The facts of the turn in the inspector."""
    browse(pilot).query_one(Inspector).tab = "info"
    await pressing("i")(pilot)


async def listing_reminders(pilot: Pilot[None]) -> None:
    """What memtui told the open session, with a file and to a subagent."""
    await flagship(pilot)
    folder = browse(pilot).services.index.data_dir
    session = transcript(pilot).session
    assert session is not None
    log = ReminderLog(folder, lambda: NOW.timestamp() - 7200)
    cited = [f"{session.session_id}:{number}" for number in (1, 2)]
    log.record(session.session_id, event="PreToolUse", references=cited, text="## Past context for src/upload.py")
    log.record(session.session_id, "a1", event="SubagentStart", text="Files recently touched in this session:")
    await showing_facts(pilot)
    browse(pilot).query_one(Inspector).action_open()
    await settled(pilot)


def instead(text: str, *keys: str) -> Drive:
    """Put another query in the place of the one in the line, then press keys."""

    async def drive(pilot: Pilot[None]) -> None:
        browse(pilot).query_one(SearchBar).value = ""
        await type_text(pilot, text)
        await timed(*keys)(pilot)

    return drive


WAYS: dict[str, dict[str, Drive]] = {
    "sessions": {
        "sessions": pressing(),
        "keys": pressing("question_mark"),
        "legend": pressing("tab"),
        "tree_open": pressing("escape", "j", "l"),
        "pull_requests": pressing("4"),
        "pull_request_commits": pressing("j"),
        "stats": pressing("5"),
    },
    "project": {"project": pressing("g", "enter")},
    "searches": {
        "searches": pressing("slash"),
        "nothing_matched": instead("zzzzqqqq"),
        "hits_by_path": instead("upload.py"),
        "hits": instead("backoff"),
        "hit_opened": timed("enter"),
    },
    "session": {
        "export": pressing("j", "enter", "e"),
        "keys_filtered": pressing("escape", "question_mark", *"fold"),
        "turn": pressing("escape", "escape"),
        "compaction": at(4),
        "subagent_call": at(1, "t"),
        "turn_tools_open": at(2, "t"),
    },
    "tool": {"find": reading(1, "f", *"retry"), "tool": at(5, "escape", "right_curly_bracket", "enter")},
    "subagent": {"subagent": reading(1, "S")},
    "fixes": {"fixes": reading(5, "F")},
    "files": {
        "files": pressing("2"),
        "files_tree": pressing("grave_accent"),
        "content": pressing("grave_accent", "enter", "v"),
        "files_history": pressing("escape", "left_curly_bracket", "tab"),
    },
    "compactions": {"compactions": pressing("3")},
    "review": {"review": pressing("3", "enter"), "review_summary": pressing("l", "l", "l")},
    "review_unfolded": {"review_unfolded": pressing("3", "j", "enter", "G", "space")},
    "indexing": {"indexing": indexing},
}
"""Ways through the app, and the view after each of their steps."""
IN_ONE_SIZE: dict[str, Drive] = {
    "stats_bars": pressing("5", "j", "j"),
    "handoff": pressing("1", "j", "enter", "H", "j", "j"),
    "share": pressing("escape", "P", "j", "space", "tab", "enter"),
    "rewind": pressing("escape", "W"),
    "inspector": at(2, "i", leave=["escape"]),
    "tool_found": at(5, "right_curly_bracket", "enter", "f", *"store", "enter", "n", leave=["i"]),
    "zoomed": at(2, "z", "z", leave=["escape", "escape"]),
}
"""A way to views that keep something of another size of the terminal."""
LARGE = {
    "blame",
    "sessions",
    "two_machines",
    "turn",
    "hit_opened",
    "files_history",
    "compactions",
    "review",
    "pull_requests",
    "stats",
    "handoff",
    "past",
}
"""The views that are also drawn in a large terminal."""
ADDED: dict[str, dict[str, Drive]] = {
    "annotated": {
        "annotated": pressing("home", "j", "enter", "J"),
        "annotated_info": showing_facts,
    },
    "annotated_archived": {"annotated_archived": pressing("X")},
    "annotated_hits": {"annotated_hits": searching("is:pinned", "enter", "escape")},
    "annotation_forms": {
        "annotation_tags": pressing("home", "j", "number_sign"),
        "annotation_note": pressing("escape", "a"),
        "annotation_title": pressing("escape", "c"),
    },
}
PAST: dict[str, dict[str, Drive]] = {
    "past": {
        "past": pressing("6"),
        "observation": pressing("j", "l"),
        "form": pressing("escape", "c"),
        "forgotten": pressing("escape", "F", "F", "F"),
    },
    "chart_day": {"chart_day": pressing("6", "d", "d", "d", "k")},
    "chart_all": {"chart_all": pressing("6", "d", "d", "k", "N")},
}


async def picture(pilot: Pilot[None], theme: str) -> str:
    """What is on the screen, in a theme."""
    pilot.app.theme = theme
    await settled(pilot)
    if isinstance(field := pilot.app.focused, Input | TextArea):
        # On a busy machine its cursor would be there in one picture and not in the next.
        field.cursor_blink = False
        await settled(pilot)
    return pilot.app.export_screenshot(title=pilot.app.title, simplify=True)


@pytest.fixture
def compare(snapshot: SnapshotAssertion, tmp_path: Path) -> Compare:
    """Compares a picture with the one of that name; where they differ, it is in the file that is named."""

    def differing(name: str, drawn: str) -> dict[str, Path]:
        if snapshot(name=name, extension_class=SVGImageExtension) == drawn:
            return {}
        (tmp_path / f"{name}.svg").write_text(drawn, encoding="utf-8")
        return {name: tmp_path / f"{name}.svg"}

    return differing


@pytest.fixture
def draw(compare: Compare) -> Draw:
    """Draws the views on a way, in each size and in both themes, and tells which are not as they were."""

    async def differing(app: MemtuiApp, way: Mapping[str, Drive], sizes: Iterable[str] = SIZES) -> dict[str, Path]:
        different: dict[str, Path] = {}
        # Each view begins with the theme and the size that the one before ended with.
        order, themes = list(sizes), ["dark", "light"]
        async with app.run_test(size=SIZES[order[0]], tooltips=True, notifications=True) as pilot:
            for view, drive in way.items():
                await drive(pilot)
                for size in order:
                    if size == "large" and view not in LARGE:
                        continue
                    if pilot.app.size != SIZES[size]:
                        await pilot.resize_terminal(*SIZES[size])
                        await settled(pilot)
                    for theme in themes:
                        different |= compare(f"{view}-{size}-{theme}", await picture(pilot, f"textual-{theme}"))
                    themes.reverse()
                order.reverse()
        return different

    return differing


# What is below the choice of a format keeps its size of before until it is drawn.
@pytest.mark.spec("S5.8")
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.draws_at_pauses] * (way == "session")) for way in WAYS]
)
async def test_views(way: str, sample_index: Path, draw: Draw) -> None:
    """A view is drawn four or six times, each time with another theme or size."""
    assert await draw(app_on(sample_index), WAYS[way]) == {}


@pytest.mark.spec("S5.8")
async def test_who_wrote_each_line(tmp_path: Path, draw: Draw) -> None:
    ways = {"blame": pressing("2", "slash", *"export.py", "enter", "b", "n"), "blame_unknown": pressing("G")}
    assert await draw(app_on(with_files(tmp_path)), ways) == {}


@pytest.mark.spec("S5.8")
@pytest.mark.parametrize("size", SIZES)
async def test_views_in_one_size(size: str, sample_index: Path, draw: Draw) -> None:
    assert await draw(app_on(sample_index), IN_ONE_SIZE, [size]) == {}


@pytest.mark.spec("S5.8")
async def test_palette(sample_index: Path, draw: Draw) -> None:
    ways = {"palette": pressing("ctrl+p"), "palette_found": pressing(*"copy"), "palette_nothing": pressing(*"zzz")}
    assert await draw(app_on(sample_index), ways) == {}


@pytest.mark.spec("S5.8")
async def test_first_start(sample_index: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_index, data)
    config = Config(theme="textual-dark")
    app = MemtuiApp(data, config=config, run_indexer=False, first_steps=True)
    assert await draw(app, {"first_start": pressing()}) == {}


@pytest.mark.spec("S5.8")
async def test_reminders(sample_index: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_index, data)
    assert await draw(app_on(data), {"reminders": listing_reminders}) == {}


@pytest.fixture(scope="module")
def annotated(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions, with all that a user can add to two of them, and a third one archived."""
    folder = tmp_path_factory.mktemp("annotated")
    shutil.copytree(sample_index, folder, dirs_exist_ok=True)
    index = Index.open(folder)
    own, titles = index.annotations, {one.title: one.key for one in index.sessions.all()}
    first, second = titles["Retry webhooks with the same backoff"], titles["Fix flaky uploads"]
    own.rename(second, "The upload saga")
    own.tag(second, ["release", "later"])
    own.add_note(second, "Ask Bob whether the store can keep a part.\nHe wrote the first version.")
    own.pin(second)
    own.pin(second, 2)
    own.tag(second, ["flaky"], 2)
    own.add_note(second, "The log of this turn shows it best.", 2)
    own.tag(first, ["webhooks"])
    own.archive(titles["Add price rounding"])
    return folder


@pytest.mark.spec("S5.8")
@pytest.mark.parametrize("way", ADDED)
async def test_annotations(way: str, annotated: Path, draw: Draw) -> None:
    assert await draw(app_on(annotated), ADDED[way]) == {}


@pytest.fixture(scope="module")
def noted(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions, and what was written down in two of them."""
    folder = tmp_path_factory.mktemp("noted")
    shutil.copytree(sample_index, folder, dirs_exist_ok=True)
    hours, numbers = count(20, -1), count(1)
    book = Observations(folder, now=lambda: NOW - timedelta(hours=next(hours)), new_id=lambda: f"{next(numbers):012x}")
    first, second = Index.open(folder).sessions.all()[:2]
    book.save(
        first.session_id, first.root, type="decision", title="One backoff for uploads and webhooks",
        narrative="Both lost work when the other side was away for a minute.", concepts=["retry"],
        facts=["60 s at most", "full jitter"], files_modified=["src/backoff.py"],
    )  # fmt: skip
    book.save(second.session_id, second.root, type="bugfix", title="Timeouts were taken for refusals", narrative="-")
    wrong = book.save(first.session_id, first.root, type="change", title="Retries are off", narrative="For a day.")
    book.forget(wrong.id)
    return folder


@pytest.mark.spec("S5.8")
@pytest.mark.parametrize("way", PAST)
async def test_past(way: str, noted: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(noted, data)
    # A chart that gets the focus by a key shows its cursor as it does in focus when its styles are made again.
    assert await draw(app_on(data, "textual-light"), PAST[way]) == {}


@pytest.mark.spec("S5.8")
async def test_a_theme_looks_the_same_chosen_before_and_later(sample_index: Path) -> None:
    pictures = []
    for first in ("textual-light", "textual-dark"):
        async with app_on(sample_index, first).run_test(size=SIZES["wide"]) as pilot:
            await reading(2, "t", "t")(pilot)
            pictures.append(await picture(pilot, "textual-light"))
    assert normalize_svg(pictures[0]) == normalize_svg(pictures[1])


@pytest.mark.spec("S5.8")
async def test_ansi(sample_index: Path, compare: Compare) -> None:
    different: dict[str, Path] = {}
    app = app_on(sample_index, "ansi-dark")
    async with app.run_test(size=SIZES["small"], tooltips=True, notifications=True) as pilot:
        for view, drive in {"turn_tools_open": reading(2, "t", "t"), "hits": searching("backoff")}.items():
            await drive(pilot)
            different |= compare(view, await picture(pilot, "ansi-dark"))
    assert different == {}


@pytest.mark.spec("S5.8")
async def test_no_index_yet(tmp_path: Path, draw: Draw) -> None:
    assert await draw(app_on(tmp_path / "data"), {"no_index": pressing()}) == {}


@pytest.mark.spec("S5.8")
async def test_no_sessions(tmp_path: Path, draw: Draw) -> None:
    update(tmp_path / "data", tmp_path / "nothing")
    assert await draw(app_on(tmp_path / "data"), {"no_sessions": pressing()}) == {}


@pytest.mark.spec("S5.8")
async def test_an_index_that_cannot_be_opened(tmp_path: Path, draw: Draw) -> None:
    data, script = tmp_path / "data", Script()
    script.user("hello")
    update(data, script.write(tmp_path / "src"))
    (data / "snapshots" / "1.duckdb").write_bytes(b"damaged")

    async def told(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        pilot.app.clear_notifications()
        view = browse(pilot).list_pane
        view.empty_text = view.empty_text.replace(str(data), "/home/ana/.local/share/memtui")

    assert await draw(app_on(data), {"damaged": told}) == {}


@pytest.fixture(scope="module")
def many_agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions of all agents but Crush, whose project is the folder of its database on this machine."""
    folder = tmp_path_factory.mktemp("many")
    with Indexer(folder / "data", exclusions=Exclusions(["agent:crush"])) as indexer:
        for _ in indexer.update([Location(None, SAMPLES)]):
            pass
    return folder / "data"


AGENTS: dict[str, dict[str, Drive]] = {
    "projects": {
        "agents_in_projects": pressing(),
        "hits_of_agents": searching("do the backups work"),
        "session_of_codex": instead("refunds twice agent:codex", "enter", "t"),
    },
    "opencode": {"session_of_opencode": searching("round discounts agent:opencode", "enter", "t")},
}


@pytest.mark.spec("S5.8")
@pytest.mark.parametrize("way", AGENTS)
async def test_agents(way: str, many_agents: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(many_agents, data)
    assert await draw(app_on(data), AGENTS[way]) == {}


@pytest.mark.spec("S5.8")
@pytest.mark.parametrize("size", ["wide", "small"])
async def test_agents_as_groups(size: str, many_agents: Path, tmp_path: Path, draw: Draw) -> None:
    """A tree that fits into a wide terminal stays at its top in a small one, where its cursor is out of sight."""
    data = tmp_path / "data"
    shutil.copytree(many_agents, data)
    assert await draw(app_on(data), {"agents_as_groups": pressing("A", "G", "l", "j", "l")}, [size]) == {}


MACHINES: dict[str, Drive] = {
    "two_machines": pressing("j"),
    "grouped_by_machine": pressing("M", "g", "j", "l"),
    "hits_of_machines": searching("prices"),
}


@pytest.mark.spec("S5.8")
async def test_machines(tmp_path: Path, draw: Draw) -> None:
    assert await draw(app_on(three_machines(tmp_path)), MACHINES) == {}
