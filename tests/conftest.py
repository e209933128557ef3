"""What every test may rely on: UTC, no settings of the person who runs it, and one index of the sample sessions."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.engines import use_engines_again
from support.forked_tests import ForkedTests
from support.indexes import embed, review, update
from support.made_once import MadeOnce
from support.memory import collect_app, collect_seldom, keep_all
from support.model_process import ModelProcess
from support.postgres import KINDS, PostgresServer, require, running_server
from support.slowest import SlowestFiles
from support.systems import HOME_VARIABLE, apply_time_zone
from support.vector_cache import VectorCache, forget_models, use_the_model

collect_seldom()

# How long an example takes says how busy the machine is. The current profile stays what else is set, as in CI.
settings.register_profile("any machine", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

LONGEST = (
    *("test_snapshots", "test_publishing", "test_place", "test_keys", "test_terminal_safety", "test_vector_index"),
    *("test_panes", "test_prepared_copies", "test_failures", "test_mcp", "test_views", "test_growing", "test_browse"),
    *("test_search", "test_legible", "test_hook", "test_preparation"),
)
"""Test files that take more than 10 seconds."""
_folders = Counter[str]()
"""The folders of tests by the names of these."""
SAMPLES = Path(__file__).parents[1] / "sample_sessions" / "projects"


def pytest_addoption(parser: pytest.Parser) -> None:
    """As `-m` cannot ask for the arguments of a mark."""
    parser.addoption("--spec", metavar="ID", help="run only the tests of a row of docs/spec.md, such as S1.9")


def pytest_configure(config: pytest.Config) -> None:
    """The process that starts the others tells what takes long; those run the tests in forks."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        config.pluginmanager.register(SlowestFiles())
    elif sys.platform == "linux":
        config.pluginmanager.register(ForkedTests())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest files first, so that at the end no process works on one of them alone."""
    if row := config.getoption("--spec"):
        items[:] = [item for item in items if any(row in mark.args for mark in item.iter_markers("spec"))]
    items.sort(key=lambda item: LONGEST.index(item.path.stem) if item.path.stem in LONGEST else len(LONGEST))


def pytest_collection_finish() -> None:
    """What was collected stays until the end."""
    keep_all()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Iterator[None]:
    """Nothing that a test has left behind is still there for the next one."""
    result = yield
    collect_app()
    return result


@pytest.fixture(autouse=True, scope="session")
def _same_everywhere() -> None:
    os.environ.update(TZ="UTC", TEXTUAL_ANIMATIONS="none", COLORTERM="truecolor")
    apply_time_zone()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """As pytest's own, which lists the folders of all tests before it makes one more."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    while True:
        folder = tmp_path_factory.getbasetemp() / f"{name}{_folders[name]}"
        _folders[name] += 1
        # Another process of the same worker may have made it.
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder


@pytest.fixture(autouse=True)
def _nothing_of_the_person(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))
    monkeypatch.setenv("MEMTUI_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.delenv("MEMTUI_DATA_DIR", raising=False)
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)


@pytest.fixture(autouse=True, scope="session")
def _embedded_once(run_folder: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, closing(ModelProcess(run_folder)) as process:
        VectorCache(process).use(patch)
        yield


@pytest.fixture(autouse=True, scope="session")
def _engines_used_again() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        use_engines_again(patch)
        yield


@pytest.fixture(scope="module")
def uncached_model() -> Iterator[None]:
    """The model embeds each text anew, for tests about the model itself."""
    forget_models()
    with pytest.MonkeyPatch.context() as patch:
        use_the_model(patch)
        yield
    forget_models()


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    """A PostgreSQL server of each kind, for all tests of a file."""
    require(request.param)
    with _server_folder() as folder, running_server(request.param, folder) as running:
        yield running


@pytest.fixture(scope="module")
def one_server() -> Iterator[PostgresServer]:
    """A PostgreSQL server with BM25, for tests of a file to which the kind is all the same."""
    require("bm25")
    with _server_folder() as folder, running_server("bm25", folder) as running:
        yield running


@contextmanager
def _server_folder() -> Iterator[Path]:
    """A folder that other users may enter: pytest takes this from its own ones whenever another run of it starts."""
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        yield Path(folder) / "server"


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of this run for all processes of the suite."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def made_once(run_folder: Path) -> MadeOnce:
    """Folders that are made once for all processes of the suite."""
    return MadeOnce(run_folder)


@pytest.fixture(scope="session")
def sample_index(made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data folder of an index of the sample sessions, with all vectors and reviews; read only."""

    def make(folder: Path) -> None:
        update(folder, SAMPLES)
        embed(folder)
        review(folder)

    # Apps and readers leave files beside the index.
    folder = tmp_path_factory.mktemp("samples")
    return shutil.copytree(made_once.folder("sample_index", make), folder, dirs_exist_ok=True)
