"""Reasons that hold for several agents why memtui leaves something out."""

from __future__ import annotations

from typing import Final

INSTRUCTIONS: Final = "what a program tells the model about itself, its tools and its settings is no conversation"
SCREEN: Final = "what the program showed about a call repeats the call and its result"
TITLES: Final = "a session has one title: the last one of the most trusted source"
WHOLE_FILES: Final = "of an edited file the lines that changed are shown, not all"
HOOKS: Final = "what programs of the user printed or changed before a call is no conversation"
DIFFS: Final = "the lines of a diff that are not in the input of the call are shown, but not searched"
