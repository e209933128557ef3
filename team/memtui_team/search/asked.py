"""A query in the words of the server: what a turn must contain, how that is ranked, and where turns must lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from memtui_core.search.filters.filter import FilterContext, FilterNotApplied
from memtui_core.search.filters.registry import filters_by_name
from memtui_core.store.lexicon.query import Clause, Query, QueryClauses, read_clauses
from memtui_core.store.lexicon.tokens import bigrams
from memtui_core.text.paths import is_absolute, query_path
from memtui_team.terms import PART, name_token, part_token

_PART: Final = 0.5
_FORM: Final = 0.6
_EXPANDED: Final = 0.5
_OTHER_SPELLING: Final = 0.3
_OTHERS: Final = 0.2
_WHOLE_NAME: Final = 6.0
"""These weights are those of the local keyword index, `lexicon/scoring.py`."""
_MIN_PREFIX: Final = 2
"""Characters of the beginning of a word from which on it stands for longer ones."""
_AFTER_SLASH: Final = "0"
"""The character after `/`, with which the range of all paths that begin with a folder ends."""


class _Rank(NamedTuple):
    """Words whose ranks in a turn count for a clause, with their weight."""

    clause: int
    words: str
    weight: float
    is_name: bool = False


class AskedWords:
    """The words of a query as conditions and ranks of `memtui.find_turns`."""

    def __init__(self, query: Query, *, live: bool = False) -> None:
        read: QueryClauses = read_clauses(query, live=live)
        self.clauses = read.clauses
        self.conditions = [_any(_alternatives(clause)) for clause in read.clauses]
        """What each clause asks of a turn, as texts of tsquery."""
        self._ranks = [rank for number, clause in enumerate(read.clauses) for rank in _ranks(number, clause)]
        self.ranks = [rank.words for rank in self._ranks]
        """Whose ranks `score` needs, as texts of tsquery."""
        self.excluded = " | ".join(f"({_all(_words_of(clause))})" for clause in read.excluded) or None
        """What no turn may contain, as a text of tsquery. A phrase is compared with the text of the turns later."""
        if any(len(_words_of(clause)) > 1 for clause in read.excluded):
            single = [clause for clause in read.excluded if len(_words_of(clause)) == 1]
            self.excluded = " | ".join(_all(_words_of(clause)) for clause in single) or None
        self.excluded_clauses = read.excluded
        self.terms = " ".join(dict.fromkeys(token for clause in read.clauses for token in _tokens(clause)))
        """All words, for BM25."""
        self.is_exact = all(len(_words_of(clause)) == 1 for clause in read.clauses)
        """Whether a turn with the words of each clause is certain to contain the clauses."""

    def scores(self, ranked: Sequence[float], rarities: Sequence[float]) -> list[float]:
        """The score of each clause from the ranks of its words, by how rare the clauses are."""
        own: list[list[float]] = [[] for _ in self.clauses]
        names = [0.0] * len(self.clauses)
        for rank, value in zip(self._ranks, ranked, strict=True):
            if rank.is_name:
                names[rank.clause] = _WHOLE_NAME if value > 0 else 0.0
            else:
                own[rank.clause].append(rank.weight * value)
        best = [max(values) for values in own]
        return [
            rarity * (top + _OTHERS * (sum(values) - top)) + name
            for rarity, top, values, name in zip(rarities, best, own, names, strict=True)
        ]


def _words_of(clause: Clause) -> list[str]:
    """The words that a turn with the clause contains as it is written, as parts of a tsquery."""
    if clause.run:
        pairs = bigrams(clause.run)[:-1]
        return [_word(pair) for pair in pairs] or [_word(clause.run, prefix=True)]
    *first, last = clause.words
    is_prefix = clause.prefix and len(last) >= _MIN_PREFIX
    return [*(_word(word) for word in first), _word(last, prefix=is_prefix)]


def _tokens(clause: Clause) -> Iterator[str]:
    yield from bigrams(clause.run)[:-1] if clause.run else clause.words
    yield from clause.forms
    if clause.name:
        yield name_token(clause.name)
    if clause.may_be_part:
        yield part_token(clause.words[0])


def _alternatives(clause: Clause) -> Iterator[str]:
    """What a turn contains that has the clause, in one way or another."""
    yield _all(_words_of(clause))
    if clause.may_be_part:
        yield _word(PART + clause.words[0], prefix=clause.prefix and len(clause.words[0]) >= _MIN_PREFIX)
    yield from (_word(form) for form in clause.forms)
    if len(clause.parts) > 1:
        if parts := _parts(clause):
            yield _all(parts)
        yield _all([_word(part) for part in clause.parts])
        yield _word("".join(clause.parts))


def _ranks(number: int, clause: Clause) -> Iterator[_Rank]:
    weight = _EXPANDED if clause.prefix and not clause.run else 1.0
    if clause.prefix and clause.words:
        yield _Rank(number, _any(_word(word) for word in clause.words), 1.0)
    yield _Rank(number, _any(_words_of(clause)), weight)
    if clause.may_be_part:
        yield _Rank(number, _word(PART + clause.words[0], prefix=clause.prefix), _PART)
    if clause.forms:
        # The rank of several words is the mean of theirs, and a turn rarely has more than one form.
        yield _Rank(number, _any(map(_word, clause.forms)), _FORM * len(clause.forms))
    if len(clause.parts) > 1:
        if parts := _parts(clause):
            yield _Rank(number, _any(parts), _OTHER_SPELLING)
        yield _Rank(number, _word("".join(clause.parts)), _OTHER_SPELLING)
    if clause.name:
        yield _Rank(number, _word(name_token(clause.name)), 1.0, is_name=True)


def _parts(clause: Clause) -> list[str]:
    return [_word(part_token(part)) for part in clause.parts if len(part) > 1 and not part.isdigit()]


def _word(word: str, *, prefix: bool = False) -> str:
    quoted = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{quoted}'{':*' if prefix else ''}"


def _all(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"({' & '.join(words)})"


def _any(words: Iterator[str] | Sequence[str]) -> str:
    return " | ".join(dict.fromkeys(words))


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What narrows a search on the server; the other filters are applied to what was fetched."""

    projects: tuple[str, ...] = ()
    """Beginnings of the names of projects, in lower case."""
    agents: tuple[str, ...] = ()
    """Beginnings of the ids of agents, in lower case."""
    members: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    has_others: bool = False
    """Whether the query has filters that do not narrow the search."""


def narrowed(query: Query) -> Narrowed:
    """What of the filters of a query narrows the search on the server."""
    values: dict[str, list[str]] = {}
    for name, value in query.filters:
        values.setdefault(name, []).append(value.lower())
    is_named = not any("/" in value or "\\" in value for value in values.get("project", ()))
    pushed = {"agent", "after", "before", *({"project"} if is_named else ())}
    return Narrowed(
        projects=tuple(values.get("project", ())) if is_named else (),
        agents=tuple(value.removeprefix("=") for value in values.get("agent", ())),
        since=max(_times("after", values.get("after", ())), default=None),
        until=min(_times("before", values.get("before", ())), default=None),
        has_others=bool(query.excluded_filters) or not pushed.issuperset(values),
    )


def _times(name: str, values: Sequence[str]) -> Iterator[datetime]:
    context = FilterContext(datetime.now().astimezone())
    for value in values:
        try:
            (time,) = filters_by_name()[name].turn_condition(value, context).parameters
        except FilterNotApplied:
            continue
        yield time.replace(tzinfo=UTC)


class PathPattern(NamedTuple):
    """A condition on the column `reversed` of mentions that an index serves, and one on `path` for those that are left.

    Both are as wide as they must be: what was fetched is compared by the rules of the local index.
    """

    first: str
    """The least reversed path; empty for all."""
    last: str
    """What is greater than all of them; empty for all."""
    like: str
    """A pattern of LIKE for the path, in lower case; empty for all."""


def path_pattern(path: str) -> PathPattern:
    """The pattern for a path of a query: a file, the end of a path, a folder, a pattern, or an absolute path."""
    # PostgreSQL has no texts with NUL.
    path = query_path(path.replace("\0", "")).lower()
    if path.endswith("/"):
        folder = path.rstrip("/")
        # Of an absolute folder the mentions in its project have only what is below it.
        return PathPattern("", "", "" if is_absolute(path) else f"%{_escaped(folder)}%")
    if "*" in path or "?" in path:
        literal = path[max(path.rfind("*"), path.rfind("?")) + 1 :]
        first, last = _range(literal[::-1]) if literal else ("", "")
        like = "".join({"*": "%", "?": "_"}.get(letter, _escaped(letter)) for letter in path)
        return PathPattern(first, last, "" if is_absolute(path) else f"%{like}")
    name = path.rpartition("/")[2] if is_absolute(path) else path
    first, _ = _range(name[::-1])
    return PathPattern(first, f"{name[::-1]}{_AFTER_SLASH}", "")


def _range(prefix: str) -> tuple[str, str]:
    """The least text that begins so, and what is greater than all of them in the order of code points."""
    return prefix, f"{prefix}{chr(0x10FFFF)}"


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\%_" else letter for letter in text)
