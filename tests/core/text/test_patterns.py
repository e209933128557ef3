"""Patterns that are compiled with their first use."""

from __future__ import annotations

import re
from typing import Any

import pytest

from memtui_core.text.patterns import lazy_pattern


def test_a_pattern_is_compiled_with_its_first_use_and_then_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[tuple[object, ...]] = []
    compile_now = re.compile

    def counted(*args: Any) -> object:
        compiled.append(args)
        return compile_now(*args)

    monkeypatch.setattr(re, "compile", counted)
    pattern = lazy_pattern("(a+)b", re.IGNORECASE)
    assert compiled == []
    for text in ("xAAb", "ab"):
        match = pattern.search(text)
        assert match is not None
        assert match[1].lower() in {"aa", "a"}
    assert compiled == [("(a+)b", re.IGNORECASE)]
    assert (pattern.sub("-", "xABy"), pattern.pattern, pattern.fullmatch("b")) == ("x-y", "(a+)b", None)
