"""The tasks of docs/tasks.md: their keys lead to what is requested, and are as many as it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from memtui.browse.search.hit_list import HitList
from memtui.screens.confirm import ConfirmScreen
from memtui.screens.dialog import DialogBox
from memtui.screens.outgoing.handoff.screen import HandoffScreen, Preview
from memtui.views.files.file_timeline import FileTimeline
from memtui.views.files.touch_view import TouchView
from memtui.views.stats.stats_pane import StatsPane
from support.screens import TO_TERMINAL, app_on, notices, settled, transcript, tree

DOCUMENT = Path(__file__).parents[2] / "docs" / "tasks.md"
_ROW = re.compile(r"^\| (\d+) \| (.+?) \| (.+?) \| (\d+) \|$", re.MULTILINE)
_NAMES = {"pgdn": "pagedown"}
"""Textual's names of keys that the documents call otherwise."""


Key = tuple[str, str | None]
"""Textual's name, and the character that it types."""


@dataclass(frozen=True)
class Task:
    """A row of the table."""

    number: int
    name: str
    steps: tuple[tuple[Key, ...], ...]
    """Each key in a box alone, and the letters of each text together."""
    count: int


def _key(name: str) -> Key:
    if len(name) == 1:
        return _character_to_key(name), name
    if name.startswith("alt+"):
        # As Textual reads it from a terminal: with the letter, and a capital one as a key with shift.
        letter = name[-1]
        return f"alt+{'shift+' if letter.isupper() else ''}{letter.lower()}", letter
    return _NAMES.get(name, name), None


def _steps(cell: str) -> Iterator[tuple[Key, ...]]:
    """The keys in boxes, and the letters of the text between them."""
    for key, text in re.findall(r"`([^`]+)`|([^`]+)", cell):
        if step := (_key(key),) if key else tuple(map(_key, text.strip())):
            yield step


TASKS = [
    Task(int(number), name, tuple(_steps(keys)), int(count))
    for number, name, keys, count in _ROW.findall(DOCUMENT.read_text("utf-8"))
]


def drawn(widget: Widget) -> list[str]:
    """The lines of a widget that are in sight, without the marks of the current turn and the passage."""
    region = widget.scrollable_content_region
    strips = widget.screen._compositor.render_strips()[region.y : region.bottom]
    return [strip.crop(region.x, region.right).text.replace("\xa0", " ").strip("▎▌ ") for strip in strips]


def part(lines: list[str], first: str, count: int) -> list[str]:
    """So many lines from the one that is `first`."""
    start = lines.index(first)
    return lines[start : start + count]


def _past_change(pilot: Pilot[None], _folder: Path) -> None:
    view = transcript(pilot)
    assert view.session is not None
    assert (view.session.title, view.number) == ("Retry webhooks with the same backoff", 1)
    assert drawn(view)[1:17] == [
        "▾ Write  …/shop-api-worktrees/retry/src/backoff.py  +12",
        '1 + """How long to wait before trying again."""',
        "2 +",
        "3 + from __future__ import annotations",
        "4 +",
        "5 + import random",
        "6 + from collections.abc import Iterator",
        "7 +",
        "8 +",
        "9 + def backoff(tries: int, first: float = 0.5, most:",
        "float = 8.0) -> Iterator[float]:",
        '10 +     """Yield how long to wait after each try:',
        'doubled every time, with full jitter."""',
        "11 +     for number in range(tries):",
        "12 +         yield random.uniform(0, min(most, first *",
        "2**number))",
    ]


def _meaning(pilot: Pilot[None], _folder: Path) -> None:
    assert drawn(pilot.app.screen.query_one(HitList))[:3] == [
        "npm run build takes 4 minutes since we have 900…  +1    site   11 d",
        "┃ also the index file itself is 11 MB, phones hate it",
        "┃ meaning 42 %",
    ]
    assert part(drawn(transcript(pilot)), "Build: 4 min 2 s → 38 s. A phone now loads the shards that", 6) == [
        "Build: 4 min 2 s → 38 s. A phone now loads the shards that",
        "it needs, about 40 kB for a query.",
        "",
        "1. no rendering, the Markdown source is enough",
        "2. links are found in one pass",
        "3. search/<letter>.json instead of one file",
    ]


def _compaction(pilot: Pilot[None], _folder: Path) -> None:
    view = transcript(pilot)
    assert view.session is not None
    assert (view.session.title, view.number) == ("Fix flaky uploads", 4)
    lacks = " ".join(" ".join(drawn(pilot.app.screen.query_one("#missing"))).split())
    assert lacks.startswith(
        "not in the summary: your rule “never commit files over 1 MB, the mirror rejects them”"
        " your rule never commit files over 1 MB, the mirror rejects them · turn 3"
        " ▸ 1 more The important gap: httpx.TimeoutException is"
    )


def _file(pilot: Pilot[None], _folder: Path) -> None:
    assert [" ".join(line.split()) for line in drawn(pilot.app.screen.query_one(FileTimeline))[:5]] == [
        "· turn 1 Retry webhooks with the same backoff 17 h",
        "✎ turn 8 +1 −1 Fix flaky uploads 18 h",
        "○ turn 6 Fix flaky uploads 18 h",
        "✎ turn 5 +21 −3 Fix flaky uploads 18 h",
        "▸ 3 reads, 1 mention 18 h",
    ]
    assert drawn(pilot.app.screen.query_one(TouchView))[:9] == [
        "line 21",
        "21",
        "22   PART_SIZE = 5 * 1024 * 1024",
        "23   MAX_SIZE = 2 * 1024**3",
        "24 − RETRYABLE = {408, 425, 429, 500, 502, 503, 504}",
        "24 + RETRYABLE = {408, 409, 425, 429, 500, 502, 503, 504}",
        "25",
        "26",
        "27   class UploadError(Exception):",
    ]


def _subagent(pilot: Pilot[None], _folder: Path) -> None:
    view = transcript(pilot)
    assert view.session is not None
    assert (view.session.title, view.session.session_id) == ("Find retries", "agent-a0a69b50702c64866")
    assert " ".join(drawn(view)[7:11]) == (
        "There is exactly one retry in the repository: put_part in src/upload.py, lines 41-44. It loops three times "
        "over retryable status codes, without waiting, and does not catch transport errors."
    )
    assert tree(pilot).has_focus


def _in_full(pilot: Pilot[None], _folder: Path) -> None:
    lines = drawn(transcript(pilot))
    assert part(lines, "▾ thinking (1 line)", 3) == [
        "▾ thinking (1 line)",
        "Look at the durations of the steps before adding caches",
        "at random.",
    ]
    assert part(lines, "▾ Read  .github/workflows/ci.yml · 19 lines", 21) == [
        "▾ Read  .github/workflows/ci.yml · 19 lines",
        "1 name: ci",
        "2 on:",
        "3   pull_request:",
        "4   push:",
        "5     branches: [main]",
        "6 jobs:",
        "7   plan:",
        "8     runs-on: ubuntu-latest",
        "9     steps:",
        "10       - uses: actions/checkout@v5",
        "11       - uses: hashicorp/setup-terraform@v3",
        "12       - run: terraform init",
        "13       - run: terraform plan -lock-timeout=60s",
        "14   lint:",
        "15     runs-on: ubuntu-latest",
        "16     steps:",
        "17       - uses: actions/checkout@v5",
        "18       - run: pip install ansible-lint",
        "19       - run: ansible-lint",
        "",
    ]


def _handoff(pilot: Pilot[None], _folder: Path) -> None:
    screen = pilot.app.screen
    assert isinstance(screen, HandoffScreen)
    assert drawn(screen.query_one(Preview))[:14] == [
        "[CONTEXT FROM PREVIOUS SESSION]",
        "",
        "## Summary",
        "Extracted from the session by memtui; no model was asked, and the agent wrote no",
        "summary of its own.",
        "",
        "Session aff2b3c9-e8c4-403f-b2d8-b20c4d3cd4a8 in shop-api: 6 turns, 11 tool calls,",
        "2026-11-16 10:22 to 2026-11-16 10:32 UTC.",
        "",
        "First request (turn 1):",
        "[USER]",
        "Since we have the load balancer everybody gets 429 after a few minutes.",
        "@src/rate_limit.py counts wrong?",
        "[/USER]",
    ]
    assert len(pilot.app.clipboard) == 3366
    assert notices(pilot) == [f"The hand-off copied · {TO_TERMINAL}"]


def _export(pilot: Pilot[None], folder: Path) -> None:
    written = folder / "rate-limit-by-client-address-aff2b3c9.html"
    assert notices(pilot) == [str(written)]
    assert "<title>Rate limit by client address</title>" in written.read_text("utf-8").splitlines()


def _resume(pilot: Pilot[None], _folder: Path) -> None:
    assert isinstance(pilot.app.screen, ConfirmScreen)
    command, folder, reasons = (str(one.content) for one in pilot.app.screen.query(Static))
    assert (command, folder) == ("claude --resume aff2b3c9-e8c4-403f-b2d8-b20c4d3cd4a8", "in /home/ana/code/shop-api")
    # Whether the agent is installed depends on the machine.
    assert reasons.splitlines()[-1] == "The folder does not exist."
    assert pilot.app.screen.query_one(DialogBox).hints.plain == "y copy · esc cancel"


def _used(pilot: Pilot[None], _folder: Path) -> None:
    lines = [re.sub(r"[━╸]+", "", line) for line in drawn(pilot.app.screen.query_one(StatsPane))]
    lines = [" ".join(line.split()) for line in lines]
    assert lines[:5] == [
        "all projects · last 30 days · 23 Oct – 21 Nov 2026",
        "",
        "17 sessions 6 subagents 110 turns 214 tool calls 12 errors 49 files",
        "305k tokens in 22k out 4.4M read from cache",
        "about $2.38 for 62 % of the turns · no price for claude-opus-5 · prices of 15 Feb 2026",
    ]
    assert part(lines, "projects share cost turns sessions tools share calls errors", 11) == [
        "projects share cost turns sessions tools share calls errors",
        "shop-api 69 % $1.56 for 59 % 76 7 Bash 32 % 68 9",
        "site 17 % $0.50 for 76 % 19 5 Edit 22 % 48 3",
        "infra 14 % $0.32 for 57 % 15 5 Read 14 % 29 0",
        "Write 8 % 18 0",
        "models share cost turns in out Grep 7 % 14 0",
        "claude-opus-4-6 47 % $1.94 48 131k 6.5k TodoWrite 3 % 7 0",
        "claude-opus-5 38 % unknown 39 130k 12k TaskUpdate 3 % 6 0",
        "claude-opus-4-5-20251101 7 % $0.33 7 22k 1.7k TaskCreate 2 % 5 0",
        "claude-haiku-4-5-20251001 5 % $0.03 5 13k 672 Glob 2 % 4 0",
        "claude-sonnet-4-20250514 3 % $0.07 3 8.2k 679 Task 1 % 3 0",
    ]


OUTCOMES: dict[str, Callable[[Pilot[None], Path], None]] = {
    "Find a past change and see its diff": _past_change,
    "Find by meaning and read on": _meaning,
    "See what a compaction dropped": _compaction,
    "See the history of a file and the diff of its last change": _file,
    "Read the answer of a subagent": _subagent,
    "Read thinking and a long result in full": _in_full,
    "Hand a found session off": _handoff,
    "Export a found session as HTML": _export,
    "Resume a found session": _resume,
    "See what the projects and models used and cost": _used,
}
"""What must be on the screen after the keys of each task, by its name in the document."""


def test_each_task_has_its_outcome_and_its_sentence() -> None:
    assert [task.name for task in TASKS] == list(OUTCOMES)
    sentences = re.findall(r"^(\d+)\. ", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert [task.number for task in TASKS] == [int(number) for number in sentences] == list(range(1, 11))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
async def test_the_keys_lead_to_what_is_wanted(
    task: Task, sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sum(map(len, task.steps)) == task.count
    monkeypatch.chdir(tmp_path)
    async with app_on(sample_index).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        for step in task.steps:
            for key, character in step:
                pilot.app.post_message(events.Key(key, character))
            await settled(pilot)
        OUTCOMES[task.name](pilot, tmp_path)
