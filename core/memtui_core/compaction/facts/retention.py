"""Whether a summary names a detail of the segment: a file, a command, an address, a name or an error."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from memtui_core.compaction.checks.named_files import NamedFiles, base_name
from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.facts.commands import CommandPart
from memtui_core.compaction.facts.segment import SegmentFact
from memtui_core.compaction.words import (
    has_bounded,
    has_name,
    is_compound,
    names,
    normalized_name,
    root_of,
    word_set,
)

_ERROR_SHARE, _NAMED_ERROR_SHARE = 0.5, 0.3
"""The least share of an error's words that a summary with the error has, and the same if it has the error's name."""
_ERROR_NAME = re.compile(r"\b[\w.]*(?:Error|Exception|Timeout|Failure)\b")
_LONGEST = 400
"""Characters of an error or an address that are matched: the time of some patterns grows with their square."""
_LEAST_NORMALIZED = 8
"""Characters from which on a name is unique enough to be compared without its separators."""
_LEAST_SHORT_ID = 4
"""Characters from which on the id of a task is unique without the prefix of its project."""
_IMPLIED_PROGRAMS = frozenset({"git", "jj", "hg", "gh", "bd"})
"""Programs that need not be named: a summary that says "committed and pushed" means git."""
_ISSUE = re.compile(r"github\.com/([\w.-]+/[\w.-]+)/(?:issues|pull)/(\d+)")
_SOURCE = re.compile(
    r"(?:git[\w.]*\.[a-z]+/[^\s]*/(?:blob|raw|tree)|raw\.githubusercontent\.com)/[^\s]+/([\w-]+\.[\w.]+)"
)
"""A file of a repository on the web."""
_SEPARATORS = re.compile(r"::|[-./:#@]")


class SummaryMatcher:
    """Tells which details of a segment, in which some files were used, a summary names."""

    def __init__(self, coverage: Coverage, files: Iterable[str] = ()) -> None:
        self._coverage = coverage
        text = self._text = coverage.text
        self._lower = text.lower()
        self._files = NamedFiles(text, files)

    @cached_property
    def _words(self) -> frozenset[str]:
        return word_set(self._text)

    @cached_property
    def _lines(self) -> list[tuple[str, frozenset[str]]]:
        return [(line.lower(), word_set(line)) for line in self._text.split("\n") if line.strip()]

    @cached_property
    def _normalized_names(self) -> str:
        return "\n".join(sorted(map(normalized_name, names(self._text))))

    def keeps(self, fact: SegmentFact) -> bool:
        """Whether the summary names a fact, by the rule of its kind.

        - A file: see `NamedFiles`.
        - A command: its program with its verbs, or a verb in the same line as an argument, and half of its arguments;
          a failed command: half of its programs.
        - A URL: itself, or the file or issue of a repository to which it points.
        - An identifier: in any letter case, or its last part.
        - An error: half of its words within two sentences, or its name and a third of them.
        """
        if fact.kind in {"edited", "read", "file"}:
            return self._files.has(fact.text)
        if fact.kind in {"command", "failed"}:
            return 2 * sum(map(self._has_command, fact.parts)) >= len(fact.parts)
        if fact.kind == "url":
            return self._has_url(fact.text)
        if fact.kind == "identifier":
            return self._has_name(fact.text)
        named = any(self._has_name(name) for name in _ERROR_NAME.findall(fact.text[:_LONGEST]))
        return self._coverage.share(fact.text) >= (_NAMED_ERROR_SHARE if named else _ERROR_SHARE)

    def _has_name(self, name: str) -> bool:
        """A name in any letter case and with any separators: `HooksController` matches `hooks_controller.ex`."""
        if has_bounded(self._lower, name.lower()) or has_bounded(self._lower, name.lower() + "s"):
            return True
        normalized = normalized_name(name)
        if len(normalized) >= _LEAST_NORMALIZED and normalized in self._normalized_names:
            return True
        last_part = _SEPARATORS.split(name)[-1]
        return last_part != name and is_compound(last_part) and has_bounded(self._text, last_part)

    def _has_command(self, part: CommandPart) -> bool:
        named = [word for word in part.arguments if self._has_argument(word)]
        if 2 * len(named) < len(part.arguments):
            return False
        if not part.verbs:
            return bool(named) or (not part.arguments and has_name(self._lower, part.program.lower()))
        if has_name(self._lower, " ".join((part.program, *part.verbs)).lower()):
            return True
        verbs = {root_of(verb.lower()) for verb in part.verbs}
        if part.program in _IMPLIED_PROGRAMS and verbs <= self._words:
            return True
        targets = [base_name(word.lower()) for word in named] or [part.program.lower()]
        return any(
            verbs <= line_words and any(has_name(line, target) for target in targets)
            for line, line_words in self._lines
        )

    def _has_argument(self, word: str) -> bool:
        base = base_name(word)
        if self._files.has_name(base) or has_bounded(self._text, base) or has_bounded(self._text, word):
            return True
        # Ids of tasks are often written without the project's prefix.
        short_id = word.partition("-")[2]
        return (
            len(short_id) >= _LEAST_SHORT_ID and any(map(str.isdigit, short_id)) and has_bounded(self._text, short_id)
        )

    def _has_url(self, url: str) -> bool:
        bare = url.partition("://")[2].rstrip("/")[:_LONGEST]
        if has_bounded(self._text, bare) or has_bounded(self._text, bare.partition("#")[0].rstrip("/")):
            return True
        source = _SOURCE.fullmatch(bare.partition("#")[0])
        if source is not None and is_compound(source[1].partition(".")[0]) and self._files.has_name(source[1]):
            return True
        issue = _ISSUE.match(bare)
        return issue is not None and bool(re.search(rf"#{issue[2]}\b", self._text))
