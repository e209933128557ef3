"""Models of fastembed, which downloads the one that is named in the settings once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from memtui_core.embed.models import Vector
from memtui_core.embed.onnx_options import stop_spinning
from memtui_core.errors import ModelUnavailable


class FastembedModel:
    """A model that fastembed lists."""

    def __init__(self, name: str, threads: int) -> None:
        from fastembed import TextEmbedding
        from fastembed.common.onnx_model import OnnxModel

        sizes = {str(model["model"]).lower(): int(model["dim"]) for model in TextEmbedding.list_supported_models()}
        if name.lower() not in sizes:
            raise ModelUnavailable(f"There is no embedding model {name}; fastembed lists {len(sizes)} others.")
        self.name = name
        self.dimension = sizes[name.lower()]
        with warnings.catch_warnings():
            # fastembed warns that static models, which are tables of numbers, use no threads.
            warnings.filterwarnings("ignore", ".* is a static model", UserWarning)
            self._model = TextEmbedding(name, threads=threads, lazy_load=True)
            model: Any = self._model.model
            # fastembed takes no options for the onnxruntime session, but passes them to this method before it loads the
            # model. A static model has no session.
            if isinstance(model, OnnxModel):
                model.add_extra_session_options = _set_options  # type: ignore[assignment, method-assign]
                model.load_onnx_model()
            else:
                model.load_model()
        # A copy, because the model's tokenizer is used by other threads and truncates long texts.
        self._tokenizer = Tokenizer.from_str(vars(model)["tokenizer"].to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 for each text."""
        vectors = (np.asarray(vector, np.float32) for vector in self._model.embed(list(texts), batch_size=4))
        return [vector / (np.linalg.norm(vector) or 1.0) for vector in vectors]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)


def _set_options(options: ort.SessionOptions, _extra: object) -> None:
    stop_spinning(options)
