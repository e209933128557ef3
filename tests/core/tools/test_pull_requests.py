"""What commands and their output say of pull requests."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.pull_requests import PrFact, pr_facts

URL = "https://github.com/ana/shop/pull/7"
BODY = '"$(cat <<\'EOF\'\n## Summary\n--title "not this"\nEOF\n)"'
VIEWED = {"number": 7, "title": "Retry uploads", "url": URL, "isDraft": False}


def facts(command: str, output: str, *, failed: bool = False) -> list[PrFact]:
    return list(pr_facts(list(programs_run(command)), output, failed=failed))


TITLE = "Retry uploads"
MERGED = PrFact(7, title=TITLE, state="merged")
SEEN_MERGED = PrFact(7, state="merged", may_be_draft=True)
COMMIT = PrFact(7, title=TITLE, state="merged", is_commit=True)
OPEN = json.dumps({**VIEWED, "state": "OPEN"})
LISTED = "7\tRetry uploads\tretry\tDRAFT\t2026-11-01\n"
MERGE_COMMIT = "commit abc\n\n    Merge pull request #7 from ana/retry\n    \n    Retry uploads\n"
EXISTS = f'a pull request for branch "x" already exists:\n{URL}'
REFUSED = "X Pull request #7 is not mergeable: the base branch policy prohibits the merge."
CREATED: list[tuple[str, str, list[PrFact]]] = [
    (f'gh pr create --title "{TITLE}" --body {BODY}', URL, [PrFact(7, URL, TITLE, "created", is_new=True)]),
    (
        f"git push && gh pr create -d -t '{TITLE}'",
        f"To github.com\n{URL}\n",
        [PrFact(7, URL, TITLE, "draft", is_new=True)],
    ),
    (
        "gh -R ana/shop pr create --title=Retry -d",
        URL,
        [PrFact(7, URL, "Retry", "draft", repository="ana/shop", is_new=True)],
    ),
    ("GH_TOKEN=x gh pr create --fill 2>&1 | tail -1", URL, [PrFact(7, URL, "", "created", is_new=True)]),
    ('gh pr create --title "Fix $NAME"', URL, [PrFact(7, URL, "", "created", is_new=True)]),
    ("gh pr create --title a", EXISTS, []),
    ("gh pr create --title a; gh pr create --title b", URL, []),
    ("echo gh pr create --title a", URL, []),
    ("gh pr edit 7 --title 'Retry all'", URL, [PrFact(7, URL, "Retry all")]),
    ("gh pr edit 7 --body x", URL, []),
]
ENDED: list[tuple[str, str, list[PrFact]]] = [
    ("gh pr merge 7 --squash", "", [PrFact(7, state="merged")]),
    (f"gh pr merge {URL} --rebase", "", [PrFact(7, state="merged")]),
    ("gh pr merge 7 --auto", "", []),
    ("gh pr merge 7", "Command running in background with ID: b1", []),
    ("gh pr merge 7; echo done", "", []),
    ("gh pr view 9 --comments", "✓ Closed pull request #7 (Retry)", []),
    ("gh pr merge 7; echo done", "GraphQL: not mergeable\ndone", []),
    ("gh pr merge 7", REFUSED, []),
    ("gh pr merge --squash", f"✓ Squashed and merged pull request #7 ({TITLE})", [MERGED]),
    ("gh pr merge 7 --auto", "! Pull request ana/shop#7 was already merged", [PrFact(7, state="merged")]),
    ("gh pr close 7", f"✓ Closed pull request ana/shop#7 ({TITLE})", [PrFact(7, title=TITLE, state="closed")]),
    ("gh pr reopen 7", "✓ Reopened pull request #7 (Retry)", [PrFact(7, title="Retry", state="open")]),
    ("gh pr ready 7", '✓ Pull request #7 is marked as "ready for review"', [PrFact(7, state="open")]),
]
SEEN: list[tuple[str, str, list[PrFact]]] = [
    ("gh pr view 7 --json number,title,url,state,isDraft", OPEN, [PrFact(7, URL, TITLE, "open")]),
    ("gh pr view 7 --json state,isDraft", '{"isDraft":true,"state":"OPEN"}', [PrFact(7, state="draft")]),
    ("gh pr view 7 --json state", '{"state":"OPEN"}', [PrFact(7, state="open", may_be_draft=True)]),
    ("gh pr view 7 --json state -q .state", "MERGED\n", [PrFact(7, state="merged", may_be_draft=True)]),
    ("gh pr view 7 --json state; gh issue view 3 --json state", '{"state":"OPEN"}\n{"state":"CLOSED"}', []),
    ("gh pr view 7 -R ana/a --json state; gh pr view 7 -R ana/b --json state", '{"state":"OPEN","number":7}', []),
    ("gh pr view 7 --repo=host.example/ana/a -q .state", "MERGED", [replace(SEEN_MERGED, repository="ana/a")]),
    ("gh pr view 7", f"title:\t{TITLE}\nstate:\tCLOSED\nnumber:\t7\n", [PrFact(7, title=TITLE, state="closed")]),
    ("gh pr view", f"title:\t{TITLE}\nstate:\tOPEN\n", []),
    ("gh pr list", LISTED, [PrFact(7, title=TITLE, state="draft")]),
    ("gh pr list --jq '.[]'", "7 MERGED Retry uploads\n", [PrFact(7, state="merged", may_be_draft=True)]),
    ("cat notes", LISTED, []),
]
COMMITTED: list[tuple[str, str, list[PrFact]]] = [
    ("git log --oneline", f"abc1234 (HEAD -> main) {TITLE} (#7)\n", [COMMIT]),
    ("git log", MERGE_COMMIT, [replace(COMMIT, branch="retry")]),
    ("git log --oneline", "abc1234 Merge pull request #7 from ana/fix/x", [replace(COMMIT, title="", branch="fix/x")]),
    ("cat log", f"abc1234 {TITLE} (#7)\n", []),
]


@pytest.mark.parametrize(("command", "output", "expected"), [*CREATED, *ENDED, *SEEN, *COMMITTED])
def test_a_fact_needs_proof(command: str, output: str, expected: list[PrFact]) -> None:
    assert facts(command, output) == expected


def test_a_failed_call_only_says_what_gh_printed() -> None:
    assert facts("gh pr create --title a", URL, failed=True) == []
    assert facts("gh pr merge 7", "", failed=True) == []
    assert facts("gh pr view 7 --json state; false", '{"state":"MERGED"}', failed=True) == [
        PrFact(7, state="merged", may_be_draft=True)
    ]


@given(st.text('{["}]:#\t\n 17ghprMERGEDcreate/'), st.text('{["}]:#\t\n 17title/pull'))
def test_no_text_is_too_strange(command: str, output: str) -> None:
    facts(f"gh pr view 7 {command}", output)
    facts(f"gh pr create {command}", f"{output}\n{URL}\n{output}")
