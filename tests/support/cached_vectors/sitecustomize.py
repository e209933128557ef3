"""Python processes with this folder and that of the tests on their path embed each text once, as the tests do.

The folder of the run is in the environment, as MODEL_FOLDER.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.model_process import ModelProcess
from support.vector_cache import VectorCache

VectorCache(ModelProcess(Path(os.environ["MODEL_FOLDER"]))).use(pytest.MonkeyPatch())
