"""Each text of a conversation is in a rollout up to three times: for the model, as an event, and as a finished item.

Which of them are written depends on the version, and a file can contain several. A text counts when it occurs more
often in one of these streams than it has counted so far, so that none is lost and none is doubled.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, deque
from typing import Final, Literal

Role = Literal["user", "assistant", "thinking", "boundary", "interrupt"]
_NOT_IN_EVENTS: Final = re.compile(r"<(oai-mem-citation|proposed_plan)>.*?(?:</\1>|\Z)", re.DOTALL)
_PLAN: Final = re.compile(r"<proposed_plan>(.*?)(?:</proposed_plan>|\Z)", re.DOTALL)
_REMEMBERED: Final = 64
"""The number of texts of the assistant among which the last one of a finished turn is searched."""


class Repeats:
    """The texts of the current turn that were seen in each stream."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, bytes]] = Counter()
        self._counted: Counter[bytes] = Counter()
        self._latest: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._plans: set[bytes] = set()

    def is_new(self, stream: str, role: Role, text: str) -> bool:
        """Whether a text that occurs in a stream counts. A prompt that counts starts a turn."""
        key = _key(role, text)
        self._seen[stream, key] += 1
        if self._seen[stream, key] <= self._counted[key]:
            return False
        if role == "user":
            self._seen.clear()
            self._counted.clear()
            self._plans.clear()
            self._seen[stream, key] = 1
        if role == "assistant":
            self._latest.append(key)
        self._counted[key] += 1
        return True

    def is_unknown(self, text: str) -> bool:
        """Whether the text that ends a turn, as its last event says, was in none of the streams."""
        key = _key("assistant", text)
        return bool(text.strip()) and key not in self._latest and self._counted[key] == 0

    def is_new_plan(self, text: str) -> bool:
        """Whether a plan was not seen in this turn: it is part of a text of the assistant, or has an event, or both."""
        key = _key("assistant", text)
        is_new = key not in self._plans
        self._plans.add(key)
        return is_new

    def without_known_plans(self, text: str) -> str:
        """A text of the assistant without the plans in it that were seen before."""
        return _PLAN.sub(lambda match: match[0] if self.is_new_plan(match[1]) else "", text)


def _key(role: Role, text: str) -> bytes:
    """The digest of a text; blanks do not count, and neither do the parts that events leave out."""
    text = text.strip()
    if role == "assistant" and "<" in text:
        text = _NOT_IN_EVENTS.sub("", text) or text
    content = role + "\0" + "".join(text.split())
    return hashlib.blake2b(content.encode("utf-8", "replace"), digest_size=12).digest()
