"""What was decided in a turn: sentences of the user, answers, refused calls and plans; never what only sounds so."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from memtui_core.compaction.statements.decided import Decision, decisions_of, said
from memtui_core.model import Block

REFUSED = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
QUESTION = {
    "question": "Round to cents?",
    "options": [{"label": "Half to even"}, {"label": "Half up", "description": "as before"}, {"label": "Not at all"}],
}
PLAN = "# Round the prices\n\n- We will use Decimal instead of floats.\n- Update the tests.\n"


def call(name: str, arguments: dict[str, Any], result: str, *, error: bool = False) -> list[Block]:
    return [
        Block(0, 0, "tool_call", orjson.dumps(arguments).decode(), name, "t1"),
        Block(1, 1, "tool_result", result, name, "t1", error),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Let's use Decimal.",
        "ok, let's go with option B for now",
        "Use half-even rounding instead of half-up.",
        "In `prices.py`, let's round the sum rather than each row",
        "instead of a thread, let's require a process",
        "instead of a thread, please start a process",
        "Delete the folder, don't archive it",
        "no, the main branch instead",
        "The limit should be read once, not in each call.",
        "We decided to keep the old format.",
        "We agreed on no tests for it",
        "I don't use the mouse, let's use the keys",
        "Let's keep the old names",
        "I'd rather have one table.",
        '"strict" is settled already.',
        "We should show the date instead",
        "You're right, let's use Decimal",
        "Let's worry about the tax later on.",
        "The check should run on this machine only.",
    ],
)
def test_a_sentence_chooses(sentence: str) -> None:
    assert list(said(sentence)) == [(sentence, False)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Don't use floats here.",
        "We explicitly don't want mocks.",
        "I don't like the name record",
        "Prices must never be floats.",
        "no console logs!",
        "Plain colours, no themes.",
        "Don't open a pull request for now.",
        "We shouldn't hardcode the host.",
        "no need for a new table",
        "Please stop using globals.",
        "We never use floats here.",
        "I won't use the terminal.",
    ],
)
def test_a_sentence_excludes(sentence: str) -> None:
    assert list(said(sentence)) == [(sentence, True)]


@pytest.mark.parametrize(
    "prompt",
    [
        "Should we use Decimal instead of floats?",
        "why don't we use Decimal",
        "It returns null instead of a list.",
        "we call `read` instead of `load` there",
        "Maybe we should use Decimal instead of floats.",
        "If you prefer floats, let's use them.",
        "let's look at the tests first",
        "let's do a timeout after a minute",
        "let's use another command to check it",
        "No, I don't want that at all",
        "let's keep going",
        "let's user-test it",
        "let's not get into the data first",
        "no idea",
        "still no errors, no logs",
        "No, the list is sorted already.",
        "Round the prices.",
        "> We will use floats instead of Decimal.",
        '"Let\'s use floats" is what the ticket says.',
        "You are a careful reviewer. Don't use tools. Never add comments.",
        "I can't see why it does not use the cache.",
        "I don't want a surprise the next morning",
        "```\nlet's use floats\n```",
        "<system-reminder>Let's use floats instead of Decimal.</system-reminder>",
        '<teammate-message teammate_id="lead">Let\'s use floats instead of Decimal.</teammate-message>',
        "This session is being continued from a previous conversation. Let's use floats.",
        "[Request interrupted by user] Let's use floats.",
        "2026-01-02 03:04:05 INFO let's use floats\n2026-01-02 03:04:06 INFO done\n2026-01-02 03:04:07 INFO end",
        "Let's use Decimal. " + "Then look at all of the prices once more. " * 50,
        "The order is decided by the server.",
        "So far nothing is decided.",
        "It crashes when I go with the default settings",
        "The sum is wrong when we don't use the cache",
        "The error says: do not use eval, use json instead",
        "Don't bother, I'll do it.",
        'You said "let\'s go with X" and I disagree',
        "We agreed on nothing",
        "We agreed to disagree",
        "don't use up all the tokens",
        "We should not use up the quota",
        "I never use the terminal",
        "I don't use the mouse",
        "let's keep it in mind",
        "let's keep this in mind for later",
        "Let's keep the old names in mind.",
        "we decided to wait for CI",
        "We decided to keep waiting",
        "I'd prefer to wait",
    ],
)
def test_what_only_sounds_like_a_decision_is_none(prompt: str) -> None:
    assert list(said(prompt)) == []


def test_only_the_sentence_is_quoted_also_before_small_letters() -> None:
    prompt = (
        "hm. let's use Decimal instead of floats.  can you look at the tax?\nno tables, please. Don't use\x1b[2J it."
    )
    assert list(said(prompt)) == [
        ("let's use Decimal instead of floats.", False),
        ("Don't use it.", True),
    ]


def test_of_a_turn_each_prompt_counts_and_no_text_of_the_agent() -> None:
    blocks = [
        Block(0, 0, "user", "Round them. Let's use Decimal."),
        Block(1, 1, "text", "Let's use floats instead of Decimal."),
        Block(2, 2, "note", "Let's use floats."),
        Block(3, 3, "user", "Don't use floats."),
    ]
    assert list(decisions_of(blocks)) == [
        Decision(0, "said", False, "Let's use Decimal."),
        Decision(3, "said", True, "Don't use floats."),
    ]


def test_an_answer_has_its_question_and_the_options_that_were_not_chosen() -> None:
    text = 'User has answered your questions: "Round to cents?"="Half to even". You can now continue.'
    assert list(decisions_of(call("AskUserQuestion", {"questions": [QUESTION]}, text))) == [
        Decision(0, "answer", False, "Half to even\nRound to cents?"),
        Decision(0, "option", True, "Half up\nRound to cents?"),
        Decision(0, "option", True, "Not at all\nRound to cents?"),
    ]


def test_an_answer_in_own_words_rejects_no_option() -> None:
    text = 'User has answered your questions: "Round to cents?"="Ask Ben first". You can now continue.'
    assert list(decisions_of(call("AskUserQuestion", {"questions": [QUESTION]}, text))) == [
        Decision(0, "answer", False, "Ask Ben first\nRound to cents?")
    ]


@pytest.mark.parametrize(
    ("remark", "found"),
    [
        ("we use pnpm\nhere", [Decision(1, "rejected", True, "we use pnpm here\nBash: npm install")]),
        ("why not pnpm?", []),
        ("...", []),
    ],
)
def test_a_refused_call_counts_with_its_reason(remark: str, found: list[Decision]) -> None:
    assert list(decisions_of(call("Bash", {"command": "npm install"}, REFUSED + remark, error=True))) == found


def test_a_refused_call_without_a_reason_and_a_failed_one_count_not() -> None:
    stopped = "The user doesn't want to proceed with this tool use. STOP what you are doing."
    for text in (stopped, "npm: we use pnpm instead of npm"):
        assert list(decisions_of(call("Bash", {"command": "npm install"}, text, error=True))) == []


def test_a_plan_that_was_approved_or_sent_back() -> None:
    approved = call("ExitPlanMode", {"plan": PLAN}, "User has approved your plan. You can now start coding.")
    assert list(decisions_of(approved)) == [
        Decision(0, "plan", False, "Round the prices\nWe will use Decimal instead of floats.")
    ]
    sent_back = call("ExitPlanMode", {"plan": PLAN}, REFUSED + "the tax too", error=True)
    assert list(decisions_of(sent_back)) == [Decision(1, "plan", True, "the tax too\nRound the prices")]
    assert list(decisions_of(approved[:1])) == []
    assert list(decisions_of(call("ExitPlanMode", {"plan": PLAN}, "Exit plan mode"))) == []
