"""What was probably meant by a name that does not exist: of a command, an option, a setting or a key."""

from __future__ import annotations

from collections.abc import Iterable

from memtui_core.text.similarity import are_similar_names

_BEGINNING = 3
"""Characters from which on the beginning of a name stands for it."""
_MOST = 3
"""Names that are suggested."""


def suggestion(typed: str, names: Iterable[str], prefix: str = "") -> str:
    """A question that follows a sentence, ` Did you mean theme?`; empty if no name resembles what was typed.

    The names are shown after `prefix`. Dashes at the beginning of a name do not count.
    """
    text = typed.lstrip("-").lower()
    meant = [f"{prefix}{name}" for name in names if _resembles(text, name.lstrip("-"))][:_MOST]
    return f" Did you mean {' or '.join(meant)}?" if meant else ""


def _resembles(typed: str, name: str) -> bool:
    return (len(typed) >= _BEGINNING and name.startswith(typed)) or are_similar_names(name, typed)
