"""The questions asked of a team's server that has everything of an index, by a member who has nothing of it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from bench.quality.measure import Answer, ask_by
from bench.quality.questions import Question
from memtui_core.index.index import Index
from memtui_core.search.pipeline import search
from memtui_team.address import TeamAddress
from memtui_team.admin.devices import invite
from memtui_team.admin.groups import add_members
from memtui_team.connection import connect_as_admin
from memtui_team.push.pusher import Pusher
from memtui_team.schema import EVERYONE, install
from memtui_team.search.server import SearchedTeam, TeamServer
from memtui_team.sharing import Sharing


def ask_team(index: Index, questions: Sequence[Question], admin_url: str) -> list[Answer]:
    """The answers of a server to the questions about an index, whose model must be loaded.

    `admin_url` is that of a database without a team, on which roles can be made; both are left behind.
    """
    with connect_as_admin(admin_url) as connection:
        install(connection)
        add_members(connection, EVERYONE, [])
        writer, reader = (invite(connection, admin_url, name, "bench", [EVERYONE]).url for name in ("writer", "reader"))
    with _copied(index.data.path) as data_dir:
        _push(index, data_dir, writer)
    server = TeamServer(TeamAddress(reader), index.data)
    index.guest = server
    store = SearchedTeam(server, index.vectors.embed, lambda: None)
    try:
        return [ask_by(index, one, lambda text, limit: search(store, text, limit).hits) for one in questions]
    finally:
        index.guest = None
        server.close()


def _push(index: Index, data_dir: Path, url: str) -> None:
    folders = index.snapshot.rows("SELECT DISTINCT project FROM sessions UNION SELECT DISTINCT root FROM sessions")
    sharing = Sharing(share=tuple(folder for (folder,) in folders))
    with Pusher(data_dir, TeamAddress(url), sharing) as pusher, closing(pusher.open_snapshot()) as snapshot:
        plan = pusher.plan(snapshot, agreed=True)
        pusher.agree(plan)
        pusher.push(snapshot, plan)


@contextmanager
def _copied(data_dir: Path) -> Iterator[Path]:
    """A copy of a data folder, in which what was pushed is remembered."""
    with tempfile.TemporaryDirectory() as folder:
        yield shutil.copytree(data_dir, Path(folder) / "data")
