"""Short texts for values: ages, sizes, counts, paths. Shared, so that every screen formats them in the same way."""

from __future__ import annotations

import math
from datetime import date, datetime

from rich.cells import cell_len, split_graphemes

from memtui.wording.numbers import dollars as dollars
from memtui.wording.numbers import duration as duration
from memtui.wording.numbers import size as size
from memtui.wording.numbers import tokens as tokens
from memtui_core.index.folder import percent_done
from memtui_core.model import Progress
from memtui_core.readers.registry import reader_of, short_name
from memtui_core.text.names import ProjectName

_AGES = ((60, 1, "s"), (3600, 60, "m"), (86_400, 3600, "h"), (365 * 86_400, 86_400, "d"))
_LEAST_NAME = 4
"""Cells that the name of a project keeps beside its folder."""
SHORT_SESSION = 8
"""Characters of the id of a session, as commands print it."""
_COMMIT = 7
"""Characters of the id of a commit: so many as git prints at least."""
_BAR = 12
"""Cells of the progress bar."""
SILENT_AFTER = 90.0
"""Seconds without a report after which the indexer may have ended: while it works it reports every few seconds."""


def age(at: datetime | None, now: datetime) -> str:
    """The time since `at` in one unit: `3 s`, `12 m`, `2 h`, `5 d`, `2 y`; empty for None, `0 s` for the future."""
    if at is None:
        return ""
    seconds = max(0, int((now - at).total_seconds()))
    for limit, unit, symbol in _AGES:
        if seconds < limit:
            return f"{seconds // unit} {symbol}"
    return f"{seconds // (365 * 86_400)} y"


def machine_mark(machine: str) -> str:
    """The other machine of a session, as it stands beside the project or the title; empty for this machine."""
    return f"@{machine}" if machine else ""


def last_seen(name: str, seen_at: datetime | None, now: datetime) -> str:
    """When a machine answered last: `laptop: last seen 3 h ago`."""
    return f"{name}: last seen {age(seen_at, now)} ago" if seen_at is not None else f"{name}: never seen"


def time_of_day(at: datetime | None) -> str:
    """Hour and minute in local time: `14:02`; empty for None."""
    return at.astimezone().strftime("%H:%M") if at else ""


def day(at: datetime | None) -> str:
    """The date in local time: `13 Feb 2026`; empty for None."""
    return date_and_year(at.astimezone()) if at else ""


def date_and_year(on: date) -> str:
    """A date: `3 Feb 2026`."""
    # Windows has no directive for a day without a leading zero.
    return f"{on.day} {on:%b %Y}"


def day_and_month(on: date) -> str:
    """A date without its year: `3 Feb`."""
    return f"{on.day} {on:%b}"


def day_and_time(at: datetime | None) -> str:
    """The local day and time that tell two of a name apart: `3 Feb 14:02`; `no time` for None."""
    return f"{day_and_month(at.astimezone())} {time_of_day(at)}" if at is not None else "no time"


def stamp(at: datetime | None) -> str:
    """The absolute local time with its offset: `2026-02-13 14:02:11 +0100`; `unknown` for None."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S %z") if at else "unknown"


def number(count: int) -> str:
    """An integer with separators between thousands: `1,204`."""
    return f"{count:,}"


def estimate(seconds: float) -> str:
    """An estimated duration: `under a minute`, `about 6 min`, `about 3 h`; halves are rounded up."""
    if seconds < 60:
        return "under a minute"
    minutes = math.floor(seconds / 60 + 0.5)
    return f"about {minutes} min" if minutes < 90 else f"about {math.floor(minutes / 60 + 0.5)} h"


def time_left(seconds: float) -> str:
    """An estimated duration of seconds or minutes: `8 s left`, `about 6 min left`."""
    return f"{max(1, math.ceil(seconds))} s left" if seconds < 60 else f"{estimate(seconds)} left"


def indexing_facts(progress: Progress | None, now: datetime) -> list[str]:
    """The state of indexing as one or two short texts; empty when nothing is to be done or there is no report.

    `indexing ██████░░░░░░ 50 %`, `12 of 187 files at 12 MB/s` and `3 s left` while sources are read, then `search by
    meaning 43 % ready` and `2,196 turns left, about 6 min`; `reviewing 3 of 24 compactions` between the two, and
    `building the index of 21,345 vectors` at the end. If the last report is older than `SILENT_AFTER`, speed, estimate,
    reviews and the building are omitted, and `indexing` becomes `indexed`.
    """
    if progress is None:
        return []
    is_running = abs(now.timestamp() - progress.at) < SILENT_AFTER
    if progress.stage == "reading" and not progress.finished:
        if not progress.total:
            return ["indexing"] if is_running else []
        percent = read_percent(progress)
        bar = "█" * (percent * _BAR // 100)
        shown = f"{'indexing' if is_running else 'indexed'} {bar:░<{_BAR}} {percent} %"
        files = f"{number(progress.sources)} of {plural(progress.files, 'file')}" if progress.files else ""
        read = files or f"of {size(progress.total)}"
        if progress.bytes_per_second is None or progress.seconds_left is None or not is_running:
            return [shown, read]
        speed = f"{read} at {size(round(progress.bytes_per_second))}/s"
        return [shown, speed, time_left(progress.seconds_left)]
    if progress.stage == "reviewing" and not progress.finished and is_running:
        return [f"reviewing {progress.done} of {plural(progress.total, 'compaction')}"]
    if progress.stage == "vector index" and not progress.finished and is_running:
        return [f"building the index of {plural(progress.total, 'vector')}"]
    if progress.embedded >= progress.to_embed:
        return []
    facts = [f"search by meaning {percent_done(progress.embedded, progress.to_embed)} % ready"]
    if progress.seconds_left is None or not is_running:
        return facts
    turns = f"{plural(progress.turns_left, 'turn')} left, " if progress.turns_left else ""
    return [*facts, f"{turns}{estimate(progress.seconds_left)}"]


def read_percent(progress: Progress) -> int:
    """How much of the sources is read, in percent: 100 only after it was published, too."""
    return (
        percent_done(progress.done, progress.total)
        if progress.finished
        else min(99, percent_done(progress.done, progress.total))
    )


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count and its noun: `1 tool`, `7 tools`, `2 matches` with `many="matches"`."""
    return f"{number(count)} {noun if count == 1 else many or noun + 's'}"


def ordinal(count: int) -> str:
    """The place in an order: `1st`, `2nd`, `11th`."""
    ending = "th" if 10 < count % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{number(count)}{ending}"


def short_commit(commit: str) -> str:
    """The beginning of the id of a commit; empty if git did not name it."""
    return commit[:_COMMIT]


def short_turn(session_id: str, turn: int) -> str:
    """A turn of a session as commands take it: `1a2b3c4d:12`."""
    return f"{session_id[:SHORT_SESSION]}:{turn}"


def commit_text(commit: str, subject: str) -> str:
    """`3f2a9c1 Retry uploads`, as far as it is known; otherwise `commit`."""
    return " ".join(filter(None, (short_commit(commit), subject))) or "commit"


def cut(text: str, width: int) -> str:
    """Shorten a text to `width` cells; `…` marks the omitted end.

    The name of a project is cut before the folder that tells it from others of this name.
    """
    if cell_len(text) <= width:
        return text
    if isinstance(text, ProjectName):
        folder = cut(f" · {text.folder}", max(width // 2, width - _LEAST_NAME))
        return cut(text.name, width - cell_len(folder)) + folder
    return head(text, width - 1) + "…" if width > 0 else ""


def padded(text: str, width: int) -> str:
    """The text with blanks up to `width` cells."""
    return text + " " * max(0, width - cell_len(text))


def fitted(text: str, width: int) -> str:
    """A text in exactly `width` cells, cut or filled with blanks."""
    return padded(cut(text, width), width)


def head(text: str, width: int) -> str:
    """As much of the beginning of a text as fits into `width` cells."""
    used = 0
    for start, _end, cells in split_graphemes(text)[0]:
        if used + cells > width:
            return text[:start]
        used += cells
    return text


def tail(text: str, width: int) -> str:
    """As much of the end of a text as fits into `width` cells."""
    used = 0
    for _start, end, cells in reversed(split_graphemes(text)[0]):
        if used + cells > width:
            return text[end:]
        used += cells
    return text


def agent_full_name(agent: str) -> str:
    """The name of an agent in a sentence; its id when it is unknown."""
    reader = reader_of(agent)
    return reader.name if reader is not None else agent


def agent_name(agent: str) -> str:
    """The short name of an agent for the head of a turn; `agent` when it is unknown."""
    return short_name(agent) or "agent"
