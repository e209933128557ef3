"""Which commits a command made, by its words and its output."""

from __future__ import annotations

import pytest

from memtui_core.tools.shell.git_commits import Commit, commits_made

ID = "1a2b3c4"
MADE = "[main 1a2b3c4] Retry uploads\n 1 file changed, 2 insertions(+)\n"


@pytest.mark.parametrize(
    ("command", "output", "failed", "expected"),
    [
        ("git commit -m 'Retry uploads'", MADE, False, [Commit("Retry uploads", id=ID)]),
        ("cd shop && git -C . add -A && git -C . commit -am x", MADE, False, [Commit("Retry uploads", id=ID)]),
        ("git commit -m 'Retry uploads'", f"hook: \x1b[32mok\x1b[0m\n{MADE}", False, [Commit("Retry uploads", id=ID)]),
        ("git commit -m a", "[main (root-commit) 1a2b3c4] a\n", False, [Commit("a", id=ID)]),
        ("git commit -m a", "[detached HEAD 1a2b3c4] a\n", False, [Commit("a", id=ID)]),
        ("git commit --amend --no-edit", MADE, False, [Commit("Retry uploads", amends=True, id=ID)]),
        # The commit was made, what followed failed.
        ("git commit -m x && git push", f"{MADE}error: failed to push\n", True, [Commit("Retry uploads", id=ID)]),
        (
            "git commit -m a; git commit -m b",
            "[m 1a2b3c4] a\n[m 1a2b3c5] b\n",
            False,
            [Commit("a", id=ID), Commit("b", id="1a2b3c5")],
        ),
        # One of two was refused.
        ("git commit -m a; git commit -m b", "hook failed\n[m 1a2b3c5] b\n", False, [Commit("b", id="1a2b3c5")]),
        # Only as many as were asked for: the rest is what a file says.
        ("git commit -m a && cat log", "[m 1a2b3c4] a\n[m 1a2b3c5] b\n", False, [Commit("a", id=ID)]),
        ("git commit -m a", "nothing to commit, working tree clean\n", True, []),
        ("git commit -m a", "Pre-commit hook: reformatted\n", True, []),
        ("git commit -m a", "", False, []),
        ("git commit --dry-run", MADE, False, []),
        ("git log", MADE, False, []),
        ("echo 'git commit -m a'", MADE, False, []),
        ("git commit-graph write", MADE, False, []),
        ("git add -A && git commit -q -m 'Retry uploads\n\nWith a key.'", "", False, [Commit("Retry uploads")]),
        ("git commit -qm a && git push -q", "", False, [Commit("a")]),
        ("git commit -q --message=a", "", False, [Commit("a")]),
        ('git commit -q -m "$(cat message)"', "", False, [Commit("")]),
        ("git commit -q -F message.txt", "", False, [Commit("")]),
        ("git commit -q -m a", "", True, []),
        # These succeed without a commit, too.
        ("git commit -q -m a || true", "", False, []),
        ("git commit -q -m a; git status", "", False, []),
        ("git commit -q -m a | tail -1", "", False, []),
        ("git diff --quiet || git commit -q -m a", "", False, []),
        # The log tells that there was one.
        ("git diff --quiet || git commit -q -m a; git log --oneline -1", "1a2b3c4 a\n", False, [Commit("a")]),
        ("git diff --quiet || git commit -q -m a; git log --oneline -1", "1a2b3c4 ab\n", False, []),
    ],
)
def test_a_commit_counts_only_if_the_output_or_the_success_of_the_command_tells_it(
    command: str, output: str, failed: bool, expected: list[Commit]
) -> None:
    assert commits_made(command, output, failed=failed) == expected
