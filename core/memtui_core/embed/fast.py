"""Any other model, by fastembed: it downloads what a person named in the settings, once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

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
        with warnings.catch_warnings():
            # Of models that are tables of numbers: that they use no threads.
            warnings.filterwarnings("ignore", ".* is a static model", UserWarning)
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
        # A copy, because the model's own is used by other threads and cuts long texts.
        self._tokenizer = Tokenizer.from_str(vars(runs)["tokenizer"].to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector a text, of the length 1."""
        vectors = (np.asarray(vector, np.float32) for vector in self._model.embed(list(texts), batch_size=4))
        return [vector / (np.linalg.norm(vector) or 1.0) for vector in vectors]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The ranges of the tokens."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)


def _prepare(options: ort.SessionOptions, _extra: object) -> None:
    stop_spinning(options)
