"""What a redacted copy says of itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from memtui_core.export.redacted.copy import RedactedCopy
from memtui_core.export.redacted.marks import counted

_NOUNS = {
    "secret": "secret",
    "word": "word",
    "e-mail": "e-mail address",
    "name": "name",
    "home": "home folder",
    "user": "user name",
    "host": "host name",
    "path": "path",
}


NOTICE: Final = "\U0010fe0f"
"""What stands in a document for its notice until it is made."""


def notice(copy: RedactedCopy) -> str:
    """A sentence on what was replaced; also before, when the session was indexed."""
    found = _counts(copy.by_kind())
    found += [f"{copy.stored:,}× secret that memtui had replaced before"] if copy.stored else []
    return _sentence(found)


def with_notice(copy: RedactedCopy, document: str) -> str:
    """A document of a copy with marks, without them, and with a sentence on what was replaced in the document."""
    text, found = counted(document)
    if found or not copy.redactions:
        return text.replace(NOTICE, _sentence(_counts(found)))
    return text.replace(NOTICE, "Nothing in this text had to be replaced.")


def _sentence(found: Sequence[str]) -> str:
    return f"Replaced for privacy: {', '.join(found)}." if found else "Nothing private was found in it."


def _counts(found: Iterable[tuple[str, int]]) -> list[str]:
    """How often something of each kind was replaced: `312× home folder`."""
    return [f"{count:,}× {_NOUNS[kind]}" for kind, count in found]
