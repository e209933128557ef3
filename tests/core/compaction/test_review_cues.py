"""Shortcuts of reviews find the same as the long way."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.statements import cues
from memtui_core.compaction.statements import lost as lost_statements
from memtui_core.compaction.statements.cue_patterns import Cue, CueText, cue
from memtui_core.compaction.statements.extraction import Statement
from memtui_core.compaction.statements.lost import WeighedStatement
from memtui_core.compaction.statements.open_work import OpenWork
from memtui_core.compaction.statements.passages import ReviewedText
from memtui_core.compaction.words import normalized_name, word_set, words
from memtui_core.store.lexicon.tokens import CJK, bigrams
from support.histories import History

CUES = {name: value for name, value in vars(cues).items() if isinstance(value, Cue)}


@pytest.mark.parametrize("name", CUES)
@given(data=st.data())
@settings(max_examples=10, deadline=None, phases=[Phase.reuse, Phase.generate])
def test_whatever_a_pattern_matches_has_a_word_of_its_cue(name: str, data: st.DataObject) -> None:
    # Thirty texts an example: to draw an example takes longer than to draw a text. The texts that fail tell enough.
    texts = data.draw(st.lists(st.from_regex(CUES[name].pattern), min_size=30, max_size=30, unique=True))
    assert [text for text in texts if not CUES[name](CueText(text))] == []


@pytest.mark.parametrize("text", ["MUST", "mu\u017ft", "l\u0130mit", "l\u0131mit", "\u212aeep"])
def test_a_letter_that_only_patterns_take_for_another_is_found(text: str) -> None:
    plain = {"mu\u017ft": "must", "l\u0130mit": "limit", "l\u0131mit": "limit", "\u212aeep": "keep"}.get(text, "must")
    found = cue(rf"\b{plain}\b", plain)
    assert (found.pattern.search(text) is not None, found(CueText(text))) == (True, True)


@pytest.mark.parametrize(
    ("text", "is_found"),
    [("You must.", True), ("mustard", False), ("a_must_b", False), ("Assuming nothing", True), ("nothing", False)],
)
def test_a_cue_is_where_its_pattern_matches(text: str, is_found: bool) -> None:
    assert cue(r"\b(?:must\b|assum\w*)", "must", "assum")(CueText(text)) is is_found


SETS = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)


@given(st.lists(st.tuples(SETS, st.integers(0, 3)), max_size=14))
@settings(deadline=None)
def test_repetitions_are_counted_as_if_each_statement_were_compared_with_each(
    said: list[tuple[frozenset[str], int]],
) -> None:
    history = History()
    history.asks("Ship the cart")
    texts = [ReviewedText("conclusion", "", 1, history.turns[0]) for _ in range(4)]
    items = [WeighedStatement(Statement("rule", "", texts[at], 1.0, own), 1.0, 0.0) for own, at in said]
    expected = [
        len(
            {
                other_at
                for other, other_at in said
                if other_at != at
                and (
                    own == other
                    if min(len(own), len(other)) < 3
                    else len(own & other) >= 0.6 * min(len(own), len(other))
                )
            }
        )
        for own, at in said
    ]
    assert lost_statements._repetitions(items) == expected


SAID = "The till rounds prices. Nobody tested the upload."
PHRASES = (
    "The till rounds prices.",
    "till prices",
    "prices upload `Tax`",
    "Nobody tested tax",
    "green `Cart` #7 paint",
    "",
)


@given(
    st.lists(
        st.tuples(st.sampled_from(PHRASES), st.floats(0.01, 2.0), st.sampled_from(["conclusion", "prompt"])),
        max_size=25,
    )
)
@settings(deadline=None)
def test_what_is_left_out_as_too_light_is_neither_compared_nor_listed(
    said: list[tuple[str, float, Literal["conclusion", "prompt"]]],
) -> None:
    history = History()
    history.asks("Ship the cart")
    statements = [
        Statement("rule", text, ReviewedText(origin, text, 1, history.turns[0]), weight, word_set(text))
        for text, weight, origin in said
    ]

    def found(most: int) -> tuple[list[WeighedStatement], list[WeighedStatement]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lost_statements, "_MOST_COMPARED", most)
            return lost_statements._by_words(
                statements, history.turns, 1, Coverage(SAID, {}), OpenWork(SAID, history.turns, {})
            )

    all_lost, all_kept = found(1000)
    lost, kept = found(3)
    assert len(all_lost) + len(all_kept) == len(statements)
    assert lost[:3] == all_lost[:3]
    assert [item for item in kept if item.weight >= 0.3] == [item for item in all_kept if item.weight >= 0.3]


@given(st.text(st.sampled_from("aZ09é'’ſİ漢字かな_- s\nK")))
def test_the_different_words_of_a_text_are_its_words(text: str) -> None:
    assert word_set(text) == frozenset(words(text))
    runs = [run for run in CJK.findall(text.lower()) if len(run) > 1]
    assert all(pair in words(text) for run in runs for pair in bigrams(run)[:-1])


@given(st.text())
def test_a_name_is_compared_by_its_letters_and_digits(name: str) -> None:
    assert normalized_name(name) == "".join(letter for letter in name.lower() if letter.isalnum())


def test_every_pattern_of_words_is_a_cue() -> None:
    """A pattern that looks for words anywhere in a statement takes most of its time in vain."""
    plain = {name for name, value in vars(cues).items() if isinstance(value, re.Pattern) and value.pattern[:2] == r"\b"}
    assert plain == {"_MOMENTARY"}
