"""Options of onnxruntime that leave the processor to the user's other programs."""

from __future__ import annotations

from typing import Final

import onnxruntime as ort

SPINNING: Final = ("session.intra_op.allow_spinning", "session.inter_op.allow_spinning")
"""Session options: whether a thread that waits for others keeps its processor busy."""


def stop_spinning(options: ort.SessionOptions) -> None:
    """Let threads sleep while they wait: on a busy machine, spinning takes as much time as the work itself."""
    for entry in SPINNING:
        options.add_session_config_entry(entry, "0")
