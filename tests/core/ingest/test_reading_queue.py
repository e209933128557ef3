"""The queue of transcripts: each is in it once, and what is put first comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.ingest.discover import Pending
from memtui_core.ingest.sources.reading_queue import ReadingQueue
from memtui_core.readers.base import Transcript


def pending(number: int, chain_length: int = 0) -> Pending:
    return Pending(Transcript("codex", Path(f"/t/{number}.jsonl"), 1, 1), None, chain_length=chain_length)


@given(st.integers(0, 5), st.lists(st.one_of(st.none(), st.integers(0, 5))))
def test_it_is_a_list_from_which_older_entries_of_what_is_put_first_are_removed(
    count: int, steps: list[int | None]
) -> None:
    items = [pending(number) for number in range(count)]
    queue, expected = ReadingQueue(items), list(items)
    for place, step in enumerate(steps):
        if step is not None:
            item = pending(step, place + 1)
            queue.put_first(item)
            expected = [item, *(one for one in expected if one.transcript.name != item.transcript.name)]
        elif expected:
            assert queue.take() is expected.pop(0)
        assert (len(queue), bool(queue)) == (len(expected), bool(expected))
    assert [queue.take() for _ in expected] == expected
    with pytest.raises(IndexError):
        queue.take()
