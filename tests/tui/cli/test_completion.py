"""`memtui completion`: what is completed, and that in real shells what others wrote stays text."""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest
from click.testing import CliRunner

from memtui.cli import cli
from memtui.cli.shell.answer import FILES, answer, candidates
from memtui.cli.shell.completion import SCRIPTS
from memtui.cli.shell.words import WordAt, bash_line, bash_quoted
from memtui_core.index.index import Index
from memtui_core.ingest.indexer import Indexer
from memtui_core.ingest.writing import completion_file
from memtui_core.readers.locations import Location
from memtui_core.readers.registry import connections
from memtui_core.store.data_folder import DataDir
from memtui_core.store.marks.tombstones import SessionIdentity
from support.indexes import update
from support.sshd import require_programs
from support.terminal import Terminal
from support.transcripts import SESSION, Script
from tools import shell_files

BREAKS = " \t\n\"'><=;|&(:"
"""COMP_WORDBREAKS as bash sets it."""
OTHER = "22222222-2222-4222-8222-222222222222"
FILE_NAMES = (
    "a1 $(touch OWNED)one",
    "b2`touch OWNED`two",
    "c3;touch OWNED;three",
    "d4'touch\"OWNED four",
    "e5!!\\ five",
    "f6*{x,y}~six",
    "g7:colon=seven",
    "h8ü–eight",
)
BRANCH = "fix/$(touch OWNED)`x`"
HIDDEN = "i9\x1b]0;owned\x07nine"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index in which names and titles try to act on the shell."""
    folder = tmp_path_factory.mktemp("completion")
    script = Script(SESSION, cwd="/home/ana/code/my shop$(touch OWNED)")
    script.user("Fix \x1b]0;owned\x07 $(touch OWNED) `touch OWNED`")
    for number, name in enumerate((*FILE_NAMES, HIDDEN)):
        script.calls("Read", {"file_path": f"/home/ana/code/my shop$(touch OWNED)/{name}"}, f"t{number}")
        script.result("1\tpass", f"t{number}", gitBranch=BRANCH)
    script.write(folder / "source")
    later = Script(OTHER, cwd="/home/ana/code/blog", prefix="o")
    later.user("Later session", timestamp="2026-11-20T10:00:00Z")
    later.write(folder / "source")
    update(folder / "data", folder / "source")
    return folder / "data"


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "data"))


def values(data: Path, *words: str) -> list[str] | str:
    """What completes the last of some words."""
    found = candidates(["--data-dir", str(data), *words[:-1]], words[-1])
    return found if isinstance(found, str) else [one.value for one in found]


def test_commands_options_and_values_are_completed(data: Path) -> None:
    cases: dict[tuple[str, ...], list[str] | str] = {
        ("comp",): ["compactions", "completion"],
        ("machine", ""): ["add", "list", "pull", "remove"],
        ("sessions", "--st"): ["--state"],
        ("sessions", "--state", "r"): ["running"],
        ("sessions", "--state=w"): ["--state=waiting"],
        ("sessions", "--project", "BL"): ["blog"],
        ("sessions", "--project", "blog", "--agent", ""): ["claude-code"],
        ("sessions", "x"): [],
        ("show", "1111"): [SESSION],
        ("show", ""): [OTHER, SESSION],
        ("show", SESSION, ""): [],
        ("pin", SESSION, "2"): [OTHER],
        ("forget", "b"): ["blog"],
        ("export", "--format", ""): ["markdown", "html", "json"],
        ("export", "--output", ""): FILES,
        ("export", "--all", ""): FILES,
        ("search", "--", "pro"): ["project:"],
        ("search", "is:li"): ["is:live"],
        ("search", "words", "-agent:c"): ["-agent:claude-code"],
        ("search", "session:2"): [f"session:{OTHER}"],
        ("search", "project:my"): ['project:"my shop$(touch OWNED)"'],
        ("search", 'project:"my'): ['project:"my shop$(touch OWNED)"'],
        ("search", "nothing:my"): [],
        ("files", "a1"): ["a1 $(touch OWNED)one"],
        ("files", "i9"): [],
        ("search", "branch:f"): [f'branch:"{BRANCH}"'],
        ("team", "groups", ""): ["list", "add", "remove", "share", "unshare"],
        ("machine", "add", "b"): [],
        ("enable", "cod"): ["codex"],
        ("enable", "codex", "cur"): ["cursor"],
        ("disable", ""): list(connections()),
        ("handoff", SESSION, "--start", "am"): ["amazonq"],
        ("handoff", SESSION, "--as-session", ""): ["claude-code", "codex"],
    }
    assert {case: values(data, *case) for case in cases} == cases


def test_without_an_index_commands_and_filters_are_completed(tmp_path: Path) -> None:
    assert values(tmp_path, "comple") == ["completion"]
    assert values(tmp_path, "search", "bra") == ["branch:"]
    assert values(tmp_path, "show", "") == []
    assert list(tmp_path.iterdir()) == []


def test_a_session_has_its_title_beside_it_which_acts_on_nothing(data: Path) -> None:
    lines = list(answer(["zsh", "memtui", "--data-dir", str(data), "show", ""]))
    assert lines == [
        "words",
        f"+{OTHER}\tLater session · blog",
        f"+{SESSION}\tFix $(touch OWNED) touch OWNED · my shop$(touch OWNED)",
    ]
    listed = list(answer(["bash", f"memtui --data-dir {data} show ", BREAKS, "63"]))
    assert listed == [
        "words",
        f"+{OTHER}  (Later session · blog)",
        f"+{SESSION}  (Fix $(touch OWNED) touch OWNED · my shop$(touch OWNED))",
    ]
    assert list(answer(["bash", f"memtui --data-dir {data} show ", BREAKS, "9"])) == [
        "words",
        f"+{OTHER}",
        f"+{SESSION}",
    ]


def test_words_of_bash_are_read_as_it_reads_them() -> None:
    assert bash_line("memtui search 'a b' pro\\ j", BREAKS) == (["memtui", "search", "a b"], WordAt("pro j", 0, ""))
    assert bash_line('memtui search project:"my', BREAKS) == (["memtui", "search"], WordAt("project:my", 8, '"'))
    assert bash_line("memtui search project\\:my", BREAKS) == (["memtui", "search"], WordAt("project:my", 0, ""))
    assert bash_line('m "a\\"b\\c" ', BREAKS) == (["m", 'a"b\\c'], WordAt("", 0, ""))
    assert bash_line("m a:b=c", BREAKS) == (["m"], WordAt("a:b=c", 4, ""))


@pytest.mark.parametrize("text", [*FILE_NAMES, "~/a", "#x", "a\tb"])
def test_what_is_written_for_bash_is_the_text_again(text: str) -> None:
    quoted = {quote: bash_quoted(text, quote) for quote in ("", "'", '"')}
    written = [f"{quote}{one}{quote}" for quote, one in quoted.items() if one is not None]
    require_programs(["bash"])
    read = subprocess.run(["bash", "-c", f"printf '%s\\0' {' '.join(written)}"], capture_output=True, check=True).stdout
    assert read.decode().split("\0")[:-1] == [text] * len(written) or not written
    left_out = {quote for quote, one in quoted.items() if one is None}
    assert left_out == ({"", "'", '"'} if "\t" in text else {"'"} if "'" in text else {'"'} if "!" in text else set())


def test_the_table_of_commands_is_that_of_the_commands() -> None:
    """`make tables` writes it."""
    assert shell_files.COMMAND_TABLE.read_text("utf-8") == shell_files.command_table()


def test_the_file_goes_with_what_is_forgotten(data: Path) -> None:
    file = DataDir(data).completion
    assert [session for session, _ in json.loads(file.read_bytes())["sessions"]] == [OTHER, SESSION]
    with Indexer(data) as indexer:
        assert indexer.forgetting.forget([SessionIdentity("claude-code", SESSION)])
        assert not file.exists()
    assert SESSION.encode() not in file.read_bytes()
    assert values(data, "show", "") == [OTHER]


class Seconds:
    """A monotonic clock that stands."""

    def monotonic(self) -> float:
        """The time."""
        return 100.0


def test_a_running_indexer_writes_it_at_most_every_five_minutes(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completion_file, "time", Seconds())
    location, script = Location("claude-code", tmp_path / "new"), Script("3" * 8, prefix="n")
    script.user("Newer")
    with Indexer(data) as indexer:
        # The run before has written it.
        assert indexer.completion.due_at == math.inf
        for count in (1, 2):
            script.user("And more")
            script.write(tmp_path / "new")
            deque(indexer.update([location]), maxlen=0)
            assert indexer.completion.due_at == (-math.inf if count == 1 else 100.0 + completion_file.EVERY)
            if count == 1:
                indexer.completion.update()
                assert values(data, "show", "3") == ["3" * 8]
                assert indexer.completion.due_at == math.inf


def test_a_file_that_says_so_already_is_not_written_again(data: Path) -> None:
    folder = DataDir(data)
    completion_file.write_completions(folder)
    os.utime(folder.completion, (1, 1))
    completion_file.write_completions(folder)
    assert folder.completion.stat().st_mtime == 1
    folder.completion.write_bytes(b"{}")
    os.utime(folder.completion, (1, 1))
    completion_file.write_completions(folder)
    assert folder.completion.stat().st_mtime > 1


@pytest.mark.parametrize("content", ["", "[]", "{}", "{"])
def test_a_damaged_file_is_made_anew(data: Path, content: str) -> None:
    DataDir(data).completion.write_text(content)
    assert values(data, "show", "") == [OTHER, SESSION]


def test_what_was_archived_or_tagged_a_moment_ago_counts(data: Path) -> None:
    index = Index.open(data)
    index.annotations.archive(index.sessions.find(OTHER).key)
    index.annotations.tag(index.sessions.find(SESSION).key, ["release"])
    assert values(data, "show", "") == [SESSION]
    assert values(data, "tag", SESSION, "r") == ["release"]
    assert OTHER.encode() not in DataDir(data).completion.read_bytes()


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_is_printed_and_its_help_says_how_to_install_it(shell: str) -> None:
    printed = CliRunner().invoke(cli, ["completion", shell])
    assert (printed.exit_code, printed.stdout) == (0, (shell_files.SCRIPTS / SCRIPTS[shell]).read_text("utf-8"))
    assert f"memtui completion {shell}" in CliRunner().invoke(cli, ["completion", "--help"]).stdout
    assert CliRunner().invoke(cli, ["completion", "tcsh"]).exit_code == 2


class Shell:
    """A real shell, in which `memtui` completes, and writes down the arguments it is called with."""

    def __init__(self, name: str, data: Path, folder: Path) -> None:
        require_programs([name])
        home = folder / "home"
        (home / "bin").mkdir(parents=True)
        self._said = home / "said"
        recorder = home / "bin" / "memtui"
        recorder.write_text(
            f'#!/bin/sh\nif [ "$1" = completion ]; then exec {shlex.quote(sys.executable)} -m memtui "$@"; fi\n'
            f"printf '%s\\0' \"$@\" > {shlex.quote(str(self._said))}.part\n"
            f"mv {shlex.quote(str(self._said))}.part {shlex.quote(str(self._said))}\n"
        )
        recorder.chmod(0o755)
        script = shell_files.SCRIPTS / SCRIPTS[name]
        (home / "bashrc").write_text(f"PS1='$ '\nbind 'set bell-style none'\nsource {script}\n")
        (home / ".zshrc").write_text(f"PS1='$ '\nautoload -Uz compinit; compinit -u -D\nsource {script}\n")
        fish = home / ".config" / "fish"
        fish.mkdir(parents=True)
        (fish / "config.fish").write_text(
            f"set -g fish_greeting\nset -g fish_autosuggestion_enabled 0\nsource {script}\n"
        )
        self.folder = folder / "here"
        self.folder.mkdir()
        # Without the settings of this machine.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment |= {"HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "MEMTUI_DATA_DIR": str(data)}
        environment |= {"TERM": "xterm", "HISTFILE": "", "ZDOTDIR": str(home), "LC_ALL": "C.UTF-8"}
        command = ["bash", "--rcfile", str(home / "bashrc"), "-i"] if name == "bash" else [name, "-i"]
        # Opened once more, the terminal becomes the one that controls the shell: fish needs it.
        script_line = f"exec 0<>$(tty) 1>&0 2>&0; cd {shlex.quote(str(self.folder))} && exec {shlex.join(command)}"
        self.terminal = Terminal(["sh", "-c", script_line], environment, (200, 50))

    def completed(self, typed: str, shown: str) -> list[str]:
        """Type, press tab, wait until a text is shown, and press enter; the arguments that the command got."""
        self._said.unlink(missing_ok=True)
        self.terminal.type(f"{typed}\t")
        self.terminal.until_shown(shown)
        self.terminal.type("\r")
        self.terminal.until(lambda _: self._said.exists())
        return self._said.read_text("utf-8").split("\0")[:-1]


@pytest.mark.skipif(sys.platform != "linux", reason="tried with the shells of Linux")
@pytest.mark.parametrize("name", SCRIPTS)
def test_in_a_real_shell_names_arrive_as_they_are_and_nothing_of_them_runs(
    name: str, data: Path, tmp_path: Path
) -> None:
    """Takes some seconds for each shell: each case waits until the shell is at rest twice."""
    shell = Shell(name, data, tmp_path)
    try:
        cases: dict[tuple[str, str], list[str]] = {
            ("memtui doc", "doctor"): ["doctor"],
            ("memtui sessions --state=wai", "waiting"): ["sessions", "--state=waiting"],
            ("memtui search is:li", "is:live"): ["search", "is:live"],
            ("memtui show 2222", "222222222222"): ["show", OTHER],
            ("memtui search project:my", "OWNED"): ["search", 'project:"my shop$(touch OWNED)"'],
            ("memtui search 'project:\"my", "OWNED"): ["search", 'project:"my shop$(touch OWNED)"'],
            ("memtui search branch:fi", "touch"): ["search", f'branch:"{BRANCH}"'],
            ('memtui files "a1', "one"): ["files", FILE_NAMES[0]],
            ("memtui files 'a1", "one"): ["files", FILE_NAMES[0]],
            **{(f"memtui files {one[:2]}", one[-3:]): ["files", one] for one in FILE_NAMES},
        }
        if name != "bash":
            # Outside quotes bash takes an exclamation mark from the history.
            cases["memtui files 'e5", "five"] = ["files", FILE_NAMES[4]]
        said = {case: shell.completed(*case) for case in cases}
        assert said == cases
        shell.terminal.type("memtui show \t\t")
        shell.terminal.until_shown("Fix")
        assert b"\x1b]0;owned" not in shell.terminal.all
        assert list(shell.folder.iterdir()) == []
    finally:
        shell.terminal.close()
