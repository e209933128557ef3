"""Shell commands are split, and their programs known, in one way for all who ask."""

from __future__ import annotations

import pytest

from memtui_core.compaction.facts.commands import CommandPart, parts_of
from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.effects import has_side_effects
from memtui_core.tools.shell.files import ShellFile, files_in, steps


@pytest.mark.parametrize(
    "before",
    [
        *("sudo -u ana", "env -u B A=1", "/usr/bin/time -v", "nohup", "timeout -s KILL 60", "nice -n 5", "stdbuf -o L"),
        *(
            "xargs -n 1",
            "npx -p x",
            "bunx",
            "uv run --no-sync",
            "poetry run",
            "bundle exec",
            "A=1 B='2 3'",
            "if",
            "! {",
        ),
        *("ls;", "true;", "sudo bash -c 'exit 0';", "make \\\n  &&"),
    ],
)
def test_a_program_is_the_same_behind_what_runs_it(before: str) -> None:
    assert (has_side_effects(f"{before} git commit"), has_side_effects(f"{before} git log")) == (True, False)
    assert parts_of(programs_run(f"{before} git commit"))[-1] == CommandPart("git", ("commit",), ())
    assert files_in(f"{before} sed -i s/a/b/ x.py") == [ShellFile("x.py", "written")]
    assert files_in(f"{before} cat x.py") == [ShellFile("x.py", "shown")]
    assert [step.rewrites for step in steps(f"{before} git stash pop")][-1]
    assert not any(step.rewrites for step in steps(f"{before} git stash-x"))


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("[[ a.py > b.py ]]", [("a.py", "named"), ("b.py", "named")]),
        ("cat < a.py > b.py", [("b.py", "written"), ("a.py", "named")]),
        ("(cd web && echo 1 >> a.ts) 2> b.ts", [("web/a.ts", "written"), ("b.ts", "written")]),
        ("ls 2>/dev/null >&2 | tee -a x.log", [("x.log", "written")]),
        ("cat <<'E' > a.py\n> b.py\nE", [("a.py", "written")]),
        (
            "sed -n 1,5p a.py; sed s/x/y/ b.py; perl -ne print c.py",
            [("a.py", "shown"), ("b.py", "named"), ("c.py", "named")],
        ),
        ("cat a.py; cat a.py > a.py", [("a.py", "shown"), ("a.py", "written")]),
        ("eval 'bash -c \"echo > a.py\"'", [("a.py", "written")]),
        # Backslashes of Windows separate the parts of a path, and only there they stay.
        (r"type C:\shop\.x\src\a.ts", [(r"C:\shop\.x\src\a.ts", "shown")]),
        (
            r"cd C:\shop\ && type src\a.ts > out\b.ts;dir",
            [(r"C:\shop/src\a.ts", "shown"), (r"C:\shop/out\b.ts", "written")],
        ),
        (r'python "C:\shop\a.py"', [(r"C:\shop\a.py", "named")]),
        (r"\cat src/\[id].ts a\.py", [("src/[id].ts", "shown"), ("a.py", "shown")]),
    ],
)
def test_what_a_command_does_to_files(command: str, files: list[tuple[str, str]]) -> None:
    assert [(file.path, file.use) for file in files_in(command)] == files


@pytest.mark.parametrize(
    ("command", "keeps"),
    [
        ("sed -n 1,5p a.py", True),
        ("git diff a.py && git add a.py", True),
        ("cat a.py 2>&1 | wc -l", True),
        ("sed -n 'w b.py' a.py", False),
        ("sed -i s/a/b/ a.py", False),
        ("cat a.py > b.py", False),
        ("echo `rm a.py`", False),
        ('echo "$(rm a.py)"', False),
        ("./tool a.py", False),
    ],
)
def test_whether_a_command_certainly_keeps_the_content_of_files(command: str, keeps: bool) -> None:
    assert all(step.keeps_content for step in steps(command)) is keeps
