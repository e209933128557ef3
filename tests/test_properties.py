"""No property depends on how fast the machine is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, is_hypothesis_test
from hypothesis import strategies as st


@given(st.text())
def test_a_property(text: str) -> None:
    assert text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass") == text


def test_no_property_fails_because_the_machine_is_busy(request: pytest.FixtureRequest) -> None:
    """Looks at every property that was collected with this test."""
    properties: dict[str, Callable[..., Any]] = {"the one above": test_a_property}
    for item in request.session.items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            properties[item.nodeid] = item.obj
    used = {name: vars(test)["_hypothesis_internal_use_settings"] for name, test in properties.items()}
    timed = [
        name
        for name, settings in used.items()
        if settings.deadline is not None or HealthCheck.too_slow not in settings.suppress_health_check
    ]
    assert timed == []
