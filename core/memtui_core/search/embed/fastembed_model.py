"""Models other than the default one: fastembed runs them, and downloads each once."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from memtui_core.errors import ModelUnavailable
from memtui_core.search.embed.onnx_options import stop_spinning
from memtui_core.system.startup.numeric import Vector

_PROVIDERS: Final = ["CPUExecutionProvider"]
"""Otherwise fastembed takes a CUDA that is there, without comparing its vectors."""
_TOKENS_AT_ONCE: Final = 256
"""Tokens of a batch: one long text keeps a core as busy as several."""


class FastembedModel:
    """A loaded model."""

    def __init__(self, name: str, threads: int) -> None:
        """Load a model that fastembed lists. Raises ModelUnavailable for another one."""
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
            self._model = TextEmbedding(name, threads=threads, providers=_PROVIDERS, lazy_load=True)
            model: Any = self._model.model
            # fastembed takes few options for the onnxruntime session, but passes them to this method before it loads
            # the model. A static model has no session.
            if isinstance(model, OnnxModel):
                vars(model)["add_extra_session_options"] = lambda options, _: stop_spinning(options)
                model.load_onnx_model()
            else:
                model.load_model()
        # A copy, because the model's tokenizer is used by other threads and truncates long texts.
        self._tokenizer = Tokenizer.from_str(vars(model)["tokenizer"].to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 for each text.

        Short texts with the same number of tokens run together, which takes a third less time; long ones alone, since
        batches of them, and padding, make it slower.
        """
        same_length: dict[int, list[int]] = {}
        for place, encoding in enumerate(self._tokenizer.encode_batch(texts)):
            same_length.setdefault(len(encoding.ids), []).append(place)
        vectors: dict[int, Vector] = {}
        for length, places in same_length.items():
            at_once = max(1, _TOKENS_AT_ONCE // max(1, length))
            found = self._model.embed([texts[place] for place in places], batch_size=at_once)
            vectors.update(zip(places, map(_of_length_1, found), strict=True))
        return [vectors[place] for place in range(len(texts))]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)


def _of_length_1(vector: Any) -> Vector:
    floats = np.asarray(vector, np.float32)
    return floats / (np.linalg.norm(floats) or 1.0)
