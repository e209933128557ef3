"""Every error that memtui raises on purpose.

MemtuiError
├── IndexMissing      there is no index yet: nothing has been indexed into this data folder
├── IndexBroken       the index cannot be read
├── IndexTooNew       a newer memtui wrote the index
├── IndexerBusy       another indexer holds the data folder
├── SessionUnknown    no session, or more than one, has that id
├── SourceUnreadable  a transcript could not be opened
└── ModelUnavailable  the embedding model cannot be loaded
"""

from __future__ import annotations


class MemtuiError(Exception):
    """The base of all: its text is a sentence that a person can act on."""


class IndexMissing(MemtuiError):
    """There is no index in the data folder."""


class IndexBroken(MemtuiError):
    """The index is there and cannot be read."""


class IndexTooNew(MemtuiError):
    """The index was written by a newer version."""


class IndexerBusy(MemtuiError):
    """Another process is indexing into the same data folder."""


class SessionUnknown(MemtuiError):
    """No session, or more than one, has the id asked for."""


class SourceUnreadable(MemtuiError):
    """A transcript could not be opened or read."""


class ModelUnavailable(MemtuiError):
    """The embedding model cannot be loaded; words and paths are searched all the same."""
