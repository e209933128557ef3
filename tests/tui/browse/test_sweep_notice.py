"""Before an agent deletes sessions, the app says so once, and with which setting that changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memtui.app import MemtuiApp
from memtui.system import clock
from support.archives import DAY
from support.indexes import update
from support.screens import remarks, settled, until
from support.transcripts import OTHER_SESSION, SESSION, Script

WIDE = (140, 40)


@pytest.mark.spec("S6.4")
async def test_once_it_is_said_what_an_agent_is_about_to_delete(tmp_path: Path) -> None:
    projects, data = tmp_path / "projects", tmp_path / "data"
    for session_id, days in ((SESSION, 28), (OTHER_SESSION, 2)):
        script = Script(session_id, prefix=session_id[0])
        script.user("Retry the upload")
        script.says("Done.")
        path = script.write(projects)
        at = clock.now().timestamp() - days * DAY
        os.utime(path, (at, at))
    update(data, projects)
    (tmp_path / "settings.json").write_text('{"cleanupPeriodDays": 30}')
    said = []
    for _ in range(2):
        app = MemtuiApp(data, [projects])
        async with app.run_test(size=WIDE) as pilot:
            await until(pilot, lambda app=app: app._indexer, between=0.05)  # type: ignore[misc]
            await settled(pilot)
            said.append(remarks(pilot))
    assert said == [["Claude Code deletes 1 session in the next 3 days: kept here"], []]
