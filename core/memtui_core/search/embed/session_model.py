"""The default model for a process that answers questions as long as it runs: a session of onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnxruntime as ort

from memtui_core.model import DEFAULT_MODEL
from memtui_core.search.embed.minilm_files import cut, load_tokenizer, weights_file
from memtui_core.search.embed.models import DEFAULT_DIMENSION
from memtui_core.search.embed.onnx_options import set_options
from memtui_core.system.startup.numeric import Vector


class SessionModel:
    """The loaded model, without fastembed, whose import takes longer than a search."""

    name = DEFAULT_MODEL
    dimension = DEFAULT_DIMENSION

    def __init__(self, threads: int) -> None:
        self._tokenizer = load_tokenizer()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        set_options(options)
        self._session = ort.InferenceSession(str(weights_file()), options, providers=["CPUExecutionProvider"])

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 for each text: the mean over its tokens."""
        return [self._vector(cut(encoding.ids)) for encoding in self._tokenizer.encode_batch(texts)]

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The model's tokens of a text as ranges of characters, without the two at the ends."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def _vector(self, token_ids: Sequence[int]) -> Vector:
        ids = np.array([token_ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        ((states,),) = self._session.run(None, inputs)
        mean = states.mean(axis=0)
        return np.asarray(mean / np.linalg.norm(mean), np.float32)
