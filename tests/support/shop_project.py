"""A project with sessions that ended in different ways, a compaction, a pull request, and files of other projects."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from support.indexes import update
from support.transcripts import Script

ROOT: Final = "/home/ana/code/shop"
URL: Final = "https://github.com/ana/shop/pull/14"
PRICES: Final = "11111111-1111-4111-8111-111111111111"
UPLOAD: Final = "22222222-2222-4222-8222-222222222222"
LIMITS: Final = "33333333-3333-4333-8333-333333333333"
NOTES: Final = "44444444-4444-4444-8444-444444444444"
BLOG: Final = "55555555-5555-4555-8555-555555555555"
HOUR: Final = 360
"""Entries of a script that an hour has."""


def edits(script: Script, path: str, tool_id: str) -> None:
    """The agent edits a file of the project."""
    script.calls("Edit", {"file_path": f"{ROOT}/{path}", "old_string": "a", "new_string": "b"}, tool_id)
    script.result("done", tool_id)


def write_shop(folder: Path) -> None:
    """Write the transcripts: one begins each hour, in the order of their names above."""
    prices = _script(PRICES, 0)
    prices.user("Round the prices")
    edits(prices, "src/prices.py", "t1")
    prices.says("Done.")
    prices.user("And the taxes")
    edits(prices, "src/prices.py", "t2")
    edits(prices, "src/taxes.py", "t3")
    prices.compacts("The prices are rounded.")
    link: dict[str, Any] = {"type": "pr-link", "prNumber": 14, "prUrl": URL, "prRepository": "ana/shop"}
    prices.raw({**link, "sessionId": PRICES, "timestamp": "2026-11-01T09:02:00Z"})
    prices.says("It is pushed.")
    upload = _script(UPLOAD, 1)
    upload.model = "unlisted"
    upload.user("Retry the upload")
    upload.calls("Read", {"file_path": f"{ROOT}/src/upload.py"}, "t4")
    upload.result("code", "t4")
    upload.says("It is retried.\n\nShall I also retry webhooks?")
    limits = _script(LIMITS, 2)
    limits.user("Add rate limits")
    limits.calls("Bash", {"command": "pytest -q"}, "t5")
    notes = _script(NOTES, 3)
    notes.user("Write the release notes")
    blog = _script(BLOG, 4, "/home/ana/code/blog")
    blog.user("Quote the shop")
    edits(blog, "src/prices.py", "t6")
    blog.says("Quoted.")
    for script in (prices, upload, limits, notes, blog):
        script.write(folder)


def _script(session: str, hour: int, cwd: str = ROOT) -> Script:
    script = Script(session, cwd, prefix=session[0])
    script.count = hour * HOUR
    return script


def index_shop(data: Path) -> None:
    """Make the index of them."""
    write_shop(data.parent / "src")
    update(data, data.parent / "src")
