"""Files that the documents name exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "docs/export.md",
    "docs/glossary.md",
    "docs/keeping.md",
    "docs/performance.md",
    "docs/team.md",
    "docs/search.md",
    "docs/secrets.md",
    "docs/tasks.md",
    "README.md",
)
_PATH = re.compile(r"`((?:core|tui|tests|tools|bench|docs)/[\w./-]+)`|\]\(([\w./-]+)\)")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_names_files_that_exist(document: str) -> None:
    path = ROOT / document
    named = [(ROOT / code if code else path.parent / link) for code, link in _PATH.findall(path.read_text("utf-8"))]
    assert [str(file.relative_to(ROOT)) for file in named if not file.exists()] == []
