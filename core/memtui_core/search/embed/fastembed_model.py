"""Models that fastembed runs: the default one, and those that it lists and downloads once."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from memtui_core.errors import ModelUnavailable
from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.minilm_files import TOKENIZER, weights_file
from memtui_core.search.embed.minilm_graph import minilm_graph
from memtui_core.search.embed.models import DEFAULT_DIMENSION
from memtui_core.search.embed.onnx_options import set_options, stop_spinning
from memtui_core.search.embed.ways import INTEGERS, JOINED, PLAIN, PROVIDERS
from memtui_core.system.startup.numeric import Vector

_PROCESSOR: Final = "CPUExecutionProvider"
_GRAPHS: Final = {JOINED: False, INTEGERS: True}
"""The ways with a graph of their own, and whether it has products of integers."""
_TOKENS_AT_ONCE: Final = 256
"""Tokens of a batch: one long text keeps a core as busy as several."""


class FastembedModel:
    """A loaded model."""

    def __init__(self, name: str, threads: int, way: str = PLAIN) -> None:
        with ExitStack() as stack:
            self._load(name, threads, way, stack)

    def _load(self, name: str, threads: int, way: str, stack: ExitStack) -> None:
        """Load the model; `stack` holds its file until then, if it is made here."""
        from fastembed import TextEmbedding
        from fastembed.common.onnx_model import OnnxModel

        folder = str(TOKENIZER.parent) if name == DEFAULT_MODEL else None
        listed = _add_default_model(way, stack) if name == DEFAULT_MODEL else name
        if listed.lower() not in (sizes := _sizes()):
            raise ModelUnavailable(f"There is no embedding model {name}; fastembed lists {len(sizes)} others.")
        self.name = name
        self.dimension = sizes[listed.lower()]
        # Otherwise fastembed takes a CUDA that is there, without comparing its vectors.
        providers = [PROVIDERS[way], _PROCESSOR] if way in PROVIDERS else [_PROCESSOR]
        with warnings.catch_warnings():
            # fastembed warns that static models, which are tables of numbers, use no threads.
            warnings.filterwarnings("ignore", ".* is a static model", UserWarning)
            # With a folder of files nothing is downloaded. It is also named as that of downloads, which would be made.
            self._model = TextEmbedding(listed, folder, threads, providers, lazy_load=True, specific_model_path=folder)
            model: Any = self._model.model
            # fastembed takes few options for the onnxruntime session, but passes them to this method before it loads
            # the model. A static model has no session.
            if isinstance(model, OnnxModel):
                set_own = set_options if name == DEFAULT_MODEL else stop_spinning
                vars(model)["add_extra_session_options"] = lambda options, _: set_own(options)
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
        batches of them, and padding, make it slower. The 8-bit weights of the default model become floats when they are
        loaded, so a vector does not depend on the other texts.
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


@lru_cache(1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder for this process: fastembed knows a model by its file, which is always at the same place."""
    return tempfile.TemporaryDirectory(prefix="memtui-")


def _sizes() -> dict[str, int]:
    """The dimensions of the models that fastembed knows, by their names in lower case."""
    from fastembed import TextEmbedding

    return {str(model["model"]).lower(): int(model["dim"]) for model in TextEmbedding.list_supported_models()}


def _add_default_model(way: str, stack: ExitStack) -> str:
    """Tell fastembed of the default model in one way, once in a process; the name that it has there.

    The file of a way with a graph of its own exists until the stack is closed.
    """
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = DEFAULT_MODEL if way not in _GRAPHS else f"{DEFAULT_MODEL}-{way}"
    weights = weights_file()
    if way in _GRAPHS:
        weights = Path(_folder().name) / f"{way}.onnx"
        stack.callback(weights.unlink, missing_ok=True)
        weights.write_bytes(minilm_graph(integers=_GRAPHS[way]))
    if name.lower() not in _sizes():
        TextEmbedding.add_custom_model(
            name,
            PoolingType.MEAN,
            normalization=True,
            # Required, but not used: all files are here.
            sources=ModelSource(hf="sentence-transformers/all-MiniLM-L6-v2"),
            dim=DEFAULT_DIMENSION,
            model_file=str(weights),
        )
    return name


def _of_length_1(vector: Any) -> Vector:
    floats = np.asarray(vector, np.float32)
    return floats / (np.linalg.norm(floats) or 1.0)
