"""Tiny embedding models under names that fastembed lists, in the files in which it keeps those it has downloaded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace

if TYPE_CHECKING:
    from numpy.typing import NDArray

WITH_ONNX = "nomic-ai/nomic-embed-text-v1.5"
"""768 dimensions; the mean over the tokens of what onnxruntime gives, of any length."""
STATIC = "minishlab/potion-base-8M"
"""256 dimensions; the sum over the tokens of the rows of a table."""
LONGEST = 512
"""Tokens that both read of a text."""
_DIMENSIONS = {WITH_ONNX: 768, STATIC: 256}
_UNKNOWN = ("[PAD]", "[UNK]")


class TinyModel:
    """A vector for each of some words, another one for all other words."""

    def __init__(self, name: str, words: Sequence[str]) -> None:
        self.name = name
        self.dimension = _DIMENSIONS[name]
        self._places = {word: place for place, word in enumerate((*_UNKNOWN, *words))}
        shape = (len(self._places), self.dimension)
        self._rows = np.random.default_rng(7).standard_normal(shape).astype(np.float32)

    def vector(self, words: Sequence[str]) -> NDArray[np.float32]:
        """What it says of a text of these words."""
        mean: NDArray[np.float32] = self._rows[[self._places.get(word, 1) for word in words]].mean(axis=0)
        return mean / np.float32(np.linalg.norm(mean))

    def install(self, cache: Path) -> None:
        """Write the files as if they had been downloaded to this folder."""
        kept = cache / f"models--{self.name.replace('/', '--')}"
        files = kept / "snapshots" / "0123abcd"
        (files / "onnx").mkdir(parents=True)
        (kept / "refs").mkdir()
        (kept / "refs" / "main").write_text("0123abcd")
        if self.name == STATIC:
            (files / "model.safetensors").write_bytes(self._safetensors())
        else:
            (files / "onnx" / "model.onnx").write_bytes(self._onnx())
        tokenizer = Tokenizer(WordLevel(self._places, unk_token="[UNK]"))
        tokenizer.normalizer = Lowercase()
        tokenizer.pre_tokenizer = Whitespace()
        tokenizer.save(str(files / "tokenizer.json"))
        (files / "config.json").write_text(json.dumps({"pad_token_id": 0}))
        (files / "tokenizer_config.json").write_text(json.dumps({"model_max_length": LONGEST, "pad_token": "[PAD]"}))
        (files / "special_tokens_map.json").write_text("{}")

    def _safetensors(self) -> bytes:
        table = self._rows.tobytes()
        about = {"embeddings": {"dtype": "F32", "shape": self._rows.shape, "data_offsets": [0, len(table)]}}
        head = json.dumps(about).encode()
        return len(head).to_bytes(8, "little") + head + table

    def _onnx(self) -> bytes:
        """A graph of one node, Gather, in the wire format of protocol buffers; fields as in onnx.proto."""
        rows, columns = self._rows.shape
        table = (
            _field(1, rows) + _field(1, columns) + _field(2, 1) + _field(8, b"rows") + _field(9, self._rows.tobytes())
        )
        gather = _field(1, b"rows") + _field(1, b"input_ids") + _field(2, b"last_hidden_state") + _field(4, b"Gather")
        text, token = _field(1, _field(2, b"text")), _field(1, _field(2, b"token"))
        ids = _value(b"input_ids", 7, text + token)
        mask = _value(b"attention_mask", 7, text + token)
        states = _value(b"last_hidden_state", 1, text + token + _field(1, _field(1, columns)))
        graph = _field(1, gather) + _field(2, b"tiny") + _field(5, table) + _field(11, ids) + _field(11, mask)
        return _field(1, 8) + _field(7, graph + _field(12, states)) + _field(8, _field(2, 13))


def _value(name: bytes, kind: int, shape: bytes) -> bytes:
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
