"""memtui_core as a library: the example of its page, and the names that it exports."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import memtui_core
from memtui_core import Index, IndexMissing, errors, model, open_index

PAGE = (Path(__file__).parents[1] / "docs" / "library.md").read_text(encoding="utf-8")
SECTION = PAGE[PAGE.index("## Use it as a library") : PAGE.index("## Read it without Python")]


def test_the_example_prints_what_the_page_shows(sample_index: Path) -> None:
    [code] = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
    [output] = re.findall(r"```text\n(.*?)```", SECTION, re.DOTALL)
    environment = os.environ | {"MEMTUI_DATA_DIR": str(sample_index), "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", env=environment)
    assert (run.stdout, run.stderr) == (output, "")


def test_the_page_lists_every_method_of_an_index_and_of_its_parts(sample_index: Path) -> None:
    rows = re.findall(r"^\| `index(?:\.(\w+))?` \| (.*`) \|$", SECTION, re.MULTILINE)
    listed = {part: sorted(re.findall(r"`(\w+)`", methods)) for part, methods in rows}
    index = Index.open(sample_index)
    parts = {name: getattr(index, name) for name in dir(index) if not name.startswith("_")}
    objects = {"": index} | {name: part for name, part in parts.items() if is_part_of_index(part)}
    assert listed == {
        name: sorted(method for method in vars(type(thing)) if not method.startswith("_") and method not in objects)
        for name, thing in objects.items()
    }


def is_part_of_index(value: object) -> bool:
    return type(value).__module__.startswith("memtui_core.index.")


def test_every_error_and_class_of_the_model_is_exported() -> None:
    public = {
        name
        for module in (errors, model)
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__
    }
    assert set(memtui_core.__all__) == public | {"Index", "Indexer", "open_index", "__version__"}
    assert set(memtui_core.__all__) <= set(dir(memtui_core))
    assert {name for name in memtui_core.__all__ if getattr(memtui_core, name) is None} == set()


def test_open_index_takes_a_folder_or_the_one_of_the_command(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = Index.open(sample_index).statistics.of_index().sessions
    assert open_index(str(sample_index)).statistics.of_index().sessions == sessions
    monkeypatch.setenv("MEMTUI_DATA_DIR", str(sample_index))
    assert open_index().statistics.of_index().sessions == sessions
    with pytest.raises(IndexMissing, match=r"^Nothing is indexed in .* yet\."):
        open_index(tmp_path)
