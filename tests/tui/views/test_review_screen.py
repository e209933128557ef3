"""The review of a compaction on the screen, and the way from compaction to compaction."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from memtui.views.compactions.compaction_list import CompactionList
from memtui.views.compactions.kinds import missing_facts, named, plain_item
from memtui.views.compactions.review_list import ReviewList
from memtui.views.compactions.review_pane import ReviewPane, SessionBand, TabLine
from memtui.views.compactions.review_rows import Fold, ReviewRow, afterwards_rows, kept_rows, lost_rows
from memtui.views.compactions.view import CompactionsView, MissingFacts
from memtui.widgets.transcript.widget import TranscriptPane
from memtui_core.compaction import FactKind, Recurrence, Review, ReviewItem
from memtui_core.compaction.links import SummaryLinks
from memtui_core.queries.compactions import CompactionRow, LostItem
from memtui_core.store.marks.review_marks import ReviewMarks
from support.indexes import update
from support.rollouts import THREAD, Rollout
from support.screens import NOW, app_on, browse, empty_text, hold, notices, settled, transcript, type_text
from support.transcripts import DAY, OTHER_SESSION, SESSION, Script

SIZES = [(140, 40), (80, 24)]
SUMMARY = """\
This session is being continued from a previous conversation that ran out of context.

1. Primary Request:
Asked: the retry helper in `src/retry.py`.

2. Pending:
Nothing.
"""


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when the one before has had its effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


def listed(pilot: Pilot[None]) -> list[str]:
    """The rows of the review, spaces run together."""
    return [" ".join(str(option.prompt).split()) for option in pilot.app.screen.query_one(ReviewList).options]


def tabs(pilot: Pilot[None]) -> str:
    """The line of tabs, spaces run together."""
    return " ".join(pilot.app.screen.query_one(TabLine).render().plain.split())


def plain(title: object) -> str:
    """What a border says."""
    return Content.from_markup(str(title)).plain


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of a session of two compactions."""
    script = Script()
    script.user("write the retry helper")
    script.calls("Write", {"file_path": "/home/ana/code/shop/src/retry.py", "content": "x = 1"}, "t1")
    script.result("ok", "t1")
    script.user("never round in the quota parser")
    script.calls("Write", {"file_path": "/home/ana/code/shop/src/quota.py", "content": "y = 1"}, "t2")
    script.result("ok", "t2")
    script.says("Both are written.")
    script.compacts(SUMMARY)
    script.user("go on")
    script.calls("Read", {"file_path": "/home/ana/code/shop/src/quota.py"}, "t3")
    script.result("     1→y = 1", "t3")
    script.compacts(SUMMARY)
    script.user("and finish")
    folder = tmp_path_factory.mktemp("review")
    update(folder / "data", script.write(folder / "src"))
    return folder / "data"


@pytest.fixture
def work(built: Path, tmp_path: Path) -> Path:
    """A copy of the index to write to."""
    return shutil.copytree(built, tmp_path / "data")


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize("size", SIZES)
async def test_a_review_shows_what_was_lost_and_leads_to_its_turn(work: Path, size: tuple[int, int]) -> None:
    async with app_on(work).run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter")
        review = pilot.app.screen.query_one(ReviewList)
        assert pilot.app.focused is review
        assert tabs(pilot) in (
            "Not in the summary 1 Kept 2 Afterwards 1 Summary Turns",
            "Missing 1 Kept 2 After 1 Summary Turns",
        )
        assert listed(pilot) == ["your rule never round in the quota parser · turn 2", "▸ 1 detail 1 edited file"]
        await press(pilot, "j", "space", "j", "enter")
        assert isinstance(pilot.app.focused, TranscriptPane)
        assert (transcript(pilot).number, transcript(pilot).matches.words) == (2, ("quota.py",))
        await press(pilot, "escape", "l")
        assert pilot.app.focused is review
        assert listed(pilot) == ["request write the retry helper · turn 1", "▸ 1 detail 1 edited file"]
        await press(pilot, "l")
        assert listed(pilot) == ["read file src/quota.py · turn 4"]
        await press(pilot, "h", "h", "h")
        assert review.tab == "turns"
        await press(pilot, "escape")
        assert isinstance(pilot.app.focused, CompactionList)


@pytest.mark.spec("S5.6")
async def test_a_click_chooses_a_tab(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter")
        line = pilot.app.screen.query_one(TabLine)
        await pilot.click(TabLine, offset=(line.render().plain.index("Kept") + 1, 0))
        await settled(pilot)
        assert (line.tab, pilot.app.focused) == ("kept", pilot.app.screen.query_one(ReviewList))
        assert listed(pilot) == ["request write the retry helper · turn 1", "▸ 1 detail 1 edited file"]


@pytest.mark.spec("S5.6")
async def test_the_head_says_in_words_what_is_missing(work: Path) -> None:
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        heads = []
        await press(pilot, "3", "j", "enter")
        for keys in ([], ["escape", "k", "enter"]):
            await press(pilot, *keys)
            head = pilot.app.screen.query_one("#review-head", Static)
            which, _, rest = str(head.content).split(" · ", 2)
            heads.append((which, rest, pilot.app.screen.query_one(SessionBand).render().plain))
        assert heads == [
            (
                "1st of 2",
                "turns 1–2 · 150k → about 65 tokens · not in the summary: your rule “never round in the quota parser”",
                "1 █████████████████⧉────────────────⧉──────────────── 6  150k → about 65 tokens",
            ),
            (
                "2nd of 2",
                "turns 3–4 · 150k → about 65 tokens · not in the summary: your rule “never round in the quota parser”",
                "1 ─────────────────⧉████████████████⧉──────────────── 6  150k → about 65 tokens",
            ),
        ]


ITEMS = (
    ReviewItem("rule", "Use **one** queue for all, not one each.", 9, 4, (2, 4), 2, 3.0, 1, 1, 2),
    ReviewItem("decision", "We went with a table, which needs no server at all.", 9, 3, (3,), 1, 0.9, 2, 1),
    ReviewItem("edited", "a/very/long/folder/with/many/parts/file.py", 8, 3, (3,), 1, 2.0, 3, 7),
    ReviewItem("command", "make docs", 7, 3, (3,), 1, 1.0, 4, 1),
)


def review_of(*items: ReviewItem, recurrences: tuple[Recurrence, ...] = ()) -> Review:
    """A review of these items, which are lost and kept."""
    return Review(
        1, SESSION, "Ship", 5, 40, NOW, "auto", 9000, "Nothing.", (), (), 1, 4, 4, items, items, (), recurrences,
        SummaryLinks("", [], []),
    )  # fmt: skip


def texts(rows: Iterable[ReviewRow]) -> list[str]:
    return [line.rstrip() for row in rows for line in row.row.content.plain.replace("\xa0", " ").split("\n")]


@pytest.mark.spec("S5.6")
def test_rows_are_wrapped_sentences_and_the_rest_is_folded() -> None:
    review = review_of(*ITEMS)
    rule = [
        "your rule   Use one queue for all, not one",
        "            each. · 2 times · turns 2, 4 ·",
        "            already lost at the 2nd",
        "            compaction",
    ]
    decision = [
        "decision    We went with a table, which",
        "            needs no server at all.",
        "            · turn 3",
    ]
    edited = [
        "edited file a/very/long/folder/with/many/",
        "            parts/file.py · turn 3 before",
        "            the fork",
    ]
    command = ["command     make docs · turn 3"]
    more: tuple[Fold, ...] = ("more",)
    details: tuple[Fold, ...] = ("details",)
    assert texts(lost_rows(review, 42, ())) == [
        *rule, "▸ 1 more  We went with a table, which nee…", "▸ 2 details  1 edited file, 1 command"
    ]  # fmt: skip
    assert texts(lost_rows(review, 42, more)) == [
        *rule, "▾ 1 more", *decision, "▸ 2 details  1 edited file, 1 command"
    ]  # fmt: skip
    assert texts(kept_rows(review, 42, details)) == [*rule, *decision, "▾ 2 details", *edited, *command]
    unfolded = list(lost_rows(review, 42, more + details))
    assert texts(unfolded) == [*rule, "▾ 1 more", *decision, "▾ 2 details", *edited, *command]
    assert [(row.folds, row.is_folded_below, row.turns, row.words, row.session, row.item) for row in unfolded] == [
        (None, False, (4, 2), ("queue for all, not one each.",), 1, ITEMS[0]),
        ("more", False, (), (), None, None),
        (None, True, (3,), ("We went with a table, which needs no server at all.",), 1, ITEMS[1]),
        ("details", False, (), (), None, None),
        (None, True, (3,), ("file.py",), 7, ITEMS[2]),
        (None, True, (3,), ("make docs",), 1, ITEMS[3]),
    ]


@pytest.mark.spec("S5.6")
def test_at_most_twelve_rows_come_before_the_others() -> None:
    rules = [replace(ITEMS[0], text=f"Use queue {number}", rank=number) for number in range(1, 15)]
    rows = texts(lost_rows(review_of(*rules), 90, ()))
    assert (len(rows), rows[12]) == (13, "▸ 2 more  Use queue 13")


@pytest.mark.spec("S5.6")
def test_without_a_row_that_matters_the_others_are_unfolded() -> None:
    turned: tuple[Fold, ...] = ("more",)
    assert texts(lost_rows(review_of(ITEMS[1]), 90, ())) == [
        "▾ 1 that may matter",
        "decision    We went with a table, which needs no server at all. · turn 3",
    ]
    assert texts(lost_rows(review_of(ITEMS[1]), 90, turned)) == [
        "▸ 1 that may matter  We went with a table, which needs no server at all."
    ]


@pytest.mark.spec("S5.6")
def test_what_came_up_again_has_both_turns() -> None:
    review = review_of(ITEMS[0], recurrences=(Recurrence(ITEMS[0], "asked again", 7, "Please use one queue"),))
    [row] = afterwards_rows(review, 90)
    assert texts([row]) == [
        "asked again Please use one queue · turn 7 · lost: “Use one queue for all, not one each.”",
        "            · turn 4",
    ]
    assert (row.turns, row.item) == ((7, 4), ITEMS[0])


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("make lint failed: 3 errors found · the summary says: Lint is clean.", "3 errors found"),
        ("till.py was edited · the summary says: till.py was not edited.", "till.py"),
        ("git push was not allowed · the summary says: It was pushed.", "git push"),
    ],
)
def test_a_check_is_marked_by_what_stands_in_its_turn(text: str, words: str) -> None:
    [row] = lost_rows(review_of(replace(ITEMS[0], kind="contradiction", text=text)), 90, ())
    assert row.words == (words,)


def lost(kind: FactKind, text: str) -> ReviewItem:
    return replace(ITEMS[0], kind=kind, text=text)


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("items", "head"),
    [
        ((), "nothing is missing from the summary"),
        ((ITEMS[2],), "nothing is missing from the summary"),
        ((ITEMS[1], ITEMS[2]), "nothing that surely matters is missing"),
        ((ITEMS[0], ITEMS[1]), "not in the summary: your rule “Use one queue for all, not one each.”"),
        (
            (lost("contradiction", "mix credo failed: 3 issues · the summary says: Credo is clean."), ITEMS[0]),
            "not in the summary: mix credo failed (it says otherwise);"
            " your rule “Use one queue for all, not one each.”",
        ),
        (
            (lost("check", "mix test passed before the last edits of a.ex: 3 passed"), lost("assumption", "x" * 90),
             ITEMS[0], ITEMS[0]),
            f"not in the summary: mix test passed before the last edits of a.ex; unverified “{'x' * 63}…” and 2 more",
        ),
    ],
)  # fmt: skip
def test_the_headline_names_what_matters_most(items: tuple[ReviewItem, ...], head: str) -> None:
    review = replace(review_of(*items), kept=(ITEMS[0],))
    assert missing_facts(review) == head


@pytest.mark.spec("S5.6")
def test_a_review_whose_rows_are_known_had_something_to_keep() -> None:
    assert missing_facts(review_of()) == "there was nothing to keep"
    known = replace(review_of(), known=(ITEMS[0],))
    assert missing_facts(known) == "nothing else is missing from the summary"
    assert missing_facts(replace(known, lost=(ITEMS[1],))) == "nothing else that surely matters is missing"


@pytest.fixture
def named_twice(tmp_path: Path) -> Path:
    """Data folder of an index of a session with a compaction, which forgot a link of two turns and three commands."""
    script = Script()
    for text in ("read https://example.org/a", "now build it", "again https://example.org/a"):
        script.user(text)
        script.calls("Bash", {"command": f"make {text.split()[0]}-x1"}, text)
        script.result("ok", text)
    script.compacts(SUMMARY)
    script.user("and finish")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    return tmp_path / "data"


@pytest.mark.spec("S5.6")
async def test_n_goes_through_the_turns_of_an_item_and_space_unfolds(named_twice: Path) -> None:
    async with app_on(named_twice).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "enter", "G")
        pane = pilot.app.screen.query_one(ReviewPane)
        folded = listed(pilot)
        assert folded[-1] == "▸ 4 details 3 commands, 1 link"
        await press(pilot, "space")
        assert listed(pilot)[-5:] == [
            "▾ 4 details",
            "link https://example.org/a · 2 times · turns 1, 3",
            "command make again-x1 · turn 3",
            "command make now-x1 · turn 2",
            "command make read-x1 · turn 1",
        ]
        await press(pilot, "j")
        places = [(transcript(pilot).number, plain(pane.border_subtitle))]
        for key in ("n", "n", "N"):
            await press(pilot, key)
            places.append((transcript(pilot).number, plain(pane.border_subtitle)))
        assert places == [
            (3, "turn 3 · 1 of 2: n next"),
            (1, "turn 1 · 2 of 2: n next"),
            (3, "turn 3 · 1 of 2: n next"),
            (1, "turn 1 · 2 of 2: n next"),
        ]
        await press(pilot, "k", "space")
        assert (listed(pilot), pilot.app.screen.query_one(ReviewList).chosen) == (folded, "details")
        await press(pilot, "enter")
        assert len(listed(pilot)) == len(folded) + 4


async def test_compactions_are_filtered_and_sorted_and_tell_what_is_missing(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3")
        compactions = pilot.app.screen.query_one(CompactionList)
        shown = [re.split(r" {2,}", str(option.prompt)) for option in compactions.options]
        title = "write the retry helper · {} of 2"
        assert [row[1:] for row in shown] == [[title.format(which), "1"] for which in ("2nd", "1st")]
        below = pilot.app.screen.query_one(MissingFacts)
        assert "".join(below.render().plain.splitlines()[:2]).startswith("not in the summary: your rule “never round")
        await press(pilot, "j")
        assert below.render().plain.splitlines()[-1] == "▸ 1 detail  1 edited file"
        titles = []
        for _ in range(7):
            await press(pilot, "s")
            turns = [key[1] for key in compactions._keys if isinstance(key, tuple)]
            titles.append((str(compactions.border_title), turns))
        assert [title for title, _ in titles] == [
            *(f"compactions by {name}" for name in ("turns", "time", "tokens", "length", "missing", "title")),
            "compactions, newest first",
        ]
        assert dict(titles)["compactions by time"] == [3, 5]
        await press(pilot, "slash", *"retry", "enter")
        assert (pilot.app.focused, compactions.border_subtitle) == (compactions, "2")
        await press(pilot, "slash", "x")
        assert (compactions.option_count, compactions.border_subtitle) == (0, "0")
        assert empty_text(pilot.app.screen).splitlines()[0] == "No compactions match “retryx”."
        await press(pilot, "escape")
        assert compactions.option_count == 2
        await press(pilot, "escape")
        assert pilot.app.focused is compactions


def missing_column(pilot: Pilot[None]) -> list[str]:
    """How many things the list says that each summary lacks."""
    return [str(option.prompt).split()[-1] for option in pilot.app.screen.query_one(CompactionList).options]


async def test_rows_come_at_once_and_what_is_missing_follows(work: Path) -> None:
    async with app_on(work).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        held = await hold(pilot, "reviews")
        await press(pilot, "3")
        assert missing_column(pilot) == ["?"] * 2
        below = pilot.app.screen.query_one(MissingFacts)
        assert "".join(below.render().plain.splitlines()[:2]).startswith("not in the summary: your rule “never round")
        held.set()
        await settled(pilot)
        assert missing_column(pilot) == ["1"] * 2


async def test_a_preview_that_is_not_made_yet_says_so(work: Path) -> None:
    async with app_on(work).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        held = [await hold(pilot, queue) for queue in ("reviews", "missing")]
        await press(pilot, "3")
        assert pilot.app.screen.query_one(MissingFacts).render().plain == "Reviewing the summary …"
        for one in held:
            one.set()
        await settled(pilot)
        assert pilot.app.screen.query_one(MissingFacts).render().plain.startswith("not in the summary:")


async def test_nothing_more_is_reviewed_for_a_list_that_was_left(work: Path) -> None:
    async with app_on(work).run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        held = await hold(pilot, "reviews")
        await press(pilot, "3", "1")
        held.set()
        await settled(pilot)
        found: list[CompactionRow] = []
        browse(pilot).services.index.query("", lambda index: index.compactions.all(), found.extend)
        await settled(pilot)
        # That under the cursor was shown as a preview.
        assert [row.is_reviewed for row in found] == [True, False]
        await press(pilot, "3")
        assert missing_column(pilot) == ["1"] * 2


async def test_what_is_missing_is_that_of_the_chosen_compaction_however_late_it_comes(work: Path) -> None:
    script = Script(OTHER_SESSION, prefix="f")
    script.count = DAY
    script.user("write it down")
    script.entry("system", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 9})
    update(work, script.write(work.parent / "src"))
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3")
        below = pilot.app.screen.query_one(MissingFacts)
        facts = ["2 Nov 09:00 · turn 1 · 9 tokens before", "The transcript has no summary that can be read."]
        assert below.render().plain.splitlines() == facts
        await press(pilot, "j")
        assert "".join(below.render().plain.splitlines()[:2]).startswith("not in the summary: your rule “never round")
        await press(pilot, "k")
        # The review of the second row is computed while the cursor is on the first one again.
        await type_text(pilot, "jk")
        assert below.render().plain.splitlines() == facts


async def test_a_compaction_without_a_summary_leads_to_its_place_in_the_transcript(tmp_path: Path) -> None:
    rollout = Rollout(THREAD)
    rollout.user("Round the prices")
    rollout.answer("Begun.")
    rollout.tokens(1000, 900, 50, 50)
    rollout.add("compacted", message="", replacement_history=[{"type": "compaction", "encrypted_content": "gAAA"}])
    rollout.answer("Going on.")
    update(tmp_path / "data", rollout.write(tmp_path / "src"), agent="codex")
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3")
        rows = pilot.app.screen.query_one(CompactionList)
        facts = pilot.app.screen.query_one(MissingFacts).render().plain
        assert facts.partition(" · ")[2].splitlines() == [
            "turn 1 · 1k tokens before",
            "The summary is encrypted: only the model can read it.",
        ]
        for key in ("enter", "right"):
            await press(pilot, key)
            shown = transcript(pilot)
            assert (shown.has_focus, shown.number) == (True, 2)
            drawn = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
            assert any("◇ Compacted. The summary is encrypted: only the model can read it." in line for line in drawn)
            await press(pilot, "escape")
            assert (rows.has_focus, browse(pilot).query_one(CompactionsView).reviewing) == (True, False)


async def test_what_is_missing_is_wrapped_at_the_width_of_the_pane(tmp_path: Path) -> None:
    script = Script()
    script.user("never send each part of an upload once more when the connection was lost")
    script.compacts("Nothing.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "3")
        below = pilot.app.screen.query_one(MissingFacts)
        lines = []
        for size in ((80, 24), (140, 40)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            shown = below.render().plain.replace("\xa0", " ").splitlines()
            lines.append(shown[next(at for at, line in enumerate(shown) if line.startswith("your rule")) :])
        assert lines == [
            [
                "your rule   never send each part of an upload once more when the connection",
                "            was lost · turn 1",
            ],
            [
                "your rule   never send each part of an upload once more",
                "            when the connection was lost · turn 1",
            ],
        ]


def test_rows_have_no_markup_but_commands_and_paths_stay_as_they_are() -> None:
    items = [
        ReviewItem(
            "finding",
            "# Rounding\n**All** prices of `prices.py` are [rounded](https://x.y/z)",
            1,
            1,
            (1,),
            1,
            5.0,
            1,
            1,
        ),
        ReviewItem("command", "ls **/*.py `pwd` # all", 2, 2, (2,), 1, 1.0, 2, 1),
        ReviewItem("file", "src/**/x_y_z.py", 3, 3, (3,), 1, 1.0, 3, 1),
    ]
    assert [plain_item(item) for item in items] == [
        "Rounding · All prices of prices.py are rounded",
        "ls **/*.py `pwd` # all",
        "src/**/x_y_z.py",
    ]
    assert named(items[0]) == "finding “Rounding · All prices of prices.py are rounded”"


def test_a_list_of_compactions_has_the_columns_for_which_there_is_room() -> None:
    lost = tuple(LostItem(kind, "Round half to even, always", 1) for kind in ("rule", "rule", "caveat"))
    row = CompactionRow(
        1, 3, "Fix the flaky uploads", "shop", NOW, "auto", 167_000, 2, 60.0, 19_000, True, lost, 1, 90, 14, 15
    )
    waiting = replace(row, session=2, project="web", is_reviewed=False, lost=(), seconds=None)
    compactions = CompactionList(lambda _row, _read: None, lambda: None)
    compactions.show([row, waiting])

    def cells(width: int) -> dict[str, list[str]]:
        """By the column, what the rows say in it; each cell has the place of the heading."""
        rows = [table_row.content.plain for table_row in compactions.rows(width)]
        columns: dict[str, list[str]] = {}
        start = 0
        for column, heading in compactions.table.heads():
            end = start + len(heading)
            columns[column.titled()] = [line[start:end].strip() for line in rows]
            start = end
        assert start <= width
        return columns

    first = {"when": ["21 Nov 09:00"] * 2, "title": ["Fix the flaky uploads"] * 2, "lost": ["3", "?"]}
    sizes = {"tokens": ["167k"] * 2, "summary": ["about 4.8k"] * 2}
    lacking = {"not in the summary": ["your rule “Round half to even, always”", "not reviewed yet"]}
    rest = {"project": ["shop", "web"], "turns": ["14–15"] * 2, "time": ["1 m", ""]}
    assert cells(150) == {**first, **sizes, **lacking, **rest}
    assert list(cells(150)) == [
        "when", "title", "project", "turns", "time", "tokens", "summary", "lost", "not in the summary"
    ]  # fmt: skip
    assert cells(68) == {**first, **sizes}
    assert cells(46) == first


@pytest.mark.spec("S5.6")
async def test_a_sentence_leads_to_its_turns_and_a_turn_to_its_sentence(work: Path) -> None:
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter", *"lll")
        # "Nothing." says too little to be listed.
        assert listed(pilot) == ["Primary Request", "Asked: the retry helper in src/retry.py. → turn 1", "Pending"]
        await press(pilot, "j")
        assert transcript(pilot).number == 1
        await press(pilot, "l")
        assert listed(pilot) == [
            "1 write the retry helper “Asked: the retry helper in src/retry.py.”",
            "2 never round in the quota parser the summary does not mention it",
        ]


async def test_a_heading_of_the_summary_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    script = Script()
    script.user("write the retry helper")
    script.compacts("\n## The \x1b]0;owned\x07\x1b[31mred\x1b[0m \u202eheading\nIt is `src/retry.py`.")
    update(tmp_path / "data", script.write(tmp_path / "src"))
    async with app_on(tmp_path / "data").run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "enter", *"lll")
        assert listed(pilot) == ["The red heading", "It is src/retry.py."]


async def test_parentheses_go_from_compaction_to_compaction(work: Path) -> None:
    async with app_on(work).run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter")
        places = []
        for key in (")", ")", ")", "("):
            await press(pilot, key)
            places.append(transcript(pilot).number)
        assert places == [3, 5, 5, 3]


@pytest.mark.spec("S5.6")
async def test_a_row_is_copied_sent_or_never_listed_again(work: Path) -> None:
    row = "your rule never round in the quota parser · turn 2"
    line = f"- the user said: never round in the quota parser [{SESSION}:2]"
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter")
        await press(pilot, "y", "b")
        prompt = f"The summary of your last compaction lacks this:\n{line}"
        assert (pilot.app.clipboard, ReviewMarks(work).waiting(SESSION)) == (prompt, (line,))
        assert listed(pilot)[0] == f"{row} · waits for the agent"
        ReviewMarks(work).delivered(SESSION, line)
        await press(pilot, "x")
        assert listed(pilot) == ["▸ 1 detail 1 edited file"]
        head = pilot.app.screen.query_one("#review-head", Static)
        assert "nothing else is missing from the summary" in str(head.content)
        await press(pilot, "u")
        assert listed(pilot)[0] == f"{row} · the agent has it"
        await press(pilot, "u")
        assert listed(pilot)[0] == f"{row} · the agent has it"
        # A row that folds, and one that the summary has, are nothing to act on.
        pilot.app.copy_to_clipboard("mine")
        await press(pilot, "j", "y", "l", "y", "x")
        assert (pilot.app.clipboard, listed(pilot)[0]) == ("mine", "request write the retry helper · turn 1")
        await press(pilot, "h", "x")
        assert listed(pilot) == ["▸ 1 detail 1 edited file"]
    async with app_on(work).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "j", "enter")
        rows = [listed(pilot)[0]]
        await press(pilot, "u")
        assert [*rows, listed(pilot)[0]] == ["▸ 1 detail 1 edited file", f"{row} · the agent has it"]


async def test_marked_rows_are_copied_and_sent_together(named_twice: Path) -> None:
    async with app_on(named_twice).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "enter", "G", "space", "j", "space", "j", "space", "j", "space", "space")
        before = [
            "▾ 4 details",
            "☑ link https://example.org/a · 2 times · turns 1, 3",
            "☑ command make again-x1 · turn 3",
            "command make now-x1 · turn 2",
            "command make read-x1 · turn 1",
        ]
        assert listed(pilot)[-5:] == before
        await press(pilot, "y")
        rows = [f"- url: https://example.org/a [{SESSION}:3]", f"- command: make again-x1 [{SESSION}:3]"]
        assert pilot.app.clipboard == "\n".join(["The summary of your last compaction lacks this:", *rows])
        assert notices(pilot)[-1].startswith("2 rows copied")
        await press(pilot, "b")
        assert ReviewMarks(named_twice).waiting(SESSION) == tuple(rows)
        assert listed(pilot)[-4:] == [
            "link https://example.org/a · 2 times · turns 1, 3 · waits for the agent",
            "command make again-x1 · turn 3 · waits for the agent",
            "command make now-x1 · turn 2",
            "command make read-x1 · turn 1",
        ]
