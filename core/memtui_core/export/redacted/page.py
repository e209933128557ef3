"""A redacted copy as one HTML file."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memtui_core.export.html import html
from memtui_core.export.redacted.copy import RedactedCopy
from memtui_core.export.redacted.notice import NOTICE, with_notice

MOST_BYTES: Final = 5_000_000
"""What can be sent around, and opens at once on a phone."""
_LIMITS: Final = (12_000, 4_000, 1_500, 500)
"""Characters of a text below a tool call, tried one after the other."""


def redacted_page(copy: RedactedCopy) -> str:
    """The document; of a long session, long results and inputs lose their middle, and at last all results go."""
    copy = copy.with_marks()
    contents = replace(copy.contents, notice=NOTICE)
    for most in _LIMITS:
        text = html(copy.session, copy.turns, replace(contents, most=most))
        if len(text.encode()) <= MOST_BYTES:
            return with_notice(copy, text)
    shorter = replace(contents, most=_LIMITS[-1], results=False, notice=f"{contents.notice} Results are left out.")
    return with_notice(copy, html(copy.session, copy.turns, shorter))
