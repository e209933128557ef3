"""Texts on which every text depends (redaction, paths, controls), and the files that memtui itself writes."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.fuzz.mutation import TEXTS, encoded, mutated_bytes, mutated_text, mutated_value
from bench.fuzz.screen import sample_texts
from bench.fuzz.target import Attempt, Target
from memtui.settings.app_state import AppState
from memtui.settings.config import ConfigError, load_config
from memtui.startup.kept_list import read_kept
from memtui_core.errors import MemtuiError
from memtui_core.ingest.last_run import read_last_run
from memtui_core.ingest.machines.declared import machines_of
from memtui_core.ingest.machines.state import read_state, state_file
from memtui_core.memory.observations.store import Observations
from memtui_core.queries.statistics.prices import load_prices
from memtui_core.readers.conversion.user_text import classify
from memtui_core.store.data_folder import DataDir
from memtui_core.store.lexicon.fields import turn_document
from memtui_core.store.opened import opened_sessions
from memtui_core.store.processes import read_progress
from memtui_core.store.snapshot.manifest import read_manifest
from memtui_core.system.projects import locate_project
from memtui_core.text.characters import on_disk, storable
from memtui_core.text.controls import UNSAFE, label, one_line, plain, title
from memtui_core.text.json_text import json_text
from memtui_core.text.paths import clean, shown_path, stored_path
from memtui_core.text.redaction import redact
from memtui_core.text.similarity import similar_paths
from memtui_core.tools.shell.commands import programs_run, simple_commands
from memtui_core.tools.shell.effects import has_side_effects
from memtui_core.tools.shell.files import files_in

_UNSAFE: Final = frozenset(UNSAFE) - frozenset("-")
_CONFIG: Final = """theme = "nord"
model = "BAAI/bge-small-en-v1.5"
sources = ["~/x", "/y"]
exclude = ["agent:codex", "project:x", "/home/*"]
share = ["shop"]
[keymap]
quit = "ctrl+q"
[handoff]
max_result_chars = 500
[team.groups]
devs = ["shop"]
"""
_STATE: Final = {
    "searches": ["a", "b"], "saved": {"x": "y"}, "theme": "nord", "minimap": True, "panes": {"sessions": {"list": 30}},
    "grouping": "agent", "zoom": "list", "actions": ["quit"], "told": ["x"],
}  # fmt: skip


def targets() -> list[Target]:
    """Texts, the settings, and the files of the data folder."""
    return [
        Target("redaction", lambda: _redaction, 60),
        Target("paths and projects", lambda: _paths, 60),
        Target("shell commands", lambda: _commands, 40),
        Target("texts", lambda: _texts, 40),
        Target("own files", _own_files, 10),
        Target("observations", _observations, 8),
    ]


def _redaction(chance: Random) -> None:
    text = mutated_text(chance, chance.choice(sample_texts()))
    for _ in range(chance.randint(0, 3)):
        text = mutated_text(chance, f'{text} TOKEN="{chance.choice(TEXTS)}" https://me:{chance.choice(TEXTS)}@x')
    once = redact(text)
    if redact(once) != once:
        raise AssertionError("redacting again changes the text")
    value = encoded(mutated_value(chance, {"command": text[:2000], "x": [text[:50]]}))
    with suppress(RecursionError):
        json.loads(redact(value))


def _paths(chance: Random) -> None:
    path, root = (
        mutated_text(chance, "/home/ana/code/shop-api/src/upload.py"),
        mutated_text(chance, "/home/ana/code/shop-api"),
    )
    for folder in (root, chance.choice(TEXTS)):
        clean(folder)
        stored_path(path, folder, root, (chance.choice(TEXTS),))
        locate_project(folder, path, chance.choice(("", "git@x:a/shop-api.git", *TEXTS)))
    shown_path(path)
    similar_paths(path[-20:], [root, path, *TEXTS])
    if storable(path).encode().decode() != storable(path):
        raise AssertionError("a text that is not storable")
    on_disk(path)


def _commands(chance: Random) -> None:
    text = mutated_text(
        chance,
        chance.choice(
            (
                "cd src && sed -i 's/a/b/' x.py | tee y > z",
                "cat <<'EOF' > a.py\nx\nEOF",
                "bash -lc 'git commit -m \"x\"'",
                "find . -name '*.py' -exec rm {} \\;",
                "for f in *.ts; do perl -pi -e 's/x/y/' $f; done",
                'python - <<E\nopen("x","w")\nE',
                "git diff HEAD~1 -- src/a.py | head",
            )
        ),
    )
    for _ in simple_commands(text):
        pass
    list(programs_run(text))
    has_side_effects(text)
    files_in(text)


def _texts(chance: Random) -> None:
    text = mutated_text(chance, chance.choice(sample_texts()))
    for shown in (one_line(text, chance.randint(0, 80)), label(text[:300]), title(text[:300]), json_text([text])):
        shown.encode()
    plain(text)
    classify(text)
    turn_document((1, 1, 0, "human", text, text[:50]), [("text", text, None)], [text[:80]]).analyzed()


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="memtui-fuzz-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _own_files() -> Attempt:
    folder = _folder()
    data = DataDir(folder)
    data.snapshots.mkdir()
    data.machines.mkdir()
    prices = (Path(__file__).parents[2] / "core/memtui_core/queries/statistics/prices.toml").read_bytes()
    progress = {"done_bytes": 1, "total_bytes": 2, "files_read": 3, "stage": "reading", "at": 1.0}
    machine = {"machines": [{"name": "laptop", "address": "ssh://me@laptop", "declared": "2026-11-01"}]}
    manifest = {
        "batch": 3,
        "base": 1,
        "base_bytes": 9,
        "delta": None,
        "journal": 2,
        "vectors": {"file": 1, "model": "m"},
    }

    def attempt(chance: Random) -> None:
        kind = chance.randrange(9)
        if kind == 0:
            _put(chance, folder / "config.toml", _CONFIG.encode(), None)
            with suppress(ConfigError):
                load_config(folder / "config.toml")
        elif kind == 1:
            _put(chance, folder / "state.json", b"", _STATE)
            state = AppState(folder)
            _ = (
                state.theme,
                state.searches,
                state.saved,
                state.queries,
                state.shows_minimap,
                state.grouping,
                state.zoom,
            )
            state.pane_sizes("sessions")
            state.add(mutated_text(chance, "upload"))
            state.toggle(mutated_text(chance, "upload"))
        elif kind == 2:
            _put(chance, data.progress, b"", progress)
            read_progress(folder)
        elif kind == 3:
            _put(chance, data.machine_list, b"", machine)
            with suppress(MemtuiError):
                machines_of(data)
        elif kind == 4:
            file = state_file(data, "laptop")
            file.parent.mkdir(parents=True, exist_ok=True)
            _put(chance, file, b"", {"seen": 1.0, "tried": 2.0, "error": "x", "repositories": {"/a": "b"}})
            read_state(data, "laptop")
        elif kind == 5:
            _put(chance, data.current, b"", manifest)
            with suppress(MemtuiError, ValueError, KeyError, TypeError):
                read_manifest(data)
            read_kept(folder)
        elif kind == 6:
            _put(chance, data.opened, b"", ["a", "b"])
            opened_sessions(data)
        elif kind == 7:
            _put(
                chance, data.last_run, b"", {"code": [], "files": [], "excluded": [], "model": None, "vectors": "auto"}
            )
            read_last_run(data)
        else:
            _put(chance, folder / "prices.toml", prices, None)
            with suppress(MemtuiError):
                load_prices(folder / "prices.toml")

    return attempt


def _put(chance: Random, path: Path, content: bytes, value: Any) -> None:
    """Write a file with a mutated value, or with mutated bytes."""
    if value is not None and chance.random() < 0.7:
        content = encoded(mutated_value(chance, value)).encode("utf-8", "surrogatepass")
    else:
        content = mutated_bytes(chance, content or json.dumps(value).encode())
    path.write_bytes(content)


def _observations() -> Attempt:
    folder = _folder()
    log = folder / "observations.jsonl"
    observations = Observations(folder)
    observation = observations.save("s", "/home/ana", type="decision", title="A title", narrative="A text")
    observations.edit(observation.id, title="Another title")
    lines = log.read_bytes().splitlines()

    def attempt(chance: Random) -> None:
        made = list(lines)
        for _ in range(chance.choice((1, 2))):
            at = chance.randrange(len(made))
            value = json.loads(lines[at]) if at < len(lines) else {}
            made[at] = (
                encoded(mutated_value(chance, value)).encode("utf-8", "surrogatepass")
                if chance.random() < 0.7
                else mutated_bytes(chance, lines[at])
            )
        log.write_bytes(b"\n".join(made) + b"\n")
        fresh = Observations(folder)
        for one in fresh.select():
            label(one.content.title).encode()
        _ = fresh.skipped

    return attempt
