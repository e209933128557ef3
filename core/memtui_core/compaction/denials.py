"""Edits and commands of which a summary says the opposite of what happened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memtui_core.compaction.claims import LONGEST_CLAIM, StateClaims
from memtui_core.compaction.named_files import base_name
from memtui_core.compaction.session_texts import SessionTexts
from memtui_core.model import Turn
from memtui_core.tools.pairing import paired_turns

_NOT_EDITED: Final = re.compile(
    r"\bnot (?:yet )?(?:been )?(?:edited|updated|written|rewritten|created|amended)\b",
    re.IGNORECASE,
)
_NEAR: Final = 60
"""Characters between a file and the denial of its edit."""
_RECENT: Final = 0.25
"""Share of the calls at the end among which an edit was the last work before the compaction."""
_DONE_AS: Final = {
    "push": "pushed", "commit": "committed", "merge": "merged", "publish": "published", "deploy": "deployed",
    "install": "installed", "rm": "(?:deleted|removed)", "migrate": "migrated", "release": "released",
}  # fmt: skip
"""Words of commands, and how a summary tells that they were run."""


@dataclass(frozen=True, slots=True)
class Denied:
    """Something that happened, or did not, of which a summary says the opposite."""

    subject: str
    """The path of a file that was edited, or a command that was not allowed."""
    line: int
    turn: Turn
    claim: str
    """The sentence of the summary."""


def denied_edits(
    turns: Sequence[Turn], sentences: Sequence[str], texts: SessionTexts | None = None
) -> Iterator[Denied]:
    """The last edits of files that a summary says were not edited, if they were the work before the compaction."""
    denials = [sentence for sentence in sentences if _NOT_EDITED.search(sentence) and len(sentence) <= LONGEST_CLAIM]
    if not denials:
        return
    texts = texts or SessionTexts()
    calls = paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)])
    last: dict[str, tuple[int, Turn]] = {}
    for paired in calls[-max(1, int(_RECENT * len(calls))) :]:
        call, turn = texts.call(paired), turns[paired.turn]
        if call.family in {"edit", "write"} and call.result is not None and not call.is_error:
            last |= {edit.path: (call.line, turn) for edit in call.edits}
    for claim in denials:
        named = [path for path in last if _denies_edit(claim, path)]
        if named:
            path = max(named, key=lambda path: _named_length(claim, path))
            yield Denied(path, *last[path], claim)


def _denies_edit(text: str, path: str) -> bool:
    name = re.escape(base_name(path))
    denied = rf"(?<![\w.-])(?P<folders>(?:[\w.~-]+/)*){name}(?![\w-])[^.;]{{0,{_NEAR}}}{_NOT_EDITED.pattern}"
    match = re.search(denied, text, re.IGNORECASE)
    return match is not None and path.lower().endswith(
        f"{match['folders'].lstrip('./~').lower()}{base_name(path).lower()}"
    )


def _named_length(text: str, path: str) -> int:
    """How many parts at the end of a path a text contains as it is."""
    parts = path.split("/")
    return max(count for count in range(1, len(parts) + 1) if count == 1 or "/".join(parts[-count:]) in text)


def denied_commands(turns: Sequence[Turn], claims: StateClaims, texts: SessionTexts | None = None) -> Iterator[Denied]:
    """The last commands that the user did not allow, if none of their kind ran and a summary says that it was done."""
    texts = texts or SessionTexts()
    denied: dict[str, tuple[str, int, Turn]] = {}
    for paired in paired_turns([(at, turn.blocks) for at, turn in enumerate(turns)]):
        call, turn = texts.call(paired), turns[paired.turn]
        for words in call.programs:
            verb = next((word for word in words[:3] if word in _DONE_AS), "")
            if verb and call.rejected:
                denied.setdefault(verb, (" ".join(words), call.line, turn))
            elif verb:
                # Of a command that ran too, the summary may tell that run.
                denied[verb] = ("", call.line, turn)
    for verb, (command, line, turn) in denied.items():
        if command and (claim := claims.done(_DONE_AS[verb])):
            yield Denied(command, line, turn, claim)
