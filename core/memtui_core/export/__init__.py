"""Sessions, or some of their turns, as documents in the formats of `formats`."""

from __future__ import annotations

from memtui_core.export.files import file_name, write
from memtui_core.export.formats import FORMATS, ExportFormat, format_named, format_of

__all__ = ["FORMATS", "ExportFormat", "file_name", "format_named", "format_of", "write"]
