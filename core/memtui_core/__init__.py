"""The index of coding-agent transcripts and the search over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["__version__"]

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name):
        """The version, read from the package's metadata when it is first asked for: most runs do without it."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        globals()[name] = version("memtui")
        return globals()[name]
