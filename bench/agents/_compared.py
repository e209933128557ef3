"""Raw files beside memtui: what differs, and the stated reasons."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import Final

from bench.agents._counts import Counts, raw_numbers
from bench.agents._leaves import leaves
from bench.agents._shown import Shown, lost
from memtui_core.index.index import Index
from memtui_core.store.data_folder import DataDir
from memtui_core.store.snapshot.reader import Snapshot
from memtui_core.tools.pairing import paired_turns

SHARES: Final = ("text", "tool_call", "tool_result")
SEARCHED: Final = 60
"""So many of the texts that are shown are searched for."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A number, a place with texts or a phrase for which memtui and the files differ."""

    what: str
    raw: int
    memtui: int
    reason: str
    """Empty if none is stated."""
    example: str = ""


@dataclass(slots=True)
class Compared:
    """The transcripts of one agent in one folder, raw beside memtui."""

    shares: dict[str, float]
    """The shares of texts, calls and results that the index holds, 0 to 1."""
    totals: dict[str, int]
    raw: dict[str, int]
    memtui: dict[str, int]
    leaves: int = 0
    shown: int = 0
    searched: int = 0
    found: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether everything is there, except what is left out for a stated reason."""
        return all(value == 1 for value in self.shares.values()) and all(one.reason for one in self.differences)


def expected(name: str, folder: Path) -> Counts:
    """What the transcripts of an agent in a folder contain."""
    counts: Counts = _module(name).expected(folder)
    return counts


def shares(want: Counts, have: Counts) -> dict[str, float]:
    """The shares of texts, calls and results that the index holds, 0 to 1."""
    return {kind: _share(kind, want[kind], have[kind]) for kind in SHARES}


def _share(kind: str, want: Counter[str], have: Counter[str]) -> float:
    """The share of one kind that the index holds: of texts by characters, of calls and results by number."""
    weights = {key: len(key) if kind == "text" else 1 for key in want}
    total = sum(weights[key] * count for key, count in want.items())
    found = sum(weights[key] * min(count, have[key]) for key, count in want.items())
    return found / total if total else 1.0


def held(data_dir: Path, agent: str) -> Counts:
    """What the index has of an agent: the texts of the assistant, and the ids of tool calls and results."""
    rows = Snapshot(DataDir(data_dir)).rows(
        "SELECT b.kind, b.text, b.tool_id FROM blocks b JOIN turns t ON t.id = b.turn JOIN sessions s"
        " ON s.key = t.session WHERE s.agent = ?",
        [agent],
    )
    found: Counts = {kind: Counter() for kind in SHARES}
    for kind, text, tool_id in rows:
        if kind in found:
            found[kind][text if kind == "text" else str(tool_id)] += 1
    return found


def numbers(data_dir: Path, agent: str) -> dict[str, int]:
    """The numbers of calls, results, errors, edits and tokens of an agent in an index; hidden sessions count, too.

    Results that failed are errors, calls that edit or write a file are edits.
    """
    index = Index.open(data_dir)
    try:
        found = dict.fromkeys(("calls", "results", "errors", "edits", "input", "output"), 0)
        rows = index.snapshot.rows("SELECT key FROM sessions WHERE agent = ?", [agent])
        for (session,) in rows:
            turns = index.sessions.turns(session)
            found["input"] += sum(turn.input_tokens for turn in turns)
            found["output"] += sum(turn.output_tokens for turn in turns)
            blocks = sorted(index.sessions.blocks(session, 1, len(turns)).items())
            of_session = [block for _, of_turn in blocks for block in of_turn]
            found["calls"] += sum(block.kind == "tool_call" for block in of_session)
            results = [block for block in of_session if block.kind == "tool_result"]
            found["results"] += len(results)
            found["errors"] += sum(result.is_error for result in results)
            calls = [call for call in paired_turns(blocks) if not call.is_orphan]
            found["edits"] += sum(call.family in {"edit", "write"} and bool(call.edits) for call in calls)
        return found
    finally:
        index.close()


def compared(name: str, folder: Path, data_dir: Path, *, search: bool = True) -> Compared:
    """The transcripts of an agent in a folder beside its sessions in an index; with or without searches."""
    want = expected(name, folder)
    raw, memtui = raw_numbers(want), numbers(data_dir, name)
    made = Compared(shares(want, held(data_dir, name)), {kind: want[kind].total() for kind in SHARES}, raw, memtui)
    reasons: Mapping[str, str] = getattr(_module(name), "REASONS", {})
    for what, number in raw.items():
        if number != memtui[what]:
            made.differences.append(Difference(what, number, memtui[what], reasons.get(what, "")))
    _compare_leaves(made, name, folder, data_dir, reasons, search=search)
    return made


def _compare_leaves(
    made: Compared, name: str, folder: Path, data_dir: Path, reasons: Mapping[str, str], *, search: bool
) -> None:
    shown = Shown(data_dir, name)
    totals: Counter[str] = Counter()
    missed: dict[tuple[str, str], list[str]] = {}
    texts: dict[str, str] = {}
    for leaf in leaves(folder):
        texts.setdefault(leaf.text, leaf.place)
    there = []
    for text, place in texts.items():
        missing = shown.missing(text)
        totals[place] += 1
        if missing:
            missed.setdefault((place, _reason(reasons, place, missing)), []).append(missing)
        else:
            there.append(text)
    made.leaves, made.shown = len(texts), len(there)
    for (place, reason), lines in missed.items():
        made.differences.append(Difference(place, totals[place], totals[place] - len(lines), reason, lines[0]))
    if search:
        made.searched, phrases = lost(data_dir, shown, there, SEARCHED)
        made.found = made.searched - len(phrases)
        made.differences += [Difference("search", 1, 0, reasons.get("search", ""), phrase) for phrase in phrases]


def _reason(reasons: Mapping[str, str], place: str, missing: str) -> str:
    """The reason why a line at a place is not shown: a pattern names the place, or the place and the line."""
    names = (place, f"{place} | {missing}")
    return next((reason for pattern, reason in reasons.items() for name in names if fnmatchcase(name, pattern)), "")


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"bench.agents.{name.replace('-', '_')}")
