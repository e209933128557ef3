"""Messages in the format of protocol buffers, written and read."""

from __future__ import annotations

import struct

from hypothesis import given
from hypothesis import strategies as st

from memtui_core.text.protobuf import field_of, fields_in, four_bytes

NUMBERS = st.integers(1, 1 << 20)
VALUES = st.one_of(st.integers(0, (1 << 64) - 1), st.binary(max_size=300))


@given(st.lists(st.tuples(NUMBERS, VALUES), max_size=8))
def test_fields_are_read_as_they_were_written(fields: list[tuple[int, int | bytes]]) -> None:
    data = b"".join(field_of(number, value) for number, value in fields)
    found = [
        (number, data[value] if isinstance(value, slice) else value) for number, value in fields_in(data, 0, len(data))
    ]
    assert found == fields


def test_the_bytes_are_those_of_the_format() -> None:
    assert field_of(1, 150) == b"\x08\x96\x01"
    assert field_of(2, b"testing") == b"\x12\x07testing"
    assert four_bytes(3, struct.pack("<f", 1.0)) == b"\x1d\x00\x00\x80\x3f"
