"""The ways from texts to vectors that `bench.embedding` measures."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

from memtui_core.compaction.outline import sentences
from memtui_core.ingest.indexer import Indexer
from memtui_core.search.embed import Embedder, minilm_files, open_model
from memtui_core.search.embed.models import open_model_by
from memtui_core.search.embed.ways import PLAIN
from memtui_core.system.startup.numeric import Vector


class Counted:
    """A model that keeps the texts that it has read."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self.name, self.dimension = model.name, model.dimension
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of the model."""
        self.texts += texts
        return self._model.embed(texts)

    def tokens(self, text: str) -> list[tuple[int, int]]:
        """The tokens of the model."""
        return self._model.tokens(text)


class Bare:
    """A session of onnxruntime and a tokenizer, and nothing else."""

    def __init__(self, batch: int) -> None:
        self._batch = batch
        self._tokenizer = Tokenizer.from_file(str(minilm_files.TOKENIZER))
        self._tokenizer.enable_truncation(minilm_files.MAX_TOKENS)
        self._tokenizer.no_padding()
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = ort.InferenceSession(
            str(minilm_files.weights_file()), options, providers=["CPUExecutionProvider"]
        )

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of texts."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]

    def run(self, texts: Sequence[str]) -> None:
        """Run the model on texts, in padded batches of similar lengths."""
        ids = self.ids(texts)
        ids = sorted(ids, key=len) if self._batch > 1 else ids
        for start in range(0, len(ids), self._batch):
            self._run(ids[start : start + self._batch])

    def _run(self, batch: Sequence[Sequence[int]]) -> None:
        inputs = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(inputs)
        for row, own in enumerate(batch):
            inputs[row, : len(own)], mask[row, : len(own)] = own, 1
        values: dict[str, Any] = {"input_ids": inputs, "attention_mask": mask, "token_type_ids": np.zeros_like(inputs)}
        self._session.run(None, values)


def write_texts(data: Path, count: int, read: Path, short: Path) -> None:
    """Write the first texts that memtui gives the model, and the sentences of these, as reviews compare them."""
    model = Counted(open_model())
    embed(data, model, count)
    read.write_text(json.dumps(model.texts))
    parts = [text[span.start : span.end] for text in model.texts for span in sentences(text)]
    read_alone = list(dict.fromkeys(part for part in parts if 12 <= len(part) <= 200))
    short.write_text(json.dumps(read_alone[: 2 * count]))


def embed(data: Path, model: Counted, count: int) -> None:
    """Make the vectors of an index without any, until the model has read so many texts."""
    with Indexer(data) as indexer:
        for _ in indexer.embed(model, lambda: len(model.texts) >= count):
            pass


def tokens(path: Path) -> int:
    """The tokens of texts in a file."""
    return sum(map(len, Bare(1).ids(json.loads(path.read_bytes()))))


def prepared(way: str, texts: str, data: str) -> Callable[[], object]:
    """What is to be measured, with its model loaded."""
    found: list[str] = json.loads(Path(texts).read_bytes())
    if way.startswith("whole path"):
        counted = Counted(open_model_by(way.partition(", ")[2] or PLAIN))
        return lambda: embed(Path(data), counted, len(found))
    if "memtui" in way:
        model = open_model()
        return lambda: model.embed(found)
    bare = Bare(int(way.rpartition(" ")[2]) if "batches" in way else 1)
    return lambda: bare.run(found)
