"""Every error that memtui_core raises on purpose.

MemtuiError
├── IndexMissing        nothing has been indexed into the data folder yet
├── IndexBroken         the index cannot be read
├── IndexTooNew         a newer version of memtui wrote the index
├── RecordDamaged       a record of an archive cannot be read
├── IndexerBusy         another process is indexing into the data folder
├── SessionUnknown      no session, or more than one, has the id
├── CompactionUnknown   the turn is not the summary of a compaction
├── SourceUnreadable    a transcript cannot be opened or read
├── ModelUnavailable    the embedding model cannot be loaded
├── BadObservation      the given fields make no valid observation
├── NothingSelected     a name, a time or a query selects no session, or does not say clearly which
├── NoOwnTurns          a session only repeats turns of another one
├── NothingBefore       a session has nothing before the place to which it is to be rewound
├── NotForgotten        nothing that was forgotten can be brought back under this id
├── ObservationUnknown  no observation, or more than one, has the id
├── SqlFailed           a statement of SQL is wrong, is none that reads, or takes too long
├── BadAnnotation       a title, tag or note cannot be kept as it was given
├── NoteUnknown         no note of the user, or more than one, has the id
├── PricesInvalid       the table of prices cannot be read
├── MachineRefused      a machine cannot be declared as it was named
├── MachineUnknown      no machine has been declared with the name
├── MachineBusy         another process pulls from a machine
└── MachineUnreachable  another machine does not answer, or not in full
"""

from __future__ import annotations


class MemtuiError(Exception):
    """The base of all errors; its text is a message for the user."""


class IndexMissing(MemtuiError):
    """There is no index in the data folder."""


class IndexBroken(MemtuiError):
    """The index cannot be read."""


class IndexTooNew(MemtuiError):
    """A newer version of memtui wrote the index."""


class RecordDamaged(MemtuiError):
    """A record of an archive cannot be read."""


class IndexerBusy(MemtuiError):
    """Another process is indexing into the same data folder."""


class SessionUnknown(MemtuiError):
    """No session, or more than one, has the id."""


class CompactionUnknown(MemtuiError):
    """The turn is not the summary of a compaction of the session."""


class SourceUnreadable(MemtuiError):
    """A transcript cannot be opened or read."""


class ModelUnavailable(MemtuiError):
    """The embedding model cannot be loaded; search by words and paths works without it."""


class BadObservation(MemtuiError):
    """The given fields make no valid observation; the text names the problem."""


class NothingSelected(MemtuiError):
    """A name, a time or a query selects no session, or does not say clearly which ones."""


class NoOwnTurns(MemtuiError):
    """A fork has no turns of its own yet: all of its entries are those of another session, which the text names."""


class NothingBefore(MemtuiError):
    """A session has nothing before the place to which it is to be rewound."""


class NotForgotten(MemtuiError):
    """Nothing that was forgotten, and can be brought back, has the id."""


class ObservationUnknown(MemtuiError):
    """No observation, or more than one, has the id."""


class SqlFailed(MemtuiError):
    """A statement of SQL is wrong, is none that reads, or takes too long."""


class BadAnnotation(MemtuiError):
    """A title, a tag or a note cannot be kept as it was given; the text names the problem."""


class NoteUnknown(MemtuiError):
    """No note of the user, or more than one, has the id."""


class PricesInvalid(MemtuiError):
    """The table of prices cannot be read; the message names the file and what is wrong with it."""


class MachineRefused(MemtuiError):
    """The name or the address of a machine is not valid, or the name is taken."""


class MachineUnknown(MemtuiError):
    """No machine of this name was declared."""


class MachineBusy(MemtuiError):
    """Another process pulls from the machine at this moment."""


class MachineUnreachable(MemtuiError):
    """Another machine does not answer, or ended its answer too early."""
