"""What the search line says before anything is typed."""

from __future__ import annotations

from typing import Final

PLACEHOLDER: Final = 'words, "exact phrases", file:ci.yml'
"""What the empty bar suggests to search for."""
ALL_PROJECTS: Final = "all projects"
"""The name of the scope at the start."""
