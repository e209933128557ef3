"""What is written of a session or a turn is read again, by other versions too; what is broken is refused."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.store.tables import BIG, BOOL, COLUMNS, INT, LIST, REAL, TEXT, TIME
from memtui_core.system.compression import zstd
from memtui_team.content import MOST_BYTES, SESSION_TABLES, TURN_TABLES, decode, encode
from memtui_team.errors import TeamError

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = {
    INT: st.integers(-(2**31), 2**31 - 1),
    BIG: st.integers(-(2**63), 2**63 - 1),
    TIME: st.integers(-(2**63), 2**63 - 1),
    REAL: st.floats(allow_nan=False, allow_infinity=False),
    BOOL: st.booleans(),
    TEXT: TEXTS,
    LIST: TEXTS,
}


def rows_of(table: str) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.lists(st.tuples(*(st.none() | VALUES[kind] for kind in COLUMNS[table].values())), max_size=3)


CONTENTS = st.fixed_dictionaries({name: rows_of(name) for name in (*SESSION_TABLES, *TURN_TABLES)})


def packed(content: Any) -> bytes:
    return zstd.compress(orjson.dumps(content))


@given(CONTENTS)
def test_all_rows_come_back(content: dict[str, list[tuple[Any, ...]]]) -> None:
    assert decode(encode(content)) == {name: content[name] for name in COLUMNS if name in content}


def test_what_another_version_wrote_is_read() -> None:
    """Columns in another order, one that this version does not know, a table too; what is missing is empty."""
    forks = {"columns": ["mood", "session"], "rows": [["good", 7], [None, 8]]}
    reviews = {"columns": ["line"], "rows": [[3]]}
    chunks = {"columns": ["seq"], "rows": []}
    content = packed({"forks": forks, "reviews": reviews, "chunks": chunks, "moods": {"columns": [], "rows": []}})
    assert decode(content) == {"reviews": [(0, 3, 0, False)], "forks": [(7, None), (8, None)], "chunks": []}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"no zstd", "Zstandard"),
        (encode({"forks": [(1, 2)]})[:-6], "ended before the end-of-stream marker"),
        (packed([]), "it is no object"),
        (packed({"forks": []}), "indices|list"),
        (packed({"forks": {"columns": ["session"]}}), "'rows'"),
        (packed({"forks": {"columns": ["session"], "rows": [[1, 2]]}}), "a row of forks has not as many values"),
        (packed({"forks": {"columns": ["session"], "rows": [["1"]]}}), "forks.session has a value of another kind"),
        (packed({"forks": {"columns": ["session"], "rows": [[True]]}}), "forks.session has a value of another kind"),
        (packed({"forks": {"columns": ["session"], "rows": [[1 << 31]]}}), "forks.session has a value of another kind"),
        (packed({"forks": {"columns": ["session"], "rows": [1]}}), "len"),
        (packed({"titles": {"columns": ["title"], "rows": [[["x"]]]}}), "titles.title has a value of another kind"),
        (zstd.compress(b"[" * 100_000), "recursion|depth|JSON|unexpected"),
        (zstd.compress(b" " * (MOST_BYTES + 1)), "it is too large"),
    ],
)
def test_what_is_broken_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(TeamError, match=f"^What the server has of a session is broken: .*({reason}).*") as raised:
        decode(data)
    assert "\n" not in str(raised.value)


def test_what_is_too_large_is_not_written() -> None:
    with pytest.raises(TeamError, match=r"It has 64 MB of text; more than 64 are not shared\."):
        encode({"titles": [(1, 2, "x" * MOST_BYTES)]})
