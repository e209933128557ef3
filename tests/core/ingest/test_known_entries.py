"""The owners of entries, compared with a plain dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from memtui_core.ingest.sources import entries as entries_module
from memtui_core.ingest.sources.entries import KnownEntries, Owner

HASH = st.one_of(st.integers(0, 9), st.integers(-(2**63), 2**63 - 1))
HASHES = st.lists(HASH, max_size=30)
AT = 1_790_000_000_000_000
"""The time of entries in microseconds."""
Entry = tuple[int, int]
ENTRIES = st.lists(st.tuples(HASH, st.integers(1, 9)), max_size=30)
"""Hashes of entries with the source of their owner."""


@settings(deadline=None)
@given(ENTRIES, ENTRIES, HASHES, st.integers(1, 4))
def test_an_entry_belongs_to_the_owner_that_was_added_last(
    stored: list[Entry], added: list[Entry], others: list[int], most_recent: int
) -> None:
    before, entries_module.MOST_RECENT = entries_module.MOST_RECENT, most_recent
    try:
        entries = KnownEntries(
            np.array([entry ^ AT for entry, _ in stored], np.int64),
            np.array([source << 32 | 5 for _, source in stored], np.int64),
        )
        for entry, source in added:
            entries.add([(entry, AT)], Owner(source, 5))
        expected = {(entry, AT): Owner(source, 5) for entry, source in [*stored, *added]}
        queried = [entry for entry, _ in [*stored, *added]] + others
        assert entries.owners((entry, AT) for entry in queried) == expected
        assert entries.owners((entry, AT + 2**20) for entry in queried) == {}
        assert len(entries) >= len(expected)
    finally:
        entries_module.MOST_RECENT = before


def test_an_owner_that_lost_entries_is_not_certain() -> None:
    entries = KnownEntries(np.array([], np.int64), np.array([], np.int64))
    entries.mark_uncertain(2**31 - 1)
    certain = [entries.is_certain(Owner(source, 1)) for source in (1, 2**31 - 1)]
    assert certain == [True, False]
    entries.add([(-(2**63), 0)], Owner(2**31 - 1, 2**31 - 1))
    assert entries.owners([(-(2**63), 0)]) == {(-(2**63), 0): Owner(2**31 - 1, 2**31 - 1)}
