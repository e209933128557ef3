"""Every view as a picture in snapshots/, in a small and in a wide terminal, dark and light.

`make snapshots` draws them anew; look at each before you keep it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension, normalize_svg
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from memtui.app import MemtuiApp
from memtui.config import Config
from memtui.widgets.search_line import SearchFacts
from memtui.widgets.status_line import StatusLine
from memtui_core.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.memory.observations import Observations
from memtui_core.model import Progress
from memtui_core.readers.exclusions import Exclusions
from memtui_core.readers.locations import Location
from support.indexes import update
from support.screens import NOW, Drive, app_on, browse, settled, transcript, type_text
from support.transcripts import Script

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
SIZES = {"small": (80, 24), "wide": (140, 40)}
LARGE = (200, 60)
Compare = Callable[..., bool]
Draw = Callable[..., bool]

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


VIEWS: dict[str, Drive] = {
    "sessions": pressing(),
    "tree_open": pressing("j", "l"),
    "turn": reading(1),
    "turn_tools_open": reading(2, "t", "t"),
    "compaction": reading(4),
    "inspector": reading(2, "i"),
    "searches": pressing("slash"),
    "hits": searching("backoff"),
    "hits_by_path": searching("upload.py"),
    "hit_opened": searching("backoff", "enter"),
    "nothing_matched": searching("zzzzqqqq"),
    "files": pressing("2"),
    "files_tree": pressing("2", "grave_accent"),
    "files_history": pressing("2", "enter", "left_curly_bracket", "tab"),
    "compactions": pressing("3"),
    "review": pressing("3", "enter"),
    "review_unfolded": pressing("3", "j", "enter", "G", "space"),
    "review_summary": pressing("3", "enter", "l", "l", "l"),
    "pull_requests": pressing("4"),
    "stats": pressing("5"),
    "stats_bars": pressing("5", "j", "j"),
    "tool": reading(5, "right_curly_bracket", "enter"),
    "tool_found": reading(5, "right_curly_bracket", "enter", "f", *"store", "enter", "n"),
    "subagent_call": reading(1, "t"),
    "subagent": reading(1, "S"),
    "content": pressing("2", "enter", "v"),
    "find": reading(1, "f", *"retry"),
    "zoomed": reading(2, "z", "z"),
    "handoff": pressing("j", "enter", "H", "j", "j"),
    "export": pressing("j", "enter", "e"),
    "keys": pressing("question_mark"),
    "keys_filtered": pressing("j", "enter", "question_mark", *"fold"),
    "legend": pressing("question_mark", "tab"),
    "palette": pressing("ctrl+p"),
    "indexing": indexing,
}


PAST: dict[str, Drive] = {
    "past": pressing("6"),
    "chart_day": pressing("6", "d", "d", "k"),
    "chart_all": pressing("6", "d", "k", "N"),
    "observation": pressing("6", "j", "l"),
    "form": pressing("6", "j", "c"),
    "forgotten": pressing("6", "F", "F", "F"),
}


async def picture(pilot: Pilot[None], theme: str) -> str:
    """What is on the screen, in a theme."""
    pilot.app.theme = theme
    await settled(pilot)
    return pilot.app.export_screenshot(title=pilot.app.title, simplify=True)


@pytest.fixture
def draw(snap_compare: Compare, snapshot: SnapshotAssertion) -> Draw:
    """Compares what an app shows with its pictures in both themes; the theme is changed while it runs.

    Textual's palette keeps the colours that it was opened with: `reopen` closes it and goes the way again.
    """

    def compare(app: MemtuiApp, size: tuple[int, int], drive: Drive, reopen: bool = False) -> bool:
        light: list[str] = []

        async def run(pilot: Pilot[None]) -> None:
            if reopen:
                pilot.app.theme = "textual-light"
            await drive(pilot)
            light.append(await picture(pilot, "textual-light"))
            if reopen:
                await pilot.press("escape")
            pilot.app.theme = "textual-dark"
            await settled(pilot)
            if reopen:
                await drive(pilot)

        # Both are compared, so that both are drawn anew where that is wanted.
        dark = snap_compare(app, terminal_size=size, run_before=run)
        return bool(light[0] == snapshot(name="light", extension_class=SVGImageExtension)) and dark

    return compare


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
def test_s5_08_dark(view: str, size: str, sample_index: Path, draw: Draw) -> None:
    assert draw(app_on(sample_index), SIZES[size], VIEWS[view], view == "palette")


@pytest.mark.parametrize(
    "view",
    ["sessions", "turn", "hit_opened", "files_history", "compactions", "review", "pull_requests", "stats", "handoff"],
)
def test_s5_08_large(view: str, sample_index: Path, draw: Draw) -> None:
    assert draw(app_on(sample_index), LARGE, VIEWS[view])


def test_s5_08_large_timeline(noted: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(noted, data)
    assert draw(app_on(data), LARGE, PAST["past"])


@pytest.mark.parametrize("size", SIZES)
def test_s5_08_first_start(size: str, sample_index: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(sample_index, data)
    config = Config(theme="textual-dark")
    assert draw(MemtuiApp(data, config=config, run_indexer=False, first_steps=True), SIZES[size], pressing())


@pytest.fixture(scope="module")
def noted(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions, and what was written down in two of them."""
    folder = tmp_path_factory.mktemp("noted")
    shutil.copytree(sample_index, folder, dirs_exist_ok=True)
    hours, numbers = count(20, -1), count(1)
    book = Observations(folder, now=lambda: NOW - timedelta(hours=next(hours)), new_id=lambda: f"{next(numbers):012x}")
    first, second = Index.open(folder).sessions()[:2]
    book.save(
        first.session_id, first.root, type="decision", title="One backoff for uploads and webhooks",
        narrative="Both lost work when the other side was away for a minute.", concepts=["retry"],
        facts=["60 s at most", "full jitter"], files_modified=["src/backoff.py"],
    )  # fmt: skip
    book.save(second.session_id, second.root, type="bugfix", title="Timeouts were taken for refusals", narrative="-")
    wrong = book.save(first.session_id, first.root, type="change", title="Retries are off", narrative="For a day.")
    book.forget(wrong.id)
    return folder


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", PAST)
def test_s5_08_past(view: str, size: str, noted: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(noted, data)
    assert draw(app_on(data), SIZES[size], PAST[view])


async def test_s5_08_a_theme_looks_the_same_chosen_before_and_later(sample_index: Path) -> None:
    pictures = []
    for first in ("textual-light", "textual-dark"):
        async with app_on(sample_index, first).run_test(size=SIZES["wide"]) as pilot:
            await VIEWS["turn_tools_open"](pilot)
            pictures.append(await picture(pilot, "textual-light"))
    assert normalize_svg(pictures[0]) == normalize_svg(pictures[1])


@pytest.mark.parametrize("view", ["turn_tools_open", "hits"])
def test_s5_08_ansi(view: str, sample_index: Path, snap_compare: Compare) -> None:
    app = app_on(sample_index, "ansi-dark")
    assert snap_compare(app, terminal_size=SIZES["small"], run_before=VIEWS[view])


@pytest.mark.parametrize("size", SIZES)
def test_s5_08_no_index_yet(size: str, tmp_path: Path, draw: Draw) -> None:
    assert draw(app_on(tmp_path / "data"), SIZES[size], pressing())


@pytest.mark.parametrize("size", SIZES)
def test_s5_08_no_sessions(size: str, tmp_path: Path, draw: Draw) -> None:
    update(tmp_path / "data", tmp_path / "nothing")
    assert draw(app_on(tmp_path / "data"), SIZES[size], pressing())


@pytest.mark.parametrize("size", SIZES)
def test_s5_08_an_index_that_cannot_be_opened(size: str, tmp_path: Path, draw: Draw) -> None:
    data, script = tmp_path / "data", Script()
    script.user("hello")
    update(data, script.write(tmp_path / "src"))
    (data / "snapshots" / "1.duckdb").write_bytes(b"damaged")

    async def told(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        pilot.app.clear_notifications()
        view = browse(pilot).list_pane
        view.empty_text = view.empty_text.replace(str(data), "/home/ana/.local/share/memtui")

    assert draw(app_on(data), SIZES[size], told)


@pytest.fixture(scope="module")
def many_agents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample sessions of all agents but Crush, whose project is the folder of its database on this machine."""
    folder = tmp_path_factory.mktemp("many")
    with Indexer(folder / "data", exclusions=Exclusions(["agent:crush"])) as indexer:
        for _ in indexer.update([Location(None, SAMPLES)]):
            pass
    return folder / "data"


AGENTS: dict[str, Drive] = {
    "agents_in_projects": pressing(),
    "agents_as_groups": pressing("A", "G", "l", "j", "l"),
    "hits_of_agents": searching("do the backups work"),
    "session_of_codex": searching("refunds twice agent:codex", "enter", "t"),
    "session_of_opencode": searching("round discounts agent:opencode", "enter", "t"),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", AGENTS)
def test_s5_08_agents(view: str, size: str, many_agents: Path, tmp_path: Path, draw: Draw) -> None:
    data = tmp_path / "data"
    shutil.copytree(many_agents, data)
    assert draw(app_on(data), SIZES[size], AGENTS[view])
