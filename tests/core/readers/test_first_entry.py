"""The first entry of a file tells to which agent it belongs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui_core.readers.formats.first_entry import first_entry, head
from memtui_core.system.compression import zstd

LONG = b'{"text": "' + b"x" * 50_000 + b'"}'


@pytest.mark.parametrize(
    ("content", "entry"),
    [
        (b'{"a": 1}\n{"b": 2}\n', {"a": 1}),
        (b'\xef\xbb\xbf\r\n\n {"a": 1}', {"a": 1}),
        (LONG, {"text": "x" * 50_000}),
        (LONG + b"\n{}", {"text": "x" * 50_000}),
        (b"[1]\n", {}),
        (b"{\n", {}),
        (b"", {}),
    ],
)
def test_the_first_line_is_decoded(tmp_path: Path, content: bytes, entry: object) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    assert first_entry(path) == entry


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(zstd.compress(LONG))
    assert path.stat().st_size < 1000
    assert first_entry(path) == {"text": "x" * 50_000}


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert (first_entry(path), head(path)) == ({}, b"")
    for number in range(3):
        path.write_text(f'{{"a": {number}}}')
        os.utime(path, ns=(number, number))
        assert (first_entry(path), head(path)) == ({"a": number}, b'{"a": %d}' % number)
    path.unlink()
    assert (first_entry(path), head(path)) == ({}, b"")
