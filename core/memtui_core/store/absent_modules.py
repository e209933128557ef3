"""Keep DuckDB from looking for libraries that are not installed: it does so with each parameter and each table."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any, Final

_SOUGHT: Final = ("pandas", "pyarrow")


def mark_absent_modules() -> None:
    """Record the libraries of data frames that cannot be imported, so that the next attempt looks for no files."""
    modules: dict[str, Any] = sys.modules
    for name in _SOUGHT:
        if name not in modules and find_spec(name) is None:
            # What Python defines for a name whose import is to fail.
            modules[name] = None
