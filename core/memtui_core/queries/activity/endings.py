"""How sessions ended, by the last entry of each: whether one still runs, waits for the user, or failed.

Only the last block of each session is read, and its text only where the verdict or the quote needs it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from memtui_core.model import CLOCK_TOLERANCE, WAITS, EndKind, SessionEnd
from memtui_core.queries.columns import utc
from memtui_core.queries.sessions import OF_SOURCES
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.store.tables import key_condition, key_ranges
from memtui_core.text.controls import one_line
from memtui_core.tools.vocabulary import text_of, vocabulary

_LONGEST_QUOTE: Final = 240
_TAIL: Final = 1_200
"""Characters at the end of a text in which a question is looked for."""
_FEW: Final = 50
"""Up to so many turns are read by ranges of ids, more with one list."""
_MOST_KEPT: Final = 2_000
"""Ends that are kept: a megabyte."""
_KEPT: Final[dict[Hashable, SessionEnd]] = {}
"""Ends by what is the same as long as they are: a session that grows makes a snapshot a second, and a text takes
milliseconds to read."""
_MOST_BLOCKS: Final = 1_000_000
"""More than the blocks of a turn."""
_FAILED: Final = """
    SELECT DISTINCT t.session FROM blocks b JOIN turns t ON t.id = b.turn
    WHERE (b.kind = 'note' AND b.tool = 'error') OR (b.kind = 'text' AND b.is_error)
"""
"""SQL for the sessions with an error of the agent's program, or of the API."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])[*_`\"'”’)]*\s+|(?<=[。！？])")
_OFFER: Final = re.compile(
    r"\W*(?:want me|want to|would you|do you want|shall (?:i|we)|should (?:i|we)|which|ready to)\b", re.IGNORECASE
)
"""How questions to the user begin that other sentences may follow, such as what the agent would do."""
_DECORATION: Final = " \t*_`\"'”’)"


class _LastTurn(NamedTuple):
    """The last turn of a session."""

    id: int
    session: int
    is_main: bool
    has_only_prompts: bool
    number: int
    kind: str
    at: datetime | None


class _Last(NamedTuple):
    """The last turn of a session with the last block in it that is no note, or a note that says how it ended."""

    turn: _LastTurn
    seq: int
    line: int
    kind: str
    tool: str
    is_error: bool

    @property
    def end(self) -> EndKind:
        """How the session ended, as far as the kind of the block tells: a text may be a question, too."""
        if not self.kind or self.turn.has_only_prompts:
            return "unknown"
        if self.kind == "note":
            return "interrupted" if self.tool == "interrupt" else "error"
        if self.kind == "text":
            return "error" if self.is_error else "clean"
        if self.kind == "user":
            return "unanswered" if self.turn.kind == "human" else "unknown"
        if self.tool.lower() in vocabulary().names.conclusions:
            return "clean"
        asks = self.kind == "tool_call" and self.turn.is_main and vocabulary().asks_user(self.tool)
        return "question" if asks else "stopped"

    @property
    def needs_text(self) -> bool:
        """Whether the verdict or the quote needs the text of the block."""
        is_answer = self.kind == "text" and self.turn.is_main
        return self.end in {"error", "question"} or (self.end == "clean" and is_answer)

    @property
    def needs_prompt(self) -> bool:
        """Whether the quote is of the prompt, or of the last call."""
        return self.end in {"interrupted", "unanswered", "stopped"}


def read_ends(snapshot: Snapshot, keys: Collection[int]) -> dict[int, SessionEnd]:
    """How some sessions ended, by key; those without turns are left out."""
    return _read(snapshot, key_condition("t.session", keys))


def recent_ends(snapshot: Snapshot) -> Mapping[int, SessionEnd]:
    """The ends of all sessions, without subagents, that may run, wait or have failed, by key.

    These are the sessions that wrote in the days before the newest entry of all, and those with an error.
    """
    return snapshot.cached("recent ends", lambda: _recent_ends(snapshot))


def unfinished(snapshot: Snapshot, now: datetime) -> dict[int, SessionEnd]:
    """The sessions, without subagents, that run, wait or have failed at a time, by key."""
    return {key: end for key, end in recent_ends(snapshot).items() if end.state(now) != "ended"}


def _recent_ends(snapshot: Snapshot) -> dict[int, SessionEnd]:
    # An entry may be later than now by a wrong clock.
    days = (WAITS + CLOCK_TOLERANCE).days
    wrote = (
        "SELECT DISTINCT session FROM turns WHERE credible(ended_at)"
        f" > (SELECT max(credible(ended_at)) FROM turns) - INTERVAL {days} DAY"
    )
    keys = {key for (key,) in [*snapshot.rows(wrote), *snapshot.rows(_FAILED)]}
    return _read(snapshot, f"s.parent IS NULL AND {key_condition('t.session', keys)}")


def _read(snapshot: Snapshot, condition: str) -> dict[int, SessionEnd]:
    # Texts that are redacted again, or of which less is kept, stay in the same turns, in another base.
    base = snapshot.data.path, snapshot.manifest.base
    found: dict[Hashable, _Last] = {
        (base, last): last for last in _last_blocks(snapshot, _last_turns(snapshot, condition))
    }
    missing = {same: last for same, last in found.items() if same not in _KEPT}
    made = dict(zip(missing, _ends(snapshot, list(missing.values())), strict=True))
    ends = {last.turn.session: made[same] if same in made else _KEPT[same] for same, last in found.items()}
    if len(_KEPT) + len(made) > _MOST_KEPT:
        _KEPT.clear()
    _KEPT.update(made)
    return ends


def _last_turns(snapshot: Snapshot, condition: str) -> list[_LastTurn]:
    rows = snapshot.rows(
        "SELECT max_by(t.id, t.number), t.session, any_value(s.parent) IS NULL, any_value(g.only_prompts) IS TRUE,"
        " max(t.number), max_by(t.kind, t.number), greatest(max(credible(t.ended_at)), any_value(c.at))"
        f" FROM turns t JOIN sessions s ON s.key = t.session LEFT JOIN ({OF_SOURCES}) g ON g.session = t.session"
        " LEFT JOIN (SELECT parent, max(credible(ended_at)) AS at FROM sessions JOIN turns ON session = key"
        " WHERE parent IS NOT NULL GROUP BY parent) c ON c.parent = t.session"
        f" WHERE NOT s.hidden AND {condition} GROUP BY t.session"
    )
    return [_LastTurn._make(row)._replace(at=utc(row[-1])) for row in rows]


def _last_blocks(snapshot: Snapshot, turns: Iterable[_LastTurn]) -> list[_Last]:
    by_id = {turn.id: turn for turn in turns}
    columns = (
        "SELECT turn, max(seq), max_by(line, seq), max_by(kind, seq), max_by(coalesce(tool, ''), seq),"
        " max_by(is_error, seq) FROM blocks WHERE {} AND kind <> 'image'"
        " AND (kind <> 'note' OR tool IN ('interrupt', 'error')) GROUP BY turn"
    )
    blocks = _by_id(snapshot, columns, "turn", by_id)
    return [_Last(turn, *blocks.get(key, (0, 0, "", "", False))) for key, turn in by_id.items()]


def _by_id(snapshot: Snapshot, sql: str, column: str, keys: Collection[int]) -> dict[int, Sequence[Any]]:
    """The rows of turns by the first column of a query; a few are read without the rows between them."""
    conditions = key_ranges(column, keys) if len(keys) <= _FEW else [key_condition(column, keys)]
    return {key: values for condition in conditions for key, *values in snapshot.rows(sql.format(condition))}


def _ends(snapshot: Snapshot, found: Sequence[_Last]) -> Iterator[SessionEnd]:
    said = {one.turn.id: one.turn.id * _MOST_BLOCKS + one.seq for one in found if one.needs_text}
    own = key_condition(f"turn * {_MOST_BLOCKS}::BIGINT + seq", said.values())
    text = (
        f"SELECT turn, CASE kind WHEN 'text' THEN right(text, {_TAIL}) ELSE text END FROM blocks WHERE {{}} AND {own}"
    )
    texts = _by_id(snapshot, text, "turn", said)
    asked = [one.turn.id for one in found if one.needs_prompt]
    prompt = "SELECT id, user_text, coalesce(tool_summary[-1], '') FROM turns WHERE {}"
    prompts = _by_id(snapshot, prompt, "id", asked)
    for one in found:
        yield _end(one, *texts.get(one.turn.id, ("",)), *prompts.get(one.turn.id, ("", "")))


def _end(last: _Last, text: str, prompt: str, call: str) -> SessionEnd:
    kind, turn = last.end, last.turn
    quote = {"interrupted": prompt, "unanswered": prompt, "stopped": call or prompt, "error": text}.get(kind, "")
    if kind == "question":
        quote = _asked_by_tool(text)
    elif kind == "clean" and (quote := asked_in(text)):
        kind = "question"
    return SessionEnd(turn.session, kind, turn.number, last.line, turn.at, one_line(quote, _LONGEST_QUOTE))


def _asked_by_tool(text: str) -> str:
    """The first question of a call, or the plan that it proposes."""
    # Most texts ask nothing, and a search imports no more than it needs.
    from memtui_core.tools.call import object_of

    fields = object_of(text)
    asked = fields.get("questions")
    first = asked[0] if isinstance(asked, list) and asked and isinstance(asked[0], dict) else fields
    return text_of(first, ("question", "plan"))


def asked_in(text: str) -> str:
    """The question to the user with which a text ends; empty if there is none.

    It is the last sentence of the last paragraph, or one before it that makes an offer: `Want me to fix it? I would
    begin with the parser.` Code and tables ask nothing.
    """
    paragraph = text.rstrip().rpartition("\n\n")[2].strip()
    if paragraph.endswith("```") or paragraph.startswith("|"):
        return ""
    sentences = [one.strip() for one in _SENTENCE_END.split(paragraph) if one.strip()]
    asked = [one for one in sentences if one.rstrip(_DECORATION).endswith(("?", "？"))]
    if not asked or (asked[-1] is not sentences[-1] and not _OFFER.match(asked[-1])):
        return ""
    return asked[-1].strip(_DECORATION)
