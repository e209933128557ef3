"""What a redacted copy says of itself."""

from __future__ import annotations

from memtui_core.export import labels
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
_PLURALS = {"e-mail address": "e-mail addresses"}


def counts(copy: RedactedCopy) -> list[str]:
    """The redactions of each kind: `312 home folders`, `1 e-mail address`; and the secrets that memtui never had."""
    stored = [f"{labels.counted(copy.stored, 'secret')} replaced before"] if copy.stored else []
    return [_counted(count, _NOUNS[kind]) for kind, count in copy.by_kind()] + stored


def notice(copy: RedactedCopy) -> str:
    """A sentence on what was replaced."""
    found = counts(copy)
    return f"Replaced for privacy: {', '.join(found)}." if found else "Nothing private was found in it."


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {_PLURALS.get(noun, f'{noun}s')}" if count != 1 else f"1 {noun}"
