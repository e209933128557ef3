"""Try memtui with the real programs of agents: `memtui enable` and the plugin, and a model that calls its tools.

Each agent runs in a new home folder, with an index of the sample sessions, and with no account: its model is a server
on this machine (`model.py`). What is reported is what came back to that model, and what the agent's own commands say.

python -m tools.try_agents [--programs FOLDER] [--agents NAME...] [--rewind]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import click

from memtui_core.readers.registry import connections
from tools.try_agents.model import Model
from tools.try_agents.rewinding import RESUMED, Orchard, RewindResult, try_rewinding

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "@anthropic-ai/claude-code",
    "@openai/codex",
    "@google/gemini-cli",
    "@github/copilot",
    "@mariozechner/pi-coding-agent",
    "@qwen-code/qwen-code",
    "opencode-ai",
    # The next versions need a package that the registry does not have.
    "@kilocode/cli@7.7.7",
)
PROMPT = "The upload fails on slow networks. Why did we choose an idempotency key for retries?"
FILE = "src/upload.py"
_TIME_LIMIT = 180
AGENTS = connections()


class Trial(NamedTuple):
    """How to run an agent without an account."""

    agent: str
    program: str
    run: Sequence[str]
    """Its command that answers one prompt, which follows."""
    listing: Sequence[str]
    """Its command that lists MCP servers; empty if it has none."""
    plugin: Sequence[Sequence[str]] = ()
    """Its commands that install the plugin; none if there is none."""
    environ: Mapping[str, str] = {}
    """Variables of its environment; `{address}` is the model's."""
    files: Mapping[str, str] = {}
    """Files of its home folder that name the model, made before memtui is enabled."""
    plugin_environ: Mapping[str, str] = {}
    """More variables, with which the plugin is used."""


class Result(NamedTuple):
    """What was found out about one agent."""

    agent: str
    version: str
    way: str
    listed: str
    tool: str
    prompt_hook: str
    file_hook: str
    indexed: str
    undone: str


def _provider(kind: str) -> str:
    """Settings of OpenCode and its forks that name the model."""
    model = {"model": {"name": "model", "tool_call": True}}
    options = {"baseURL": "{address}/v1", "apiKey": "none"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "local", "options": options, "models": model}
    return json.dumps({"$schema": kind, "provider": {"local": provider}, "model": "local/model"}, indent=2)


_CODEX = """model = "gpt-5.5"
model_provider = "local"

[model_providers.local]
name = "local"
base_url = "{address}/v1"
wire_api = "responses"
"""
_PI = {
    "providers": {
        "local": {
            "baseUrl": "{address}/v1",
            "api": "openai-completions",
            "apiKey": "none",
            "models": [{"id": "model"}],
        }
    }
}
_GEMINI = {"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}}
TRIALS = (
    Trial(
        "claude-code",
        "claude",
        ("claude", "--dangerously-skip-permissions", "-p"),
        ("claude", "mcp", "list"),
        (
            ("claude", "plugin", "validate", "{root}"),
            ("claude", "plugin", "marketplace", "add", "{root}"),
            ("claude", "plugin", "install", "memtui@memtui"),
        ),
        {
            "ANTHROPIC_BASE_URL": "{address}",
            "ANTHROPIC_API_KEY": "none",
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    ),
    Trial(
        "codex",
        "codex",
        (
            *("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"),
            "--dangerously-bypass-hook-trust",
        ),
        ("codex", "mcp", "list"),
        (("codex", "plugin", "marketplace", "add", "{root}"), ("codex", "plugin", "add", "memtui@memtui")),
        files={".codex/config.toml": _CODEX},
    ),
    Trial(
        "gemini",
        "gemini",
        ("gemini", "--yolo", "--skip-trust", "--model", "gemini-2.5-pro", "-p"),
        ("gemini", "mcp", "list"),
        (
            ("gemini", "extensions", "validate", "{root}/plugins/gemini"),
            ("gemini", "extensions", "install", "{root}/plugins/gemini", "--consent"),
        ),
        {"GOOGLE_GEMINI_BASE_URL": "{address}", "GEMINI_API_KEY": "none", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        {".gemini/settings.json": json.dumps(_GEMINI, indent=2)},
    ),
    Trial(
        "qwen",
        "qwen",
        ("qwen", "--yolo", "--auth-type", "openai", "-p"),
        ("qwen", "mcp", "list"),
        (("qwen", "extensions", "install", "{root}/plugins/qwen", "--consent"),),
        {"OPENAI_BASE_URL": "{address}/v1", "OPENAI_API_KEY": "none", "OPENAI_MODEL": "model"},
    ),
    Trial(
        "opencode",
        "opencode",
        ("opencode", "run"),
        ("opencode", "mcp", "list"),
        files={".config/opencode/opencode.json": _provider("https://opencode.ai/config.json")},
        # A copy, because the agent writes into its folder of settings.
        plugin=(("cp", "-R", "{root}/plugins/opencode", "../plugin"),),
        plugin_environ={"OPENCODE_CONFIG_DIR": "{home}/plugin"},
    ),
    Trial(
        "kilo",
        "kilo",
        ("kilo", "run", "--auto"),
        ("kilo", "mcp", "list"),
        files={".config/kilo/kilo.json": _provider("https://app.kilo.ai/config.json")},
    ),
    Trial(
        "copilot",
        "copilot",
        ("copilot", "--allow-all-tools", "--allow-all-paths", "-p"),
        ("copilot", "mcp", "list"),
        (
            ("copilot", "plugin", "marketplace", "add", "{root}"),
            ("copilot", "plugin", "install", "memtui@memtui"),
        ),
        {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": "{address}/v1",
            "COPILOT_MODEL": "model",
        },
    ),
    Trial(
        "pi",
        "pi",
        ("pi", "--provider", "local", "--model", "model", "-p"),
        (),
        (("pi", "install", "{root}/plugins/pi"),),
        {"PI_OFFLINE": "1"},
        {".pi/agent/models.json": json.dumps(_PI, indent=2)},
    ),
)


class Home:
    """A new home folder with an index of the sample sessions, whose project exists."""

    def __init__(self, folder: Path, programs: Path, trial: Trial, model: Model) -> None:
        self.folder, self._trial, self._model = folder, trial, model
        self.project = folder / "shop-api"
        # Nothing of the user's environment but where programs are.
        memtui = Path(sys.executable).parent
        self.environ = {
            "PATH": os.pathsep.join([str(programs / "node_modules" / ".bin"), str(memtui), os.environ["PATH"]]),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "CI": "1",
        }
        self.environ |= {name: self._filled(value) for name, value in trial.environ.items()}
        for name, text in trial.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(self._filled(text))

    def run(self, words: Sequence[str], answer: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the project; one that does not end in time has the code 124."""
        filled = {name: self._filled(value) for name, value in environ.items()}
        try:
            return subprocess.run(
                [self._filled(word) for word in words],
                cwd=self.project,
                env={**self.environ, **filled},
                input=answer,
                capture_output=True,
                text=True,
                timeout=_TIME_LIMIT,
            )
        except subprocess.TimeoutExpired as error:
            return subprocess.CompletedProcess(error.cmd, 124, str(error.stdout), str(error.stderr))

    def files(self) -> dict[str, bytes]:
        """The content of every file that memtui may have written."""
        names = (".claude", ".codex", ".gemini", ".qwen", ".config", ".copilot", ".pi", ".cursor")
        paths = [self.folder / ".claude.json", *(path for name in names for path in (self.folder / name).rglob("*"))]
        return {str(path): path.read_bytes() for path in paths if path.is_file() and not path.is_symlink()}

    def _filled(self, text: str) -> str:
        places = {"{address}": self._model.address, "{root}": str(ROOT), "{home}": str(self.folder)}
        for mark, place in places.items():
            text = text.replace(mark, place)
        return text


def sample_index(folder: Path) -> None:
    """Index the sample sessions in a home folder, as those of a project that is there."""
    project, source = folder / "shop-api", folder / "sessions"
    (project / FILE).parent.mkdir(parents=True)
    (project / FILE).write_text("def upload():\n    pass\n")
    for path in (ROOT / "sample_sessions" / "projects").rglob("*.jsonl"):
        copy = source / path.relative_to(ROOT / "sample_sessions")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text().replace("/home/ana/code/shop-api", str(project)))
    command = [sys.executable, "-m", "memtui", "index", "--source", str(source)]
    subprocess.run(command, env={**os.environ, "HOME": str(folder)}, check=True, capture_output=True)


@contextmanager
def home_of(trial: Trial, programs: Path, index: Path, kind: type[Model] = Model) -> Iterator[tuple[Home, Model]]:
    """A home folder for an agent and its model."""
    folder = index.with_name("home")
    shutil.copytree(index, folder)
    model = kind(str(folder / "shop-api" / FILE))
    try:
        yield Home(folder, programs, trial, model), model
    finally:
        model.close()
        # What agents and hooks started may still write for a while.
        for _ in range(10):
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.5)


def try_way(trial: Trial, home: Home, model: Model, way: str, connect: Callable[[], str]) -> Result:
    """Connect an agent, and let it answer one prompt."""
    extra = trial.plugin_environ if way == "plugin" else {}
    failed = connect()
    done = home.run(trial.listing, **extra) if trial.listing else None
    listed = done.stdout + done.stderr if done else ""
    answer = home.run([*trial.run, PROMPT], **extra)
    sent = "\n".join(model.requests)
    if os.environ.get("TRY_AGENTS_LOG"):
        log = Path(os.environ["TRY_AGENTS_LOG"], f"{trial.agent}-{way}.txt")
        log.write_text(f"{failed}\n{listed}\n{answer}\n" + "\n\n".join(model.requests))
    lines = [line for line in listed.splitlines() if "memtui" in line]
    return Result(
        trial.agent,
        _version(trial, home),
        way,
        "–" if not trial.listing else "yes" if lines else "NO",
        "yes" if "session summary(ies)" in sent else "NO",
        "yes" if "Relevant past context" in sent else "no",
        "yes" if f"Past context for {FILE}" in sent else "no",
        "yes" if _is_indexed(home, trial.agent) else "no",
        failed or "–",
    )


def _version(trial: Trial, home: Home) -> str:
    shown = home.run([trial.program, "--version"])
    version = re.search(r"\d+\.\d+\.\d+", shown.stdout + shown.stderr)
    return version[0] if version else "?"


def _is_indexed(home: Home, agent: str) -> bool:
    """Whether hooks let the session of the trial be indexed, for which they take a few seconds."""
    for _ in range(8):
        if f'"{agent}"' in home.run(["memtui", "sessions", "--json"]).stdout:
            return True
        time.sleep(1)
    return False


def try_agent(trial: Trial, programs: Path, index: Path) -> Iterator[Result]:
    """Try both ways."""
    with home_of(trial, programs, index) as (home, model):
        before = home.files()

        def enable() -> str:
            done = home.run(["memtui", "enable", trial.agent, "--yes"])
            again = home.run(["memtui", "disable", trial.agent, "--yes"])
            is_same = home.files() == before
            home.run(["memtui", "enable", trial.agent, "--yes"])
            return "yes" if (done.returncode, again.returncode, is_same) == (0, 0, True) else "NO"

        yield try_way(trial, home, model, "enable", enable)
    if trial.plugin:
        with home_of(trial, programs, index) as (home, model):

            def install() -> str:
                # One agent asks whether the folder of the plugin is trusted.
                codes = [home.run(words, "y\n").returncode for words in trial.plugin]
                stands = home.run(["memtui", "enable", trial.agent, "--dry-run"])
                is_known = "plugin" in stands.stderr or AGENTS[trial.agent].plugin is None
                return ("" if not any(codes) else f"codes {codes} ") + ("" if is_known else "not recognized")

            yield try_way(trial, home, model, "plugin", install)


def rewind_agent(trial: Trial, programs: Path, index: Path) -> Iterator[RewindResult]:
    """Try `memtui rewind` with an agent."""
    with home_of(trial, programs, index, Orchard) as (home, model):
        yield from try_rewinding(home, model, trial.run, trial.agent, _version(trial, home))


def main() -> None:
    """Install the programs, and print a table of what was found out, in Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=Path, help="folder with the npm packages, which are installed otherwise")
    parser.add_argument("--agents", nargs="*", default=[trial.agent for trial in TRIALS])
    parser.add_argument("--rewind", action="store_true", help="try memtui rewind alone")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        programs = chosen.programs
        if programs is None:
            programs = Path(name, "programs")
            subprocess.run(["npm", "install", "--prefix", str(programs), *PACKAGES], check=True)
        index = Path(name, "index")
        # Where homes will be, because the index has the path of the project.
        sample_index(index.with_name("home"))
        index.with_name("home").rename(index)
        if chosen.rewind:
            click.echo("| agent | version | rewound to | resumed | got all before | nothing after | original | fork |")
            click.echo("|---|---|---|---|---|---|---|---|")
            for trial in TRIALS:
                if trial.agent in RESUMED and trial.agent in chosen.agents:
                    for rewound in rewind_agent(trial, programs, index):
                        click.echo("| " + " | ".join(rewound) + " |")
            return
        click.echo("| agent | version | way | listed | tool | prompt hook | file hook | indexed | undone exactly |")
        click.echo("|---|---|---|---|---|---|---|---|---|")
        for trial in TRIALS:
            if trial.agent in chosen.agents:
                for result in try_agent(trial, programs, index):
                    click.echo("| " + " | ".join(result) + " |")


if __name__ == "__main__":
    main()
