"""What a summary claims about the outcome of checks and about files, where the history says the opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memtui_core.compaction.checks import Check
from memtui_core.compaction.named_files import base_name
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.tools.pairing import paired_turns

_PASSES: Final = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|clean(?:ly)?|green|succeed(?:s|ed)|successful(?:ly)?|valid(?:ates)?|(?:no|0|zero)"
    r" (?:errors|issues|warnings|failures|failed|findings))\b",
    re.IGNORECASE,
)
_NO_FAILURES: Final = re.compile(
    r"\b(?:0|no|zero|without) (?:\w+ )?(?:failures?|failed|errors?|issues?|warnings?|findings|problems)\b",
    re.IGNORECASE,
)
_FAILS: Final = re.compile(
    r"\b(?:fail(?:s|ed|ing|ures?)?|errors?|red|broken|block(?:s|ed|ing|er)?|not (?:passing|clean)|unresolved|issues?"
    r"|warnings?|findings?|problems?|false positives?|complain\w*)\b",
    re.IGNORECASE,
)
_NOT_NOW: Final = re.compile(
    r"\b(?:fix(?:ed|es)?|resolved|solved|was|were|had|instead|changed|extracted|used|added|if|when|must|should|need\w*"
    r"|require\w*|enforc\w*|before|after|until|would|will|next|run|to|make|get|ensure|keep)\b",
    re.IGNORECASE,
)
"""Words of sentences about the past, the future, a condition or a task."""
_QUOTES: Final = re.compile(r"\b(?:user|asked|said|told)\b|^[\"“]", re.IGNORECASE)
"""A sentence that quotes somebody claims nothing of its own."""
_LONGEST: Final = 400
_NOT_EDITED: Final = re.compile(
    r"\bnot (?:yet )?(?:been )?(?:edited|updated|written|rewritten|created|amended)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z]+")
_NEAR: Final = 60
"""Characters between a file and the denial of its edit."""
_RECENT: Final = 0.25
"""Share of the calls at the end among which an edit was the last work before the compaction."""


@dataclass(frozen=True, slots=True)
class DeniedEdit:
    """An edit that a summary denies."""

    path: str
    line: int
    turn: Turn
    claim: str
    """The sentence of the summary."""


def denied_edits(
    turns: Sequence[Turn], sentences: Sequence[str], texts: SessionTexts | None = None
) -> Iterator[DeniedEdit]:
    """The last edits of files that a summary says were not edited, if they were the work before the compaction."""
    denials = [sentence for sentence in sentences if _NOT_EDITED.search(sentence) and len(sentence) <= _LONGEST]
    if not denials:
        return
    texts = texts or SessionTexts()
    calls = paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)])
    last: dict[str, tuple[int, Turn]] = {}
    for found in calls[-max(1, int(_RECENT * len(calls))) :]:
        call, turn = texts.call(found), turns[found.turn]
        if call.family in {"edit", "write"} and call.result is not None and not call.is_error:
            last |= {edit.path: (call.line, turn) for edit in call.edits}
    for claim in denials:
        named = [path for path in last if _denies_edit(claim, path)]
        if named:
            path = max(named, key=lambda path: _named_length(claim, path))
            yield DeniedEdit(path, *last[path], claim)


def _denies_edit(text: str, path: str) -> bool:
    name = re.escape(base_name(path))
    denied = rf"(?<![\w.-]){name}(?![\w-])[^.;]{{0,{_NEAR}}}{_NOT_EDITED.pattern}"
    return re.search(denied, text, re.IGNORECASE) is not None


def _named_length(text: str, path: str) -> int:
    """How many parts at the end of a path a text contains as it is."""
    parts = path.split("/")
    return max(count for count in range(1, len(parts) + 1) if count == 1 or "/".join(parts[-count:]) in text)


def opposite_claim(check: Check, sentences: Sequence[str]) -> str:
    """The sentence that says that a failed check passes, or that one that passes fails; empty if there is none."""
    for sentence in _about(check, sentences):
        passes, fails = _PASSES.search(sentence), _says_failure(sentence)
        if _NOT_NOW.search(sentence) or check.outcome == "unknown":
            continue
        if (check.outcome == "failed" and passes and not fails) or (
            check.outcome == "passed" and fails and not passes and not check.edited_after
        ):
            return sentence
    return ""


def says_it_passes(check: Check, sentences: Sequence[str]) -> bool:
    """Whether a sentence says that a check passes."""
    return any(_PASSES.search(sentence) for sentence in _about(check, sentences))


def says_it_fails(check: Check, sentences: Sequence[str]) -> bool:
    """Whether a sentence says that a check fails."""
    return any(map(_says_failure, _about(check, sentences)))


def _says_failure(sentence: str) -> bool:
    return _FAILS.search(_NO_FAILURES.sub("", sentence)) is not None


def _about(check: Check, sentences: Sequence[str]) -> Iterator[str]:
    """The sentences that name a check."""
    for sentence in sentences:
        if not check.names.isdisjoint(_words_of_claim(sentence)):
            yield sentence


@lru_cache(2048)
def _words_of_claim(sentence: str) -> frozenset[str]:
    """The words of a sentence by which it may name a check; none of a sentence that claims nothing."""
    is_claim = len(sentence) <= _LONGEST and not _QUOTES.search(sentence)
    return frozenset(_WORD.findall(sentence.lower())) if is_claim else frozenset()
