"""What a review looks at beyond prompts and conclusions: options, questions, boxes, the open work, and what is over."""

from __future__ import annotations

import pytest

from memtui_core.compaction.build import build_items
from memtui_core.compaction.comparison import compare
from memtui_core.compaction.model import FactKind, ReviewItem
from memtui_core.compaction.recurrences import recurrences
from memtui_core.compaction.statements.extraction import statements
from memtui_core.compaction.statements.open_work import OpenWork
from memtui_core.compaction.statements.passages import reviewed_texts
from memtui_core.compaction.statements.phrases import is_mostly_pasted
from memtui_core.compaction.words import word_set
from memtui_core.queries.main_items import MAIN_WEIGHT, MOST_MAIN
from support.histories import History

REQUEST = "Round before the upload, please."
LOG = "\n".join(f"2026-11-01 09:00:{second} upload {second} done" for second in range(10, 30))


def said(history: History) -> list[tuple[str, str]]:
    """The kinds and texts of all statements."""
    return [(statement.kind, statement.text) for statement in statements(reviewed_texts(history.turns))]


def of_kind(kind: str, history: History) -> list[str]:
    return [text for found, text in said(history) if found == kind]


QUESTIONS = [
    {
        "question": "Which queue?",
        "options": [
            {"label": "Redis", "description": "fast, one more server"},
            {"label": "Table", "description": "no server"},
            {"label": "File"},
        ],
    }
]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("answer", "rejected"),
    [
        ('"Which queue?"="Table"', ["Redis: fast, one more server (Which queue?)", "File (Which queue?)"]),
        ('"Which queue?"="Table, File"', ["Redis: fast, one more server (Which queue?)"]),
        ('"Which queue?"="Something else"', []),
        ("None.", []),
    ],
)
def test_options_that_were_not_taken_are_rejected(answer: str, rejected: list[str]) -> None:
    history = History()
    history.asks("Ship the cart")
    history.calls("AskUserQuestion", f"Answered: {answer}.", questions=QUESTIONS)
    assert of_kind("rejected", history) == rejected


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("reply", "rejected"),
    [
        ("B", ["A: Redis is fast"]),
        ("Let's go with option b, please.", ["A: Redis is fast"]),
        ("A.", ["B: A table needs no server"]),
        ("C", []),
        ("1", []),
        ("Buy milk", []),
        ("And what of files?", []),
    ],
)
def test_options_of_a_text_that_the_reply_does_not_pick_are_rejected(reply: str, rejected: list[str]) -> None:
    history = History()
    history.asks("Which queue?")
    history.says(
        "We may take either:\n\n- **A)** Redis is fast\n- **Option B** — A table needs no server\n1. Then ship"
    )
    history.asks(reply)
    assert of_kind("rejected", history) == rejected


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("reply", "is_open"),
    [
        (None, True),
        ("Yes", False),
        ("ok, then the header", False),
        ("/compact", False),
        ("The invoices twice, never.", False),
        ("Paint the header green", True),
    ],
)
def test_a_question_is_open_until_a_word_or_its_subject_answers_it(reply: str | None, is_open: bool) -> None:
    question = "Should invoices be sent twice?"
    history = History()
    history.asks("Ship the cart")
    history.says(question)
    if reply is not None:
        history.asks(reply)
    assert of_kind("question", history) == [question] * is_open


@pytest.mark.spec("S5.6")
def test_a_question_that_the_agent_does_not_put_to_the_user_is_none() -> None:
    history = History()
    history.asks("Ship the cart")
    history.says("Should invoices be sent twice?")
    history.runs("ls")
    assert of_kind("question", history) == []


@pytest.mark.spec("S5.6")
def test_a_question_of_the_user_that_got_no_answer_is_one() -> None:
    history = History()
    history.asks("Are the old invoices deleted too?")
    history.asks("Paint the header")
    history.says("Painted.")
    assert of_kind("question", history) == ["Are the old invoices deleted too?"]
    answered = History()
    answered.asks("Are the old invoices deleted too?")
    answered.runs("ls")
    answered.asks("Paint the header")
    assert of_kind("question", answered) == []


@pytest.mark.spec("S5.6")
def test_of_a_list_with_boxes_what_is_not_ticked_off_is_open() -> None:
    history = History()
    history.asks("Go on")
    history.writes(
        "docs/plan.md", "# Plan\n\n- [x] The till must round\n- [ ] Manual test of all desks\n- [ ] Rename the old till"
    )
    assert said(history) == [("open", "Manual test of all desks"), ("open", "Rename the old till")]
    untouched = History()
    untouched.asks("Go on")
    untouched.writes("docs/plan.md", "# Plan\n\n- [ ] The till must round\n- [ ] Manual test of all desks")
    assert said(untouched) == [("requirement", "The till must round")]


@pytest.mark.spec("S5.6")
def test_only_the_last_plan_counts_in_full() -> None:
    history = History()
    history.asks("Plan")
    for rule in ("Tills must never round prices", "Uploads must never block desks"):
        history.calls("ExitPlanMode", "Approved", plan=f"- {rule}")
    plans = [text for text in reviewed_texts(history.turns) if text.origin == "plan"]
    assert [(plan.text, plan.is_closed) for plan in plans] == [
        ("- Tills must never round prices", True),
        ("- Uploads must never block desks", False),
    ]


@pytest.mark.spec("S5.6")
def test_a_guess_before_the_cause_was_found_is_over() -> None:
    guess = "The delay of uploads is probably the clock of the till, which is fragile."
    other = "I have not tested the header, which is probably painted by the theme."
    cause = "Found the bug: the delay of uploads comes from a lock of the till."
    history = History()
    history.asks("Why?")
    history.says(f"{guess}\n{other}")
    history.asks("Go on")
    history.says(cause)
    texts = [item.text for item in compare(history.turns, "Nothing.", 1).lost]
    assert (guess in texts, other in texts) == (False, True)
    reversed_order = History()
    reversed_order.asks("Why?")
    reversed_order.says(cause)
    reversed_order.asks("Go on")
    reversed_order.says(guess)
    assert guess in [item.text for item in compare(reversed_order.turns, "Nothing.", 1).lost]


@pytest.mark.spec("S5.6")
def test_what_the_user_corrected_in_the_next_turn_is_over() -> None:
    claim = "Caveat: the retries of large uploads have not been tested with guests."
    correction = "No, the retries of large uploads were tested with guests."
    for texts, is_listed in (((correction,), False), (("Paint the header", correction), True)):
        history = History()
        history.asks("Ship the cart")
        history.says(claim)
        for text in texts:
            history.asks(text)
        assert (claim in [item.text for item in compare(history.turns, "Nothing.", 1).lost]) is is_listed


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        (f"Why is this red?\n{LOG}", ["Why is this red?"]),
        (f"It broke again.\n{LOG}\n\n{REQUEST}", ["It broke again.", REQUEST]),
        (f"It broke again.\n{LOG}\n\nError: Process completed with exit code 1.", ["It broke again."]),
        ("pr feedback:\n\n" + "\n".join(f"{n}. Do not round price {n}" for n in range(12)), ["pr feedback:"]),
    ],
)  # fmt: skip
def test_of_a_pasted_prompt_only_what_was_typed_around_it_counts(prompt: str, typed: list[str]) -> None:
    history = History()
    history.asks(prompt)
    assert [text for _, text in said(history)] == typed


@pytest.mark.spec("S5.6")
def test_a_long_prompt_that_a_person_typed_is_not_pasted() -> None:
    assert not is_mostly_pasted("Please do all of this.\n\n" + "\n".join(f"- round price {n}" for n in range(30)))
    assert not is_mostly_pasted("\n".join(["Round all prices before you show them."] * 30))
    assert is_mostly_pasted("Why?\n" + "\n".join(["build typecheck"] * 30))
    assert not is_mostly_pasted("Why?\n" + "\n".join(["build typecheck"] * 10))


SUMMARY = """## 1. Concepts
The header is green.

## 7. Pending Tasks
- Round the taxes of the till

## 9. Optional Next Step
Ship invoices.
"""


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("taxes of invoices", 1.0),
        ("ship green coupons everywhere", 0.65 + 0.35 * (1 / 4) / 0.3),
        ("green header", 0.65),
        ("paint", 1.0),
        ("", 0.65),
    ],
)
def test_what_the_open_work_is_about_matters_more(text: str, factor: float) -> None:
    history = History()
    history.asks("Round the taxes")
    history.asks("Paint it")
    assert OpenWork(SUMMARY, history.turns, {}).factor(word_set(text)) == pytest.approx(factor)


@pytest.mark.spec("S5.6")
def test_the_end_of_a_summary_without_such_a_part_tells_the_open_work() -> None:
    work = OpenWork("The header is green and painted by the theme. Ship invoices.", [], {})
    assert (work.factor(word_set("invoices")), work.factor(word_set("header"))) == (1.0, 0.65)


@pytest.mark.spec("S5.6")
def test_a_task_of_before_the_previous_compaction_matters_half_as_much() -> None:
    def weight(compactions: int) -> float:
        history = History()
        history.asks("Round")
        history.runs("bd show shop-1", "- Tills must never round prices")
        for _ in range(compactions):
            history.compacts("Nothing was said.")
        found = compare(history.turns, "Nothing.", history.next_segment).lost
        return next(item.weight for item in found if item.kind == "requirement")

    assert weight(1) / weight(0) == pytest.approx(0.5 * (0.75 + 0.25 / 2), rel=0.02)


@pytest.mark.spec("S5.6")
def test_what_matters_is_listed_by_kind_and_the_rest_by_weight() -> None:
    history = History()
    history.asks("Prefer short logs of addresses")
    history.runs("bd show shop-1", "## Constraints\n- Prices must never be rounded up by any till of the shop")
    history.says("I haven't verified the upload of large pictures by guests, and it is unverified on slow networks.")
    history.runs("mypy core", "cart.py:3: error: bad price\nFound 1 error in 1 file", error=True)
    history.edits("src/cart.py")
    items = build_items(history.turns, "The header is green.", 1, lambda path: path)
    main = [item.kind for item in items.lost if item.weight >= MAIN_WEIGHT][:MOST_MAIN]
    assert [item.kind for item in items.lost][:4] == ["check", "rule", "requirement", "assumption"]
    weights = [item.weight for item in items.lost if item.kind in {"rule", "requirement", "assumption"}]
    assert weights != sorted(weights, reverse=True)
    assert main[:3] == ["check", "rule", "requirement"]


def item(kind: FactKind, text: str, turn: int = 1) -> ReviewItem:
    return ReviewItem(kind, text, 3, turn, (turn,), 1, 2.0, 1, 1)


RULE = "Never log the address of a customer"


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("kind", "texts", "hurt"),
    [
        ("rule", ["Go on", "Please never log the address of customers"], [("asked again", 2)]),
        ("rule", ["No! I said never log the address of customers"], [("corrected", 1)]),
        ("rule", ["Please never log the address of customers", f"{RULE}!"], [("asked again", 1)]),
        ("rule", ["Show the address"], []),
        ("rule", ["Never log the address of customers " + " ".join(f"word{n}" for n in range(30))], []),
        ("rule", ["Never log the address of a customer\n" + LOG], []),
        ("caveat", ["Please never log the address of customers"], []),
    ],
)  # fmt: skip
def test_what_was_lost_and_had_to_be_said_again(kind: FactKind, texts: list[str], hurt: list[tuple[str, int]]) -> None:
    history = History()
    for text in texts:
        history.asks(text)
    lost = item(kind, RULE)
    found = recurrences([lost, item("rule", "Pay it")], history.turns)
    assert [(one.how, one.turn) for one in found] == hurt
    assert all(one.item is lost and one.text == texts[one.turn - 1] for one in found)


@pytest.mark.spec("S5.6")
def test_an_answer_that_was_lost_is_asked_for_again() -> None:
    history = History()
    history.asks("Go on")
    history.calls("AskUserQuestion", None, questions=[{"question": "Which currency shall the till use?"}])
    lost = item("answer", "Which currency shall the till use? Swiss francs")
    [found] = recurrences([lost], history.turns)
    assert (found.how, found.turn, found.text) == ("you were asked", 1, "Which currency shall the till use?")
