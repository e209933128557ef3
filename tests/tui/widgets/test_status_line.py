"""What the status line says of the indexer's work: one figure, and never that all is done before it is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from textual import events
from textual.widgets._toast import Toast

from memtui.app import MemtuiApp
from memtui.browse.screen import BrowseScreen
from memtui.settings.config import Config
from memtui.widgets.status.key_line import KeyLine
from memtui.widgets.status.line import StatusFacts, StatusLine
from memtui.widgets.transcript.widget import TranscriptPane
from memtui.wording.formatting import estimate, indexing_facts, time_left
from memtui_core.index.vectors import VectorReport
from memtui_core.ingest.indexer import Indexer
from memtui_core.model import Progress, Stats
from memtui_core.readers.locations import Location
from memtui_core.store.data_folder import DataDir
from memtui_core.store.processes import write_progress
from memtui_core.store.vectors.hnsw_building import build_index
from memtui_core.store.vectors.index_entry import building_path, write_entry
from support.indexes import embed, update
from support.screens import NOW, app_on, empty_text, settled, until
from support.transcripts import Script

AT = NOW.timestamp()
LONG_AGO = AT - 3600
ALL = Stats(57, 186, 53, 0, 0, NOW, embedded_turns=186)
SOME = replace(ALL, embedded_turns=80)
READING = Progress(30, 62, 3, at=AT)
READ = Progress(62, 62, 3, finished=True, at=AT)
EMBEDDING = Progress(0, 0, 0, stage="embedding", embedded=439, to_embed=1000, seconds_left=350.0, at=AT)
EMBEDDED = replace(EMBEDDING, embedded=1000, seconds_left=0.0, finished=True)
SIZE = ["57 sessions", "186 turns"]


@pytest.mark.parametrize(
    ("progress", "stats", "facts"),
    [
        pytest.param(None, None, ["starting"], id="nothing is known"),
        pytest.param(None, ALL, ["up to date", *SIZE], id="an index that nobody writes"),
        pytest.param(Progress(0, 0, 0, at=AT), None, ["indexing"], id="something is to be published"),
        pytest.param(READING, None, ["indexing █████░░░░░░░ 48 %", "of 62 B"], id="the first reading"),
        pytest.param(READING, ALL, ["indexing █████░░░░░░░ 48 %", "of 62 B", *SIZE], id="a later reading"),
        pytest.param(
            replace(READING, bytes_per_second=11.6, seconds_left=2.4),
            ALL,
            ["indexing █████░░░░░░░ 48 %", "of 62 B at 12 B/s", "3 s left", *SIZE],
            id="a reading whose speed is known",
        ),
        pytest.param(
            replace(READING, files=1187),
            ALL,
            ["indexing █████░░░░░░░ 48 %", "3 of 1,187 files", *SIZE],
            id="the number of files is known",
        ),
        pytest.param(
            replace(READING, bytes_per_second=8_400_000, seconds_left=11.0, files=187),
            ALL,
            ["indexing █████░░░░░░░ 48 %", "3 of 187 files at 8.4 MB/s", "11 s left", *SIZE],
            id="files and speed",
        ),
        pytest.param(
            replace(READING, bytes_per_second=11.6, seconds_left=350.0, at=LONG_AGO),
            ALL,
            ["indexed █████░░░░░░░ 48 %", "of 62 B", *SIZE],
            id="died in reading, at some speed",
        ),
        pytest.param(
            replace(READING, done=62), ALL, ["indexing ███████████░ 99 %", "of 62 B", *SIZE], id="not yet published"
        ),
        pytest.param(
            replace(READING, embedded=439, to_embed=1000, seconds_left=9.0),
            SOME,
            ["indexing █████░░░░░░░ 48 %", "of 62 B", *SIZE],
            id="one figure at a time",
        ),
        pytest.param(
            replace(READING, at=LONG_AGO), SOME, ["indexed █████░░░░░░░ 48 %", "of 62 B", *SIZE], id="died in reading"
        ),
        pytest.param(
            replace(READ, to_embed=1000), SOME, ["search by meaning 0 % ready", *SIZE], id="read, and nothing more"
        ),
        pytest.param(
            Progress(3, 24, 0, stage="reviewing", embedded=439, to_embed=1000, at=AT),
            SOME,
            ["reviewing 3 of 24 compactions", *SIZE],
            id="reviews",
        ),
        pytest.param(
            Progress(3, 24, 0, stage="reviewing", embedded=439, to_embed=1000, at=LONG_AGO),
            SOME,
            ["search by meaning 43 % ready", *SIZE],
            id="died in reviewing",
        ),
        pytest.param(
            Progress(24, 24, 0, stage="reviewing", finished=True, at=AT), ALL, ["up to date", *SIZE], id="all reviewed"
        ),
        pytest.param(EMBEDDING, SOME, ["search by meaning 43 % ready", "about 6 min", *SIZE], id="vectors are made"),
        pytest.param(
            replace(EMBEDDING, turns_left=2196),
            SOME,
            ["search by meaning 43 % ready", "2,196 turns left, about 6 min", *SIZE],
            id="vectors of some turns are missing",
        ),
        pytest.param(
            replace(EMBEDDING, turns_left=2196, at=LONG_AGO),
            SOME,
            ["search by meaning 43 % ready", *SIZE],
            id="died with some turns left",
        ),
        pytest.param(
            Progress(0, 21345, 0, stage="vector index", embedded=1000, to_embed=1000, at=AT),
            ALL,
            ["building the index of 21,345 vectors", *SIZE],
            id="the vector index is built",
        ),
        pytest.param(
            Progress(0, 21345, 0, stage="vector index", embedded=1000, to_embed=1000, at=LONG_AGO),
            ALL,
            SIZE,
            id="died while it was built",
        ),
        pytest.param(
            Progress(0, 21345, 0, stage="vector index", finished=True, embedded=1000, to_embed=1000, at=AT),
            ALL,
            ["up to date", *SIZE],
            id="the vector index was built",
        ),
        pytest.param(
            EMBEDDING,
            replace(SOME, embedded_turns=186),
            ["search by meaning 43 % ready", "about 6 min", *SIZE],
            id="by the indexer",
        ),
        pytest.param(
            replace(EMBEDDING, seconds_left=None), SOME, ["search by meaning 43 % ready", *SIZE], id="no estimate yet"
        ),
        pytest.param(
            replace(EMBEDDING, at=LONG_AGO),
            SOME,
            ["search by meaning 43 % ready", *SIZE],
            id="died while making vectors",
        ),
        pytest.param(
            replace(READ, embedded=439, to_embed=1000, seconds_left=350.0),
            SOME,
            ["search by meaning 43 % ready", "about 6 min", *SIZE],
            id="a look at the files in between",
        ),
        pytest.param(
            replace(EMBEDDING, embedded=999, seconds_left=0.1),
            SOME,
            ["search by meaning 99 % ready", "under a minute", *SIZE],
            id="all but one character",
        ),
        pytest.param(replace(EMBEDDED, finished=False), SOME, SIZE, id="made, but not yet published"),
        pytest.param(replace(EMBEDDED, finished=False), ALL, SIZE, id="new turns made, but not yet published"),
        pytest.param(EMBEDDED, SOME, SIZE, id="published, but not yet seen"),
        pytest.param(EMBEDDED, ALL, ["up to date", *SIZE], id="all is done"),
        pytest.param(
            replace(EMBEDDED, at=AT - 299), ALL, ["up to date", *SIZE], id="an indexer that looks now and then"
        ),
        pytest.param(
            replace(EMBEDDED, at=AT - 17 * 60), ALL, ["checked 17 m ago", *SIZE], id="no indexer has looked since"
        ),
        pytest.param(
            None, replace(ALL, indexed_at=NOW - timedelta(days=2)), ["checked 2 d ago", *SIZE], id="without a report"
        ),
        pytest.param(READ, replace(ALL, turns=0), ["nothing is indexed"], id="nothing to read"),
        pytest.param(EMBEDDING, None, ["starting"], id="not yet opened"),
        pytest.param(replace(READ, to_embed=1000), None, ["the index is not open"], id="it cannot be opened"),
    ],
)
def test_the_status_says_what_is_true(progress: Progress | None, stats: Stats | None, facts: list[str]) -> None:
    line = StatusLine()
    line.stats, line.progress = stats, progress
    assert line.facts() == facts


BUILT = VectorReport("hnsw", "", "", 20_000, 20_000, built_at=NOW - timedelta(hours=3), bytes=17_000_000)
WITHOUT = VectorReport("exact", "", "", 20_000)


@pytest.mark.spec("S5.9")
@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        pytest.param(BUILT, ["vector index of 20,000 vectors, 3 h old"], id="an index of all"),
        pytest.param(
            replace(BUILT, vectors=20_412, newer=412),
            ["vector index of 20,000 vectors, 412 newer, 3 h old"],
            id="an older one",
        ),
        pytest.param(
            replace(BUILT, vectors=23_000, newer=3_000, building=True),
            ["vector index of 20,000 vectors, 3,000 newer, a newer one is being built"],
            id="its successor is being built",
        ),
        pytest.param(
            replace(WITHOUT, short_reason="vector index is being built", building=True),
            ["vector index is being built"],
            id="the first one is being built",
        ),
        pytest.param(replace(WITHOUT, short_reason="it is not installed"), ["it is not installed"], id="there is none"),
        pytest.param(
            replace(BUILT, answer="exact", short_reason="vector index is off"),
            ["vector index is off"],
            id="there, but not used",
        ),
        pytest.param(replace(WITHOUT, vectors=2), [], id="too few for one"),
        pytest.param(VectorReport("none", "there are no vectors", "", 0), [], id="no vectors"),
    ],
)
def test_the_status_says_what_answers_by_meaning(vectors: VectorReport, said: list[str]) -> None:
    line = StatusLine()
    line.stats, line.progress, line.vectors = ALL, EMBEDDED, vectors
    assert line.facts() == ["up to date", *SIZE, *said]


@pytest.mark.spec("S5.9")
async def test_the_app_sees_an_index_that_is_built_while_it_runs(sample_index: Path, tmp_path: Path) -> None:
    data = DataDir(shutil.copytree(sample_index, tmp_path / "data"))
    app = MemtuiApp(data.path, config=Config(vectors="hnsw"), run_indexer=False)
    async with app.run_test(size=(140, 20)) as pilot:
        await settled(pilot)
        line = pilot.app.screen.query_one(StatusLine)
        said = [line.facts()]
        state, size = said[0][0], said[0][1:3]
        data.vector_index.mkdir()
        building_path(data).touch()
        await until(pilot, lambda: line.facts() != said[-1])
        said.append(line.facts())
        entry = build_index(data)
        assert entry is not None
        building_path(data).unlink()
        write_entry(data, entry._replace(built_at=AT - 7200))
        await until(pilot, lambda: line.facts()[-1].endswith("2 h old"))
        said.append(line.facts())
    assert said == [
        [state, *size, "vector index is not built yet"],
        [state, *size, "vector index is being built"],
        [state, *size, f"vector index of {entry.size} vectors, 2 h old"],
    ]


async def test_a_narrow_terminal_shows_the_work_or_that_it_is_done(sample_index: Path) -> None:
    expected = {
        READING: "indexing █████░░░░░░░ 48 % · of 62 B",
        EMBEDDING: "search by meaning 43 % ready",
        replace(EMBEDDED, at=AT - 3600): "checked 1 h ago · 17 sessions",
        EMBEDDED: "up to date · 17 sessions · 110 turns",
    }
    shown = {}
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for progress in expected:
            pilot.app.screen.query_one(StatusLine).progress = progress
            await settled(pilot)
            shown[progress] = str(pilot.app.screen.query_one(StatusFacts).render())
    assert shown == expected


async def test_a_key_that_is_typed_is_not_offered(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        keys = pilot.app.screen.query_one(KeyLine)
        for key in ("slash", "enter", "f"):
            await pilot.press(*(["escape", key] if key == "enter" else [key]))
            await settled(pilot)
            assert ("/ Search" in str(keys.render())) == (key == "enter")


READER = "[ Previous prompt f Find t Tools / Search i Inspect ? Keys q Quit "


async def test_the_size_gives_way_to_the_keys_and_these_to_the_work_but_the_help_stays(sample_index: Path) -> None:
    work = "indexing █████░░░░░░░ 48 %"
    more = READER.replace("Tools ", "Tools H Hand off e Export ")
    expected = {
        (200, EMBEDDED): (
            "up to date · 17 sessions · 110 turns",
            more.replace("Export ", "Export r Resume } Next edit S Subagent z Zoom ^o Jump back W Rewind "),
        ),
        (140, EMBEDDED): ("up to date · 17 sessions · 110 turns", more),
        (110, EMBEDDED): ("up to date · 17 sessions · 110 turns", READER),
        (100, EMBEDDED): ("up to date · 17 sessions", READER),
        (80, EMBEDDED): ("up to date", READER),
        (60, EMBEDDED): ("", READER.replace("i Inspect ", "")),
        (60, READING): (work, "[ Previous prompt f Find ? Keys "),
        (50, READING): (work, "f Find t Tools ? Keys "),
        (40, EMBEDDED): ("", "[ Previous prompt f Find ? Keys "),
        (40, READING): (work, "? Keys "),
        (12, EMBEDDED): ("", "? Keys "),
    }
    seen = {}
    async with app_on(sample_index).run_test(size=(100, 20)) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, BrowseScreen)
        facts, keys = screen.query_one(StatusFacts), screen.query_one(KeyLine)
        for width, progress in expected:
            screen.query_one(StatusLine).progress = progress
            await pilot.resize_terminal(width, 20)
            await settled(pilot)
            assert isinstance(pilot.app.focused, TranscriptPane)
            seen[width, progress] = str(facts.render()), str(keys.render())
            assert (keys.region.right, keys.size.width) == (width, len(str(keys.render())))
    assert seen == expected


async def test_rewind_is_offered_beside_the_compactions_where_there_is_room(sample_index: Path) -> None:
    async with app_on(sample_index).run_test(size=(200, 20)) as pilot:
        await settled(pilot)
        keys = pilot.app.screen.query_one(KeyLine)
        await pilot.press("3")
        await settled(pilot)
        assert "^o Jump back W Rewind / Search" in str(keys.render())
        await pilot.resize_terminal(120, 20)
        await settled(pilot)
        assert "W Rewind" not in str(keys.render())
        await pilot.press("5")
        await pilot.resize_terminal(200, 20)
        await settled(pilot)
        assert "W Rewind" not in str(keys.render())


async def test_the_words_on_the_empty_screen_and_the_status_have_one_figure(tmp_path: Path) -> None:
    tmp_path.joinpath("data").mkdir()
    write_progress(tmp_path / "data", replace(READING, done=567, total=1000))
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        words = empty_text(pilot.app.screen)
        assert words.splitlines()[0] == "Reading your sessions … 56 %"
        assert str(pilot.app.screen.query_one(StatusFacts).render()) == "indexing ██████░░░░░░ 56 % · of 1 kB"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "under a minute"),
        (59.9, "under a minute"),
        (60, "about 1 min"),
        (89.9, "about 1 min"),
        (90, "about 2 min"),
        (359, "about 6 min"),
        (5369, "about 89 min"),
        (5370, "about 2 h"),
        (86_400, "about 24 h"),
    ],
)
def test_an_estimate_is_as_rough_as_it_is(seconds: float, text: str) -> None:
    assert estimate(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "1 s left"), (2.1, "3 s left"), (59.5, "60 s left"), (60, "about 1 min left"), (5370, "about 2 h left")],
)
def test_the_time_left_of_a_reading_is_in_seconds_at_its_end(seconds: float, text: str) -> None:
    assert time_left(seconds) == text


async def test_keys_and_clicks_have_the_indexer_step_aside_and_a_mouse_that_moves_does_not(tmp_path: Path) -> None:
    script = Script()
    script.user("a question")
    update(tmp_path, script.write(tmp_path / "src"))
    typing = tmp_path / "typing"

    async def touched() -> bool:
        await settled(pilot)
        there = typing.exists()
        typing.unlink(missing_ok=True)
        pilot.app._typing._touched_at = float("-inf")  # type: ignore[attr-defined]
        return there

    async with app_on(tmp_path).run_test(size=(140, 40)) as pilot:
        assert not await touched()
        pilot.app.post_message(events.MouseMove(None, 5, 5, 1, 1, 0, False, False, False))
        assert not await touched()
        await pilot.press("j")
        assert await touched()
        await pilot.press("slash", "a")
        assert await touched()
        await pilot.click("#status-text")
        assert await touched()


def test_the_command_says_the_same_words(tmp_path: Path) -> None:
    script = Script()
    for number in range(30):
        script.user(f"Question {number}")
        script.says(f"Answer {number}")
    script.write(tmp_path / "src")
    parent, child = pytest.importorskip("pty").openpty()
    command = [sys.executable, "-m", "memtui", "index", "--source", str(tmp_path / "src")]
    run = subprocess.Popen([*command, "--data-dir", str(tmp_path / "data")], stderr=child, stdout=subprocess.DEVNULL)
    os.close(child)
    output = b""
    try:
        while part := os.read(parent, 1 << 16):
            output += part
    except OSError:
        # The other side is closed.
        pass
    finally:
        os.close(parent)
    assert run.wait() == 0
    *shown, last = output.decode().split("\r\x1b[K")
    words = [one for one in shown if one]
    assert last == "1 file read. The index holds 1 session, 30 turns.\r\n"
    # How often it is said depends on the machine.
    reading = [one for one in words if re.fullmatch(r"indexing [█░]{12} \d\d? % · 0 of 1 file", one)]
    making = [
        one
        for one in words
        if re.fullmatch(
            r"search by meaning \d\d? % ready( · \d+ turns? left, (under a minute|about \d+ (min|h)))?", one
        )
    ]
    assert words == [*reading, *making]
    assert (reading[0], making[0]) == ("indexing ░░░░░░░░░░░░ 0 % · 0 of 1 file", "search by meaning 0 % ready")


async def test_the_app_tells_of_vectors_that_an_indexer_left_behind_and_then_that_all_is_done(tmp_path: Path) -> None:
    script = Script()
    script.user("Why do the uploads break off?")
    script.says("The client waits ten seconds only, then it gives up.")
    path = script.write(tmp_path / "src")
    update(tmp_path / "data", path)
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        line = pilot.app.screen.query_one(StatusLine)
        assert line.facts() == ["search by meaning 0 % ready", "1 session", "1 turn"]
        embed(tmp_path / "data")
        await pilot.press("R")
        await settled(pilot)
        assert line.facts() == ["up to date", "1 session", "1 turn"]
        script.user("And now?")
        path.write_bytes(script.bytes())
        with Indexer(tmp_path / "data") as indexer:
            list(indexer.update([Location("claude-code", path)]))
        await pilot.press("R")
        await settled(pilot)
        [share, *facts] = line.facts()
        assert (share.startswith("search by meaning "), facts) == (
            True,
            ["1 session", "2 turns"],
        )


def test_no_progress_is_no_work() -> None:
    assert indexing_facts(None, NOW) == []


async def test_a_toast_stands_above_the_hints(sample_index: Path) -> None:
    ways = {"enter search": ["slash", "down"], "w write · esc": ["H"], "enter run ·": ["question_mark"]}
    async with app_on(sample_index).run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        for hint, keys in ways.items():
            await pilot.press(*keys)
            await settled(pilot)
            pilot.app.notify("Saved.", severity="warning")
            await until(pilot, lambda: pilot.app.screen.query(Toast))
            await settled(pilot)
            strips = pilot.app.screen._compositor.render_strips()
            lines = ["".join(segment.text for segment in strip) for strip in strips]
            # The toast is above the last two lines: the hints, and what is below them.
            assert [line for line in lines if hint in line] == [line for line in lines[-2:] if hint in line] != []
            assert [index for index, line in enumerate(lines) if "Saved." in line] == [20]
            await pilot.press("escape")
            await settled(pilot)
            assert not pilot.app.screen.query(Toast)
