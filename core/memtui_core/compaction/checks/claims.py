"""What a summary claims about the outcome of checks, to be compared with what happened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from memtui_core.compaction.checks.last_runs import Check
from memtui_core.compaction.statements.open_work import OPEN_HEADING
from memtui_core.tools.shell.checks import GENERIC_NAMES

_PASSES: Final = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|clean(?:ly)?(?! (?!now\b|and\b|too\b|again\b)\w)|green|succeed(?:s|ed)|successful(?:ly)?"
    r"|valid(?:ates)?|(?:no|0|zero)"
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
_FAILS_NOW: Final = re.compile(
    r"\b(?:fail(?:s|ing)?|errors?|red|broken|not passing|do(?:es)? not (?:pass|compile|build))\b", re.IGNORECASE
)
_NOW: Final = re.compile(r"\b(?:still|now|remains?|remaining|currently)\b", re.IGNORECASE)
_NOT_NOW: Final = re.compile(
    r"\b(?:fix(?:ed|es|ing)?|resolved|solved|was|were|had|instead|added|if|when|once|must|should|need\w*|let|whether"
    r"|require\w*|enforc\w*|before|after|until|would|will|next|run|to|make|get|ensure|keep|verif(?:y|ying)|confirm|check"
    r"|earlier|first|initial(?:ly)?|that (?:pass|succeed|fail)\w*|since|so|then|except|apart|but|only|previous(?:ly)?"
    r"|not|expect\w*|may|might|could|can|also)\b|[?→]|n['’]t\b",
    re.IGNORECASE,
)
"""Words of sentences that do not tell how things are now: about the past, the future, a condition, a part or a task."""
_QUOTING: Final = re.compile(r"\b(?:user|asked|said|told|reported|claim(?:s|ed)?)\b|^[\"“]", re.IGNORECASE)
"""Signs that a sentence quotes somebody, so that it claims nothing of its own."""
_NOT_PRESENT_HEADING: Final = re.compile(
    r"error|fix|problem|issue|user message|pending|to-?do|next|concept|task|request|intent|history|background|plan"
    r"|requirement|constraint|command|how to|convention|rule|lesson",
    re.IGNORECASE,
)
"""Headings of sections of a summary that do not tell how things are now."""
_LABEL_START: Final = re.compile(r"\W*\*\*[^*\n]+\*\*|[^.;!?\n]{1,60}:\s")
"""The beginning of a list entry on a past problem: `**Flaky test**: the build still fails`."""
_CLAUSES: Final = re.compile(r"[.;:!?()\[\]]\s|\s[—–-]+\s|[()]")
_MOST_WORDS_BETWEEN: Final = 7
"""The most words from the name of a check to the claim on it."""
_TOKEN: Final = re.compile(r"[\w][\w+./:-]*")
_ALL_TESTS_WORDS: Final = frozenset("all the full entire whole every our both and a an existing".split())  # noqa: SIM905
"""Words before `tests` that do not limit them to some: `all tests`."""
_NUMBER: Final = re.compile(r"\d+")
_TEST_COUNT: Final = re.compile(r"\b([1-9]\d*)\W{1,3}(?:\w+ )?(?:tests?|passed|passing|specs?|examples)\b")
"""A number of tests, as a claim states it."""
_CODE: Final = re.compile(r"`([^`\n]+)`")
_SOME_TESTS_WORDS: Final = frozenset(
    """
    unit integration e2e end-to-end functional smoke snapshot core helper focused targeted related new old legacy other
    previous frontend backend ui browser local manual flaky
    """.split()  # noqa: SIM905
)
"""Words before `tests` that limit them to some: `unit tests`."""
LONGEST_CLAIM: Final = 400
"""Characters of a sentence from which on it is not taken for a claim."""
_WORD: Final = re.compile(r"[a-z]+")
_NOT_DONE: Final = re.compile(
    r"\b(?:not|never|reject\w*|denied|declined|refus\w*|blocked|pending|if|when|once|until|should|will|must|already|be"
    r"|yet|wait\w*|before)\b|n['’]t\b",
    re.IGNORECASE,
)


class StateClaims:
    """What the sentences of a summary claim about the state of checks."""

    def __init__(self, sentences: Sequence[str], headings: Sequence[str] = ()) -> None:
        self._sentences = [
            sentence for sentence in sentences if len(sentence) <= LONGEST_CLAIM and not _QUOTING.search(sentence)
        ]
        above = headings or [""] * len(sentences)
        placed = list(zip(sentences, above, strict=True))
        self._present = {sentence for sentence, heading in placed if not _NOT_PRESENT_HEADING.search(heading)}
        self._planned = [sentence for sentence, heading in placed if OPEN_HEADING.search(heading)]

    def opposite(self, check: Check, others: Sequence[Check] = ()) -> str:
        """The sentence that says the opposite of a check's outcome; empty if there is none.

        The sentence must name this check and none of `others`, and tell how things are now. If another sentence says
        what is true, there is no contradiction.
        """
        if check.outcome == "unknown" or (check.outcome == "passed" and check.edited_after):
            return ""
        names = _own_names(check, others)
        about = [sentence for sentence in self._sentences if not names.isdisjoint(_tokens_of(sentence))]
        if check.outcome == "failed":
            if any(map(_says_failure, about)):
                return ""
            return next((sentence for sentence in about if self._says(sentence, check, names, _PASSES)), "")
        if any(_PASSES.search(_NO_FAILURES.sub(" pass ", sentence)) for sentence in about):
            return ""
        return next(
            (
                sentence
                for sentence in about
                if _NOW.search(sentence)
                and not _LABEL_START.match(sentence)
                and self._says(sentence, check, names, _FAILS_NOW)
            ),
            "",
        )

    def done(self, past_tense: str) -> str:
        """The first sentence that says that something was done, by its verb in the past tense; empty without one."""
        verb = re.compile(rf"\b{past_tense}\b", re.IGNORECASE)
        return next(
            (
                sentence
                for sentence in self._sentences
                if sentence in self._present and verb.search(sentence) and not _NOT_DONE.search(sentence)
            ),
            "",
        )

    def passes(self, check: Check) -> bool:
        """Whether a sentence says that a check passes."""
        return any(_PASSES.search(sentence) for sentence in self._about(check))

    def fails(self, check: Check) -> bool:
        """Whether a sentence says that a check fails."""
        return any(map(_says_failure, self._about(check)))

    def plans(self, check: Check) -> bool:
        """Whether the summary names a check in its open work, so that the check will be run again."""
        return any(not check.names.isdisjoint(_words_of(sentence)) for sentence in self._planned)

    def _about(self, check: Check) -> Iterator[str]:
        """The sentences that name a check."""
        for sentence in self._sentences:
            if not check.names.isdisjoint(_words_of(sentence)):
                yield sentence

    def _says(self, sentence: str, check: Check, names: frozenset[str], claim: re.Pattern[str]) -> bool:
        """Whether a sentence makes a claim (`_PASSES` or `_FAILS_NOW`) about a check as it is now."""
        if sentence not in self._present or _NOT_NOW.search(sentence) or _is_of_another_run(sentence, check):
            return False
        return any(_claims(clause, check, names, claim) for clause in _CLAUSES.split(sentence))


def _own_names(check: Check, others: Sequence[Check]) -> frozenset[str]:
    """The names that only this check has: of two checks that run tests, `tests` may mean either."""
    shared = frozenset().union(*(other.names for other in others if other.command != check.command))
    return check.names - shared


def _claims(clause: str, check: Check, names: frozenset[str], claim: re.Pattern[str]) -> bool:
    """Whether a clause claims something of a check: soon after the name of the check, or right before it."""
    plain = clause.replace("`", " ").replace("*", " ")
    tokens = list(_TOKEN.finditer(plain))
    for at, word in enumerate(token[0].lower() for token in tokens):
        if word not in names:
            continue
        before_it = [token[0] for token in tokens[:at]]
        is_of = (
            _names_check(check, word, before_it)
            if claim is _PASSES
            else not _names_other_checks(check, word, before_it)
        )
        if not is_of:
            continue
        end = tokens[min(at + _MOST_WORDS_BETWEEN, len(tokens) - 1)].end()
        before = tokens[max(0, at - 1)].start()
        if claim.search(plain, tokens[at].end(), end) or claim.search(plain, before, tokens[at].start()):
            return True
    return False


def _is_of_another_run(sentence: str, check: Check) -> bool:
    """Whether a sentence is about another run: it quotes a different command, or states another number of tests."""
    own, numbers = set(check.command.split()), set(_NUMBER.findall(check.outcome_line))
    quoted = (code.split() for code in _CODE.findall(sentence))
    return any(len(words) > 1 and not set(words) <= own for words in quoted) or any(
        number not in numbers for number in _TEST_COUNT.findall(sentence)
    )


def _names_check(check: Check, name: str, before: Sequence[str]) -> bool:
    """Whether a name with the words before it means this check: `unit tests` only if its command contains `unit`."""
    if name not in GENERIC_NAMES:
        return True
    words = set(_TOKEN.findall(check.command.lower().replace(":", " ").replace("-", " ").replace("/", " ")))
    for word in map(str.lower, reversed(before)):
        if word in GENERIC_NAMES or word.isdecimal() or word in words:
            continue
        return word in _ALL_TESTS_WORDS
    return True


def _names_other_checks(check: Check, name: str, before: Sequence[str]) -> bool:
    """Whether a word before a name says that other checks are meant, such as `integration tests`."""
    word = before[-1] if before else ""
    if name not in GENERIC_NAMES or not word or word.lower() in check.command.lower():
        return False
    return word.lower() in _SOME_TESTS_WORDS or (len(word) > 1 and not word[1:].islower())


def _says_failure(sentence: str) -> bool:
    return _FAILS.search(_NO_FAILURES.sub("", sentence)) is not None


@lru_cache(2048)
def _words_of(sentence: str) -> frozenset[str]:
    return frozenset(_WORD.findall(sentence.lower()))


@lru_cache(2048)
def _tokens_of(sentence: str) -> frozenset[str]:
    """The words of a sentence in lower case; a name such as `test_cart.py` is one word."""
    return frozenset(token.rstrip(".:-/") for token in _TOKEN.findall(sentence.lower()))
