"""Draw the README's picture: the app on the sample sessions, in a moment at which their ages look lived in."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "demo.svg"
SIZE = (160, 40)
NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

sys.path.insert(0, str(ROOT / "tests"))


async def draw(data_dir: Path) -> str:
    """Ask a question and open the first hit."""
    from memtui.widgets.search.line import SearchFacts
    from support.screens import app_on, settled, type_text

    app = app_on(data_dir)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash")
        await type_text(pilot, "why did uploads arrive twice on slow networks")
        await pilot.press("enter")
        await settled(pilot)
        facts = app.screen.query_one(SearchFacts)
        facts.text = re.sub(r"\d+ ms", "7 ms", facts.text)
        await pilot.pause()
        return app.export_screenshot(title="memtui")


def main() -> None:
    """Write the file; the same sessions give the same picture."""
    os.environ.update(TZ="UTC", COLORTERM="truecolor", TEXTUAL_ANIMATIONS="none")
    time.tzset()
    from memtui.system import clock
    from support.indexes import embed, update

    clock.now = lambda: NOW
    with tempfile.TemporaryDirectory() as folder:
        update(Path(folder), ROOT / "sample_sessions" / "projects")
        embed(Path(folder))
        svg = asyncio.run(draw(Path(folder)))
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(re.sub(r"\bterminal-\d+-", "terminal-", svg))


if __name__ == "__main__":
    main()
