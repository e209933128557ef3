from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.dying import Processes


@pytest.fixture(scope="package")
def processes() -> Iterator[Processes]:
    """Starts a process for each function that ends its own."""
    with Processes("support.publishing", "support.vector_indexes") as started:
        yield started
