"""A hit opens at the passage that answers, and `n` and `N` go on from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from memtui.browse.search.hit_list import HitList
from memtui.widgets.requests.target import HitPassages
from memtui.widgets.transcript.widget import TranscriptPane
from support.indexes import update
from support.pasting import paste
from support.screens import app_on, notices, settled, transcript, type_text
from support.transcripts import Script

NARROW, WIDE = (80, 24), (140, 40)
FILLER = "The agent goes on about other things. " * 3
OTHER = "22222222-2222-4222-8222-222222222222"


@pytest.fixture(scope="module")
def long_sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session whose answers lie deep in its turns: in prose, in thinking, in an output, in an edit and a command."""
    folder = tmp_path_factory.mktemp("passages")
    script = Script()
    script.user("Make the importer work to the end of the topic list.")
    for number in range(30):
        script.says(f"Step {number}. {FILLER}")
        script.calls("Bash", {"command": f"make step-{number}"}, f"b{number}")
        script.result(f"step {number} done", f"b{number}")
    script.thinks("It may be the watermark.\n" * 40 + "So the zebra counter overflows first.")
    script.says("The cause is found: the walrus cache keeps expired entries, which the giraffe reader then serves.")
    noise = [f"line {number} of the log" for number in range(300)]
    script.calls("Bash", {"command": "tail -n 301 importer.log"}, "log")
    script.result("\n".join([*noise[:200], "ERROR okapi table is locked", *noise[200:]]), "log")
    script.calls("Edit", {"file_path": "/home/ana/code/shop/src/walrus.py", "old_string": "a", "new_string": "b"}, "ed")
    script.result("done", "ed")
    script.says(f"A walrus also sits in the tests.\n\n{FILLER}")
    script.user("thanks, and what about the rest?")
    script.says("Nothing is left.")
    other = Script(OTHER, prefix="o")
    other.user("What does a walrus eat?")
    other.says("Clams.")
    update(folder / "data", script.write(folder / "src"), other.write(folder / "src"))
    return folder / "data"


def lines(view: TranscriptPane) -> list[str]:
    """The lines on the screen, with the mark before each."""
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def marked(view: TranscriptPane) -> list[str]:
    """The lines on the screen that are marked as the passage."""
    return [line[1:].strip() for line in lines(view) if line.startswith("▌")]


async def search(pilot: Pilot[None], query: str, *, typed: bool = False) -> TranscriptPane:
    """Search, and read the first hit."""
    await settled(pilot)
    await pilot.press("slash")
    await (type_text if typed else paste)(pilot, query)
    await pilot.press("enter")
    await settled(pilot)
    return transcript(pilot)


@pytest.mark.spec("S5.5")
@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_hit_opens_at_its_passage_with_what_hides_it_unfolded(
    long_sessions: Path, size: tuple[int, int]
) -> None:
    sentences = {
        "giraffe": "The cause is found: the walrus cache keeps expired entries",
        "zebra": "So the zebra counter overflows first.",
        "okapi": "ERROR okapi table is locked",
        "okapi table is locked": "ERROR okapi table is locked",
        "src/walrus.py": "Edit  src/walrus.py",
        "importer.log": "tail -n 301 importer.log",
        "topic": "Make the importer work to the end of the topic list.",
    }
    opened, left = {}, {}
    async with app_on(long_sessions).run_test(size=size) as pilot:
        for query, sentence in sentences.items():
            view = await search(pilot, query)
            opened[query] = pilot.app.focused is view, sentence in " ".join(marked(view))
            # Nothing that was unfolded for one query is still so for the next one.
            await pilot.press("escape", "escape")
            await settled(pilot)
            left[query] = marked(view), [box.flipped for box in view.document.turns if box.flipped]
    assert opened == dict.fromkeys(sentences, (True, True))
    assert left == dict.fromkeys(sentences, ([], []))


async def test_n_goes_by_rank_and_then_to_the_next_hit(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "walrus")
        hits = pilot.app.screen.query_one(HitList)
        assert hits.result is not None
        seen = []
        for hit in (hits.result.hits[0], hits.result.hits[1]):
            for number, passage in enumerate(hit.passages, 1):
                assert view.session is not None
                assert (view.session.key, view.number, view.passages.passage) == (hit.session, hit.turn, passage)
                assert str(view.border_subtitle).endswith(f"passage {number} of {len(hit.passages)}")
                seen.append(len(marked(view)) > 0)
                await pilot.press("n")
                await settled(pilot)
        assert all(seen)
        assert len(seen) > 3
        assert view.passages.passage == hits.result.hits[1].passages[-1]
        assert notices(pilot) == ["This is the last passage."]
        await pilot.press(*["N"] * len(hits.result.hits[1].passages))
        await settled(pilot)
        assert view.passages.passage == hits.result.hits[0].passages[0]


async def test_what_a_passage_opened_closes_when_one_goes_on(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "importer.log okapi")
        flipped = []
        for _ in range(2):
            flipped.append([box.flipped for box in view.document.turns if box.flipped])
            await pilot.press("n")
            await settled(pilot)
        assert [len(one) for one in flipped] == [1, 1]
        assert all(len(folds) == 1 for [folds] in flipped)


async def test_only_content_words_are_marked_and_only_whole_ones(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "what was the end of the topic in walrus ", typed=True)
        assert view.passages.hit is not None
        assert view.passages.hit.words == ("end", "topic", "walrus")
        assert view.highlights.query_spans is not None
        text = "To the topic: a walrus, the topics; topical, towards the endless end"
        assert [text[first:last] for first, last in view.highlights.query_spans(text)] == [
            "topic", "walrus", "topics", "end",
        ]  # fmt: skip


async def test_the_last_word_is_marked_by_its_beginning_while_it_is_typed(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "giraf", typed=True)
        assert view.passages.hit == HitPassages(
            view.passages.hit.passages if view.passages.hit else (), ("giraf",), prefix=True
        )
        assert view.highlights.query_spans is not None
        assert view.highlights.query_spans("the giraffe reader") == [(4, 11)]


async def test_finding_covers_the_passages_and_gives_them_back(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "walrus cache")
        before = str(view.border_subtitle)
        await pilot.press("f")
        await paste(pilot, "giraffe")
        assert str(view.border_subtitle).endswith("match 1 of 1")
        await pilot.press("escape")
        await settled(pilot)
        assert str(view.border_subtitle) == before
        await pilot.press("n")
        await settled(pilot)
        assert "passage 2 of" in str(view.border_subtitle)


async def test_the_mark_stays_on_its_passage_at_another_width(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "giraffe")
        before = " ".join(marked(view))
        await pilot.resize_terminal(*NARROW)
        await settled(pilot)
        await pilot.press("N", "n")
        await settled(pilot)
        assert " ".join(marked(view)) == before


async def test_a_search_that_ends_marks_nothing(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "giraffe")
        assert marked(view)
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert (view.passages.hit, marked(view)) == (None, [])


async def test_the_tool_of_the_passage_is_the_one_that_is_viewed(long_sessions: Path) -> None:
    async with app_on(long_sessions).run_test(size=WIDE) as pilot:
        view = await search(pilot, "okapi")
        call = view.visible_call()
        assert call is not None
        assert call.tool.command == "tail -n 301 importer.log"
