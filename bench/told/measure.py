"""What was looked up again after compactions and starts, and how much of it the agent was told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Final

from memtui.agents.hooks.hook_call import HookCall
from memtui.agents.hooks.session_digest import MAX_BYTES as DIGEST_BYTES
from memtui.agents.hooks.session_digest import digest_text
from memtui_core.compaction.words import word_set
from memtui_core.index.index import Index
from memtui_core.ingest.writing.digest_file import project_digests
from memtui_core.memory.compaction_brief import MAX_BYTES as BRIEF_BYTES
from memtui_core.memory.compaction_brief import names_file, unnamed
from memtui_core.queries.columns import utc
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot

_SAME_PROMPT: Final = 0.5
"""Share of the words of two prompts that both have, from which on one repeats the other."""
_LEAST_WORDS: Final = 5
"""Words of a prompt; shorter ones repeat each other by chance."""
_OPENED: Final = "NOT m.is_dir AND m.kind IN ('edited', 'read')"


@dataclass(frozen=True, slots=True)
class Need:
    """What a session looked up again."""

    files: frozenset[str]
    turns: tuple[frozenset[str], ...]
    """For each earlier prompt, or earlier work on a file, the turns or sessions that stand for it: one is enough."""


@dataclass(frozen=True, slots=True)
class Case:
    """A moment, what was needed after it, and what the ways say."""

    when: str
    need: Need
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """How good one way is."""

    when: str
    way: str
    cases: int
    silent: int
    """Cases in which it says nothing."""
    files: int
    files_named: int
    """By the whole path, or by the name of the file as a word."""
    turns: int
    turns_cited: int
    bytes: int
    """Median of the texts that say something."""


def rows(data_dir: Path) -> list[Row]:
    """The figures of all ways at all moments of an index at which something was looked up again."""
    cases = [one for one in (*_compactions(data_dir), *_starts(data_dir)) if one.need.files or one.need.turns]
    keys = dict.fromkeys((one.when, way) for one in cases for way in one.texts)
    return [_row(when, way, [one for one in cases if one.when == when]) for when, way in keys]


def _row(when: str, way: str, cases: Sequence[Case]) -> Row:
    said = [len(one.texts[way].encode()) for one in cases if one.texts[way]]
    return Row(
        when,
        way,
        len(cases),
        len(cases) - len(said),
        sum(len(one.need.files) for one in cases),
        sum(names_file(one.texts[way], path) for one in cases for path in one.need.files),
        sum(len(one.need.turns) for one in cases),
        sum(any(f"[{place}" in one.texts[way] for place in places) for one in cases for places in one.need.turns),
        round(median(said)) if said else 0,
    )


def newest_files(paths: Sequence[str], most: int) -> str:
    """The files that were opened last, one a line, in at most so many bytes."""
    text = ""
    for path in dict.fromkeys(paths):
        if len(f"{text}- {path}\n".encode()) > most:
            break
        text += f"- {path}\n"
    return text


def _compactions(data_dir: Path) -> Iterator[Case]:
    index = Index.open(data_dir)
    for review in index.compactions.reviews():
        lines = [one.line for one in index.compactions.of_session(review.session)]
        end = min((line for line in lines if line > review.line), default=1 << 60)
        opened = index.snapshot.rows(
            f"SELECT m.path, m.line, m.kind FROM file_mentions m WHERE m.session = {review.session} AND {_OPENED}"
            " ORDER BY m.line DESC, m.path"
        )
        before = [path for path, line, _ in opened if line < review.line]
        again = {path for path, line, _ in opened if review.line < line < end} & set(before)
        prompts = index.snapshot.rows(
            f"SELECT number, line, user_text FROM turns WHERE session = {review.session} AND kind = 'human'"
        )
        said = {number: word_set(text) for number, line, text in prompts if line < review.line}
        repeated = [
            frozenset(f"{review.session_id}:{number}]" for number, words in said.items() if _is_same(words, now))
            for _, line, text in prompts
            if review.line < line < end and (now := word_set(text))
        ]
        brief, edited = index.compactions.brief(review), {path for path, _, kind in opened if kind == "edited"}
        ordered = sorted(dict.fromkeys(before), key=lambda path: path not in edited)
        files = unnamed(review.summary, ordered, BRIEF_BYTES - len(brief.encode()))
        yield Case(
            "after a compaction",
            Need(frozenset(again), tuple(places for places in repeated if places)),
            {
                "nothing": "",
                "the newest files": newest_files(before, BRIEF_BYTES),
                "the summary itself": review.summary,
                "what it lacks": brief,
                "and files it lacks": f"{brief}\n{files}".strip(),
            },
        )
    index.close()


def _is_same(words: frozenset[str], others: frozenset[str]) -> bool:
    if min(len(words), len(others)) < _LEAST_WORDS:
        return False
    return len(words & others) >= _SAME_PROMPT * len(words | others)


def _starts(data_dir: Path) -> Iterator[Case]:
    snapshot = Snapshot(DataDir(data_dir))
    opened = snapshot.rows(
        "SELECT m.path, s.root, s.key, s.session_id, t.started_at, m.kind FROM file_mentions m"
        " JOIN turns t ON t.id = m.turn JOIN sessions s ON s.key = m.session"
        f" WHERE {_OPENED} AND NOT s.hidden AND s.parent IS NULL AND t.started_at IS NOT NULL"
        " ORDER BY t.started_at DESC, m.line DESC, m.path"
    )
    sessions = snapshot.rows(
        "SELECT s.key, s.session_id, s.root, s.cwd, min(t.started_at) AS start FROM sessions s"
        " JOIN turns t ON t.session = s.key WHERE NOT s.hidden AND s.parent IS NULL AND s.root <> ''"
        " AND s.forked_from IS NULL GROUP BY ALL HAVING start IS NOT NULL ORDER BY start"
    )
    for key, session_id, root, cwd, start in sessions:
        before = [row for row in opened if row[1] == root and row[4] < start and row[2] != key]
        again = {path for path, _, own, *_ in opened if own == key} & {row[0] for row in before}
        workers = [
            frozenset(f"{of}:" for path, _, _, of, _, kind in before if path == one and kind == "edited")
            for one in sorted(again)
        ]
        texts = {"nothing": "", "the newest files": newest_files([row[0] for row in before], DIGEST_BYTES)}
        if again:
            texts["the digest"] = _digest_at(snapshot, session_id, root, cwd or root, start)
        yield Case("at a start", Need(frozenset(again), tuple(filter(None, workers))), texts)
    snapshot.close()


def _digest_at(snapshot: Snapshot, session_id: str, root: str, cwd: str, start: datetime) -> str:
    """The digest as it would have been when a session began."""
    base = "memory" if snapshot.rows(_IS_MERGED) else "base"
    # Turns of later are not there for any query.
    snapshot._connection.execute(
        f"CREATE OR REPLACE TEMP VIEW turns AS SELECT * FROM {base}.main.turns WHERE started_at < TIMESTAMP '{start}'"
    )
    try:
        project = project_digests(snapshot, [root]).get(root)
    finally:
        snapshot._connection.execute("DROP VIEW temp.main.turns")
    at = utc(start)
    assert at is not None
    call = HookCall("SessionStart", session_id, cwd=cwd)
    return digest_text({root: project}, call, set(), at)[0] if project else ""


_IS_MERGED: Final = "SELECT 1 FROM information_schema.tables WHERE table_name = 'turns' AND table_catalog = 'memory'"
