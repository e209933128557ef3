"""Python processes with this folder and that of the tests on their path embed each text once, as the tests do.

The folder of the run is in the environment, see `FOLDER`; without it the model itself answers.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.model_process import FOLDER, ModelProcess
from support.vector_cache import VectorCache

if FOLDER in os.environ:
    VectorCache(ModelProcess(Path(os.environ[FOLDER]))).use(pytest.MonkeyPatch())
