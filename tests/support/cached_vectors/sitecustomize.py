"""Python processes with this folder and that of the tests on their path embed each text once, as the tests do."""

from __future__ import annotations

import pytest

from support.vector_cache import VectorCache

VectorCache().use(pytest.MonkeyPatch())
