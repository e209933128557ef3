"""The statements before a compaction: how much each matters, and whether the summary says it."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.compaction.checks.last_runs import last_checks
from memtui_core.compaction.comparison import compare
from memtui_core.compaction.coverage import Coverage, TextVectors, rarity
from memtui_core.compaction.model import ComparedItem
from memtui_core.compaction.statements.cues import (
    importance_of_prompt,
    importance_of_rule,
    kind_of_prompt,
    rate_conclusion,
)
from memtui_core.compaction.statements.extraction import ENTRY_MARK, statements
from memtui_core.compaction.statements.lost import MOST_LISTED
from memtui_core.compaction.statements.passages import ReviewedText, TextOrigin, reviewed_texts
from memtui_core.compaction.statements.task_texts import task_texts
from memtui_core.compaction.words import without_code, word_set
from memtui_core.index.index import Index
from memtui_core.memory.compaction_brief import MAX_BYTES, BriefItem, brief_text
from memtui_core.queries.main_items import MOST_MAIN
from memtui_core.search.embed import open_model
from memtui_core.tools.pairing import paired_turns
from memtui_core.tools.shell.checks import checks_in, kind_of_check
from support.histories import ROOT, History
from support.indexes import build
from support.transcripts import OTHER_SESSION, SESSION, Script

NEVER_UP = "Prices must never be rounded up."
NEVER_TWICE = "Taxes must never be shown twice."
UNVERIFIED = "Caveat: I have not verified the upload of large pictures yet."
UNVERIFIED_TOO = "Caveat: uploading big images has still not been tested and may not work."


@pytest.fixture(scope="module")
def text_vectors() -> TextVectors:
    """The real model, loaded once."""
    return TextVectors(open_model())


def of(origin: TextOrigin, text: str, *, is_closed: bool = False) -> ReviewedText:
    """A reviewed text of a turn."""
    history = History()
    history.asks("Ship the cart")
    return ReviewedText(origin, text, 2, history.turns[0], is_closed=is_closed)


def texts(origin: TextOrigin, text: str) -> list[tuple[str, str]]:
    return [(statement.kind, statement.text) for statement in statements([of(origin, text)])]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        (NEVER_UP, [("rule", NEVER_UP)]),
        ("Paint the buttons green", [("request", "Paint the buttons green")]),
        ("No, keep the old basket.", [("correction", "No, keep the old basket.")]),
        (f"{NEVER_UP} Is that so? Tell the till about taxes.",
         [("rule", NEVER_UP), ("request", "Tell the till about taxes.")]),
        ("Are the prices rounded up?", [("request", "Are the prices rounded up?")]),
        ("Paint the buttons green. Then the header.", [("request", "Paint the buttons green. Then the header.")]),
        ("Paint the buttons green.\nThe header stays blue today.",
         [("request", "Paint the buttons green."), ("request", "The header stays blue today.")]),
        ("Paint the buttons green. Please never touch the header.",
         [("rule", "Paint the buttons green. Please never touch the header."),
          ("rule", "Please never touch the header.")]),
        ("Paint the buttons green. The old ones do not show on phones.",
         [("rule", "Paint the buttons green. The old ones do not show on phones.")]),
        ("ok, go on", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_prompt_says_what_is_wanted_between_its_questions(prompt: str, found: list[tuple[str, str]]) -> None:
    assert texts("prompt", prompt) == found


@pytest.mark.spec("S5.6")
def test_an_answer_is_one_statement_with_its_question() -> None:
    text = "Which currency? Swiss francs. Never euros."
    assert texts("answer", text) == [("answer", text)]


@pytest.mark.spec("S5.6")
def test_of_a_plan_only_lines_that_rule_are_statements() -> None:
    plan = f"""# Plan

## Constraints
- {NEVER_UP}
- Pictures load in the background
| Column | Must never be read |
https://example.org/must/never
It must never:
Never this

Desks must do all of this:

- show the tax
- print `two` copies

The till keeps this formula, no other:
```
price = net * (1 + tax)
```
Only the till does this:
1. read coupons

## Files
- The cart must never leave cart.py

## Background
The till was told that prices must be rounded.
Every price goes to the till.
- Every tax must go to the till.
```
prices must never be code
```
"""
    rules = [
        NEVER_UP,
        "Pictures load in the background",
        "Column | Must never be read",
        "Desks must do all of this: ‣ show the tax ‣ print `two` copies",
        "The till keeps this formula, no other: ‣ price = net * (1 + tax)",
        "Only the till does this: ‣ read coupons",
        "Every tax must go to the till.",
    ]
    assert texts("plan", plan) == [("requirement", rule) for rule in rules]
    assert texts("task", plan) == texts("plan", plan)
    # A part of a document may begin in the middle of a sentence: only what begins with a capital is read.
    assert texts("spec", plan) == [("requirement", rule) for rule in rules if rule[0].isupper() and "|" not in rule]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Risks / Trade-offs", "caveat"),
        ("Open Questions", "open"),
        ("Asterisks", "requirement"),
        ("Limits", "requirement"),
    ],
)
def test_under_risks_and_open_questions_stand_no_requirements(heading: str, kind: str) -> None:
    assert texts("spec", f"## {heading}\n- {NEVER_UP}") == [(kind, NEVER_UP)]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "heading", ["## Tills must never round", "**Tills must never round:**", "Tills must never round:"]
)
def test_a_heading_is_no_statement(heading: str) -> None:
    assert texts("plan", f"{heading}\n\n\n- {NEVER_UP}") == [("requirement", NEVER_UP)]


@pytest.mark.spec("S5.6")
def test_a_long_line_is_taken_apart_and_a_short_one_is_not() -> None:
    one, other = "I have not verified the upload of pictures.", "We decided to keep the queue of uploads."
    filler = "The till has a drawer with many coins. "
    short, long = f"{one} {other}", f"{one} {filler * 3}{other}"
    assert texts("conclusion", short) == [("assumption", short)]
    assert [text for _, text in texts("conclusion", long)] == [one, *[filler.strip()] * 3, other]
    assert texts("conclusion", f"- {long}") == [("assumption", long)]
    assert [text for _, text in texts("conclusion", f"- {one} {filler * 9}{other}")] == [
        one,
        *[filler.strip()] * 9,
        other,
    ]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I have not verified the upload of pictures.", "assumption"),
        ("The upload should be fine with large pictures.", "assumption"),
        ("The retries need to be tested with the till.", "assumption"),
        ("We measured the upload rather than assuming it.", "decision"),
        ("One caveat: the upload is unverified.", "caveat"),
        ("The upload cannot be tested before the till is open.", "caveat"),
        ("The real cause is the clock of the till.", "finding"),
        ("The upload is NOT the cause of the delay.", "finding"),
        ("THE UPLOAD IS NOT HERE.", "conclusion"),
        ("**A — Queue:** decided by ana, unverified.", "conclusion"),
        ("Option 2: rather a thread than a queue.", "conclusion"),
        ("Should we decide on a queue?", "question"),
        ("The pause breaks silently when the clock is set back.", "caveat"),
        ("We went with a queue instead of threads.", "decision"),
        ("Threads were ruled out for the till.", "rejected"),
        ("The invoices are still missing from the till.", "open"),
        ("Merging is blocked by the review of ana.", "open"),
        ("The cart has three columns of prices.", "conclusion"),
        ("We decided on a queue, which I have not tested.", "assumption"),
        ("We decided to merge it later.", "decision"),
        ("The till comes later.", "conclusion"),
    ],
)
def test_a_conclusion_has_a_kind(text: str, kind: str) -> None:
    assert rate_conclusion(text)[0] == kind


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("No, use the old basket", "correction"),
        ("Never log an address", "rule"),
        ("Addresses must not be logged", "rule"),
        ("Log only the first line", "rule"),
        ("Log the first line", "request"),
        ("We should log the first line", "request"),
        ("We should not log the first line", "rule"),
    ],
)
def test_a_prompt_has_a_kind(text: str, kind: str) -> None:
    assert kind_of_prompt(text) == kind


@pytest.mark.spec("S5.6")
def test_a_sentence_that_was_wrapped_by_hand_is_one_statement() -> None:
    text = (
        "The upload of large pictures is fragile, because the store of the shop closes\n"
        "each connection after a minute, and nobody has yet verified the\n  retries of the till.\n"
        "- The invoices must never be sent twice to the same address of a customer, nor\n"
        "  before the payment is known\n"
        "- Prices of the till are in cents only"
    )
    history = History()
    history.asks("Go on")
    history.says(text)
    found = [
        statement.text
        for statement in statements(reviewed_texts(history.turns))
        if statement.reviewed_text.origin != "prompt"
    ]
    assert found == [
        "The upload of large pictures is fragile, because the store of the shop closes each connection after a minute,"
        " and nobody has yet verified the retries of the till.",
        "The invoices must never be sent twice to the same address of a customer, nor before the payment is known",
        "Prices of the till are in cents only",
    ]


@pytest.mark.spec("S5.6")
def test_below_a_wrapped_sentence_the_entries_of_a_line_are_found_too() -> None:
    wrapped = "The store of the shop closes each connection after a minute, and it\n        must never be kept open."
    listed = "Each desk must do all of the following:\n- show the tax\n- print two copies"
    plan = f"{wrapped}\n\n{listed}\n\n- Invoices must be paid last"
    assert [text for _, text in texts("plan", plan)] == [
        "The store of the shop closes each connection after a minute, and it must never be kept open.",
        "Each desk must do all of the following: ‣ show the tax ‣ print two copies",
        "Invoices must be paid last",
    ]


PLAIN = "The cart has three columns of prices"


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Uploads should retry", "Uploads retry"),
        ("The upload is unverified", "The upload is new"),
        ("I haven't verified the upload", "The verified upload is a known limitation"),
        ("A queue, because threads block", "A queue, and threads block"),
        ("We decided on a queue", "We have a queue"),
        ("The invoices are pending", "The invoices are pretty"),
        ("The table has to land before the till does", "The table has land and the till does too"),
        ("It turns out the clock is late", "Today at four the clock is late"),
        ("**Prices in cents** are stored", "Prices in cents are stored"),
        ("The clock is fragile", "The clock is fragile, then fixed by ana"),
        ("A queue, not a thread", "A queue and a thread"),
    ],
)
def test_some_words_make_a_conclusion_matter_more(more: str, less: str) -> None:
    assert rate_conclusion(more)[1] > rate_conclusion(less)[1] > 0


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize("heading", ["Open questions", "Caveats", "Before merging", "Constraints", "Edge cases"])
def test_a_heading_makes_what_is_under_it_matter(heading: str) -> None:
    assert rate_conclusion(PLAIN, heading)[1] > rate_conclusion(PLAIN, "Prices")[1] == rate_conclusion(PLAIN)[1]
    assert importance_of_rule(PLAIN, heading) > importance_of_rule(PLAIN, "Prices") == 0


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Let me look at what must never happen", ""),
        ("Now I'll check the risks", ""),
        ("Want me to do what is still missing?", ""),
        ("All tests pass, the upload is unverified", ""),
        ("[x] The upload must be verified", ""),
        ("Do NOT call any tools.", ""),
        ("The upload must never block", "Files"),
        ("The upload must never block", "References"),
        ("The upload must never block", "3. Files and Code Sections"),
    ],
)
def test_narration_and_what_is_done_and_lists_of_files_do_not_matter(text: str, heading: str) -> None:
    assert (rate_conclusion(text, heading)[1], importance_of_rule(text, heading)) == (0, 0)


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "heading", ["The partial file problem is the killer", "Commands that never end", "Source of truth"]
)
def test_a_heading_that_merely_names_a_file_does_not_silence_what_is_under_it(heading: str) -> None:
    assert rate_conclusion("The upload must never block", heading)[1] > 0
    assert importance_of_rule("The upload must never block", heading) > 0


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "step", ["**WHEN** the till must be open", "THEN prices must never be rounded", "Given** a till that must be open"]
)
def test_a_step_of_a_scenario_is_no_rule(step: str) -> None:
    assert importance_of_rule(step) == importance_of_rule(step, "Requirements") == 0


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Prices must never be rounded", "Prices should be rounded"),
        ("Prices should be rounded", "May not be rounded by the till"),
        ("No rounding of prices", "Keep rounding of prices"),
        ("**Prices** must be in cents", "Prices must be in cents"),
    ],
)
def test_strict_rules_matter_more(more: str, less: str) -> None:
    assert importance_of_rule(more) > importance_of_rule(less) > 0


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "text", [PLAIN, "The prices were required to be in cents", "The till has been told to keep prices"]
)
def test_the_background_of_a_task_is_no_rule(text: str) -> None:
    assert importance_of_rule(text) == 0


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Prices must never be rounded", "Prices should be rounded"),
        ("Prices should be rounded", "Round prices"),
        ("Same as in the till", "Round prices"),
        ("Round prices", "Round prices?"),
        ("Never round prices", "Explain why we never round prices"),
        ("Round prices", "Continue with the prices"),
    ],
)
def test_what_a_prompt_rules_matters_more_than_what_it_asks(more: str, less: str) -> None:
    assert importance_of_prompt(more) > importance_of_prompt(less) > 0


@pytest.mark.spec("S5.6")
def test_where_a_statement_stands_makes_it_matter() -> None:
    def weight(origin: TextOrigin, text: str, *, is_closed: bool = False) -> float:
        [statement] = statements([of(origin, text, is_closed=is_closed)])
        return statement.weight

    said: list[TextOrigin] = ["conclusion", "summary", "remark"]
    ruled: list[TextOrigin] = ["task", "plan", "spec"]
    for origins, text in ((said, UNVERIFIED), (ruled, NEVER_UP)):
        weights = [weight(origin, text) for origin in origins]
        assert weights == sorted(set(weights), reverse=True)
    assert weight("task", NEVER_UP, is_closed=True) == pytest.approx(0.2 * weight("task", NEVER_UP))
    longer = "Caveat: I have not verified the upload of large pictures by guests with slow mobile connections yet."
    assert weight("conclusion", longer) > weight("conclusion", UNVERIFIED)


@pytest.mark.spec("S5.6")
def test_the_words_of_a_statement_are_those_of_its_text() -> None:
    [statement] = statements([of("plan", "- The *tills* must never block uploads")])
    assert (statement.text, statement.words) == (
        "The *tills* must never block uploads",
        frozenset({"till", "must", "never", "block", "upload"}),
    )


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("summary", "share"),
    [
        ("The user said: “prices must NEVER be `rounded` up.”", 1.0),
        ("Rounded prices never went up, they must not.", 1.0),
        ("Prices are here. They must never be rounded.", 1.0),
        ("Prices are here. So is the till. They must never be rounded.", 0.75),
        ("Prices.\n\nIf you need specific details from before compaction, they must never be rounded", 0.25),
        ("The header is green.", 0.0),
        ("", 0.0),
    ],
)
def test_the_share_of_a_statement_that_two_sentences_have(summary: str, share: float) -> None:
    assert Coverage(summary, {}).share("Prices must never be rounded") == share


@pytest.mark.spec("S5.6")
def test_rare_words_count_more() -> None:
    weights = rarity(map(word_set, ["tills round", "till", "tills block", "the tills drop"]))
    assert weights == {"till": math.log(2), "round": math.log(5), "block": math.log(5), "drop": math.log(5)}
    both = [Coverage(summary, weights).share("rounding tills") for summary in ("Tills.", "Rounded.")]
    assert both == pytest.approx([math.log(2) / math.log(10), math.log(5) / math.log(10)])


@pytest.mark.spec("S5.6")
def test_a_text_without_words_is_not_said() -> None:
    assert Coverage("Prices.", {}).share("...") == 0.0
    assert Coverage("", {}).scores(["Prices must be rounded", ""]) == [0.0, 0.0]


@pytest.mark.spec("S5.6")
def test_without_a_model_the_usual_cosine_counts(text_vectors: TextVectors) -> None:
    summary = "Nobody tested uploads of big images."
    own, other = "Large picture transfers are unproven.", "The header has green buttons."
    assert Coverage(summary, {}).scores([own, other]) == [0.4, 0.4]
    by_meaning = Coverage(summary, {}, text_vectors).scores([own, other])
    assert by_meaning[0] > 2 * by_meaning[1]
    assert Coverage(summary, {}).scores(["Nobody tested the header"]) == pytest.approx([0.4 + 1.38 * 2 / 3])
    assert Coverage(summary, {}, text_vectors).scores([own], [1.0])[0] == pytest.approx(1 + by_meaning[0])


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("statement", "by_words", "by_meaning"),
    [
        ("I have not verified the upload of large pictures.", True, True),
        ("Uploads of large images were never tested.", True, True),
        ("The header has green buttons.", False, False),
    ],
)
def test_a_summary_says_a_statement_in_other_words(
    statement: str, by_words: bool, by_meaning: bool, text_vectors: TextVectors
) -> None:
    summary = "Large image uploads were never tested."
    assert (Coverage(summary, {}).keeps(statement), Coverage(summary, {}, text_vectors).keeps(statement)) == (
        by_words,
        by_meaning,
    )


@pytest.mark.spec("S5.6")
def test_a_vector_does_not_depend_on_the_other_texts(text_vectors: TextVectors) -> None:
    one = TextVectors(open_model())
    first = one.matrix(["green buttons"])
    again = one.matrix(["round prices", "green buttons", "green buttons"])
    assert again.shape == (3, first.shape[1])
    assert (again[1] == first[0]).all()
    assert (again[2] == first[0]).all()
    assert float(again[0] @ again[1]) < 0.9
    long = "green buttons " * 100
    assert (text_vectors.matrix([long[:800]]) == text_vectors.matrix([long])).all()


@pytest.mark.spec("S5.6")
def test_a_name_is_found_in_any_letter_case() -> None:
    coverage = Coverage("See `Shop-14`.\nPlease continue the conversation with SHOP-15", {})
    assert [coverage.contains(name) for name in ("shop-14", "SHOP-14", "shop-15", "x")] == [True, True, False, False]


def shown(findings: list[ComparedItem]) -> list[tuple[str, str, int]]:
    return [(finding.kind, finding.text, finding.turn.number) for finding in findings]


def lost(history: History, summary: str = "The header is green.", text_vectors: TextVectors | None = None) -> list[str]:
    return [item.text for item in compare(history.turns, summary, history.next_segment, text_vectors).lost]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(("first", "second"), [(NEVER_UP, NEVER_TWICE), (NEVER_TWICE, NEVER_UP)])
def test_prompts_before_the_compaction_before_are_lost_first(first: str, second: str) -> None:
    history = History()
    history.asks(first)
    history.compacts("The header is green.")
    history.asks(second)
    assert lost(history) == [first, second]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(("first", "second"), [(NEVER_UP, NEVER_TWICE), (NEVER_TWICE, NEVER_UP)])
def test_of_the_prompts_of_a_segment_the_last_one_matters_most(first: str, second: str) -> None:
    history = History()
    history.asks(first)
    history.asks(second)
    assert lost(history) == [second, first]


@pytest.mark.spec("S5.6")
def test_a_finding_has_its_kind_and_its_place() -> None:
    history = History()
    history.asks("Ship the cart of the shop")
    history.asks("Then ship the tills")
    history.says(UNVERIFIED)
    history.calls("ExitPlanMode", "Approved", plan=f"- {NEVER_UP}")
    found = compare(history.turns, "Ship the cart of the shop.", 1)
    assert shown(found.lost) == [
        ("requirement", NEVER_UP, 2),
        ("caveat", UNVERIFIED, 2),
    ]
    [said] = [block for block in history.turns[1].blocks if block.kind == "text"]
    assert [item.line for item in found.lost if item.kind == "caveat"] == [said.line]
    assert shown(found.kept) == [("request", "Ship the cart of the shop", 1)]


@pytest.mark.spec("S5.6")
def test_what_the_summary_says_in_its_words_or_in_others_is_not_lost(text_vectors: TextVectors) -> None:
    history = History()
    history.asks("Uploads")
    history.says(UNVERIFIED)
    for summary, by_words, by_meaning in (
        ("The header is green.", [UNVERIFIED], [UNVERIFIED]),
        (f"- {UNVERIFIED}", [], []),
        ("Nobody has checked whether uploading big images works; it is unverified.", [UNVERIFIED], []),
    ):
        assert [text for text in lost(history, summary) if text != "Uploads"] == by_words
        assert [text for text in lost(history, summary, text_vectors) if text != "Uploads"] == by_meaning


@pytest.mark.spec("S5.6")
def test_what_a_summary_half_says_is_neither_lost_nor_kept() -> None:
    rule = "Tills must never round old prices"
    for summary, is_lost, is_kept in (
        ("The header is green.", True, False),
        ("The tills round.", True, False),
        ("The tills never round.", False, False),
        ("The tills never round prices.", False, True),
    ):
        history = History()
        history.asks(rule)
        found = compare(history.turns, summary, 1)
        assert ([item.text for item in found.lost], [item.text for item in found.kept]) == (
            [rule] * is_lost, [rule] * is_kept
        )  # fmt: skip


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize("is_wrong", [True, False])
def test_a_sentence_that_the_summary_claims_wrongly_is_not_kept(is_wrong: bool) -> None:
    claim = "We decided: all tests pass and the cart is green."
    history = History()
    history.asks("Ship it")
    history.says(claim)
    history.runs("pytest -q", "1 failed, 11 passed in 0.31s" if is_wrong else "12 passed in 0.31s")
    found = compare(history.turns, claim, 1)
    assert [item.kind for item in found.lost] == ["contradiction"] * is_wrong
    assert [item.text for item in found.kept] == [claim] * (not is_wrong)


@pytest.mark.spec("S5.6")
def test_what_is_said_twice_is_listed_once(text_vectors: TextVectors) -> None:
    history = History()
    history.asks("Uploads")
    history.says(UNVERIFIED)
    history.asks("Go on")
    history.says(UNVERIFIED_TOO)
    assert [text for text in lost(history) if text != "Uploads"] == [UNVERIFIED_TOO, UNVERIFIED]
    assert [text for text in lost(history, text_vectors=text_vectors) if text != "Uploads"] == [UNVERIFIED_TOO]
    history.asks("Go on")
    history.says(f"{UNVERIFIED_TOO[:-1]} at all.")
    assert [text for text in lost(history) if text != "Uploads"] == [f"{UNVERIFIED_TOO[:-1]} at all.", UNVERIFIED]


@pytest.mark.spec("S5.6")
def test_a_prompt_of_one_word_does_not_hide_what_is_said_of_it() -> None:
    history = History()
    history.asks("Uploads!")
    history.compacts("The header is green.")
    history.asks("Go on")
    history.says(UNVERIFIED)
    history.asks("Uploads")
    assert lost(history) == [UNVERIFIED, "Uploads"]


def weight_of(text: str, history: History, summary: str = "The header is green.") -> float:
    [weight] = [f.weight for f in compare(history.turns, summary, history.next_segment).lost if f.text == text]
    return weight


@pytest.mark.spec("S5.6")
def test_what_is_said_again_matters_more() -> None:
    history = History()
    history.asks("Paint")
    history.says(f"Well. {UNVERIFIED}")
    history.says(UNVERIFIED)
    once = History()
    once.asks("Paint")
    once.says("Well. The header is green.")
    once.says(UNVERIFIED)
    assert weight_of(UNVERIFIED, history) == pytest.approx(1.06 * weight_of(UNVERIFIED, once))


@pytest.mark.spec("S5.6")
def test_a_name_that_the_summary_does_not_have_matters() -> None:
    text = (
        "Caveat: `flushCart` and `drainTill` are unverified with coupons, coins, gift cards, receipts, wallets, guests,"
        " taxes, see #14 and #15."
    )
    history = History()
    # The open work has all words of the sentence, so that those of the summary make no difference.
    history.asks(f"Uploads: {text}")
    history.says(text)
    green, named = "The header is green.", "`FLUSHCART` #14"
    factor = weight_of(text, history, green) / weight_of(text, history, f"{named} {green}")
    assert factor == pytest.approx(1.18 / 1.12)


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("summary", "found"),
    [
        ("Asked to paint the buttons of the shop green.", "And never touch the header, marketing owns it."),
        ("Asked for the till.", "Paint the buttons of the shop green. And never touch the header, marketing owns it."),
    ],
)
def test_of_a_prompt_of_which_the_summary_has_a_part_the_rule_is_lost(summary: str, found: str) -> None:
    history = History()
    history.asks("Paint the buttons of the shop green. And never touch the header, marketing owns it.")
    lost = compare(history.turns, summary, 1).lost
    assert [(item.kind, item.text) for item in lost] == [("rule", found)]


@pytest.mark.spec("S5.6")
def test_a_sentence_about_what_was_said_before_it_matters_less() -> None:
    one, other = "This till must never round the prices", "Taxes must never be shown by desks"
    for first, second in ((one, other), (other, one)):
        history = History()
        history.asks("Plan")
        history.runs("bd show shop-1", f"- {first}")
        history.runs("bd show shop-2", f"- {second}")
        assert [text for text in lost(history) if text != "Plan"] == [other, one]


@pytest.mark.spec("S5.6")
def test_one_long_text_does_not_fill_the_list() -> None:
    long = [
        "Tills must never round prices",
        "Uploads must never block checkout",
        "Invoices must never show numbers",
        "Baskets must never lose articles",
    ]
    other = "Coupons must expire after thirty days"
    history = History()
    history.asks("Plan")
    history.runs("bd show shop-1", f"## Limits\n- {other}\n")
    alone = weight_of(other, history)
    history.calls("ExitPlanMode", "Approved", plan="## Limits\n" + "".join(f"- {rule}\n" for rule in long))
    found = [item for item in compare(history.turns, "Nothing.", 1).lost if item.kind == "requirement"]
    weights = {item.text: item.weight for item in found}
    first = max(weights[rule] for rule in long)
    assert sorted((weights[rule] for rule in long), reverse=True) == pytest.approx(
        [first * 0.9**place for place in range(len(long))]
    )
    assert weights[other] == pytest.approx(alone)
    assert [item.weight for item in found] == sorted(weights.values(), reverse=True)


@pytest.mark.spec("S5.6")
def test_at_most_as_many_statements_are_listed() -> None:
    history = History()
    for number in range(MOST_LISTED + 6):
        history.asks(f"Price{number} must never{number} be rounded{number} up{number}")
    assert len(lost(history)) == MOST_LISTED
    kept = compare(history.turns, "\n".join(turn.user_text for turn in history.turns), 1)
    assert (len(kept.kept), kept.lost) == (MOST_LISTED, [])
    assert [item.weight for item in kept.kept] == sorted((item.weight for item in kept.kept), reverse=True)


def checked() -> History:
    """A rule, a failed check, one that passed before the last edit, and the edit."""
    history = History()
    history.asks(NEVER_UP)
    history.runs("mypy core", "cart.py:3: error: bad price\nFound 1 error in 1 file", error=True)
    history.runs("pytest -q", "12 passed in 0.31s")
    history.edits("src/cart.py")
    return history


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("summary", "found"),
    [
        ("The header is green.",
         [("check", "mypy core failed: Found 1 error in 1 file"), ("rule", NEVER_UP)]),
        ("The header is green. The types are clean.",
         [("contradiction", "mypy core failed: Found 1 error in 1 file · the summary says: The types are clean."),
          ("rule", NEVER_UP)]),
        ("The types fail.",
         [("check", "mypy core failed: Found 1 error in 1 file"), ("rule", NEVER_UP)]),
        ("mypy: Found 1 error in 1 file.", [("rule", NEVER_UP)]),
        ("mypy: Found 1 error in 1 file. All tests pass.",
         [("check", "pytest -q passed before the last edits of cart.py: 12 passed in 0.31s"), ("rule", NEVER_UP)]),
        ("mypy: Found 1 error in 1 file. All tests pass.\n\n## Next Step\nRun the tests again.", [("rule", NEVER_UP)]),
        ("mypy: Found 1 error in 1 file. One test fails.", [("rule", NEVER_UP)]),
        ("The header is green.\nsrc/cart.py was not yet edited.",
         [("contradiction", "cart.py was edited · the summary says: src/cart.py was not yet edited."),
          ("check", "mypy core failed: Found 1 error in 1 file"),
          ("rule", NEVER_UP)]),
        ("mypy: Found 1 error in 1 file.\nsrc/cart.py was not yet edited.",
         [("contradiction", "cart.py was edited · the summary says: src/cart.py was not yet edited."),
          ("rule", NEVER_UP)]),
    ],
)  # fmt: skip
def test_contradictions_come_first_then_failed_checks(summary: str, found: list[tuple[str, str]]) -> None:
    assert [(kind, text) for kind, text, _ in shown(compare(checked().turns, summary, 1).lost)] == found


@pytest.mark.spec("S5.6")
def test_checks_that_are_older_than_the_last_edits_are_one_finding() -> None:
    history = History()
    history.asks("Ship it")
    history.runs("mix credo", "found no issues")
    history.runs("mix test", "12 tests, 0 failures")
    for name in ("cart", "till", "tax", "basket", "cart"):
        history.edits(f"lib/{name}.ex")
    text = (
        "mix credo, mix test passed before the last edits of cart.ex, till.ex, tax.ex and 1 more: 12 tests, 0 failures"
    )
    assert lost(history, "Credo is clean and all tests pass. Ship it.") == [text]


@pytest.mark.spec("S5.6")
def test_nothing_is_lost_of_nothing() -> None:
    assert compare([], "", 0) == compare([], "The header is green.", 3)
    assert (compare([], "", 0).lost, compare([], "", 0).kept) == ([], [])


def compacted(texts: list[str], summary: str = "The header is green.") -> Script:
    """A session with prompts, a command that failed, and a compaction."""
    script = Script()
    for text in texts:
        script.user(text)
        script.says("Done.")
    script.calls("Bash", {"command": "alembic upgrade head"}, "t1")
    script.result("Exit code 2\nOperationalError: no such table", "t1", error=True)
    script.compacts(summary)
    return script


def briefed(index: Index) -> str:
    [review] = index.compactions.reviews()
    return index.compactions.brief(review)


@pytest.mark.spec("S5.6")
def test_the_brief_tells_what_was_said_with_its_turn(tmp_path: Path) -> None:
    script = compacted([NEVER_UP, "No, do not log the customer's address.", "Ship the cart of the shop"])
    index = build(tmp_path / "data", script.write(tmp_path / "src"))
    assert briefed(index).split("\n") == [
        f"- the user said: {NEVER_UP} [{SESSION}:1]",
        f"- the user said: No, do not log the customer's address. [{SESSION}:2]",
    ]
    [review] = index.compactions.reviews()
    assert "Ship the cart of the shop" in [item.text for item in review.lost]


@pytest.mark.spec("S5.6")
def test_a_summary_that_lacks_only_details_needs_no_brief(tmp_path: Path) -> None:
    index = build(tmp_path / "data", compacted([NEVER_UP], f"The user said: {NEVER_UP}").write(tmp_path / "src"))
    [review] = index.compactions.reviews()
    assert {item.kind for item in review.lost} == {"failed", "error"}
    assert briefed(index) == ""


@pytest.mark.spec("S5.6")
def test_the_brief_has_whole_items_in_at_most_2000_bytes(tmp_path: Path) -> None:
    rules = [f"Prices{n} must{n} never{n} be rounded{n} in the café{n}, and only{n} " + "é" * 100 for n in range(30)]
    index = build(tmp_path / "data", compacted([f"Never {rule}" for rule in rules]).write(tmp_path / "src"))
    [review] = index.compactions.reviews()
    text = index.compactions.brief(review)
    lines = text.split("\n")
    assert MAX_BYTES - 350 < len(text.encode()) <= MAX_BYTES
    assert lines == [f"- the user said: {item.text} [{SESSION}:{item.turn}]" for item in review.main[: len(lines)]]
    assert 0 < len(lines) < len(review.main) == MOST_MAIN


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(("room", "told"), [(0, True), (-1, False)])
def test_an_item_that_fits_exactly_is_in_the_brief(room: int, told: bool) -> None:
    used = len(brief_text([BriefItem("rule", "", "s", 1)]).encode()) + 1
    item = BriefItem("rule", "x" * 280, "s" * 80, 1)
    rest = MAX_BYTES - 5 * (len(brief_text([item]).encode()) + 1) - used - room
    last = BriefItem("rule", "y" * rest, "s", 1)
    lines = brief_text([item] * 5 + [last]).split("\n")
    assert (len(lines), lines[-1].startswith("- the user said: y")) == ((6, True) if told else (5, False))


@pytest.mark.spec("S5.6")
def test_an_item_of_the_brief_is_one_line_and_cut() -> None:
    text = brief_text([BriefItem("contradiction", "Rounded\nup " + "x" * 400, "a" * 100, 7)])
    assert text.startswith("- check what the summary says: Rounded up xxx")
    assert text.endswith(f"x… [{'a' * 79}…:7]")


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize("parent_first", [True, False])
def test_a_fork_is_compared_with_what_it_shares_with_its_parent(parent_first: bool, tmp_path: Path) -> None:
    parent = Script()
    parent.user(NEVER_UP)
    parent.says("Done.")
    fork = Script(OTHER_SESSION)
    fork.user(NEVER_UP)
    fork.says("Done.")
    parent.says("Whatever comes next is the parent's.")
    parent.count = 30
    parent.user("Addresses must never be logged by the parent")
    fork.count = 20
    fork.user(NEVER_TWICE)
    fork.says("Done.")
    fork.compacts("The header is green.")
    folder = tmp_path / "src"
    for number, script in enumerate((parent, fork) if parent_first else (fork, parent)):
        os.utime(script.write(folder), ns=(10**18 - number, 10**18 - number))
    index = build(tmp_path / "data", folder)
    assert index.sessions.find(OTHER_SESSION).forked_from == SESSION
    assert sorted(briefed(index).split("\n")) == sorted(
        [
            f"- the user said: {NEVER_TWICE} [{OTHER_SESSION}:1]",
            f"- the user said: {NEVER_UP} [{SESSION}:1]",
        ]
    )


PIECES = st.sampled_from(
    [
        *("pytest -q", "git commit -m ", "\n", " | ", " && ", "'", '"', "$(", ")", "<<EOF", "\\", "bash -c ", "eval "),
        *(
            "- ",
            "## Constraints\n",
            "Files:\n",
            ". ",
            "? ",
            "must never ",
            "round prices ",
            "```\n",
            "https://a.example/x",
        ),
        *("bd show shop-14", "bd close ", "`cart`", "#14", "|", "3 failed", "12 passed", "数据库", "é", "**x**"),
    ]
)
TEXTS = st.text(max_size=200) | st.lists(PIECES, max_size=40).map("".join)
SPECIAL = [
    ("Bash", "command"),
    ("Write", "content"),
    ("ExitPlanMode", "plan"),
    ("WebFetch", "url"),
    ("get_issue", "id"),
]


@pytest.mark.spec("S5.6")
@given(TEXTS)
@settings(max_examples=150)
def test_checks_of_any_command_have_words_and_a_kind(text: str) -> None:
    for words in checks_in(text):
        assert all(len(word) < 60 and "\n" not in word for word in words)
        assert words[0]
        assert kind_of_check(words).split()[0]


@pytest.mark.spec("S5.6")
@given(st.lists(st.tuples(st.sampled_from(SPECIAL), TEXTS, TEXTS, st.booleans()), max_size=5), TEXTS, TEXTS)
@settings(max_examples=150)
def test_statements_of_any_history_are_in_their_texts(
    calls: list[tuple[tuple[str, str], str, str, bool]], prompt: str, said: str
) -> None:
    history = History()
    history.asks(prompt)
    for (tool, argument), value, result, error in calls:
        history.calls(tool, result, error=error, **{"file_path": f"{ROOT}/specs/cart.md", argument: value})
    history.says(said)
    turns = history.turns
    for call in paired_turns([(turn.number, turn.blocks) for turn in turns]):
        for task in task_texts(call):
            assert (call.is_error, task.origin in {"task", "spec"}) == (False, True)
    for check in last_checks(turns):
        assert check.command
        assert check.outcome in {"passed", "failed", "unknown"}
        assert "\n" not in check.outcome_line
    for statement in statements(reviewed_texts(turns)):
        assert statement.weight > 0
        assert statement.text == statement.text.strip() != ""
        text = statement.reviewed_text.text
        places = [" ".join(of.split()) for of in (text, without_code(text))]
        parts = [" ".join(part.split()) for part in statement.text.split(ENTRY_MARK)]
        assert all(any(part in place for place in places) for part in parts)
    found = compare(turns, said, 1)
    assert all(item.weight >= 0.25 for item in found.lost)
    assert all(item.weight >= 0.2 for item in found.kept)
