"""Values to short texts: ages, sizes, counts, paths. Pure, no widgets, so that every screen says them alike."""

from __future__ import annotations

import math
from datetime import date, datetime

from rich.cells import cell_len, split_graphemes

from memtui_core.model import Progress
from memtui_core.readers.registry import short_name
from memtui_core.store.progress import percent_done

_AGES = ((60, 1, "s"), (3600, 60, "m"), (86_400, 3600, "h"), (365 * 86_400, 86_400, "d"))
_BAR = 12
"""Cells of the progress bar."""
SILENT = 90.0
"""Seconds after which an indexer that says nothing may be gone: at work it says something every few seconds."""


def age(at: datetime | None, now: datetime) -> str:
    """How long ago, in one unit: `3 s`, `12 m`, `2 h`, `5 d`, `2 y`; nothing for None, `0 s` for the future."""
    if at is None:
        return ""
    seconds = max(0, int((now - at).total_seconds()))
    for below, unit, sign in _AGES:
        if seconds < below:
            return f"{seconds // unit} {sign}"
    return f"{seconds // (365 * 86_400)} y"


def duration(seconds: float) -> str:
    """A span of time in at most two units: `0.4 s`, `48 s`, `3 m 12 s`, `2 h 5 m`, `1 d 4 h`."""
    if seconds < 1:
        return f"{max(0.0, seconds):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return _two(whole, 60, "m", 1, "s")
    if whole < 86_400:
        return _two(whole, 3600, "h", 60, "m")
    return _two(whole, 86_400, "d", 3600, "h")


def _two(seconds: int, unit: int, sign: str, minor: int, minor_sign: str) -> str:
    rest = seconds % unit // minor
    return f"{seconds // unit} {sign} {rest} {minor_sign}" if rest else f"{seconds // unit} {sign}"


def clock(at: datetime | None) -> str:
    """Hour and minute in local time: `14:02`; the empty string for None."""
    return at.astimezone().strftime("%H:%M") if at else ""


def day(at: datetime | None) -> str:
    """The day in local time: `13 Feb 2026`; the empty string for None."""
    return date_and_year(at.astimezone()) if at else ""


def date_and_year(on: date) -> str:
    """A date: `3 Feb 2026`. Windows has no directive for a day without a leading zero."""
    return f"{on.day} {on:%b %Y}"


def day_and_month(on: date) -> str:
    """A date of a year that is known: `3 Feb`."""
    return f"{on.day} {on:%b}"


def stamp(at: datetime | None) -> str:
    """The absolute local time with its offset: `2026-02-13 14:02:11 +0100`; `unknown` for None."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M:%S %z") if at else "unknown"


def number(count: int) -> str:
    """A whole number with thousands marked: `1,204`."""
    return f"{count:,}"


def tokens(count: int) -> str:
    """A count in three or four signs: `950`, `3.1k`, `38k`, `1.2M`."""
    return _short(count, "", "k", "M", "G")


def size(count: int) -> str:
    """Bytes in decimal units: `512 B`, `12 kB`, `1.2 MB`."""
    return _short(count, " B", " kB", " MB", " GB")


def _short(count: int, *units: str) -> str:
    if count < 1000:
        return f"{count}{units[0]}"
    value = float(count)
    for unit in units[1:]:
        value /= 1000
        if value < 9.95:
            return f"{value:.1f}".removesuffix(".0") + unit
        if value < 999.5:
            return f"{value:.0f}{unit}"
    return f"{value:,.0f}{units[-1]}"


def about(seconds: float) -> str:
    """An estimate of a time: `under a minute`, `about 6 min`, `about 3 h`; rounded up from half."""
    if seconds < 60:
        return "under a minute"
    minutes = math.floor(seconds / 60 + 0.5)
    return f"about {minutes} min" if minutes < 90 else f"about {math.floor(minutes / 60 + 0.5)} h"


def work(progress: Progress | None, now: datetime) -> list[str]:
    """What the indexer has to do and how far it is; nothing when there is nothing, or when nothing is known.

    One figure: `indexing ██████░░░░░░ 50 %` and `of 62 MB` while it reads, then `meaning 43 %` and `about 6 min`. An
    indexer that was silent for some time may be gone: then there is no estimate, and what was read is `indexed`.
    """
    if progress is None:
        return []
    heard = abs(now.timestamp() - progress.at) < SILENT
    if progress.stage == "reading" and not progress.finished:
        if not progress.total:
            return ["indexing"] if heard else []
        done = read_share(progress)
        bar = "█" * (done * _BAR // 100)
        return [f"{'indexing' if heard else 'indexed'} {bar:░<{_BAR}} {done} %", f"of {size(progress.total)}"]
    if progress.embedded >= progress.to_embed:
        return []
    found = [f"meaning {percent_done(progress.embedded, progress.to_embed)} %"]
    left = progress.seconds_left
    return [*found, about(left)] if left is not None and heard else found


def read_share(progress: Progress) -> int:
    """How much is read, in per cent: 100 only when it is published, too."""
    return (
        percent_done(progress.done, progress.total)
        if progress.finished
        else min(99, percent_done(progress.done, progress.total))
    )


def plural(count: int, noun: str, many: str | None = None) -> str:
    """A count and its noun: `1 tool`, `7 tools`, `2 matches` with `many="matches"`."""
    return f"{number(count)} {noun if count == 1 else many or noun + 's'}"


def cut(text: str, width: int) -> str:
    """Text of at most `width` cells; what is lost at the end shows as `…`."""
    if cell_len(text) <= width:
        return text
    return _head(text, width - 1) + "…" if width > 0 else ""


def middle_cut(path: str, width: int) -> str:
    """A path of at most `width` cells: whole folders go from its middle, the file name stays as long as it can."""
    if cell_len(path) <= width:
        return path
    folder, slash, name = path.rpartition("/")
    tail = "/" + name
    if not slash or cell_len(tail) + 1 > width:
        return _name_cut(name, width)
    first, *middle = folder.split("/")
    while middle and cell_len("/".join([first, "…", *middle])) + cell_len(tail) > width:
        middle.pop(0)
    kept = "/".join([first, "…", *middle]) + tail
    return kept if cell_len(kept) <= width else "…" + tail


def _name_cut(name: str, width: int) -> str:
    if cell_len(name) <= width:
        return name
    tail = _tail(name, (width - 1) * 2 // 3)
    return _head(name, width - 1 - cell_len(tail)) + "…" + tail if width > 2 else cut(name, width)


def _head(text: str, width: int) -> str:
    used = 0
    for start, _end, cells in split_graphemes(text)[0]:
        if used + cells > width:
            return text[:start]
        used += cells
    return text


def _tail(text: str, width: int) -> str:
    used = 0
    for _start, end, cells in reversed(split_graphemes(text)[0]):
        if used + cells > width:
            return text[end:]
        used += cells
    return text


def agent_name(agent: str) -> str:
    """The short name of an agent for the head of a turn; `agent` when it is unknown."""
    return short_name(agent) or "agent"
