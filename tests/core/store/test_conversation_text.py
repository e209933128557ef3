"""Places in the text that stands for a turn, and the blocks that it is made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memtui_core.store.conversation_text import block_ranges
from memtui_core.tools.turn_text import ASSISTANT, USER, turn_text

TEXTS = st.text(st.sampled_from("ab \n[]User|é検"), min_size=1, max_size=30)
BETWEEN = "\n\n"


@given(
    st.lists(TEXTS, max_size=1),
    st.lists(TEXTS, max_size=3),
    st.lists(TEXTS, max_size=4),
    st.lists(TEXTS, max_size=3),
    st.one_of(st.none(), TEXTS),
    st.data(),
)
def test_a_range_of_a_conversation_is_the_same_characters_in_its_blocks(
    asked: list[str], queued: list[str], said: list[str], tools: list[str], forward: str | None, data: st.DataObject
) -> None:
    user = "".join(asked)
    whole = turn_text(user, BETWEEN.join(said), tools, forward)
    first = data.draw(st.integers(0, len(whole)))
    last = data.draw(st.integers(first, len(whole)))
    texts = dict(enumerate([*asked, *said, *queued], start=3))
    numbers = list(texts)
    opened, answered = len(asked), len(asked) + len(said)
    user_blocks = [(number, texts[number]) for number in (*numbers[:opened], *numbers[answered:])]
    ranges = block_ranges(
        len(user), user_blocks, [(number, texts[number]) for number in numbers[opened:answered]], first, last
    )
    # Each character of the conversation that is one of a block, by its place there.
    expected: dict[tuple[int, int], int] = {}
    start = len(USER)
    for number in numbers[:opened]:
        expected |= {(number, place): start + place for place in range(len(texts[number]))}
    start = len(USER) + len(user) + len(ASSISTANT)
    for number in numbers[opened:answered]:
        expected |= {(number, place): start + place for place in range(len(texts[number]))}
        start += len(texts[number]) + len(BETWEEN)
    assert all(whole[place] == texts[number][at] for (number, at), place in expected.items())
    inside = sorted(key for key, place in expected.items() if first <= place < last)
    assert sorted((number, at) for number, begin, until in ranges for at in range(begin, until)) == inside
    assert all(begin < until for _, begin, until in ranges)


def test_a_prompt_queued_in_mid_turn_is_no_part_of_the_text_that_opened_it() -> None:
    asked = [(0, "Fix the upload"), (5, "and the mail")]
    said = [(3, "I look."), (7, "Both are done.")]
    whole = turn_text("Fix the upload", "I look.\n\nBoth are done.", ["Bash: make"], "Thanks")
    assert block_ranges(14, asked, said, 0, len(whole)) == [(0, 0, 14), (3, 0, 7), (7, 0, 14)]
    place = whole.index("Both")
    assert block_ranges(14, asked, said, place, place + 4) == [(7, 0, 4)]
    assert block_ranges(14, asked, said, whole.index("[Tools]"), len(whole)) == []
    assert block_ranges(14, asked, said, 0, len("[User] Fix")) == [(0, 0, 3)]


def test_an_opening_without_a_prompt_has_the_answer_alone() -> None:
    assert block_ranges(0, [], [(1, "Hello")], 0, 100) == [(1, 0, 5)]
