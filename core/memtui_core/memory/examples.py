"""Examples of what can be asked of a history: queries made of its own titles, errors, files and pull requests."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Final

from memtui_core.model import Example
from memtui_core.queries.names import shown_titles
from memtui_core.search.query_parser import parse
from memtui_core.store.lexicon.query import content_words
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.text.names import TitleRank
from memtui_core.tools.results.failures import error_line, is_agent_error, rejection_message

_SESSIONS: Final = 40
"""Sessions whose titles are looked at, the newest."""
_FAILED: Final = 80
"""Turns with errors that are looked at, the newest."""
_RESULT: Final = 2000
"""Characters of a failed result that are looked at."""
_TOPIC: Final = 26
"""Characters of a query that is made of a title."""
_WORDS: Final = re.compile(r"[A-Za-z][a-z']*(?: [A-Za-z]?[a-z']+){1,5}")
"""Words in a row, without names, numbers and signs, which differ from one error to the next."""
_EVERYBODYS: Final = re.compile(
    r"no such file|command not found|permission denied|failed with|exit code", re.IGNORECASE
)
"""Errors that say little of what was worked on; they come last."""
_PLAIN_NAME: Final = re.compile(r"[\w.-]+")
_TOPICS = f"""
    SELECT s.key FROM sessions s JOIN turns t ON t.session = s.key
    WHERE NOT s.hidden AND s.parent IS NULL AND s.title_rank >= {int(TitleRank.SUMMARY)}
    GROUP BY s.key ORDER BY max(credible(t.started_at)) DESC NULLS LAST, s.key LIMIT {_SESSIONS}
"""
_ERRORS = f"""
    WITH failed AS (
        SELECT t.id FROM turns t JOIN sessions s ON s.key = t.session WHERE t.errors > 0 AND NOT s.hidden
        ORDER BY credible(t.started_at) DESC NULLS LAST, t.id DESC LIMIT {_FAILED}
    )
    SELECT b.turn, left(b.text, {_RESULT}) FROM blocks b WHERE b.turn IN (SELECT id FROM failed)
    AND b.kind = 'tool_result' AND b.is_error ORDER BY b.turn DESC, b.seq
"""
_FILES = """
    SELECT parse_filename(m.path, 'forward_slash'), count(DISTINCT m.turn) AS turns FROM file_mentions m
    JOIN sessions s ON s.key = m.session JOIN turns t ON t.id = m.turn
    WHERE m.kind = 'edited' AND NOT m.is_dir AND NOT s.hidden AND m.path[1] NOT IN ('/', '~')
    GROUP BY s.root, s.project, m.path HAVING turns > 1
    ORDER BY ends_with(m.path, '.md'), turns DESC, max(credible(t.started_at)) DESC NULLS LAST, m.path LIMIT 10
"""
_PULL_REQUESTS = """
    SELECT p.number FROM pr_links p JOIN sessions s ON s.key = p.session WHERE NOT s.hidden
    ORDER BY credible(p.at_time) DESC NULLS LAST, p.number DESC LIMIT 3
"""


def read_examples(snapshot: Snapshot, has_hits: Callable[[str], bool]) -> tuple[Example, ...]:
    """One example of each kind for which the history has something; `has_hits` tries a query."""
    kinds = (_topics, _errors, _files, _pull_requests, _recent_errors, _compactions, _subagents)
    found = (next((one for one in kind(snapshot) if has_hits(one.query)), None) for kind in kinds)
    return tuple(one for one in found if one is not None)


def _topics(snapshot: Snapshot) -> Iterator[Example]:
    """What the newest sessions are about, those with the most to say first; the first word of a title is what to do."""
    titles = shown_titles(snapshot)
    topics = [_topic(titles[key]) for (key,) in snapshot.rows(_TOPICS)]
    for words in sorted(filter(None, topics), key=lambda words: -len(words)):
        yield Example(" ".join(words), "words and meaning")


def _topic(title: str) -> list[str]:
    """The telling words of a title, at least two; none of a title that is not made of plain words."""
    words = [word.lower() for word in content_words(parse(title))[1:] if word.isalpha() and len(word) > 2]
    lengths = accumulate(len(word) + 1 for word in words)
    topic = [word for word, length in zip(words, lengths, strict=True) if length <= _TOPIC]
    return topic if len(topic) > 1 else []


def _errors(snapshot: Snapshot) -> Iterator[Example]:
    """Words of errors that tools reported, the most frequent first."""
    turns: dict[str, set[int]] = defaultdict(set)
    for turn, text in snapshot.rows(_ERRORS):
        if not is_agent_error(text) and not rejection_message(text) and (words := _telling_words(error_line(text))):
            turns[words].add(turn)
    for words in sorted(turns, key=lambda one: (_EVERYBODYS.search(one) is not None, -len(turns[one]), -len(one))):
        count = len(turns[words])
        yield Example(f'"{words}"', f"an error in {count} turns" if count > 1 else "an error")


def _telling_words(line: str) -> str:
    """The longest row of words of an error; empty if it has none that say something."""
    rows = [row for row in _WORDS.findall(line[:_RESULT]) if len(row) >= len("reset by peer")]
    return max(rows, key=len, default="").lower()


def _files(snapshot: Snapshot) -> Iterator[Example]:
    """Files that were edited most, documents last."""
    for name, turns in snapshot.rows(_FILES):
        if _PLAIN_NAME.fullmatch(name):
            yield Example(f"file:{name}", f"edited in {turns} turns")


def _pull_requests(snapshot: Snapshot) -> Iterator[Example]:
    for (number,) in snapshot.rows(_PULL_REQUESTS):
        yield Example(f"pr:{number}", "a pull request")


def _recent_errors(_: Snapshot) -> Iterator[Example]:
    for after, text in (("3d", "3 days"), ("30d", "30 days"), ("1y", "year")):
        yield Example(f"has:error after:{after}", f"errors, last {text}")
    yield Example("has:error", "turns with errors")


def _compactions(_: Snapshot) -> Iterator[Example]:
    yield Example("is:compaction", "the summaries of compactions")


def _subagents(_: Snapshot) -> Iterator[Example]:
    yield Example("is:subagent", "what subagents did")
