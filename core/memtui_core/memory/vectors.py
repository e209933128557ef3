"""The vectors of the observations' texts, in a file a model: each text is embedded once, whoever asks.

Records of one size are added under a lock. A text is known by its hash, so nothing has to be deleted when an
observation is edited, and a file can be deleted at any time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock

from memtui_core.embed import Embedder, split

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memtui_core.embed import Vector

_WAIT = 10.0
_CLOSE = 0.01
"""How far from 1 the length of a vector may be; others are what a crash left."""
Key = bytes


def key_of(text: str) -> Key:
    """The hash by which a text is known."""
    return blake2b(text.encode(), digest_size=16).digest()


class Vectors:
    """The vectors of one model as of the last `refresh`. Not for several threads at once."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._embedder = embedder
        name = f"{re.sub(r'[^A-Za-z0-9.-]+', '_', embedder.name)}-{embedder.dimension}"
        self._path = folder / f"{name}.vectors"
        self._record = np.dtype(
            [("key", "V16"), ("place", "<u2"), ("of", "<u2"), ("vector", "<f4", (embedder.dimension,))]
        )
        self._read = 0
        self.rows: NDArray[np.float32] = np.empty((0, embedder.dimension), np.float32)
        self.places: dict[Key, dict[int, int]] = {}
        """Of each text, the row of each of its pieces by the piece's place."""
        self._pieces: dict[Key, int] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read what was added since; a file that cannot be read adds nothing."""
        try:
            size = self._path.stat().st_size // self._record.itemsize * self._record.itemsize
            if size < self._read:
                self._read, self.rows, self.places, self._pieces = 0, self.rows[:0], {}, {}
            if size == self._read:
                return
            with self._path.open("rb") as file:
                file.seek(self._read)
                records = np.frombuffer(file.read(size - self._read), self._record)
        except OSError:
            return
        self._read = size
        self._take(records[np.abs(np.linalg.norm(records["vector"], axis=1) - 1.0) < _CLOSE])

    def has(self, key: Key) -> bool:
        """Whether every piece of a text has its vector."""
        return len(self.places.get(key, ())) == self._pieces.get(key, -1)

    def embed(self, texts: Sequence[str]) -> None:
        """Add the vectors of texts that have none. Raises OSError where they cannot be kept."""
        records: list[tuple[Any, ...]] = []
        for text in texts:
            pieces = split(text, self._embedder.tokens(text)) or [text]
            found: list[Vector] = self._embedder.embed(pieces)
            records += [(key_of(text), place, len(found), vector) for place, vector in enumerate(found)]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(self._path.with_suffix(".lock"), timeout=_WAIT), self._path.open("ab") as file:
            # A record that a dying writer left half must not shift those behind it.
            file.truncate(file.tell() // self._record.itemsize * self._record.itemsize)
            file.write(np.array(records, self._record).tobytes())
        self.refresh()

    def _take(self, records: NDArray[Any]) -> None:
        start = len(self.rows)
        self.rows = np.concatenate([self.rows, records["vector"]])
        for row, (key, place, of) in enumerate(
            zip(records["key"], records["place"], records["of"], strict=True), start
        ):
            name = key.tobytes()
            self.places.setdefault(name, {})[int(place)] = row
            self._pieces[name] = int(of)
