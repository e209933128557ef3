"""Print the section of a version in CHANGELOG.md, the text of its release.

python -m tools.release_notes VERSION

Ends with 1 if there is none, so that a version without it is not released.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

CHANGELOG: Final = Path(__file__).parents[1] / "CHANGELOG.md"
_HEADING: Final = re.compile(r"^## \[(?P<version>[^\]]+)\]", re.MULTILINE)


def notes(changelog: str, version: str) -> str:
    """The section of a version, without its heading. Raises KeyError if there is none."""
    headings = list(_HEADING.finditer(changelog))
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        if heading["version"] == version:
            end = following.start() if following else len(changelog)
            return changelog[heading.end() : end].partition("\n")[2].strip() + "\n"
    raise KeyError(version)


if __name__ == "__main__":
    try:
        print(notes(CHANGELOG.read_text("utf-8"), sys.argv[1]), end="")
    except KeyError:
        sys.exit(f"CHANGELOG.md has no section [{sys.argv[1]}].")
