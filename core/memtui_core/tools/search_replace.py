"""Replacements as blocks, which some tools take as one text.

------- SEARCH          <<<<<<< SEARCH
the old lines           :start_line:12
=======                 -------
the new lines           ...
+++++++ REPLACE         >>>>>>> REPLACE
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_BEGIN = re.compile(r"(?:-{3,}|<{3,}) SEARCH>?\s*")
_MIDDLE = re.compile(r"={3,}\s*")
_END = re.compile(r"(?:\+{3,}|>{3,}) REPLACE\s*")
_POSITION = re.compile(r":(?:start|end)_line: ?\d{0,9}\s*|-{3,}\s*")


def replacements(text: str) -> Iterator[tuple[str, str]]:
    """The old and the new text of each complete block, without the newline at the end."""
    old: list[str] | None = None
    new: list[str] | None = None
    for line in text.split("\n"):
        if old is None:
            old = [] if _BEGIN.fullmatch(line) else None
        elif new is not None and _END.fullmatch(line):
            yield "\n".join(old), "\n".join(new)
            old = new = None
        elif new is not None:
            new.append(line)
        elif _MIDDLE.fullmatch(line):
            new = []
        elif old or not _POSITION.fullmatch(line):
            old.append(line)
