"""How onnxruntime works for somebody who does something else meanwhile."""

from __future__ import annotations

from typing import Final

import onnxruntime as ort

SPINNING: Final = ("session.intra_op.allow_spinning", "session.inter_op.allow_spinning")
"""Entries of a session's configuration: whether a thread that waits for the others keeps its processor busy."""


def stop_spinning(options: ort.SessionOptions) -> None:
    """Let threads sleep while they wait: on a busy machine, spinning costs as much as the work itself."""
    for entry in SPINNING:
        options.add_session_config_entry(entry, "0")
