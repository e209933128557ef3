"""The value of a JSON text as orjson reads it, without importing orjson for a cold command: that takes longer."""

from __future__ import annotations

import json
import re
import sys
from typing import Any, NoReturn

_DIFFERENT = re.compile(r"\\u[dD]|(?:[\[,:\s]|\A)-?(?:\d[\d.]*[eE]|\d[\d.]{15}|(?<=-)0(?![\d.]))|\A\ufeff")
"""What the two may read in different ways: halves of characters, and numbers that are no plain ones."""


def json_value(text: str) -> Any:
    """The value of a JSON text. Raises ValueError for any other text."""
    if "orjson" in sys.modules or _DIFFERENT.search(text):
        return _by_orjson(text)
    return _by_json(text)


def _by_orjson(text: str) -> Any:
    import orjson

    return orjson.loads(text)


def _by_json(text: str) -> Any:
    """The same for a text that is not `_DIFFERENT`."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError:
        return _by_orjson(text)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
