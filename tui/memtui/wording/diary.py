"""The diary in words: days, and sessions with what came out of them. The app and `memtui timeline` say the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from memtui.wording.formatting import cut, date_and_year, day_and_month, number, plural, short_commit, time_of_day
from memtui.wording.numbers import worked
from memtui.wording.owner import owner_mark
from memtui.wording.session_state import MARKS
from memtui_core.index.observations import DiaryEntry, SimilarSessions, TimelineSession, sessions_of, sum_of
from memtui_core.model import state_of
from memtui_core.text.controls import one_line
from memtui_core.text.markdown.plain import plain_line

if TYPE_CHECKING:
    from memtui_core.index.observations import DiaryDay, OutcomeSum, SessionOutcome

Part = tuple[str, str]
"""A text and the name of its style: `strong`, `muted`, `rule`, `error`, or none."""
Line = list[Part]
INDENT: Final = 3
"""Cells before the lines below the title of an entry."""
_FILES: Final = 3
"""File names that are shown."""
_LEAST_TITLE: Final = 16
"""Cells that a title keeps beside the name of its project."""
_LEAST_PROJECT: Final = 12
"""Cells of the name of a project, with its separator, from which on it is cut to a quarter of the width."""
_ID: Final = 8
"""Characters of an id."""
_GAP: Final = "  "


def day_line(day: DiaryDay, width: int | None, today: date) -> Line:
    """The heading of a day: `Thu 20 Aug`, and at the end `5 sessions · 3 h 10 m · +340 −80 · 2 commits`.

    Where there is no room for all of it, it says nothing of lines, and then nothing of commits; until all outcomes have
    been read, it says how many sessions there are.
    """
    total = sum_of(day.sessions)
    name, first = day_name(day.on, today), [plural(total.sessions, "session"), *_time_of_work(total)]
    facts = [*first, *_work(total)] if _are_read(day.sessions) else first[:1]
    while width is not None and len(facts) > 1 and cell_len(" · ".join((name, *facts))) > width:
        del facts[min(len(first), len(facts) - 1)]
    return _spread([(name, "strong")], " · ".join(facts), width, "─")


def day_name(on: date | None, today: date) -> str:
    """`Thu 20 Aug`, with the year if it is another one; what was today or yesterday is called so."""
    if on is None:
        return "No time"
    day = f"{on:%a} {day_and_month(on) if on.year == today.year else date_and_year(on)}"
    name = {0: "today", 1: "yesterday"}.get((today - on).days)
    return f"{day} · {name}" if name else day


def entry_lines(
    entry: DiaryEntry,
    width: int | None,
    now: datetime,
    *,
    everywhere: bool,
    lists_observations: bool = False,
    with_id: bool = False,
    shorten: Callable[[str, int], str] = cut,
) -> list[Line]:
    """An entry of a day: its title, then what came out of it, then what was asked first, each if there is any.

    `width` None is for a stream without a width, where nothing is cut. `everywhere` adds the name of the project; a
    session of another machine, or of a colleague, has the name of that;
    with `lists_observations`, the observations of the session are rows of their own below it; `with_id` adds the
    beginning of its id, of similar sessions that of the newest and how many more there are; `shorten` makes a title fit
    into so many cells.
    """
    if isinstance(entry, SimilarSessions):
        return _similar_lines(entry, width, everywhere=everywhere, with_id=with_id)
    session, outcome = entry.session, entry.outcome
    signs = []
    if outcome is not None:
        signs = _signs(outcome.pull_requests, len(outcome.files), outcome.compactions)
    if entry.observations and not lists_observations:
        signs.append(f"◆ {len(entry.observations)}")
    right = _right(signs, (time_of_day(entry.at), entry.session_id[:_ID] if with_id else ""), width)
    place = (entry.project if everywhere else "", owner_mark(session) if session is not None else "")
    title = _titled(entry.name, " · ".join(filter(None, place)), width and width - cell_len(right) - 4, shorten)
    lines = [_spread([(f"{_sign(entry, now)} ", ""), *title], right, width)]
    if session is None:
        lines.append([("no transcript", "muted")])
    elif outcome is not None:
        own = (_files(outcome.files), _commits(outcome), _end(outcome))
        facts = [*_share(entry, session.turns, outcome.turns), *filter(None, own)]
        if facts:
            lines.append(_joined(facts))
        if (asked := outcome.asked) and not asked.startswith(plain_line(entry.name).rstrip("…")):
            lines.append([(f"asked: {asked}", "muted")])
    return [lines[0], *(_indented(line, width) for line in lines[1:])]


def note_lines(entry: DiaryEntry, width: int | None) -> Iterator[Line]:
    """The observations of an entry, the newest first: `◆ decision Retry thrice`."""
    for session in sessions_of(entry):
        for observation in reversed(session.observations):
            content = observation.content
            yield _indented([(f"◆ {content.type} ", "muted"), (one_line(content.title), "")], width)


def more_line(hidden: int) -> Line:
    """The last line of a day of which some sessions are not shown."""
    return [(f"{' ' * (INDENT - 1)}… {plural(hidden, 'more session')}", "muted")]


def continuation(entry: TimelineSession) -> Iterator[str]:
    """`since 3 Feb` and `continues 5 Feb`, of a session that worked on several days."""
    since, goes_on = entry.since, entry.goes_on
    if since is not None:
        yield f"since {_other_day(since, entry.day)}"
    if goes_on is not None:
        yield f"continues {_other_day(goes_on, entry.day)}"


def _share(entry: TimelineSession, all_turns: int, turns: int) -> Iterator[Part]:
    """`since 3 Feb`, `continues 5 Feb` and `4 of 12 turns`, of a session that worked on several days."""
    words = list(continuation(entry))
    if words and turns:
        words.append(f"{number(turns)} of {plural(all_turns, 'turn')}")
    return ((word, "muted") for word in words)


def _other_day(on: date, day: date | None) -> str:
    """`3 Feb`, with the year if it is not that of a day."""
    return day_and_month(on) if day is not None and on.year == day.year else date_and_year(on)


def _similar_lines(entry: SimilarSessions, width: int | None, *, everywhere: bool, with_id: bool) -> list[Line]:
    sessions, total = entry.sessions, sum_of(entry.sessions)
    signs = _signs(total.pull_requests, total.files, total.compactions)
    ids = f"{sessions[0].session_id[:_ID]} +{number(len(sessions) - 1)}" if with_id else ""
    right = _right(signs, (_times(sessions), ids), width)
    count = f" ×{number(len(sessions))}"
    room = width and width - cell_len(right) - 4 - len(count)
    title = _titled(entry.name, sessions[0].project if everywhere else "", room)
    facts = [f"{number(len(sessions))} similar sessions"]
    if total.files or total.commits:
        facts += [*[plural(total.files, "file")] * bool(total.files), *_work(total)]
    elif _are_read(sessions) and not any(session.session and session.session.only_prompts for session in sessions):
        facts.append("no file changed")
    return [
        _spread([("● ", ""), title[0], (count, "strong"), *title[1:]], right, width),
        _indented([(" · ".join(facts), "muted")], width),
    ]


def _are_read(sessions: Sequence[TimelineSession]) -> bool:
    """Whether it is known what came out of all sessions that have a transcript."""
    return all(session.outcome is not None or session.session is None for session in sessions)


def _right(signs: Sequence[str], times: Sequence[str], width: int | None) -> str:
    """What stands at the end of a title: signs as far as there is room, then times.

    Files are left out first if all of it takes more than a third of the width, because they are named below; the others
    if it takes more than half.
    """
    shown = list(signs)

    def fits(share: int) -> bool:
        return width is None or cell_len(_GAP.join((*shown, *times))) <= width // share

    if not fits(3):
        shown = [sign for sign in shown if not sign.startswith("✎")]
    while shown and not fits(2):
        del shown[0]
    return _GAP.join(filter(None, (*shown, *times)))


def _time_of_work(total: OutcomeSum) -> list[str]:
    """`3 h 10 m`, `12 min`, or `48 s`, if there is any."""
    return [worked(total.seconds)] if total.seconds >= 1 else []


def _work(total: OutcomeSum) -> list[str]:
    """`+340 −80` and `2 commits`, each if there is any."""
    lines = [f"+{number(total.added)}"] * bool(total.added) + [f"−{number(total.removed)}"] * bool(total.removed)
    return [*([" ".join(lines)] if lines else []), *([plural(total.commits, "commit")] if total.commits else [])]


def _signs(pull_requests: Sequence[int], files: int, compactions: int) -> list[str]:
    """`↑ #41`, `✎ 3` and `⧉ 2`, each if there is any."""
    numbers = " ".join(f"#{one}" for one in pull_requests) if len(pull_requests) < _FILES else str(len(pull_requests))
    return [
        f"{sign} {value}" for sign, value in (("↑", numbers), ("✎", files or ""), ("⧉", compactions or "")) if value
    ]


def _sign(entry: TimelineSession, now: datetime) -> str:
    """The mark of what a session is at on its last day, `○` for one of which there are only prompts."""
    session = entry.session
    if session is not None and session.only_prompts:
        return "○"
    end = session.end if session is not None and entry.goes_on is None else None
    return MARKS[state_of(end, now)].rstrip()


def _times(sessions: Sequence[TimelineSession]) -> str:
    """`09:10–11:40`: the last work in the first and in the last of several sessions."""
    times = [time_of_day(session.at) for session in sessions if session.at is not None]
    return times[0] if len(set(times)) == 1 else f"{times[-1]}–{times[0]}" if times else ""


def _titled(title: str, project: str, width: int | None, shorten: Callable[[str, int], str] = cut) -> Line:
    """A title, and the name of its project if there is room for both."""
    title, project = one_line(title), f" · {project}" if project else ""
    if width is None:
        return [(title, "strong"), (project, "muted")]
    if cell_len(title) + cell_len(project) > width:
        project = cut(project, max(_LEAST_PROJECT, width // 4)) if width >= _LEAST_TITLE + _LEAST_PROJECT else ""
    return [(shorten(title, width - cell_len(project)), "strong"), (project, "muted")]


def _files(paths: Sequence[str]) -> Part | None:
    """`upload.py, backoff.py, queue.py +2`."""
    names = list(dict.fromkeys(PurePosixPath(path).name for path in paths))[:_FILES]
    more = f" +{len(paths) - len(names)}" if len(paths) > len(names) else ""
    return (", ".join(names) + more, "") if names else None


def _commits(outcome: SessionOutcome) -> Part | None:
    """`commit 3f2a9c1 “Retry uploads”`, or `6 commits, last 3f2a9c1 “Retry uploads”`, as far as it is known."""
    if not outcome.commits:
        return None
    subject, commit = outcome.commits[-1], short_commit(outcome.commit_ids[-1])
    last = " ".join(filter(None, (commit, f"“{subject}”" if subject else "")))
    if len(outcome.commits) == 1:
        return f"commit {last}".rstrip(), ""
    return plural(len(outcome.commits), "commit") + (f", last {last}" if last else ""), ""


def _end(outcome: SessionOutcome) -> Part | None:
    kind = outcome.end.kind if outcome.end is not None else ""
    if kind == "error":
        return "✗ ended with an error", "error"
    return ("interrupted", "muted") if kind == "interrupted" else None


def _joined(parts: Sequence[Part]) -> Line:
    """Parts with ` · ` between them."""
    return [piece for part in parts for piece in ((" · ", "muted"), part)][1:]


def _spread(left: Line, right: str, width: int | None, fill: str = " ") -> Line:
    """Parts at the left, and a text at the right end."""
    if width is None:
        return [*left, (f"{_GAP}{right}" if right else "", "muted")]
    right = cut(right, max(0, width - 8))
    left = list(_cut_line(left, width - cell_len(right) - 1))
    gap = width - cell_len(right) - sum(cell_len(text) for text, _ in left)
    return [*left, (f" {fill * (gap - 2)} " if gap > 2 else " " * max(1, gap), "rule"), (right, "muted")]


def _indented(line: Line, width: int | None) -> Line:
    own = line if width is None else _cut_line(line, width - INDENT)
    return [(" " * INDENT, ""), *own]


def _cut_line(line: Line, width: int) -> Iterator[Part]:
    """Parts within a width, the last one of them cut if there are more."""
    left = width
    for text, style in line:
        shown = cut(text, left)
        left -= cell_len(shown)
        if shown:
            yield shown, style
        if shown != text:
            return
