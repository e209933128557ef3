"""A running process answers for cold commands: each command is a process of its own, and prints the same either way."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memtui.cli.answering import answer_commands
from memtui.command_socket.client import _ANSWER, _HANDSHAKE, _MAX_ASKED
from memtui.command_socket.protocol import HEAD, MAX_PATH, YES, can_be_answered, frame, frame_length, sockets_folder
from memtui.command_socket.server import CommandServer, Request
from memtui.mcp.backend import Backend
from memtui_core.index import Index
from support.forks import Forks
from support.indexes import embed, update
from support.screens import app_on, browse, hold, settled
from support.terminal import Terminal
from support.transcripts import SESSION, Script

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Python has no Unix sockets there")
ROOT = "/home/ana/code/shop"
RUN = """
import sys
from memtui.__main__ import main
try:
    main()
finally:
    imported = "memtui.cli" in sys.modules
    open(sys.argv[0] + ".own", "a").write(f"{imported:d}")
"""
"""A command that writes whether it had to answer for itself."""
COMMANDS = [
    ("search", "upload"),
    ("search", "why does it take so long"),
    ("search", "--json", "--limit", "2", "upload"),
    ("search", '"time limit"'),
    ("search", "nothing like this at all"),
    ("search", "--unknown", "upload"),
    ("recall", "--everywhere", "why does the upload fail"),
    ("recall", "--json", "what about src/upload.py"),
    ("recall", "--everywhere", "--file", "src/upload.py"),
    ("files",),
    ("files", "--json", "upload"),
    ("files", "--sessions", "upload.py"),
    ("files", "zebra"),
    ("prs",),
    ("prs", "--json"),
    ("show", f"{SESSION}:1"),
    ("show", "--json", SESSION[:4]),
]
NOT_ANSWERED = [
    ("search",),
    ("search", "--limit", "0", "x"),
    ("show", "no-such-session"),
    ("files", "--help"),
    ("files", "-h"),
    ("stats",),
]
Answered = tuple[int, bytes, bytes]
"""Exit code, stdout and stderr."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session with its vectors in `data`, and its transcript in `src`; read only."""
    folder = tmp_path_factory.mktemp("commands")
    script = Script(cwd=ROOT)
    script.user("Why does the upload fail? <é> \x1b[31m")
    script.says("The time limit is too short.")
    script.user("change it")
    script.calls("Edit", {"file_path": f"{ROOT}/src/upload.py", "old_string": "a", "new_string": "b"})
    script.result("done")
    update(folder / "data", script.write(folder / "src"))
    embed(folder / "data")
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the index, to be written into."""
    return Path(shutil.copytree(built / "data", tmp_path / "data"))


def add_a_session(data: Path, text: str) -> str:
    """Index a further session of one prompt; its id."""
    script = Script("55555555-5555-4555-8555-555555555555", cwd=ROOT, prefix="g")
    script.user(text)
    update(data, script.write(data.parent / "further"))
    return script.session_id


class Commands:
    """Runs commands on a data folder, and knows which of them answered for themselves."""

    def __init__(self, data: Path, cwd: Path, forks: Forks) -> None:
        self._data, self._cwd, self._forks = data, cwd, forks
        self._script = cwd / "command.py"
        self._script.write_text(RUN, "utf-8")

    def __call__(self, *arguments: str, **environment: str) -> Answered:
        command = [str(self._script), arguments[0], "--data-dir", str(self._data), *arguments[1:]]
        # What Python makes of its environment is known when it starts.
        command = [sys.executable, *command] if environment else self._forks.command(*command)
        done = subprocess.run(
            command, capture_output=True, cwd=self._cwd, env=os.environ | environment, timeout=60, check=False
        )
        return done.returncode, done.stdout, done.stderr

    def own(self) -> list[bool]:
        """Of each command since the last question, whether it answered for itself."""
        told = Path(f"{self._script}.own")
        flags = told.read_text("utf-8") if told.exists() else ""
        told.unlink(missing_ok=True)
        return [flag == "1" for flag in flags]


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    """Starts commands with the library loaded, and nothing of the command line."""
    with Forks("_duckdb", "click", "tantivy", "memtui_core.index", "memtui_core.search.pipeline") as forks:
        yield forks


@pytest.fixture
def run(data: Path, tmp_path: Path, forks: Forks) -> Commands:
    (tmp_path / "cwd").mkdir()
    return Commands(data, tmp_path / "cwd", forks)


@contextmanager
def answering(data: Path, *, with_model: bool = True) -> Iterator[Index]:
    """Another process, as far as the commands can tell."""
    index = Index.open(data)
    if with_model:
        index.load_model()
        index.cache_vectors()

    def newest() -> Index:
        index.refresh()
        return index

    server = answer_commands(data, newest, lambda index: index.load_model())
    assert server.is_listening
    try:
        yield index
    finally:
        server.close()
        assert list((data / "answering").iterdir()) == []


def test_what_a_command_prints_is_the_same_whoever_answers(data: Path, run: Commands) -> None:
    """Each command runs twice in a process of its own, once alone and once answered."""
    alone = [run(*command) for command in COMMANDS]
    assert run.own() == [True] * len(COMMANDS)
    assert {code for code, _, _ in alone} == {0}
    assert b"Why does the upload fail?" in alone[0][1]
    with answering(data):
        for command, own in zip(COMMANDS, alone, strict=True):
            assert run(*command) == own, command
        assert run.own() == [False] * len(COMMANDS)


def test_failures_and_help_come_from_the_command_itself(data: Path, run: Commands) -> None:
    alone = [run(*command) for command in NOT_ANSWERED]
    run.own()
    with answering(data):
        assert [run(*command) for command in NOT_ANSWERED] == alone
        assert run.own() == [True] * len(NOT_ANSWERED)


def test_a_terminal_gets_coloured_words_from_either(data: Path, run: Commands, tmp_path: Path) -> None:
    def in_a_terminal() -> bytes:
        command = [sys.executable, str(run._script), "search", "--data-dir", str(data), "upload"]
        terminal = Terminal(command, os.environ | {"TERM": "xterm-256color"})
        try:
            code, written = terminal.end()
        finally:
            terminal.close()
        assert code == 0
        return written

    alone = in_a_terminal()
    assert b"\x1b[1;33mupload\x1b[0m" in alone
    with answering(data):
        assert in_a_terminal() == alone
    assert run.own() == [True, False]


def test_a_command_that_is_answered_imports_next_to_nothing(data: Path, tmp_path: Path) -> None:
    code = """
        import sys
        from memtui.__main__ import main
        sys.argv = ["memtui", "search", "upload", "--data-dir", {data!r}]
        before = {{*sys.modules}}
        main()
        print(*sorted({{*sys.modules}} - before), file=sys.stderr)
    """
    program = "\n".join(line.strip() for line in code.format(data=str(data)).splitlines())
    with answering(data):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stderr.splitlines()[-1].split())
    allowed = {"_socket", "memtui.command_socket", "memtui.command_socket.client", "memtui.command_socket.protocol"}
    assert allowed <= loaded | {"_socket"}
    assert loaded <= allowed


def test_the_newest_snapshot_answers(data: Path, run: Commands) -> None:
    with answering(data):
        assert b"quince" not in run("search", '"quince"')[1]
        add_a_session(data, "And the quince?")
        assert b"quince" in run("search", '"quince"')[1]
        assert run.own() == [False, False]


def test_the_folder_of_the_command_counts(tmp_path: Path, forks: Forks) -> None:
    """`recall` reminds only of the project of the folder in which it was started."""
    data, sources = tmp_path / "data", list[Path]()
    for number, name in enumerate(("shop", "blog")):
        (tmp_path / name).mkdir()
        script = Script(f"{number}2222222-2222-4222-8222-222222222222", cwd=str(tmp_path / name), prefix=f"p{number}")
        script.user(f"edit it in the {name}")
        script.calls("Edit", {"file_path": f"{tmp_path}/{name}/upload.py", "old_string": "a", "new_string": "b"})
        script.result("done")
        sources.append(script.write(tmp_path / "src"))
    update(data, *sources)
    shop, blog = (Commands(data, tmp_path / name, forks) for name in ("shop", "blog"))
    alone = [run("recall", "--file", "upload.py") for run in (shop, blog)]
    assert alone[0] != alone[1]
    with answering(data, with_model=False):
        assert [run("recall", "--file", "upload.py") for run in (shop, blog)] == alone
        assert [run.own() for run in (shop, blog)] == [[True, False], [True, False]]


def test_a_model_that_is_not_loaded_is_loaded_for_the_next_command(data: Path, run: Commands) -> None:
    with answering(data, with_model=False) as index:
        alone = run("search", "why does it take so long")
        assert run.own() == [True]
        for thread in threading.enumerate():
            if thread.name == "memtui-model-for-commands":
                thread.join(60)
        assert index.has_model
        assert run("search", "why does it take so long") == alone
        assert run.own() == [False]
        # Words alone never wait for it.
        index.drop_model()
        assert run("search", '"time limit"')[0] == 0
        assert run.own() == [False]


ENVIRONMENTS = [{"TZ": "Asia/Tokyo"}, {"MEMTUI_CONFIG": "/nonexistent"}, {"NO_COLOR": "1"}, {"LC_ALL": "C"}]


def test_another_environment_answers_for_itself(data: Path, run: Commands) -> None:
    alone = [run("search", '"time limit"', **changed) for changed in ENVIRONMENTS]
    run.own()
    with answering(data):
        assert [run("search", '"time limit"', **changed) for changed in ENVIRONMENTS] == alone
        assert run.own() == [True] * len(ENVIRONMENTS)


def test_another_data_folder_answers_for_itself(data: Path, run: Commands, tmp_path: Path) -> None:
    """Which one a command uses is known when its arguments are read, not by the socket at which it asks."""
    add_a_session(tmp_path / "other", "The zebra crossing")
    with answering(data):
        _, found, _ = run("search", '"zebra"', "--data-dir", str(tmp_path / "other"))
        assert b"zebra" in found
        assert run.own() == [True]


@contextmanager
def stranger(data: Path, meet: Callable[[socket.socket], object]) -> Iterator[list[bytes]]:
    """A process that listens where one that answers would, started after it, and what it was sent."""
    folder = Path(sockets_folder(str(data)))
    folder.mkdir(mode=0o700, exist_ok=True)
    path, came, ended = folder / "99.sock", list[bytes](), threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(path))
        listening.listen()
        # The times of two files can be the same if one is made soon after the other.
        last = max(file.stat().st_mtime_ns for file in folder.iterdir())
        os.utime(path, ns=(last + 1_000_000, last + 1_000_000))

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    came.append(connection.recv(HEAD))
                    try:
                        meet(connection)
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield came
        finally:
            ended.set()
            listening.shutdown(socket.SHUT_RDWR)
            path.unlink()
    thread.join(60)


def _hang(connection: socket.socket) -> None:
    while connection.recv(1 << 16):
        pass


def _trickle(connection: socket.socket) -> None:
    connection.sendall(YES + YES + (1 << 20).to_bytes(HEAD, "big"))
    while True:
        connection.sendall(b"x")
        if connection.recv(1 << 16, socket.MSG_DONTWAIT) == b"":
            return


def _accept_and_hang(connection: socket.socket) -> None:
    connection.sendall(YES)
    _hang(connection)


STRANGERS: dict[str, Callable[[socket.socket], object]] = {
    "says nothing": _hang,
    "accepts and says nothing": _accept_and_hang,
    "hangs up": lambda connection: connection.close(),
    "talks of something else": lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
    "says a wrong length": lambda connection: connection.sendall(YES + YES + b"\xff\xff\xff\xff"),
    "says half a frame": lambda connection: connection.sendall(YES + YES + frame([b"1", b"evil"])[:-2]),
    "says parts that are cut short": lambda connection: connection.sendall(YES + YES + b"\0\0\0\x06\0\0\0\x09ab"),
    "says a stream without a text": lambda connection: connection.sendall(YES + YES + frame([b"1"])),
}


def test_a_process_that_does_not_answer_as_it_should_changes_nothing(data: Path, run: Commands) -> None:
    alone = run("search", '"time limit"')
    assert run.own() == [True]
    told = {}
    for name, meet in STRANGERS.items():
        with stranger(data, meet) as came:
            told[name] = run("search", '"time limit"'), len(came), run.own()
    assert told == dict.fromkeys(STRANGERS, (alone, 1, [True]))
    with answering(data):
        assert run("search", '"time limit"') == alone
        assert run.own() == [False]


def test_what_a_command_can_lose_by_asking() -> None:
    assert _MAX_ASKED * (_HANDSHAKE + _ANSWER) <= 2


def test_an_answer_from_a_process_of_another_memtui_is_refused(data: Path, run: Commands) -> None:
    alone = run("search", '"time limit"')
    run.own()
    with answering(data):
        path = next((data / "answering").iterdir())

        def ask(identity: bytes) -> bytes:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
                asked.settimeout(60)
                asked.connect(str(path))
                asked.sendall(frame([identity, b"", b"/", b"strict strict 0 0", b"search", b"upload"]))
                return asked.recv(1)

        assert ask(b"1 of another version") == b"\0"
        assert ask(b"") == b"\0"
        assert run("search", '"time limit"') == alone
        assert run.own() == [False]


def test_a_request_that_is_broken_or_hangs_stops_nobody(data: Path, run: Commands) -> None:
    with answering(data):
        path = next((data / "answering").iterdir())
        for sent in (b"", b"\0", b"\xff\xff\xff\xff", frame([b"a"]), frame([b"a"] * 3), frame([b"\xff"] * 9)):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asked:
                asked.connect(str(path))
                asked.sendall(sent)
        assert run("search", '"time limit"')[0] == 0
        assert run.own() == [False]


def test_sockets_that_others_could_use_are_not_asked(data: Path, run: Commands) -> None:
    with answering(data):
        folder = data / "answering"
        [path] = folder.iterdir()
        assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
        folder.chmod(0o755)
        assert run("search", '"time limit"')[0] == 0
        folder.chmod(0o700)
        if os.geteuid() == 0:
            os.chown(path, 12345, -1)
            assert run("search", '"time limit"')[0] == 0
            os.chown(path, 0, -1)
        assert not any(own is False for own in run.own())
        assert run("search", '"time limit"')[0] == 0
        assert run.own() == [False]
    (data / "answering").chmod(0o755)
    server = CommandServer(data, lambda request: [(1, b"x")])
    assert not server.is_listening
    server.close()


def test_a_socket_whose_process_was_killed_is_passed_over_and_removed(data: Path, run: Commands) -> None:
    code = (
        "import sys; from pathlib import Path; from memtui.command_socket.server import CommandServer;"
        "server = CommandServer(Path(sys.argv[1]), lambda request: None); print(server.is_listening, flush=True);"
        "sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "True\n"
    alone = run("search", '"time limit"')
    os.kill(other.pid, signal.SIGKILL)
    other.wait()
    other.stdout.close()
    assert other.stdin is not None
    other.stdin.close()
    assert [path.name for path in (data / "answering").iterdir()] == [f"{other.pid}.sock"]
    assert run("search", '"time limit"') == alone
    assert run.own() == [True, True]
    with answering(data):
        assert [path.name for path in (data / "answering").iterdir()] == [f"{os.getpid()}.sock"]
        assert run("search", '"time limit"') == alone
        assert run.own() == [False]


def test_the_next_process_is_asked_if_the_first_does_not_answer(data: Path, run: Commands) -> None:
    with answering(data), stranger(data, _hang) as came:
        assert run("search", '"time limit"')[0] == 0
        assert (len(came), run.own()) == (1, [False])


def test_a_path_that_is_too_long_for_a_socket_is_none(built: Path, tmp_path: Path, forks: Forks) -> None:
    data = shutil.copytree(built / "data", tmp_path / ("long" * 30))
    assert len(str(data)) > MAX_PATH
    server = CommandServer(data, lambda request: [(1, b"x")])
    assert not server.is_listening
    server.close()
    (tmp_path / "cwd").mkdir()
    run = Commands(data, tmp_path / "cwd", forks)
    assert run("search", '"time limit"')[0] == 0
    assert run.own() == [True]


def test_a_reader_that_has_gone_is_no_failure(data: Path, run: Commands) -> None:
    with answering(data):
        command = f"{sys.executable} {run._script} show {SESSION} --data-dir {data} | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_the_app_answers(built: Path, data: Path, run: Commands) -> None:
    """The app starts in a terminal, with its indexer, and the command runs twice."""
    alone = run("search", '"time limit"')
    arguments = [sys.executable, "-m", "memtui", "--data-dir", str(data), "--source", str(built / "src")]
    app = Terminal(arguments, os.environ | {"TERM": "xterm-256color"}, (100, 30))
    try:
        app.until_shown("Why does the upload")
        app.rest()
        assert run("search", '"time limit"') == alone
        assert run.own() == [True, False]
        app.type("\x11")
        assert app.end()[0] == 0
    finally:
        app.close()
    assert list((data / "answering").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "answered"),
    [
        (["search", "x"], True),
        (["search", "--", "x"], True),
        (["search", "--help"], False),
        (["search", "-h"], False),
        (["search", "-xh"], False),
        (["search", "--path"], True),
        (["index"], False),
        (["--data-dir", "x", "search"], False),
        ([], False),
    ],
)
def test_which_commands_are_asked_for(arguments: list[str], answered: bool) -> None:
    assert can_be_answered(arguments) is answered


def test_a_request_that_no_command_sends_prints_nothing_here(data: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever is asked, the terminal of the process that answers stays as it is."""
    from memtui.cli.answering import run_command
    from memtui.cli.opened import SharedIndex

    index = Index.open(data)
    for arguments in (["files", "--help"], ["search"], ["show", "zebra"], ["nothing"], ["files", "-h"]):
        request = Request("/", ("strict", "strict", False, False), arguments)
        assert run_command(request, SharedIndex(data, "/", index)) is None, arguments
    assert capfd.readouterr() == ("", "")


def test_a_length_beyond_the_limit_is_refused() -> None:
    assert frame_length(b"\0\0\0\x05") == 5
    with pytest.raises(ValueError, match="too long"):
        frame_length(b"\x7f\0\0\0")


async def test_the_app_takes_a_newer_snapshot_before_it_answers(data: Path) -> None:
    async with app_on(data).run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        service = browse(pilot).services.index
        before = service.snapshot
        # Its own look for newer snapshots waits.
        released = await hold(pilot, "refresh")
        added = add_a_session(data, "And the quince?")
        index = await asyncio.to_thread(service.newest)
        assert before is not None
        assert index is not None
        assert index.snapshot.number > before.number
        assert service.snapshot is index.snapshot
        released.set()
        await settled(pilot)
        assert any(session.session_id == added for session in index.sessions())


def test_the_server_of_an_agent_answers_from_the_newest_snapshot_and_drops_its_model(data: Path) -> None:
    backend = Backend(data, 60)
    assert backend.newest() is None
    index = backend.state(semantic=True).required_index
    assert index.has_model
    add_a_session(data, "And the quince?")
    newest = backend.newest()
    assert newest is index
    assert newest.search('"quince"').hits
    model = weakref.ref(index._embedder) if index._embedder is not None else None
    assert backend._idle is not None
    backend._idle.cancel()
    backend.drop_models()
    gc.collect()
    assert model is not None
    assert (model(), index.has_model) == (None, False)
    assert backend.state(semantic=True).model_problem == ""
    assert index.has_model
    backend._idle.cancel()
