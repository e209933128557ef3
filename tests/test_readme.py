"""The README says what is true: its keys, its picture and its links exist."""

from __future__ import annotations

import re
from pathlib import Path

from memtui.agents.mcp.registry import TOOLS
from memtui.cli.commands import COMMANDS
from memtui_core.export.formats import FORMATS
from memtui_core.readers.registry import all_readers
from tools.readme_tables import with_tables

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
AGENT_ROW = re.compile(r"\| [^|]+ \| `[a-z-]+` \| [^|]+ \| [✓—] \|")
"""A row of the table of agents."""


def test_the_tables_of_keys_and_filters_are_as_they_are_declared() -> None:
    assert with_tables(README) == README, "make keys"


def test_every_file_that_the_readme_shows_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert "docs/demo-cast.svg" in linked
    assert [path for path in linked if not (ROOT / path).exists()] == []


def test_the_table_of_agents_says_what_the_readers_can_do() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in README.splitlines() if AGENT_ROW.match(line)]
    imported = {"ChatGPT", "Claude.ai", "Messages in JSON"}
    made = {reader.agent: reader for reader in all_readers() if reader.name not in imported}
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
    (row,) = [line for line in README.splitlines() if line.startswith("| `memtui mcp`")]
    assert re.findall(r"`(mem-\w+)`", row) == [tool.name for tool in TOOLS]


def test_the_row_of_exports_names_the_formats() -> None:
    (row,) = [line for line in README.splitlines() if line.startswith("| `memtui export ")]
    assert re.search(r"\[--format (\S+)\]", row)[1].split("\\|") == [each.name for each in FORMATS]  # type: ignore[index]


def test_the_table_of_commands_names_all_of_them() -> None:
    rows = "".join(line.split(" | ")[0] for line in README.splitlines() if line.startswith("| `memtui"))
    assert set(re.findall(r"`memtui (\w+)", rows)) == {command.name for command in COMMANDS}
