"""What a compaction's summary kept of its segment and what it lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memtui_core.compaction import (
    STATEMENT_KINDS,
    Review,
    ReviewItem,
    SummarySection,
    TurnScore,
    linked_sentences,
    linked_turns,
    review,
    reviews,
)
from memtui_core.errors import CompactionUnknown
from memtui_core.model import Span
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from support.indexes import update
from support.transcripts import SESSION, START, Script

ROOT = "/home/ana/code/shop"
LEAD = "This session is being continued from a previous conversation that ran out of context. "
SUMMARY = """The summary below covers the earlier portion.

Summary:
1. Primary Request:
   The user asked: "Please retry failed uploads with a growing pause".

2. Files:
   - `src/upload.py`: the loop lives in `UploadClient` now.
   - cart/index.ts was left alone; https://example.org/spec/uploads has the limits.

3. Errors:
   - The quota lookup raised KeyError because the tenant was missing.
   - Ran `pytest` until it passed, then committed.

4. Decisions:
   - A queue instead of threads.

If you need specific details from before compaction, read the transcript at src/lost.py
"""


class Told:
    """A transcript that is told step by step."""

    def __init__(self) -> None:
        self.script = Script()
        self.count = 0

    def does(self, tool: str, result: str = "done", *, error: bool = False, **arguments: object) -> None:
        self.count += 1
        self.script.calls(tool, arguments, f"t{self.count}")
        self.script.result(result, f"t{self.count}", error=error)

    def edits(self, path: str) -> None:
        self.does("Edit", file_path=f"{ROOT}/{path}", old_string="a", new_string="b")

    def reads(self, path: str) -> None:
        self.does("Read", file_path=f"{ROOT}/{path}")

    def runs(self, command: str, result: str = "done", *, error: bool = False) -> None:
        self.does("Bash", result, error=error, command=command)

    def snapshot(self, folder: Path) -> Snapshot:
        update(folder / "data", self.script.write(folder / "src"))
        return Snapshot(DataDir(folder / "data"))


def shop() -> Told:
    """Two turns with something of every kind, a compaction, and what came after it."""
    told = Told()
    say = told.script
    say.user("Please retry failed uploads with a growing pause")
    told.reads("src/upload.py")
    told.reads("docs/limits.md")
    told.edits("src/upload.py")
    told.edits("src/lost.py")
    told.edits("cart/index.ts")
    told.edits("till/index.ts")
    told.runs("cd src && pytest -q 2>&1 | tail -5", "Exit code 1\nKeyError: 'tenant' in the quota lookup", error=True)
    told.runs("git add -A && git commit -m 'Retry'")
    told.runs("alembic upgrade head", "Exit code 2\nsqlalchemy.exc.OperationalError: no such table", error=True)
    told.runs("ls -la && grep -rn retry src | head")
    say.says("We settled on a queue instead of threads. See https://example.org/spec/uploads for `UploadClient`.")
    say.says("`UploadClient` waits; `drainSpool` empties.")
    say.user("No, do not log the customer's address.\n<system-reminder>Mind the budget.</system-reminder>")
    say.says("`UploadClient` is quiet, and `drainSpool` too: https://example.org/gdpr.")
    say.says("We decided to purge invoices nightly. Both `drainSpool` and `UploadClient` stay.")
    told.does("Edit", "<tool_use_error>File has not been read yet.</tool_use_error>", error=True, file_path="a.py")
    told.does("Grep", "The user doesn't want to proceed with this tool use.", error=True, pattern="drainSpool")
    say.user("<command-name>/compact</command-name>")
    say.compacts(SUMMARY)
    told.reads("src/upload.py")
    told.reads("src/new.py")
    told.runs("cat src/lost.py")
    say.user("go on")
    told.reads("src/upload.py")
    return told


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    opened = shop().snapshot(tmp_path_factory.mktemp("review"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def shop_review(snapshot: Snapshot) -> Review:
    [made] = reviews(snapshot)
    return made


def brief(items: tuple[ReviewItem, ...]) -> list[tuple[str, str, int, int]]:
    return [(item.kind, item.text, item.turn, item.times) for item in items]


@pytest.mark.spec("S5.6")
def test_a_review_tells_which_compaction_it_is_of(shop_review: Review) -> None:
    found = shop_review
    assert (found.session_id, found.title, found.turn, found.line) == (
        SESSION, "Please retry failed uploads with a growing pause", 3, found.line,
    )  # fmt: skip
    assert (found.at, found.trigger, found.tokens_before) == (
        START + timedelta(seconds=10 * found.line),
        "auto",
        150_000,
    )
    assert found.summary == LEAD + SUMMARY
    assert (found.first_turn, found.last_turn, found.turns) == (1, 2, 2)


@pytest.mark.spec("S5.6")
def test_what_the_summary_lost_of_every_kind(shop_review: Review) -> None:
    assert brief(shop_review.lost) == [
        ("correction", "No, do not log the customer's address.", 2, 1),
        ("decision", "We decided to purge invoices nightly. Both `drainSpool` and `UploadClient` stay.", 2, 1),
        ("identifier", "drainSpool", 2, 4),
        ("edited", "till/index.ts", 1, 1),
        ("error", "sqlalchemy.exc.OperationalError: no such table", 1, 1),
        ("failed", "alembic upgrade", 1, 1),
        ("edited", "src/lost.py", 1, 1),
        ("url", "https://example.org/gdpr", 2, 1),
    ]


@pytest.mark.spec("S5.6")
def test_what_the_summary_kept_of_every_kind(shop_review: Review) -> None:
    assert brief(shop_review.kept) == [
        ("request", "Please retry failed uploads with a growing pause", 1, 1),
        ("edited", "src/upload.py", 1, 2),
        ("identifier", "UploadClient", 2, 4),
        ("edited", "cart/index.ts", 1, 1),
        ("error", "KeyError: 'tenant' in the quota lookup", 1, 1),
        ("failed", "pytest -q", 1, 1),
        ("command", "git commit", 1, 1),
        ("url", "https://example.org/spec/uploads", 1, 1),
    ]


@pytest.mark.spec("S5.6")
def test_a_fact_tells_all_turns_in_which_it_occurs(shop_review: Review) -> None:
    items = (*shop_review.lost, *shop_review.kept, *shop_review.changed_after)
    assert {(item.kind, item.text): item.turns for item in items if item.turns != (item.turn,)} == {
        ("identifier", "drainSpool"): (1, 2),
        ("identifier", "UploadClient"): (1, 2),
        ("read", "src/upload.py"): (3, 4),
    }


@pytest.mark.spec("S5.6")
def test_a_fact_of_two_prompts_has_both_turns(tmp_path: Path) -> None:
    told = Told()
    for text in ("Look at https://example.org/a", "Now the tests", "Again https://example.org/a please"):
        told.script.user(text)
    told.script.compacts(SUMMARY)
    [made] = reviews(told.snapshot(tmp_path))
    assert [(item.turn, item.turns, item.times) for item in made.lost if item.kind == "url"] == [(3, (1, 3), 2)]


@pytest.mark.spec("S5.6")
def test_what_was_said_comes_before_what_was_done_each_by_weight(shop_review: Review) -> None:
    for items in (shop_review.lost, shop_review.kept):
        assert [item.rank for item in items] == list(range(1, len(items) + 1))
        order = [(item.kind not in STATEMENT_KINDS, -item.weight) for item in items]
        assert order == sorted(order)
    lines = [item.line for item in shop_review.lost if item.kind == "edited"]
    assert lines == [11, 7]


@pytest.mark.spec("S5.6")
def test_files_read_again_after_it_at_their_first_read(shop_review: Review) -> None:
    assert brief(shop_review.changed_after) == [("read", "src/upload.py", 3, 2), ("read", "src/lost.py", 3, 1)]


@pytest.mark.spec("S5.6")
def test_the_outline_and_the_sentences_of_the_summary(shop_review: Review) -> None:
    text = shop_review.summary
    starts = [text.index(title) for title in ("Summary:", "1. Prim", "2. Fil", "3. Err", "4. Dec")] + [len(text)]
    assert shop_review.outline == (
        SummarySection("Summary", 1, Span(starts[0], starts[5])),
        SummarySection("Primary Request", 2, Span(starts[1], starts[2])),
        SummarySection("Files", 2, Span(starts[2], starts[3])),
        SummarySection("Errors", 2, Span(starts[3], starts[4])),
        SummarySection("Decisions", 2, Span(starts[4], starts[5])),
    )
    assert [text[span.start : span.end] for span in shop_review.sentences] == [
        "Summary:",
        "Primary Request:",
        'The user asked: "Please retry failed uploads with a growing pause".',
        "Files:",
        "`src/upload.py`: the loop lives in `UploadClient` now.",
        "cart/index.ts was left alone; https://example.org/spec/uploads has the limits.",
        "Errors:",
        "The quota lookup raised KeyError because the tenant was missing.",
        "Ran `pytest` until it passed, then committed.",
        "Decisions:",
        "A queue instead of threads.",
    ]


@pytest.mark.spec("S5.6")
def test_a_part_of_the_summary_leads_to_the_turns_it_speaks_of(shop_review: Review) -> None:
    errors, decisions = shop_review.outline[3], shop_review.outline[4]
    assert [found.turn for found in linked_turns(shop_review, errors)] == [1]
    assert linked_turns(shop_review, decisions) == (TurnScore(1, 1.0),)
    [quota] = [span for span in shop_review.sentences if "quota" in shop_review.summary[span.start : span.end]]
    assert [found.turn for found in linked_turns(shop_review, quota)] == [1]


@pytest.mark.spec("S5.6")
def test_a_turn_leads_to_the_sentences_that_speak_of_it(shop_review: Review) -> None:
    told = {
        number: [shop_review.summary[s.start : s.end] for s in linked_sentences(shop_review, number)]
        for number in (1, 2)
    }
    assert told == {
        1: [
            'The user asked: "Please retry failed uploads with a growing pause".',
            "`src/upload.py`: the loop lives in `UploadClient` now.",
            "cart/index.ts was left alone; https://example.org/spec/uploads has the limits.",
            "The quota lookup raised KeyError because the tenant was missing.",
            "Ran `pytest` until it passed, then committed.",
            "A queue instead of threads.",
        ],
        2: [],
    }
    assert linked_sentences(shop_review, 99) == ()


@pytest.mark.spec("S5.6")
def test_each_compaction_has_the_segment_since_the_one_before(tmp_path: Path) -> None:
    told = Told()
    for name in ("alpha", "omega"):
        told.script.user(f"Work on {name}.py please")
        told.edits(f"{name}.py")
        told.script.compacts(f"Did {name}.py.")
    told.script.user("done?")
    opened = told.snapshot(tmp_path)
    made = list(reviews(opened))
    assert [(r.turn, r.first_turn, r.last_turn, brief(r.kept)) for r in made] == [
        (4, 2, 3, [("request", "Work on omega.py please", 3, 1), ("edited", "omega.py", 3, 1)]),
        (2, 1, 1, [("request", "Work on alpha.py please", 1, 1), ("edited", "alpha.py", 1, 1)]),
    ]
    assert [brief(r.lost) for r in made] == [[("request", "Work on alpha.py please", 1, 1)], []]
    assert [item.dropped_at for item in made[0].lost] == [None]
    assert [r.turn for r in reviews(opened, made[0].session)] == [2, 4]
    assert review(opened, made[0].session, 2) == made[1]
    with pytest.raises(CompactionUnknown):
        review(opened, made[0].session, 3)
    opened.close()


@pytest.mark.spec("S5.6")
def test_what_the_person_chose_and_why_a_call_was_refused(tmp_path: Path) -> None:
    told = Told()
    told.script.user("Ship the cart")
    told.does("AskUserQuestion", 'User has answered your questions: "Which currency?"="Swiss francs". Go on.')
    told.does("AskUserQuestion", 'User has answered your questions: "Round up?"="Half to even". Go on.')
    refusal = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse tabs here"
    )
    told.does("Edit", refusal, error=True, file_path=f"{ROOT}/cart.py")
    told.script.compacts("Ship the cart; prices are in the currency of Swiss francs.")
    opened = told.snapshot(tmp_path)
    [made] = reviews(opened)
    assert brief(made.kept) == [("answer", "Which currency? Swiss francs", 1, 1), ("request", "Ship the cart", 1, 1)]
    assert brief(made.lost) == [("answer", "Round up? Half to even", 1, 1), ("correction", "Use tabs here", 1, 1)]
    opened.close()


@pytest.mark.spec("S5.6")
def test_a_boundary_without_its_summary_and_one_without_turns(tmp_path: Path) -> None:
    told = Told()
    told.script.compacts("From a file that is not here.")
    told.edits("a.py")
    told.script.entry("system", subtype="compact_boundary", content="Conversation compacted", compactMetadata={})
    opened = told.snapshot(tmp_path)
    made = list(reviews(opened))
    assert [(r.turn, r.first_turn, r.turns, r.lost, r.kept, r.changed_after) for r in made] == [
        (None, 1, 1, (), (), ()),
        (1, None, 0, (), (), ()),
    ]
    opened.close()


@pytest.mark.spec("S5.6")
def test_nothing_is_reviewed_where_nothing_was_compacted(tmp_path: Path) -> None:
    told = Told()
    told.script.user("hello")
    opened = told.snapshot(tmp_path)
    assert list(reviews(opened)) == []
    opened.close()


@pytest.mark.spec("S5.6")
def test_what_an_earlier_summary_has_dropped_is_said_to_be_gone_since_then(tmp_path: Path) -> None:
    told = Told()
    told.script.user("Never round the prices of the shop")
    told.script.user("Send each invoice as a letter")
    told.script.compacts("Each invoice is sent as a letter.")
    told.script.user("Go on with the tills")
    told.script.compacts("The tills are in work.")
    opened = told.snapshot(tmp_path)
    [newest, oldest] = reviews(opened)
    assert [(item.text, item.turn, item.dropped_at) for item in oldest.lost] == [
        ("Never round the prices of the shop", 1, None)
    ]
    assert [(item.text, item.turn, item.dropped_at) for item in newest.lost] == [
        ("Never round the prices of the shop", 1, 1),
        ("Send each invoice as a letter", 2, None),
    ]
    opened.close()


@pytest.mark.spec("S5.6")
def test_a_fork_is_reviewed_with_what_it_shares_with_the_sessions_before_it(tmp_path: Path) -> None:
    scripts: list[Script] = []
    for number, rule in enumerate(("Never round the prices", "Never paint the tills", "Never log an address")):
        script = Script(f"{number}{number}111111-1111-4111-8111-111111111111", prefix=f"p{number}")
        if scripts:
            script.lines, script.count = list(scripts[-1].lines), scripts[-1].count
            # The session before goes on after the fork was made from it, and before the fork goes on.
            scripts[-1].user(f"Never mind what session {number - 1} does later")
            script.count += 10
        script.user(rule)
        script.says("Understood.")
        scripts.append(script)
    scripts[-1].compacts("The tills are in work.")
    update(tmp_path / "data", *(script.write(tmp_path / "src") for script in scripts))
    opened = Snapshot(DataDir(tmp_path / "data"))
    [made] = reviews(opened)
    ids = dict(opened.rows("SELECT key, session_id FROM sessions"))
    assert sorted((ids[item.session][0], item.turn, item.text) for item in made.lost) == [
        ("0", 1, "Never round the prices"),
        ("1", 1, "Never paint the tills"),
        ("2", 1, "Never log an address"),
    ]
    opened.close()
