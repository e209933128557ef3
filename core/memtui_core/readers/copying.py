"""What a copy of an agent's transcripts from another machine consists of, besides the default locations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Copying:
    """What an agent's reader says of copies. Patterns are paths in the home folder, in which `*` is any part of a name.

    Of the default locations and of `locations` only what the reader accepts is copied. Of a database only the tables
    that are named are copied: others may contain credentials.
    """

    locations: Sequence[str] = ()
    """Patterns of the locations that are default ones only if they exist, or on another system."""
    beside: Sequence[str] = ()
    """Patterns of files that the reader reads with a transcript although it does not accept them."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """The tables of databases that the reader reads, each with an SQL condition on its rows, empty for all rows."""
    has_secrets: bool = False
    """Whether other tables or rows of the databases contain credentials, so that a whole file is never copied."""


NO_MORE = Copying()
"""Nothing besides the default locations."""
