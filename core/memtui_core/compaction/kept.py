"""Whether a summary names what the segment held."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from memtui_core.compaction.commands import Part
from memtui_core.compaction.facts import Fact
from memtui_core.compaction.named_files import NamedFiles, base_name
from memtui_core.compaction.words import flat, has_bounded, is_compound, names, root_of, share, squashed, words
from memtui_core.model import Span
from memtui_core.text.paths import is_path_like

_WINDOW = 3
"""Sentences, one after another, in which the words of one thing are looked for."""
_IN_WINDOW = 0.5
_IN_ALL, _IN_WINDOW_TOO = 0.7, 0.3
_QUOTED = 40
"""Characters of a text that, found as they are, show that it was quoted."""
_SQUASHED = 8
"""Letters of a name that is told apart without its joints."""
_SHORT = 4
_HISTORY = frozenset({"git", "jj", "hg", "gh", "bd"})
"""Programs whose verbs tell all: who writes that it was committed and pushed does not name git."""
_ISSUE = re.compile(r"github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")
_SOURCE = re.compile(
    r"(?:git[\w.]*\.[a-z]+/[^\s]*/(?:blob|raw|tree)|raw\.githubusercontent\.com)/[^\s]+/([\w-]+\.[\w.]+)"
)
"""A file of a repository on the web."""
_JOINTS = re.compile(r"::|[-./:#@]")


class Summary:
    """A summary, ready to be asked for what it names; `weight` is how rare each word is in the segment."""

    def __init__(
        self, text: str, sentences: Sequence[Span], weight: Mapping[str, float], files: Iterable[str] = ()
    ) -> None:
        self._text = text
        self._lower = text.lower()
        self._flat = flat(text)
        self._weight = dict(weight)
        self._words = frozenset(words(text))
        told = [frozenset(words(text[span.start : span.end])) for span in sentences]
        self._windows = [frozenset().union(*told[at : at + _WINDOW]) for at in range(max(1, len(told) - _WINDOW + 1))]
        self._lines = [(line.lower(), frozenset(words(line))) for line in text.split("\n") if line.strip()]
        self._files = NamedFiles(text, files)
        self._squashed = "\n".join(sorted(squashed(name) for name in names(text)))

    def keeps(self, fact: Fact) -> bool:
        """Whether the summary names it: the rule of its kind.

        A file as `NamedFiles` tells; a command by its program with its verbs, or by its verb beside its argument, and
        half of its arguments; a failed one by half of its programs; a URL as it is, or the file or issue of a
        repository that it leads to; an identifier in any case of letters, or its last part; words by half of their
        weight within three sentences, or by most of it in all.
        """
        if fact.kind in {"edited", "read"}:
            return self._files.has(fact.text)
        if fact.kind in {"command", "failed"}:
            return 2 * sum(map(self._has_part, fact.parts)) >= len(fact.parts)
        if fact.kind == "url":
            return self._has_url(fact.text)
        if fact.kind == "identifier":
            return self._files.has(fact.text) if is_path_like(fact.text) else self._has_name(fact.text)
        return self._has_words(fact.text)

    def _has_name(self, name: str) -> bool:
        """A name in any case and with any joints: `HooksController` is in `hooks_controller.ex`."""
        if has_bounded(self._lower, name.lower()) or has_bounded(self._lower, name.lower() + "s"):
            return True
        plain = squashed(name)
        if len(plain) >= _SQUASHED and plain in self._squashed:
            return True
        last = _JOINTS.split(name)[-1]
        return last != name and is_compound(last) and has_bounded(self._text, last)

    def _has_part(self, part: Part) -> bool:
        named = [word for word in part.arguments if self._has_argument(word)]
        if 2 * len(named) < len(part.arguments):
            return False
        if not part.verbs:
            return bool(named) or (not part.arguments and has_bounded(self._lower, part.program.lower()))
        if has_bounded(self._lower, " ".join((part.program, *part.verbs)).lower()):
            return True
        verbs = {root_of(verb.lower()) for verb in part.verbs}
        if part.program in _HISTORY and verbs <= self._words:
            return True
        beside = [base_name(word.lower()) for word in named] or [part.program.lower()]
        return any(verbs <= told and any(word in line for word in beside) for line, told in self._lines)

    def _has_argument(self, word: str) -> bool:
        base = base_name(word)
        if self._files.has_name(base) or has_bounded(self._text, base) or has_bounded(self._text, word):
            return True
        # Numbers of tasks are often written without the project before them.
        short = word.partition("-")[2]
        return len(short) >= _SHORT and any(map(str.isdigit, short)) and has_bounded(self._text, short)

    def _has_url(self, url: str) -> bool:
        bare = url.partition("://")[2].rstrip("/")
        if has_bounded(self._text, bare) or has_bounded(self._text, bare.partition("#")[0].rstrip("/")):
            return True
        source = _SOURCE.fullmatch(bare.partition("#")[0])
        if source is not None and is_compound(source[1].partition(".")[0]) and self._files.has_name(source[1]):
            return True
        issue = _ISSUE.match(bare)
        return issue is not None and bool(re.search(rf"#{issue[2]}\b", self._text))

    def _has_words(self, text: str) -> bool:
        quoted = flat(text)
        if len(quoted) >= 8 and quoted[:_QUOTED] in self._flat and quoted[-_QUOTED:] in self._flat:
            return True
        wanted = set(words(text))
        near = max((share(wanted, told, self._weight) for told in self._windows), default=0.0)
        if near >= _IN_WINDOW:
            return True
        return near >= _IN_WINDOW_TOO and share(wanted, self._words, self._weight) >= _IN_ALL
