"""A fixed clock and a still cursor, so that screens can be compared."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from textual.widgets import Input

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memtui.moment.now", lambda: NOW)
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _self: None)
