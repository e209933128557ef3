"""The documents say what is true: their files, links, keys, filters, commands, tools and agents exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memtui.agents.mcp.registry import TOOLS
from memtui.cli.commands import COMMANDS
from memtui_core.export.formats import FORMATS
from memtui_core.readers.registry import all_readers
from support.doc_pages import IN_NAVIGATION, OUTSIDE, PAGES, anchors, links
from tools.docs_tables import PARTS, with_tables

ROOT = Path(__file__).parents[1]
DOCUMENTS = (
    ROOT / "CONTRIBUTING.md",
    # Of the tests in docs/spec.md another test takes care.
    *sorted(path for path in (ROOT / "docs").glob("*.md") if path.name != "spec.md"),
    ROOT / "README.md",
)
_PATH = re.compile(r"`((?:core|tui|tests|tools|bench|docs)/[\w./-]+)`|\]\(([\w./-]+)\)")
_CODE = re.compile(r"(?<!\[)`(?:core|tui|team|tests|tools|bench)/[\w/]+\.py`")
"""A file of the code that is no link."""
_AGENT_ROW = re.compile(r"\| [^|]+ \| `[a-z-]+` \| [^|]+ \| [✓—] \|")
"""A row of the table of agents."""
IMPORTED = ("ChatGPT", "Claude.ai", "Messages in JSON")
"""Readers of what is no agent of the command line."""


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_document_names_files_that_exist(path: Path) -> None:
    named = [(ROOT / code if code else path.parent / link) for code, link in _PATH.findall(path.read_text("utf-8"))]
    assert [str(file.relative_to(ROOT)) for file in named if not file.exists()] == []


@pytest.mark.parametrize("path", [ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda path: path.stem)
def test_a_link_of_a_page_leads_to_a_file_and_its_heading(path: Path) -> None:
    wrong = [
        written
        for written, file, anchor in links(path)
        if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8")))
    ]
    assert wrong == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_leads_to_the_code_that_it_names(path: Path) -> None:
    """Who reads it has an installed package, and no folder of the code."""
    assert _CODE.findall(path.read_text("utf-8")) == []


def test_every_page_is_in_the_navigation_once() -> None:
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert sorted(IN_NAVIGATION) == sorted(pages - OUTSIDE)
    assert [name for name in OUTSIDE if not (ROOT / "docs" / name).is_file()] == []


@pytest.mark.parametrize("name", PARTS)
def test_what_is_made_of_declarations_is_as_they_are(name: str) -> None:
    assert with_tables(page(name), PARTS[name]) == page(name), "make tables"


def test_the_table_of_agents_says_what_the_readers_can_do() -> None:
    lines = page("agents.md").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if _AGENT_ROW.match(line)]
    made = {reader.agent: reader for reader in all_readers() if reader.name not in IMPORTED}
    assert {row[1].strip("`"): row[0] for row in rows} == {agent: reader.name for agent, reader in made.items()}
    for name, agent, *_, resumes, starts, tested in rows:
        reader = made[agent.strip("`")]
        assert ("samples" in tested) is reader.samples_only, name
        for cell, command in ((resumes, reader.resume_command("1a2b")), (starts, reader.start_command("TEXT"))):
            # Cursor resumes only chats of its command line, which it has to find on the disk.
            if command is not None or name != "Cursor":
                written = cell.partition("`,")[0].strip("`")
                assert written == "—" if command is None else " ".join(command).startswith(written), (name, cell)


def test_the_row_of_the_server_names_its_tools() -> None:
    (row,) = [line for line in page("commands.md").splitlines() if line.startswith("| `memtui mcp`")]
    assert re.findall(r"`(mem-\w+)`", row) == [tool.name for tool in TOOLS]


def test_the_row_of_exports_names_the_formats() -> None:
    (row,) = [line for line in page("commands.md").splitlines() if line.startswith("| `memtui export ")]
    assert re.search(r"\[--format (\S+)\]", row)[1].split("\\|") == [each.name for each in FORMATS]  # type: ignore[index]


def test_the_table_of_commands_names_all_of_them() -> None:
    table = page("commands.md").partition("## Fields of JSON")[0]
    rows = "".join(line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `memtui"))
    assert set(re.findall(r"`memtui (\w+)", rows)) == {command.name for command in COMMANDS}
