from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.ingest.turns import project_files
from memtui_core.ingest.turns.project_files import PossibleFiles
from memtui_core.model import Block
from memtui_core.tools.mentions import Mention, mentions_of
from memtui_core.tools.shell.files import files_in

ROOT = "/Users/x/mementor"


def call(tool: str, tool_id: str = "t1", **fields: Any) -> Block:
    return Block(0, 0, "tool_call", json.dumps(fields), tool, tool_id)


def result(tool_id: str, is_error: bool = False) -> Block:
    return Block(0, 0, "tool_result", "", None, tool_id, is_error)


def mentions(*blocks: Block, said: str = "", **options: Any) -> list[Mention]:
    return mentions_of(blocks, said, **{"cwd": ROOT, "root": ROOT, **options})


def paths_in(command: str) -> list[str]:
    return list(dict.fromkeys(file.path for file in files_in(command)))


def bash(command: str) -> list[tuple[str, str]]:
    return [(mention.path, mention.tool) for mention in mentions(call("Bash", command=command))]


@pytest.mark.spec("S4.1")
@pytest.mark.parametrize(
    ("tool", "field", "kind"),
    [
        ("Edit", "file_path", "edited"),
        ("Write", "file_path", "edited"),
        ("MultiEdit", "file_path", "edited"),
        ("NotebookEdit", "notebook_path", "edited"),
        ("Read", "file_path", "read"),
        ("NotebookRead", "notebook_path", "read"),
    ],
)
def test_kind_of_a_touch(tool: str, field: str, kind: Any) -> None:
    assert mentions(call(tool, **{field: f"{ROOT}/src/a b"})) == [Mention("src/a b", tool, kind)]


@pytest.mark.spec("S4.1")
def test_one_for_each_path_and_tool_in_order() -> None:
    blocks = [
        call("Read", "t1", file_path=f"{ROOT}/b.rs"),
        call("Edit", "t2", file_path="a.rs"),
        call("Read", "t3", file_path="b.rs"),
        call("Edit", "t4", file_path="b.rs"),
    ]
    assert mentions(*blocks) == [
        Mention("b.rs", "Read", "read"),
        Mention("a.rs", "Edit", "edited"),
        Mention("b.rs", "Edit", "edited"),
    ]


@pytest.mark.parametrize("tool", ["Edit", "Write", "Read"])
def test_failed_call_counts_as_a_mention_only(tool: str) -> None:
    failed = [call(tool, "t1", file_path="a.rs"), result("t1", is_error=True)]
    assert mentions(*failed) == [Mention("a.rs", tool, "mentioned")]
    done = [*failed, call(tool, "t2", file_path="a.rs"), result("t2")]
    assert mentions(*done) == [Mention("a.rs", tool, "read" if tool == "Read" else "edited")]


@pytest.mark.spec("S4.4")
def test_paths_of_a_worktree_are_those_of_the_project() -> None:
    worktree = f"{ROOT}/.claude/worktrees/w"
    blocks = [call("Edit", file_path=f"{worktree}/src/a.rs"), call("Read", file_path=f"{ROOT}/src/a.rs")]
    assert mentions(*blocks, worktrees=[worktree]) == [
        Mention("src/a.rs", "Edit", "edited"),
        Mention("src/a.rs", "Read", "read"),
    ]


@pytest.mark.spec("S4.5")
def test_files_outside_the_project_have_absolute_paths() -> None:
    assert mentions(call("Read", file_path="/etc/hosts"), call("Edit", file_path=ROOT)) == [
        Mention("/etc/hosts", "Read", "read")
    ]


@pytest.mark.spec("S4.8")
def test_bash_with_an_absolute_path() -> None:
    assert bash(f"cargo test {ROOT}/src/main.rs") == [("src/main.rs", "Bash")]
    assert bash("cat src/main.rs") == [("src/main.rs", "Bash")]
    assert bash("cargo test") == []


@pytest.mark.spec("S4.8")
def test_bash_is_read_whole() -> None:
    assert bash("echo " + "x" * 200 + "\ncat src/main.rs") == [("src/main.rs", "Bash")]


@pytest.mark.spec("S4.9")
@pytest.mark.parametrize(
    "command",
    [
        "ls 2>/dev/null",
        "curl https://a/b",
        "curl https://a/b.json",
        "git diff origin/main",
        "sed s/a/b/",
        "ls /",
        "rm *.rs",
        "say and/or",
        "git commit -m 'fix a.rs'",
        "echo a.rs",
        "cat $F.rs",
        'cat "$D/a.rs"',
        "go test ./...",
        "ls -la src",
        "grep -rn main.rs",
        "find . -name a.rs",
        "pip install a==1.2",
        "scp me@host:a.rs .",
        "docker run -v /a:/b.yml x",
        "cat <<EOF\na.rs\nEOF",
        "cat <<'EOF'\na.rs",
        "# see a.rs",
        "cd $D && cat a.rs",
        "cat <<< a.rs",
    ],
)
def test_not_file_mentions(command: str) -> None:
    assert bash(command) == []


@pytest.mark.spec("S4.9")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git show HEAD:src/a.rs", ["src/a.rs"]),
        ("pytest --config=conf/p.toml tests/test_a.py::test_x", ["conf/p.toml", "tests/test_a.py"]),
        ("cat src/a.rs:42", ["src/a.rs"]),
        ("cat 'src/a.rs' \"b.rs\" c\\.rs", ["src/a.rs", "b.rs", "c.rs"]),
        ("A=conf.toml sudo ./run.sh", ["conf.toml", "./run.sh"]),
        ("python main.py 2>&1 | tee log.txt >> all.txt", ["main.py", "log.txt", "all.txt"]),
        ("cat > out.md <<'EOF'\nsee other.md\nEOF\ncat z.py", ["out.md", "z.py"]),
        ('git commit -m "$(cat <<\'EOF\'\nfix "a.rs\nEOF\n)" && cat q.rs', ["q.rs"]),
        ("grep -rn 'foo.rs' src/lib.rs", ["src/lib.rs"]),
        ("grep -e foo.rs src/lib.rs", ["src/lib.rs"]),
        ("sed -i 's/a.py/b.py/' src/c.py", ["src/c.py"]),
        ("cd crates/x && cat src/a.rs", ["crates/x/src/a.rs"]),
        ("(cd web && cat a.ts) && cat b.ts", ["web/a.ts", "b.ts"]),
        ('cd "$(git rev-parse --show-toplevel)" && cat a.rs', ["a.rs"]),
        ("bash -lc 'cat inner.py'", ["inner.py"]),
        ("X=$(cat a.json | jq .b.json) && cat b.json", ["a.json", "b.json"]),
        ("diff <(sort a.txt) <(sort b.txt)", ["a.txt", "b.txt"]),
        ("if [ -f a.py ]; then cat a.py; fi", ["a.py"]),
        ("for f in a.yml; do cat ci/$f; done; cat x.yml", ["x.yml"]),
        ("cat app/[id]/page.tsx 'app/(x)/p.tsx'", ["app/[id]/page.tsx", "app/(x)/p.tsx"]),
        ("cat a.py a.py", ["a.py"]),
    ],
)
def test_paths_of_a_command(command: str, expected: list[str]) -> None:
    assert paths_in(command) == expected


@pytest.mark.spec("S4.9")
def test_known_files_of_the_project() -> None:
    block = call("Bash", command="cat bin/serve bin/other")
    assert mentions(block, known={"bin/serve"}) == [Mention("bin/serve", "Bash", "mentioned")]


@pytest.mark.spec("S4.10")
def test_grep_and_ls() -> None:
    assert mentions(call("Grep", pattern="x", path="src/")) == [Mention("src", "Grep", "mentioned", True)]
    assert mentions(call("Grep", pattern="x", path="src/a.rs")) == [Mention("src/a.rs", "Grep", "read")]
    assert mentions(call("Grep", pattern="x")) == []
    assert mentions(call("LS", path=f"{ROOT}/src")) == [Mention("src", "LS", "mentioned", True)]
    assert mentions(call("Glob", pattern="*.rs", path="src/a.rs")) == []


@pytest.mark.parametrize("field", ["file_path", "path", "filename", "notebook_path", "filePath"])
def test_other_tools_by_their_fields(field: str) -> None:
    tool = "mcp__files__show"
    assert mentions(call(tool, **{field: "src/a.rs"})) == [Mention("src/a.rs", tool, "mentioned")]
    assert mentions(call(tool, **{field: "src/"})) == [Mention("src", tool, "mentioned", True)]
    assert mentions(call(tool, **{field: "a thing"})) == []


@pytest.mark.spec("S4.24")
def test_at_mentions() -> None:
    assert mentions(said=f"compare @{ROOT}/src/a.rs and @src/b.rs, @simplify a@b.com @docs/ @/etc/a.py") == [
        Mention("src/a.rs", "mention", "mentioned"),
        Mention("src/b.rs", "mention", "mentioned"),
        Mention("docs", "mention", "mentioned", True),
        Mention("/etc/a.py", "mention", "mentioned"),
    ]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '"file_path"', '{"file_path": 5}', '{"file_path": ["a"]}', '{"path": null}']
)
@pytest.mark.parametrize("tool", ["Edit", "Bash", "Grep", "mcp__x__y", None])
def test_input_of_any_form(tool: str | None, text: str) -> None:
    assert mentions(Block(0, 0, "tool_call", text, tool, None)) == []


shell = st.lists(
    st.sampled_from(
        [
            "cat ",
            "a.rs",
            "'",
            '"',
            "\\",
            "<<E\n",
            "E\n",
            "\n",
            "(",
            ")",
            "$(",
            "`",
            ">",
            "<<<",
            "&",
            "|",
            ";",
            "cd ",
            "#",
        ]
    )
    | st.text(max_size=5),
    max_size=30,
).map("".join)


@given(shell)
def test_any_command_is_read(command: str) -> None:
    paths = paths_in(command)
    assert len(set(paths)) == len(paths)


@given(st.sampled_from(["Edit", "Bash", "Grep", "LS", "mcp__x"]), st.text(), st.text(), st.text())
def test_any_call_is_read(tool: str, value: str, said: str, root: str) -> None:
    block = call(tool, file_path=value, path=value, command=value)
    found = mentions_of([block, Block(0, 0, "tool_call", value, tool)], said, cwd=root, root=root)
    assert len({(mention.path, mention.tool) for mention in found}) == len(found)


def test_a_file_of_which_no_possible_word_has_the_name_changes_nothing() -> None:
    blocks = [
        call("Bash", command="bin/serve --port 8000 && make -C lib"),
        call("Grep", tool_id="t2", path="conf/live"),
    ]
    possible: set[str] = set()
    without = mentions_of(blocks, "See @bin/run", cwd=ROOT, root=ROOT, possible=possible)
    assert {"bin/serve", "conf/live", "bin/run"} <= possible
    assert not any("other" in word for word in possible)
    assert mentions_of(blocks, "See @bin/run", cwd=ROOT, root=ROOT, known={"bin/other"}) == without


def test_words_of_turns_are_dropped_if_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    files = PossibleFiles()
    files.add(1, "bin/serve\nbin/run")
    files.add(2, "")
    assert files.naming(["serve"], [1, 2, 3]) == {1}
    assert [turn in files for turn in (1, 2, 3)] == [True, True, False]
    files.add(1, "bin/run")
    assert files.naming(["serve"], [1, 2, 3]) == set()
    monkeypatch.setattr(project_files, "MOST_CHARACTERS", 10)
    files.add(3, "bin/serve")
    assert ([turn in files for turn in (1, 2, 3)], files.naming(["serve"], [1, 3])) == ([False, False, True], {3})
