"""The services that views and controllers use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.services.index_service import IndexService
from memtui.services.observation_service import ObservationService
from memtui.services.sharing_service import SharingService
from memtui.settings.app_state import AppState
from memtui.startup.kept_list import KeptList


@dataclass(frozen=True)
class AppServices:
    """The services of one app."""

    index: IndexService
    observations: ObservationService
    state: AppState
    sharing: SharingService
    first_list: KeptList | None = None
    """What the list of sessions shows until the index is open."""
    keeps_list: bool = False
    """Whether the list of sessions is kept for the next start."""
    sources_text: Callable[[], str] = str
    """Returns the folders that are searched for sessions, one a line, for the screen that has none to show."""
    handoff_options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `HandoffOptions` from the settings, by name."""

    @property
    def shown_list(self) -> KeptList | None:
        """`first_list`, if it is shown: not where the list is grouped."""
        return None if self.state.grouping else self.first_list
