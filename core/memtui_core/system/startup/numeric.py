"""numpy, imported with its first use: an indexer that makes no vectors and a search by words need none of it.

That saves a search by words 120 ms of the processor, of 370. It gets no threads for linear algebra: starting and ending
them takes a search by meaning 240 ms, of 450.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

_THREADS = "OPENBLAS_NUM_THREADS"


def import_numpy() -> ModuleType:
    """Import numpy, if that was not done, without threads of its own."""
    if "numpy" in sys.modules or _THREADS in os.environ:
        import numpy as np

        return np
    os.environ[_THREADS] = "1"
    try:
        import numpy as np
    finally:
        # Read once; processes that this one starts decide for themselves.
        os.environ.pop(_THREADS, None)
    return np


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    """The vector of a text, of length 1."""
else:
    Vector = Any

    class _Numpy:
        def __getattr__(self, name: str) -> Any:
            # Kept, so that the next use asks nobody.
            value = self.__dict__[name] = getattr(import_numpy(), name)
            return value

    np = _Numpy()

__all__ = ["Vector", "import_numpy", "np"]
