"""A private text within another text, and what takes its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

PrivateKind = Literal["secret", "word", "e-mail", "name", "home", "user", "host", "path"]
"""word: one that the user gave; home: a home folder; user: the name of an account; path: if paths are left out."""
_PLACEHOLDER: Final = re.compile(r"(\[redacted:[a-z-]+\])")


class PrivateSpan(NamedTuple):
    """A private text: where it is, its kind, and what takes its place."""

    start: int
    end: int
    kind: PrivateKind
    replacement: str


def separate(spans: Iterable[PrivateSpan]) -> list[PrivateSpan]:
    """The spans in their order; those that overlap become one, which has the kind of the longest of them."""
    joined: list[tuple[PrivateSpan, int]] = []
    for span in sorted(spans):
        size = span.end - span.start
        if joined and span.start < joined[-1][0].end:
            last, longest = joined[-1]
            wider = span if size > longest else last
            joined[-1] = wider._replace(start=last.start, end=max(last.end, span.end)), max(size, longest)
        else:
            joined.append((span, size))
    return [span for span, _ in joined]


def replaced(text: str, spans: Iterable[PrivateSpan]) -> str:
    """The text with the spans, which are in order, replaced."""
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += text[end : span.start], span.replacement
        end = span.end
    return "".join((*parts, text[end:]))


def secret_spans(text: str, redacted: str) -> list[PrivateSpan]:
    """Where the secrets are in a text that `redact` made into another one.

    If they cannot be told apart, everything between the equal ends of both is one.
    """
    if text == redacted:
        return []
    parts = _PLACEHOLDER.split(redacted)
    at, spans = len(parts[0]), []
    for number in range(1, len(parts), 2):
        mark, after = parts[number], parts[number + 1]
        if text.startswith(mark + after[:1], at):
            at += len(mark) + len(after)
            continue
        end = len(text) - len(after) if number + 2 == len(parts) else text.find(after, at + 1)
        if not after and number + 2 < len(parts):
            return [_whole(text, redacted)]
        if end <= at:
            return [_whole(text, redacted)]
        spans.append(PrivateSpan(at, end, "secret", mark))
        at = end + len(after)
    return spans if replaced(text, spans) == redacted else [_whole(text, redacted)]


def _whole(text: str, redacted: str) -> PrivateSpan:
    most = min(len(text), len(redacted))
    start = next((at for at in range(most) if text[at] != redacted[at]), most)
    same = next((at for at in range(most - start) if text[-1 - at] != redacted[-1 - at]), most - start)
    return PrivateSpan(start, len(text) - same, "secret", redacted[start : len(redacted) - same])
