"""Texts as vectors: the model, and the pieces of a turn that it is given. Runs offline, in the process that asks."""

from __future__ import annotations

from memtui_core.embed.chunks import ranges, split
from memtui_core.embed.models import DEFAULT_MODEL, Embedder, Vector, open_model

__all__ = ["DEFAULT_MODEL", "Embedder", "Vector", "open_model", "ranges", "split"]
