"""What memtui shows of the sessions of an agent, and what its search finds."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from bench.agents._leaves import strings_in
from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.redaction import redact

_SEED: Final = 20
_WORDS: Final = 6
_HITS: Final = 200

_MARKS: Final = re.compile(r"</?[A-Za-z][\w-]*(?: [^<>]*)?>|\x1b\[[\d;]*m")
_NUMBER: Final = re.compile(r"\A[-+]? ?(?:\d+ ?[→│|:]? ?)?")
"""The sign and the number before a line of a diff or a file."""
_HEADING: Final = re.compile(r"(?:---|\+\+\+) \S|@@|Index: |diff --git |index [\da-f]+\.\.|new file mode|\\ No newline")
_QUERY: Final = """
    SELECT t.session, b.text, b.detail FROM blocks b JOIN turns t ON t.id = b.turn JOIN sessions s ON s.key = t.session
    WHERE s.agent = ?
    UNION ALL
    SELECT t.session, t.user_text, NULL FROM turns t JOIN sessions s ON s.key = t.session WHERE s.agent = ?
    UNION ALL
    SELECT s.key, s.title, NULL FROM sessions s WHERE s.agent = ?
    UNION ALL
    SELECT f.session, u.raw, NULL FROM unknown_entries u JOIN sources f ON f.id = u.source WHERE f.agent = ?
"""


class Shown:
    """The texts of the sessions of an agent, with one blank between words."""

    def __init__(self, data_dir: Path, agent: str) -> None:
        pieces: dict[int, dict[str, None]] = defaultdict(dict)
        for session, text, detail in Snapshot(DataDir(data_dir)).rows(_QUERY, [agent] * 4):
            for part in (text, detail):
                if part:
                    pieces[session].update(dict.fromkeys(map(_plain, (part, *strings_in(part)))))
        self._pieces = {piece for found in pieces.values() for piece in found}
        self._texts = {session: "\n".join(found) for session, found in pieces.items()}

    def missing(self, text: str) -> str:
        """The first part of a text that is not shown; empty if all of it is.

        A text that is not shown as one is compared by its lines: without tags and colours in them, and without the
        headings, the signs and the numbers of lines of a diff.
        """
        whole = _plain(redact(text))
        if self._has(whole):
            return ""
        return next((line for line in map(_plain, redact(text).splitlines()) if not self._shows(line)), "")

    def sessions_with(self, phrase: str) -> set[int]:
        """The keys of the sessions that show a phrase."""
        return {session for session, text in self._texts.items() if phrase in text}

    def _shows(self, line: str) -> bool:
        bare = _plain(_MARKS.sub(" ", line))
        code = _NUMBER.sub("", bare)
        if len(code.split()) < 2 or _HEADING.match(line):
            return True
        return any(map(self._has, (line, bare, code, _NUMBER.sub("", line))))

    def _has(self, plain: str) -> bool:
        return plain in self._pieces or any(plain in text for text in self._texts.values())


def lost(data_dir: Path, shown: Shown, texts: Iterable[str], size: int) -> tuple[int, list[str]]:
    """How many of some texts were searched for, and the phrases that the search does not find in their session."""
    every = sorted(set(texts))
    chance = random.Random(_SEED)
    sample = chance.sample(every, min(size, len(every)))
    index = Index.open(data_dir)
    phrases = [phrase for text in sample if (phrase := _phrase(redact(text), shown, chance))]
    try:
        return len(phrases), [phrase for phrase in phrases if not _finds(index, shown, phrase)]
    finally:
        index.close()


def _finds(index: Index, shown: Shown, phrase: str) -> bool:
    sessions = shown.sessions_with(phrase)
    return any(
        hit.session in sessions for scope in ("", "in:note ") for hit in index.search(f'{scope}"{phrase}"', _HITS).hits
    )


def _phrase(text: str, shown: Shown, chance: random.Random) -> str:
    """Up to six words in a row, all from one line and shown; empty if each line has a quote between its words."""
    phrases = [phrase for line in text.splitlines() for phrase in _phrases(line) if shown.sessions_with(phrase)]
    return chance.choice(phrases) if phrases else ""


def _phrases(line: str) -> Iterator[str]:
    for part in _MARKS.sub('"', line).split('"'):
        words = _NUMBER.sub("", part.strip()).split()
        if sum(any(character.isalnum() for character in word) for word in words) > 1:
            yield " ".join(words[:_WORDS])


def _plain(text: str) -> str:
    return " ".join(text.split())
