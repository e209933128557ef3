"""Values as TOML has them; the standard library reads TOML and does not write it."""

from __future__ import annotations

import json
from datetime import date, time
from math import isfinite


def toml_text(value: object) -> str:
    """A value on one line, as TOML has it: a text, number, truth value, date or time, or a list or table of them."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{toml_text(key)} = {toml_text(own)}' for key, own in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml_text, value))}]"
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    # JSON and TOML agree on these; the delete character must be escaped in TOML.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
