"""The command line: results on stdout, everything else on stderr; exit code 0 for success, 1 for failure, 2 for misuse.

A command imports slow packages only when it needs them: `memtui --help` loads neither Textual nor DuckDB.
"""

from __future__ import annotations

from memtui.cli.commands import cli

__all__ = ["cli"]
