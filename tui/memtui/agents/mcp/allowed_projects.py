"""The projects about which a server may answer, as the command line names them."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memtui_core.store.tables import RowSource

_log = logging.getLogger(__name__)


class AllowedProjects:
    """Some projects, by name or folder; which they are is looked up in each snapshot, because new ones come up."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._said: set[str] = set()
        self.current: frozenset[str] = frozenset()
        """The roots of the projects at the last look."""

    @property
    def text(self) -> str:
        """What the server may answer about, for messages."""
        return ", ".join(self._names)

    def roots(self, source: RowSource | None) -> frozenset[str]:
        """The roots of the projects in a snapshot; a name that several projects have allows none of them."""
        from memtui_core.queries.current_project import named_roots

        rows = named_roots(source) if source is not None else []
        self.current = frozenset(root for name in self._names for root in self._roots_of(name, rows, source))
        return self.current

    def _roots_of(self, name: str, rows: Sequence[tuple[str, str]], source: RowSource | None) -> set[str]:
        from memtui_core.queries.current_project import project_root
        from memtui_core.text.machine_folders import machine_of

        if name.startswith("@"):
            return {name}
        if _is_folder(name):
            return {project_root(source, Path(name).expanduser().absolute().as_posix())}
        found = {root for root, project in rows if project.lower() == name.lower()}
        if len(found) > 1:
            # The same project may have been worked on elsewhere.
            found = {root for root in found if not machine_of(root)}
        if len(found) > 1:
            self._say(f"{len(found)} projects are named {name!r}, and none of them is allowed: name their folders.")
            return set()
        if not found and source is not None:
            self._say(f"There is no project {name!r} yet.")
        return found

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            _log.warning("%s", text)


def _is_folder(name: str) -> bool:
    return name.startswith((".", "~", "@")) or "/" in name or os.sep in name
