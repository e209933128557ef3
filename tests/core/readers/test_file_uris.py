"""Addresses of files as programs with an editor write them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.readers.conversion.file_uris import path_in, path_of

ADDRESSES = {
    "file:///home/ana/a%20b": "/home/ana/a b",
    "file:/home/ana": "/home/ana",
    "file://localhost/home": "/home",
    "file:///c%3A/code": "c:/code",
    "file://nas/share/code": "//nas/share/code",
    "vscode-remote://ssh-remote%2Bshop/srv": "",
    "file:code": "",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address(address: str) -> None:
    assert (path_of(address), path_in(address)) == (ADDRESSES[address], ADDRESSES[address])


@pytest.mark.parametrize("path", ["/home/ana", r"C:\code", "c:/code", "code", ""])
def test_a_path_is_no_address(path: str) -> None:
    assert (path_of(path), path_in(path)) == ("", path)


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ({"scheme": "file", "path": "/home/ana"}, "/home/ana"),
        ({"fsPath": "/c:/code", "path": "/other"}, "c:/code"),
        ({"external": "file:///home/ana"}, "/home/ana"),
        ({"scheme": "git", "path": "/home/ana"}, ""),
        ({"path": 5}, ""),
        (None, ""),
    ],
)
def test_the_parts_of_an_address(parts: Any, path: str) -> None:
    assert path_of(parts) == path


@given(st.text() | st.builds("file://{}".format, st.text()))
def test_no_text_is_too_strange(text: str) -> None:
    assert path_of(text) in {"", path_in(text)}
