"""Edits that a summary denies, and commands that it says were run although the user did not allow them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memtui_core.compaction.checks.claims import LONGEST_CLAIM, StateClaims
from memtui_core.compaction.checks.named_files import base_name
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.tools.pairing import paired_turns

_DENIES_EDIT: Final = re.compile(
    r"\bnot (?:yet )?(?:been )?(?:edited|updated|written|rewritten|created|amended)\b",
    re.IGNORECASE,
)
_MOST_CHARACTERS_BETWEEN: Final = 60
"""The most characters between the name of a file and the denial of its edit."""
_LAST_CALLS_SHARE: Final = 0.25
"""Only edits among the last calls count, which are this share of all calls before the compaction."""
_PAST_TENSES: Final = {
    "push": "pushed", "commit": "committed", "merge": "merged", "publish": "published", "deploy": "deployed",
    "install": "installed", "rm": "(?:deleted|removed)", "migrate": "migrated", "release": "released",
}  # fmt: skip
"""Words of commands, and how a summary says that they were run."""


@dataclass(frozen=True, slots=True)
class DeniedEvent:
    """An edit that a summary denies, or a refused command that it says was run."""

    subject: str
    """The path of a file that was edited, or a command that was not allowed."""
    line: int
    turn: Turn
    claim: str
    """The sentence of the summary that is wrong."""


def denied_edits(
    turns: Sequence[Turn], sentences: Sequence[str], texts: SessionTexts | None = None
) -> Iterator[DeniedEvent]:
    """Edits among the last calls before a compaction, of files that its summary says were not edited."""
    denials = [sentence for sentence in sentences if _DENIES_EDIT.search(sentence) and len(sentence) <= LONGEST_CLAIM]
    if not denials:
        return
    texts = texts or SessionTexts()
    calls = paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)])
    last: dict[str, tuple[int, Turn]] = {}
    for paired in calls[-max(1, int(_LAST_CALLS_SHARE * len(calls))) :]:
        call, turn = texts.call(paired), turns[paired.turn]
        if call.family in {"edit", "write"} and call.result is not None and not call.is_error:
            last |= {edit.path: (call.line, turn) for edit in call.edits}
    for claim in denials:
        named = [path for path in last if _denies_edit_of(claim, path)]
        if named:
            path = max(named, key=lambda path: _named_length(claim, path))
            yield DeniedEvent(path, *last[path], claim)


def _denies_edit_of(text: str, path: str) -> bool:
    name = re.escape(base_name(path))
    written = rf"(?<![\w.-])(?P<folders>(?:[\w.~-]+/)*){name}(?![\w-])"
    between = rf"[^.;]{{0,{_MOST_CHARACTERS_BETWEEN}}}"
    match = re.search(f"{written}{between}{_DENIES_EDIT.pattern}", text, re.IGNORECASE)
    return match is not None and path.lower().endswith(
        f"{match['folders'].lstrip('./~').lower()}{base_name(path).lower()}"
    )


def _named_length(text: str, path: str) -> int:
    """How many parts of a path, counted from its end, a text contains together."""
    parts = path.split("/")
    return max(count for count in range(1, len(parts) + 1) if count == 1 or "/".join(parts[-count:]) in text)


def denied_commands(
    turns: Sequence[Turn], claims: StateClaims, texts: SessionTexts | None = None
) -> Iterator[DeniedEvent]:
    """Commands that the user refused and a summary says were run, if no command of the same kind ran."""
    texts = texts or SessionTexts()
    denied: dict[str, tuple[str, int, Turn]] = {}
    for paired in paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)]):
        call, turn = texts.call(paired), turns[paired.turn]
        for words in call.programs:
            verb = next((word for word in words[:3] if word in _PAST_TENSES), "")
            if verb and call.rejected:
                denied.setdefault(verb, (" ".join(words), call.line, turn))
            elif verb:
                # The summary may mean this run.
                denied[verb] = ("", call.line, turn)
    for verb, (command, line, turn) in denied.items():
        if command and (claim := claims.done(_PAST_TENSES[verb])):
            yield DeniedEvent(command, line, turn, claim)
