"""Regular expressions that are compiled with their first use: to compile all of them takes longer than a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    lazy_pattern = re.compile
else:

    class lazy_pattern:
        """A pattern with the methods of `re.Pattern`, for `re.compile` at the top of a module."""

        def __init__(self, pattern: str, flags: int = 0) -> None:
            self._source = pattern, flags

        def __getattr__(self, name: str) -> Any:
            # Kept, so that the next use asks nobody.
            value = self.__dict__[name] = getattr(re.compile(*self._source), name)
            return value
