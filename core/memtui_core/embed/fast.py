"""Any other model, by fastembed: it downloads what a person named in the settings, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime as ort

from memtui_core.embed.models import Vector
from memtui_core.embed.session import stop_spinning
from memtui_core.errors import ModelUnavailable


class FastembedModel:
    """A model that fastembed lists."""

    def __init__(self, name: str, threads: int) -> None:
        from fastembed import TextEmbedding
        from fastembed.common.onnx_model import OnnxModel

        sizes = {str(one["model"]).lower(): int(one["dim"]) for one in TextEmbedding.list_supported_models()}
        if name.lower() not in sizes:
            raise ModelUnavailable(f"There is no embedding model {name}; fastembed lists {len(sizes)} others.")
        self.name = name
        self.dimension = sizes[name.lower()]
        self._model = TextEmbedding(name, threads=threads, lazy_load=True)
        runs: Any = self._model.model
        # fastembed takes no entries of the session's configuration, but hands the session's options to this method
        # before it loads the model. A static model has no session.
        has_session = isinstance(runs, OnnxModel)
        if has_session:
            runs.add_extra_session_options = _prepare
            runs.load_onnx_model()
        else:
            runs.load_model()
        self._tokenizer: Any = vars(runs)["tokenizer"]

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector a text, of the length 1."""
        vectors = (np.asarray(vector, np.float32) for vector in self._model.embed(list(texts), batch_size=4))
        return [vector / (np.linalg.norm(vector) or 1.0) for vector in vectors]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The ranges of the tokens."""
        longest = self._tokenizer.truncation
        self._tokenizer.no_truncation()
        try:
            return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)
        finally:
            if longest:
                self._tokenizer.enable_truncation(longest["max_length"])


def _prepare(options: ort.SessionOptions, _extra: object) -> None:
    stop_spinning(options)
