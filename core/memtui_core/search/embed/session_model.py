"""The default model in a process that makes many vectors or answers questions as long as it runs: onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import onnxruntime as ort

from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.minilm_files import cut, load_tokenizer, weights_file
from memtui_core.search.embed.minilm_graph import minilm_graph
from memtui_core.search.embed.models import DEFAULT_DIMENSION
from memtui_core.search.embed.onnx_options import set_options
from memtui_core.search.embed.ways import INTEGERS, JOINED, PLAIN, PROVIDERS
from memtui_core.system.startup.numeric import Vector

_PROCESSOR: Final = "CPUExecutionProvider"
_TOKENS_AT_ONCE: Final = 256
"""Tokens of a batch: one long text keeps a core as busy as several."""


class SessionModel:
    """The loaded model, run in one of the ways of `ways`."""

    name = DEFAULT_MODEL
    dimension = DEFAULT_DIMENSION

    def __init__(self, threads: int, way: str = PLAIN) -> None:
        self._tokenizer = load_tokenizer()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        set_options(options)
        file = minilm_graph(integers=way == INTEGERS) if way in (JOINED, INTEGERS) else str(weights_file())
        providers = [PROVIDERS[way], _PROCESSOR] if way in PROVIDERS else [_PROCESSOR]
        self._session = ort.InferenceSession(file, options, providers=providers)
        self._inputs = {given.name for given in self._session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 for each text: the mean over its tokens.

        Short texts with the same number of tokens run together, which takes a third less time; long ones alone, since
        batches of them, and padding, make it slower. The weights are floats when they are loaded, or each token is
        rounded by itself, so a vector does not depend on the other texts.
        """
        same_length: dict[int, list[int]] = {}
        token_ids = [cut(self._tokenizer.ids(text)) for text in texts]
        for place, ids in enumerate(token_ids):
            same_length.setdefault(len(ids), []).append(place)
        vectors: dict[int, Vector] = {}
        for length, places in same_length.items():
            at_once = max(1, _TOKENS_AT_ONCE // length)
            for start in range(0, len(places), at_once):
                batch = places[start : start + at_once]
                vectors.update(zip(batch, self._vectors([token_ids[place] for place in batch]), strict=True))
        return [vectors[place] for place in range(len(texts))]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, without the two at the ends."""
        return self._tokenizer.spans(text)

    def _vectors(self, token_ids: Sequence[Sequence[int]]) -> Vector:
        """The vectors of texts with the same number of tokens, as rows."""
        ids = np.array(token_ids, np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, {name: inputs[name] for name in self._inputs})
        means = states.mean(axis=1)
        return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), np.float32)
