"""numpy, imported without threads of its own for linear algebra: they take as long to start as all the rest of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_THREADS = "OPENBLAS_NUM_THREADS"


@contextmanager
def _without_threads() -> Iterator[None]:
    if "numpy" in sys.modules or _THREADS in os.environ:
        yield
        return
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        # Read once; processes that this one starts decide for themselves.
        del os.environ[_THREADS]


with _without_threads():
    import numpy as np

__all__ = ["np"]
