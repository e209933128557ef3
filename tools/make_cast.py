"""Draw docs/demo-cast.svg: half a minute with the app on the sample sessions, as one animated picture."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tools.make_pictures import ROOT, SAMPLES, make_data, press, same_always, still

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from tools.terminal_svg import Frame

TARGET: Final = ROOT / "docs" / "demo-cast.svg"
SIZE: Final = (120, 32)
_LETTER: Final = 0.07
"""Seconds from one typed letter to the next."""
_LIMIT: Final = 3_000_000
"""Characters of the file at most, so that it loads at once in a README."""


class Scene(NamedTuple):
    """What is done, and what is said of it."""

    caption: str
    keys: str
    """Names of keys; what stands between quotes is typed letter by letter."""
    seconds: float
    """How long each of its screens is seen that is not typed."""
    before: str = ""
    """Keys whose screens are not seen."""


STORY: Final = (
    Scene("All sessions of your coding agents, by project", "", 2.0),
    Scene("A project at a glance: what is open, what was done, what it cost", "k", 2.4),
    Scene("/ asks a question", "slash", 0.6),
    Scene("The hits come while you type", "'why did uploads arrive twice on slow networks'", 1.8),
    Scene("enter opens the passage that answers", "enter", 2.5),
    Scene("} goes from edit to edit", "right_curly_bracket right_curly_bracket", 1.3),
    Scene("2 lists the files, with who changed them when", "2", 1.8, before="escape escape"),
    Scene("3 lists what compactions lost", "3", 1.6),
    Scene("enter reviews one: what is not in the summary", "enter", 2.4),
    Scene("5 counts days, models, tools and costs", "5", 2.0, before="escape"),
    Scene("6 shows what happened when", "6", 2.0),
    Scene("ctrl+p finds every action by any word for it", "ctrl+p", 0.8, before="1"),
    Scene("ctrl+p finds every action by any word for it", "'colour'", 1.2),
    Scene("A theme is shown while the cursor is on it", "enter up up up", 1.0),
    Scene("esc goes back", "escape", 1.6),
)
POSTER: Final = "enter opens the passage that answers"
"""The caption of the screen that is seen without motion."""


async def filmed(pilot: Pilot[None]) -> list[tuple[str, Frame, float]]:
    """The captions, the screens and their seconds."""
    from tools.terminal_svg import frame

    film: list[tuple[str, Frame, float]] = []
    for scene in STORY:
        await press(pilot, scene.before)
        steps = [
            (f"'{step}'" if text else step, _LETTER if text else scene.seconds)
            for key, text in re.findall(r"([^\s']+)|'([^']*)'", scene.keys)
            for step in (text or [key])
        ]
        for keys, seconds in steps or [("", scene.seconds)]:
            await press(pilot, keys)
            await still(pilot)
            film.append((scene.caption, frame(pilot.app), seconds))
        film[-1] = (*film[-1][:2], scene.seconds)
    return film


def captioned(caption: str, shown: Frame) -> Frame:
    """A screen with a line below it that says what is seen."""
    from tools.terminal_svg import Run

    width = sum(run.width for run in shown[0])
    text = f"  {caption}".ljust(width)
    blank = Run(0, width, " " * width, "", "#1b1b1b")
    return (*shown, (blank,), (Run(0, width, text, "fill:#ffa62b;font-weight:bold", "#1b1b1b"),), (blank,))


async def film(data_dir: Path) -> list[tuple[str, Frame, float]]:
    """Drive the app through the story."""
    from memtui.app import MemtuiApp
    from memtui.settings.config import Config

    app = MemtuiApp(data_dir, config=Config(theme="textual-dark"), run_indexer=False)
    async with app.run_test(size=SIZE) as pilot:
        return await filmed(pilot)


def main() -> None:
    """Write the file; the same sessions give the same bytes."""
    same_always()
    from tools.terminal_svg import animation

    with tempfile.TemporaryDirectory() as temporary:
        shots = asyncio.run(film(make_data(Path(temporary))[SAMPLES]))
    poster = max(number for number, (caption, _, _) in enumerate(shots) if caption == POSTER)
    drawn = animation([(captioned(caption, shown), seconds) for caption, shown, seconds in shots], poster)
    if len(drawn) > _LIMIT:
        raise SystemExit(f"{TARGET.name} would have {len(drawn):,} characters, more than {_LIMIT:,}.")
    TARGET.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
