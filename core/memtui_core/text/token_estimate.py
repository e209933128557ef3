"""The one estimate of how many tokens a text has: each model counts in its own way, so an average has to do."""

from __future__ import annotations

CHARS_PER_TOKEN = 4
"""Characters that count as one token, as in English texts and code on average."""


def estimated_tokens(characters: int) -> int:
    """About how many tokens a text of so many characters has, rounded up."""
    return -(-characters // CHARS_PER_TOKEN)
