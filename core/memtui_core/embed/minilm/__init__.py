"""all-MiniLM-L6-v2 with 8-bit weights, the default model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from memtui_core.embed.minilm_files import TOKENIZER, cut, weights_file
from memtui_core.embed.models import DEFAULT_DIMENSION, DEFAULT_MODEL, Vector
from memtui_core.embed.onnx_options import stop_spinning

_TOKENS_AT_ONCE = 256
"""Tokens of a batch: one long text keeps a core as busy as several."""


class MiniLM:
    """The loaded model."""

    name = DEFAULT_MODEL
    dimension = DEFAULT_DIMENSION

    def __init__(self, threads: int) -> None:
        weights = weights_file()
        self._tokenizer = Tokenizer.from_file(str(TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Higher levels take longer to load and run no faster.
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.enable_cpu_mem_arena = False
        stop_spinning(options)
        self._session = ort.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 for each text: the mean over its tokens.

        Short texts with the same number of tokens run together, which takes a sixth less time; long ones alone, since
        batches of them, and padding, make it slower. The 8-bit weights become floats when they are loaded, so a vector
        does not depend on the other texts.
        """
        ids = [cut(encoding.ids) for encoding in self._tokenizer.encode_batch(texts)]
        same_length: dict[int, list[int]] = {}
        for place, own in enumerate(ids):
            same_length.setdefault(len(own), []).append(place)
        vectors: dict[int, Vector] = {}
        for length, places in same_length.items():
            at_once = max(1, _TOKENS_AT_ONCE // length)
            for start in range(0, len(places), at_once):
                batch = places[start : start + at_once]
                vectors.update(zip(batch, self._run([ids[place] for place in batch]), strict=True))
        return [vectors[place] for place in range(len(ids))]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, without the two at the ends."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return list(encoding.offsets)

    def _run(self, token_ids: Sequence[Sequence[int]]) -> list[Vector]:
        """The vectors of texts with the same number of tokens."""
        ids = np.array(token_ids, np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        means = (state.mean(axis=0) for state in states)
        return [np.asarray(mean / np.linalg.norm(mean), np.float32) for mean in means]
