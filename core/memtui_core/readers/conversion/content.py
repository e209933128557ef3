"""The texts of contents that agents write as a string, or as a list of parts with a type."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

import orjson

from memtui_core.readers.conversion.json_values import mapping, string
from memtui_core.readers.formats.long_lines import whole_length
from memtui_core.readers.records import UnknownEntry
from memtui_core.text.redaction import redact

_LONGEST_KIND: Final = 80


def result_text(content: Any) -> str:
    """The text of a tool result: a string, a list of parts joined by newlines, or anything else as JSON."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _part_text(part)))
    return json_text(content)


def attachment(part: dict[str, Any]) -> str:
    """The placeholder for an image or a document: `[image/png 12 kB]`."""
    source = mapping(part.get("source"))
    return placeholder(string(source.get("media_type")) or string(part.get("type")) or "", source.get("data"))


def placeholder(media_type: str, data: Any = None) -> str:
    """The placeholder for an image or a document, given its data in Base64 if it is there."""
    size = f" {max(1, round(whole_length(data) * 3 / 4 / 1000))} kB" if isinstance(data, str) and data else ""
    return f"[{media_type or 'image'}{size}]"


def image_in(address: Any, kind: str = "image") -> tuple[str, str | None]:
    """The media type and the data of an address such as `data:image/png;base64,...`; of any other, `kind` and None."""
    head, _, data = (string(address) or "").partition(";base64,")
    return (head.removeprefix("data:").partition(";")[0], data) if data and head.startswith("data:") else (kind, None)


def unknown_entry(entry: dict[str, Any], line: int, kind: Any = None) -> UnknownEntry:
    """An entry of a type that the reader does not know; without `kind` it is the entry's `type`."""
    named = string(kind) or string(entry.get("type")) or "without a type"
    return UnknownEntry(line, named[:_LONGEST_KIND], json_text(entry))


def json_text(value: Any) -> str:
    """A value as compact JSON, redacted; `{}` for None."""
    if value is None:
        return "{}"
    try:
        return redact(orjson.dumps(value).decode())
    except (orjson.JSONEncodeError, RecursionError):
        pass
    # Deeper than orjson goes, half of a character, or a number of more than 64 bits.
    with suppress(TypeError, ValueError, RecursionError):
        return redact(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    try:
        return redact(str(value))
    except RecursionError:
        return "{}"


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return json_text(part)
    kind = string(part.get("type"))
    if kind in {"text", "input_text", "output_text"}:
        return string(part.get("text")) or ""
    if kind in {"image", "document"}:
        return attachment(part)
    if kind == "tool_reference":
        return f"[tool {string(part.get('tool_name')) or ''}]"
    return json_text(part)
