"""Count what the redaction replaces in invented texts, and list what it replaces in transcripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.secrets.invented import samples
from memtui_core.text.redaction import redact

COUNT: Final = 200
"""Secrets, and other texts, in each set."""
_SEEDS: Final = (38, 39)
_PLACEHOLDER = re.compile(r"\[redacted:([a-z-]+)\]")
_AROUND: Final = 40
"""Characters before and after a replacement that tell what it is."""


@dataclass(slots=True)
class Figures:
    """What became of the texts of a set."""

    secrets: int
    ordinary: int
    missed: list[str] = field(default_factory=list)
    """Texts of which the secret, or a line of it, is left."""
    damaged: list[str] = field(default_factory=list)
    """Texts without a secret in which something was replaced."""

    @property
    def replaced(self) -> int:
        """How many secrets were replaced."""
        return self.secrets - len(self.missed)


def figures(secrets: Sequence[str], ordinary: Sequence[str]) -> Figures:
    """Redact `COUNT` texts with secrets and as many without."""
    found = Figures(COUNT, COUNT)
    for sample in samples(secrets, COUNT, _SEEDS[0]):
        clean = redact(sample.text)
        if any(part in clean for part in re.split(r"\n|\\n", sample.value) if len(part) > 3 and "-----" not in part):
            found.missed.append(sample.text)
    for sample in samples(ordinary, COUNT, _SEEDS[1]):
        if redact(sample.text) != sample.text:
            found.damaged.append(sample.text)
    return found


class Replacement(NamedTuple):
    """A secret in a transcript, with what is around it."""

    kind: str
    before: str
    value: str
    after: str


def replacements(folder: Path) -> Iterator[Replacement]:
    """What is replaced in the texts of the JSON files below a folder, each text once."""
    seen: set[str] = set()
    for path in sorted(folder.rglob("*.json*")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            for text in _texts(entry):
                if text not in seen:
                    seen.add(text)
                    yield from _in_text(text)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _in_text(text: str) -> Iterator[Replacement]:
    clean = redact(text)
    if clean == text:
        return
    # What is between two placeholders is in the text, too, and tells where the secret was.
    rest, parts = 0, _PLACEHOLDER.split(clean)
    rest = len(parts[0])
    for number in range(1, len(parts), 2):
        kind, after = parts[number], parts[number + 1]
        end = text.find(after, rest) if after else len(text)
        if f"[redacted:{kind}]" != text[rest:end]:
            yield Replacement(kind, text[max(0, rest - _AROUND) : rest], text[rest:end], text[end : end + _AROUND])
        rest = end + len(after)
