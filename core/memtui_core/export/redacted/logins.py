"""Passwords that stand right after the address of an account: `ana@shop.dev / Tr0ub4dor!`, `login ana@shop.dev …`."""

from __future__ import annotations

import re
from typing import Final

from memtui_core.export.redacted.spans import PrivateSpan
from memtui_core.text.redaction.shape import placeholder
from memtui_core.text.redaction.values import is_password

_LEAST: Final = 8
"""Characters of such a password: nothing names it, so that it has to look like one."""
_LOGIN: Final = re.compile(r"\b(?:login|log-in|signin|sign-in)[ \t]+(?:(?:-u|--user(?:name)?|--email)[ \t=])?[\"'`]?\Z")
"""What is before an address that a password follows without a sign between them."""
_SIGN: Final = re.compile(r"[\"'`]?(?:[ \t]+/[ \t]+|:|[ \t]+(?:-p|--pass|--password)[ \t=])[\"'`]?")
_BLANK: Final = re.compile(r"[\"'`]?[ \t]+[\"'`]?")
_WORD: Final = re.compile(r"[^\s\"'`<>|;,(){}\[\]\\/]{8,128}(?![\w/\\])")


def password_after(text: str, start: int, end: int) -> PrivateSpan | None:
    """The password behind an address that is from `start` to `end` in a text."""
    between = _SIGN.match(text, end)
    if between is None and _LOGIN.search(text, max(0, start - 40), start):
        between = _BLANK.match(text, end)
    word = _WORD.match(text, between.end()) if between else None
    if word is None:
        return None
    value = word[0].rstrip(".:")
    if not _looks_like_one(value):
        return None
    return PrivateSpan(word.start(), word.start() + len(value), "secret", placeholder("password"))


def _looks_like_one(word: str) -> bool:
    """Whether a word is no name, flag or placeholder: small and capital letters with digits or punctuation."""
    is_mixed = any(map(str.islower, word)) and any(map(str.isupper, word))
    return len(word) >= _LEAST and is_mixed and not word.startswith("-") and is_password(word, quoted=True)
