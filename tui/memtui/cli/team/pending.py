"""What the next `memtui team push` would do."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtui.cli.options import settings
from memtui_core.errors import MemtuiError

if TYPE_CHECKING:
    from memtui_team.address import TeamAddress


class PendingPush(NamedTuple):
    """What is not on the server yet, or should not be there any more."""

    push: int
    """Sessions to push."""
    remove: int
    """Sessions to remove, or to forget."""
    reason: str = ""
    """Why it is not known; empty if it is."""

    @property
    def sentence(self) -> str:
        """It in words."""
        from memtui.wording.formatting import plural

        if self.reason or not (self.push or self.remove):
            return self.reason or "nothing"
        parts = [f"{plural(self.push, 'session')} to push"] if self.push else []
        parts += [f"{plural(self.remove, 'session')} to remove"] if self.remove else []
        return f"{', '.join(parts)}: memtui team push"


def pending(data_dir: Path, address: TeamAddress) -> PendingPush:
    """Compare what is shared with the server, without reading texts."""
    from memtui_team.push.pusher import Pusher
    from memtui_team.sharing import Sharing

    config = settings()
    try:
        sharing = Sharing.of(data_dir, config.share, config.groups, config.exclusions)
        with Pusher(data_dir, address, sharing) as pusher:
            if pusher.has_nothing_new():
                return PendingPush(0, 0)
            with closing(pusher.open_snapshot()) as snapshot:
                plan = pusher.plan(snapshot, agreed=True)
    except MemtuiError as error:
        return PendingPush(0, 0, str(error))
    return PendingPush(len(plan.changed), len(plan.removed) + len(plan.forgotten))
