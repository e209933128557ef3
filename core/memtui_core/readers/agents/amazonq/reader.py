"""The reader of the Amazon Q Developer command line: its locations and commands.

Its database has the tables of Kiro and the same documents, as the code of both says: aws/amazon-q-developer-cli,
`crates/chat-cli/src/cli/chat/conversation.rs` (0015852), `message.rs` (01e5e3d) and `src/database/mod.rs` (01b940e).
"""

from __future__ import annotations

from collections.abc import Sequence

from memtui_core.readers.agents.amazonq.profile import PROFILE
from memtui_core.readers.agents.kiro.reader import Kiro


class AmazonQ(Kiro):
    """The reader of the Amazon Q Developer command line, whose conversations are in one database."""

    agent = "amazonq"
    name = "Amazon Q Developer"
    short_name = "amazonq"
    label = "aq"
    profile = PROFILE
    own_folders: Sequence[str] = ("/.local/share/amazon-q/", "/Application Support/amazon-q/", "/.aws/amazonq/")
    folder = "amazon-q"
    resume: Sequence[str] = ()
    """`q chat --resume` continues the last conversation of a folder, and takes no id."""
    start: Sequence[str] = ("q", "chat")
