"""A search that a view requests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchedProject:
    """The project in which turns are searched."""

    folder: str
    """Its root; its name if it has none."""
    name: str
    """What the screen calls it."""


@dataclass(frozen=True, slots=True)
class TurnSearch:
    """The turns that match a query; in a project also all of its turns, by an empty query."""

    query: str
    project: SearchedProject | None = None
    """Where to search; None for everywhere."""
