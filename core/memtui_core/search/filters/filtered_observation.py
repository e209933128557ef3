"""What filters read of an observation: the class itself is in a layer above."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol


class FilteredContent(Protocol):
    """The part of `ObservationContent` that filters read."""

    @property
    def type(self) -> str:
        """One of OBSERVATION_TYPES."""

    @property
    def files_modified(self) -> Sequence[str]:
        """Paths as they were given."""

    @property
    def files_read(self) -> Sequence[str]:
        """Paths as they were given."""


class FilteredObservation(Protocol):
    """The part of `Observation` that filters read."""

    @property
    def session_id(self) -> str:
        """The agent's id of the session."""

    @property
    def project(self) -> str:
        """Name of the project."""

    @property
    def root(self) -> str:
        """Root folder of the project; empty if it belongs to none."""

    @property
    def created_at(self) -> datetime:
        """When it was saved."""

    @property
    def content(self) -> FilteredContent:
        """Its type and its files."""
