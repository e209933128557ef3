"""The ways to run the default model for many texts, and which of them is the fastest on this machine.

The first texts of a long backlog are embedded in the plain way. Then each other way embeds some of them too. The
fastest one whose vectors are the same takes over, and is remembered in the data folder until there is another
onnxruntime.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import orjson

from memtui_core.system.atomic_files import write_atomically

PLAIN: Final = "plain"
"""The file of the model as it is, on the processor."""
JOINED: Final = "joined"
"""The graph of fewer steps, with floats."""
INTEGERS: Final = "integers"
"""The graph of fewer steps, with products of 8-bit integers."""
PROVIDERS: Final[Mapping[str, str]] = {
    "coreml": "CoreMLExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "directml": "DmlExecutionProvider",
}
"""What an onnxruntime that the user has installed may run the plain model by, with its names there."""
SAME: Final = 0.999
"""The least cosine of a vector with that of the plain way; one with 8 bits a number has .9999."""
_FASTER: Final = 1.1
"""How much faster a way must be: less may be chance."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How one way did on the texts that all ways embedded."""

    way: str
    rate: float
    """Tokens a second; 0 if the way cannot be used."""
    likeness: float
    """The least cosine of its vectors with those of the plain way."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen way, and what it was chosen from."""

    way: str
    runtime: str
    """See `runtime_name`."""
    measured: tuple[Measured, ...] = ()


def runtime_name() -> str:
    """What a measurement is valid for: the version of onnxruntime, its providers, and the kind of machine."""
    import onnxruntime as ort

    return " ".join((ort.__version__, *sorted(ort.get_available_providers()), platform.machine(), platform.processor()))


def ways_here() -> tuple[str, ...]:
    """All ways that the installed onnxruntime offers, the plain one first."""
    import onnxruntime as ort

    offered = ort.get_available_providers()
    return (PLAIN, JOINED, INTEGERS, *(way for way, provider in PROVIDERS.items() if provider in offered))


def fastest(measured: Sequence[Measured]) -> str:
    """The way to use: the plain one, unless another one with the same vectors is faster."""
    plain = next(one.rate for one in measured if one.way == PLAIN)
    others = [one for one in measured if one.likeness >= SAME and one.rate >= _FASTER * plain]
    return max(others, key=lambda one: one.rate).way if others else PLAIN


def read_choice(path: Path) -> Choice | None:
    """The choice that was remembered; None if there is none or it cannot be read."""
    try:
        found = orjson.loads(path.read_bytes())
        choice = Choice(found["way"], found["runtime"], tuple(Measured(**one) for one in found["measured"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return choice if choice.way in (PLAIN, JOINED, INTEGERS, *PROVIDERS) else None


def write_choice(path: Path, choice: Choice) -> None:
    """Remember a choice. Raises OSError."""
    write_atomically(path, orjson.dumps(asdict(choice), option=orjson.OPT_INDENT_2))
