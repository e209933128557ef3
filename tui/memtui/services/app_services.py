"""The services that views and controllers use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtui.app_state import AppState
from memtui.services.index_service import IndexService
from memtui.services.observation_service import ObservationService


@dataclass(frozen=True)
class AppServices:
    """The services of one app."""

    index: IndexService
    observations: ObservationService
    state: AppState
    sources_text: Callable[[], str] = str
    """Returns the folders that are searched for sessions, one a line, for the screen that has none to show."""
    handoff_options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of `HandoffOptions` from the settings, by name."""
