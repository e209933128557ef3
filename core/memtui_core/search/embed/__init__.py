"""Embedding of texts: the model, and the chunks of a turn. Runs in the calling process."""

from __future__ import annotations

import os

from memtui_core.search.embed.chunks import ranges, split
from memtui_core.search.embed.models import Embedder, QueryEmbedder, open_brief_model, open_model

# Read when onnxruntime is imported: otherwise it tells its makers about this machine.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
# Otherwise the tokenizers of fastembed start a thread for each processor, whatever number of threads a model gets.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

__all__ = [
    "Embedder",
    "QueryEmbedder",
    "open_brief_model",
    "open_model",
    "ranges",
    "split",
]
