"""The keys by which the user adds something to sessions and turns, for the lists of both and for the transcript."""

from __future__ import annotations

from typing import Final

from memtui.keys.declarations import Key, keys

ANNOTATION_KEYS: Final[list[Key]] = keys(
    "sessions, hits, transcript",
    Key("asterisk", "annotate('pin')", "Pin", "Pin the session or turn, or undo that", "annotate.pin",
        synonyms="star favourite bookmark mark keep top"),
    Key("number_sign", "annotate('tag')", "Tag", "Change your tags of the session or turn", "annotate.tag",
        synonyms="label category group"),
    Key("a", "annotate('note')", "Note", "Write your note on the session or turn", "annotate.note",
        synonyms="comment annotate remark write"),
    Key("c,f2", "annotate('rename')", "Rename", "Give the session a title of your own", "annotate.rename",
        synonyms="title name change"),
    Key("x", "annotate('archive')", "Archive", "Leave the session out of lists and searches, or undo that",
        "annotate.archive", synonyms="hide done remove away"),
    Key("u", "annotate('restore')", "Take back", "Take back the session that was archived or forgotten last",
        "annotate.restore", synonyms="undo unarchive unforget"),
)  # fmt: skip
"""For the action `annotate` of a widget, which posts `AnnotationRequested`."""
