"""Draw every screen of the app on the sample sessions, as SVG pictures.

`make pictures` writes them to docs/screens/, with a page that shows them. The same sessions give the same bytes.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from memtui.app import MemtuiApp

T = TypeVar("T")

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "docs" / "screens"
NOW: Final = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
"""A moment at which the ages of the sample sessions look lived in."""
SIZES: Final = ((80, 24), (140, 40), (200, 60))
THEMES: Final = ("dark", "light")
NO_SESSIONS, SAMPLES, FIRST_START, ON_DISK = "no sessions", "samples", "first start", "samples with their files"
"""What the app starts with."""


@dataclass(frozen=True)
class Shot:
    """A screen, and the way to it."""

    name: str
    shows: str
    """The view in the registry of views, the class of the dialog, or that of the offer in it."""
    keys: str
    """Names of keys, as Textual has them; what stands between quotes is typed."""
    caption: str
    start: str = SAMPLES


SHOTS: Final = (
    Shot("sessions", "sessions", "", "The sessions by project, newest first"),
    Shot("session", "sessions", "j enter", "A session, beside the list"),
    Shot("project", "sessions", "k", "A project at a glance, with the cursor on it"),
    Shot("turn", "sessions", "j enter G", "The last turn of a session, with its tool calls"),
    Shot("inspector", "sessions", "j enter i", "A turn with its tools, its thinking and its files"),
    Shot("searches", "sessions", "slash", "Saved and recent searches, and what to try"),
    Shot("hits", "sessions", "slash 'why did uploads arrive twice on slow networks'", "A question and its hits"),
    Shot(
        "hits-lines", "sessions", "slash 'why did uploads arrive twice on slow networks' alt+D", "Each hit on one line"
    ),
    Shot("hit", "sessions", "slash 'why did uploads arrive twice on slow networks' enter", "The passage that answers"),
    Shot("nothing-found", "sessions", "slash 'zzzzqqqq'", "A search without hits, and what helps"),
    Shot("files", "files", "2", "The files that were touched, and what changed in them"),
    Shot("file-history", "files", "2 left_curly_bracket tab", "The edits of a file across sessions"),
    Shot("file-content", "PagerScreen", "2 enter v", "A file as a session knew it, on the whole screen"),
    Shot("blame", "BlameScreen", "2 slash 'export.py' enter b n", "Who wrote each line of a file, and why", ON_DISK),
    Shot("compactions", "compactions", "3", "What compactions lost"),
    Shot("review", "compactions", "3 enter", "The review of a compaction"),
    Shot("review-summary", "compactions", "3 enter l l l", "The summary, and what of it is kept"),
    Shot("pull-requests", "prs", "4", "Pull requests, and the turns that made them"),
    Shot("stats", "stats", "5", "Days, projects, models, tools and costs"),
    Shot("timeline", "timeline", "6", "What happened when, in each project"),
    Shot("help", "HelpScreen", "question_mark", "The keys of the focused pane, which can be run from there"),
    Shot("legend", "HelpScreen", "question_mark tab", "The signs, and the rules of searching"),
    Shot("palette", "ActionOffer", "ctrl+p", "All actions, likely ones first"),
    Shot("palette-found", "ActionOffer", "ctrl+p 'copy'", "Actions by name, or by another word"),
    Shot("themes", "ThemeOffer", "ctrl+p 'theme' enter down down", "A theme, shown while the cursor is on it"),
    Shot("handoff", "HandoffScreen", "j enter H", "What another agent gets from a session"),
    Shot("agents", "ChoiceScreen", "j enter H enter", "The agents that can start with it"),
    Shot("share", "ShareScreen", "j enter P tab enter", "A copy for other people, and what is replaced in it"),
    Shot("fixes", "KnownErrorsScreen", "j enter g J J J J F", "Where the errors of a turn came up before"),
    Shot("export", "ChoiceScreen", "j enter e", "The formats of an export"),
    Shot("resume", "ConfirmScreen", "j enter r", "A command before it is run"),
    Shot("rewind", "RewindScreen", "j enter W", "A session that ends at an earlier turn, before it is written"),
    Shot("title", "AnnotationForm", "j c", "A title of your own"),
    Shot("tags", "AnnotationForm", "j number_sign", "Tags of a session"),
    Shot("note", "AnnotationForm", "j a", "A note on a session"),
    Shot("observation", "ObservationForm", "6 j l escape a", "Something to remember, by hand"),
    Shot("forget", "ForgetScreen", "j delete", "What is asked before a session is forgotten"),
    Shot("first-start", "sessions", "", "The first start: three things to try", FIRST_START),
    Shot("no-sessions", "sessions", "", "No sessions yet", NO_SESSIONS),
)


async def press(pilot: Pilot[None], keys: str) -> None:
    """Press keys and type texts, each when the one before has had its effect."""
    from support.screens import settled, type_text

    await settled(pilot)
    for key, text in re.findall(r"([^\s']+)|'([^']*)'", keys):
        if key:
            await pilot.press(key)
            await settled(pilot)
        else:
            await type_text(pilot, text)


async def still(pilot: Pilot[None]) -> None:
    """Make a screen look as it always does: searches take the same time, no cursor blinks, a preview is shown."""
    from textual.widgets import Input, TextArea

    from memtui.screens.filtered import FilteredScreen
    from memtui.widgets.search.line import SearchFacts
    from support.screens import settled

    for facts in pilot.app.screen.query(SearchFacts):
        facts.text = re.sub(r"\d+ ms", "7 ms", facts.text)
    screen = pilot.app.screen
    if isinstance(screen, FilteredScreen) and screen.highlighted is not None:
        screen.offer.preview(screen.highlighted)
    if isinstance(field := pilot.app.focused, Input | TextArea):
        field._restart_blink()
    await settled(pilot)


async def seen(shot: Shot, data_dir: Path, size: tuple[int, int], theme: str, look: Callable[[MemtuiApp], T]) -> T:
    """What `look` sees on a screen in a size and a theme, `dark` or `light`."""
    from memtui.app import MemtuiApp
    from memtui.settings.app_state import FILE_NAME
    from memtui.settings.config import Config

    # What the app keeps from one run to the next.
    (data_dir / FILE_NAME).unlink(missing_ok=True)
    app = MemtuiApp(
        data_dir,
        config=Config(theme=f"textual-{theme}"),
        run_indexer=False,
        sources_text=lambda: "~/.claude/projects",
        first_steps=shot.start == FIRST_START,
    )
    async with app.run_test(size=size) as pilot:
        await press(pilot, shot.keys)
        await still(pilot)
        return look(app)


def picture(shot: Shot, data_dir: Path, size: tuple[int, int], theme: str) -> str:
    """The SVG picture of a screen."""
    from tools.terminal_svg import frame, svg

    return svg(asyncio.run(seen(shot, data_dir, size, theme, frame)))


def make_data(folder: Path) -> dict[str, Path]:
    """The data folders with which the app starts, by name."""
    from support.indexes import embed, review, update
    from support.sample_files import with_files

    samples, nothing = folder / "samples", folder / "nothing"
    update(samples, ROOT / "sample_sessions" / "projects")
    embed(samples)
    review(samples)
    update(nothing, folder / "no-transcripts")
    on_disk = with_files(folder / "on disk")
    return {SAMPLES: samples, FIRST_START: samples, NO_SESSIONS: nothing, ON_DISK: on_disk}


def same_always() -> None:
    """Set what the pictures depend on: the clock, the colours, and the programs of this machine."""
    sys.path.insert(0, str(ROOT / "tests"))
    os.environ.update(TZ="UTC", COLORTERM="truecolor", TEXTUAL_ANIMATIONS="none", PATH="")
    time.tzset()
    from memtui.system import clock

    clock.now = lambda: NOW


def file_name(shot: Shot, size: tuple[int, int], theme: str) -> str:
    """The name of a picture."""
    return f"{shot.name}-{size[0]}x{size[1]}-{theme}.svg"


def index_page() -> str:
    """The page that shows all pictures: of each screen one, with links to the others."""
    lines = ["# Screens", "", "All of them show the sample sessions. `make pictures` draws them anew.", ""]
    for shot in SHOTS:
        shown = file_name(shot, (140, 40), "dark")
        others = (
            f"[{width} × {height} {theme}]({file_name(shot, (width, height), theme)})"
            for width, height in SIZES
            for theme in THEMES
        )
        lines += [f"## {shot.caption}", "", f"![{shot.caption}]({shown})", "", " · ".join(others), ""]
    return "\n".join(lines)


def write_all(folder: Path, shots: Sequence[Shot] = SHOTS) -> None:
    """Write the pictures of some screens into a folder, and the page."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        data = make_data(Path(temporary))
        for shot in shots:
            for size in SIZES:
                for theme in THEMES:
                    drawn = picture(shot, data[shot.start], size, theme)
                    (folder / file_name(shot, size, theme)).write_text(drawn, encoding="utf-8")
    (folder / "README.md").write_text(index_page(), encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Draw all screens, or those with these names."""
    same_always()
    write_all(FOLDER, [shot for shot in SHOTS if not arguments or shot.name in arguments])


if __name__ == "__main__":
    main(sys.argv[1:])
