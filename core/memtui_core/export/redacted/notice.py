"""What a redacted copy says of itself."""

from __future__ import annotations

from memtui_core.export.redacted.copy import RedactedCopy

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


def counts(copy: RedactedCopy) -> list[str]:
    """How often something of each kind was replaced: `312× home folder`; also before, when the session was indexed."""
    stored = [f"{copy.stored:,}× secret that memtui had replaced before"] if copy.stored else []
    return [f"{count:,}× {_NOUNS[kind]}" for kind, count in copy.by_kind()] + stored


def notice(copy: RedactedCopy) -> str:
    """A sentence on what was replaced."""
    found = counts(copy)
    return f"Replaced for privacy: {', '.join(found)}." if found else "Nothing private was found in it."
