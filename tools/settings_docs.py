"""Write what is made of the declared settings: the table in docs/settings.md, and docs/memtui.schema.json."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from memtui.browse.actions.settings_file import settings_schema
from memtui.settings.documents import SCHEMA_NAME, schema_text, settings_table

DOCS: Final = Path(__file__).parents[1] / "docs"
_BEGIN: Final = "<!-- settings: make settings -->\n"
_END: Final = "<!-- end of settings -->\n"


def with_table(page: str) -> str:
    """The page with the table of the settings as they are declared now."""
    before, _, rest = page.partition(_BEGIN)
    return f"{before}{_BEGIN}\n{settings_table()}\n{_END}{rest.partition(_END)[2]}"


if __name__ == "__main__":
    page = DOCS / "settings.md"
    page.write_text(with_table(page.read_text("utf-8")), "utf-8")
    (DOCS / SCHEMA_NAME).write_text(schema_text(settings_schema()), "utf-8")
