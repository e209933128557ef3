"""The texts that tell an agent what to do, and the other texts before a compaction that are compared."""

from __future__ import annotations

from typing import Any

import pytest

from memtui_core.compaction.checks.named_files import NamedFiles
from memtui_core.compaction.statements.passages import reviewed_texts
from memtui_core.compaction.statements.phrases import is_pasted, requests
from memtui_core.compaction.statements.task_texts import TaskText, closed_tasks, is_spec, plan_text, task_texts
from memtui_core.compaction.words import has_name, names
from memtui_core.tools.call import ToolCall
from memtui_core.tools.pairing import paired
from memtui_core.tools.results.questions import answers
from support.histories import ROOT, History

SPEC = f"{ROOT}/specs/cart.md"
NOTES = f"{ROOT}/docs/notes.md"


def call(
    tool: str, result: str | None = "Prices must be rounded.", *, error: bool = False, **arguments: Any
) -> ToolCall:
    history = History()
    history.asks("Ship the cart")
    history.calls(tool, result, error=error, **arguments)
    [made] = paired(history.turns[0].blocks)
    return made


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("specs/cart.md", True),
        ("openspec/changes/round/design.md", True),
        ("docs/plans/2026/round.mdx", True),
        (".kiro/steering/cart.feature", True),
        ("C:\\work\\specs\\cart.md", True),
        ("PLAN.md", True),
        ("docs/round-plan.md", True),
        ("shop_plan_v2.txt", True),
        ("TODO.md", True),
        ("docs/adrs/0001.md", True),
        ("specs/cart.py", False),
        ("src/spec.py", False),
        ("test/cart.spec.ts", False),
        ("cart_spec.rb", False),
        ("planet.md", False),
        ("inspection.md", False),
        ("README.md", False),
        ("specs.md", False),
    ],
)
def test_a_document_with_requirements_is_known_by_its_path(path: str, is_one: bool) -> None:
    assert is_spec(path) is is_one


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("bd show shop-14 --json", "shop-14"),
        ("cd /home/ana/code/shop && bd show shop-14 | head -50", "shop-14"),
        ("/usr/local/bin/bd show shop-14", "shop-14"),
        ("gh issue view 14 --repo ana/shop", "ana/shop#14"),
        ("gh issue view --repo ana/shop '#14'", "ana/shop#14"),
        ("gh issue view", ""),
        ("glab issue view 3", "3"),
        ("jira issue view SHOP-3", "SHOP-3"),
        ("linear issue show SHO-1", "SHO-1"),
        ("acli jira workitem view SHOP-3", "SHOP-3"),
        ("az boards work-item show --id 4", "4"),
        ("backlog task view 12", "12"),
        ("backlog task 12 --plain", "12"),
        ("tk show a-1", "a-1"),
        ("tea issues 4", "4"),
        ("bd list", None),
        ("gh issue list", None),
        ("gh pr view 14", None),
        ("echo bd show shop-14", None),
        ("git show shop-14", None),
    ],
)
def test_a_command_of_a_tracker_shows_a_task(command: str, name: str | None) -> None:
    expected = [] if name is None else [TaskText("task", "Prices must be rounded.", 3, name)]
    assert task_texts(call("Bash", command=command)) == expected


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("tool", "arguments", "name"),
    [
        ("mcp__jira__getJiraIssue", {"cloudId": "shop", "issueIdOrKey": "SHOP-3"}, "SHOP-3"),
        ("mcp__jira__getJiraIssue", {"issueIdOrKey": "SHOP-3"}, "SHOP-3"),
        ("mcp__github__issue_read", {"owner": "ana", "repo": "shop", "issue_number": 14}, "14"),
        ("mcp__linear__get_issue", {"id": "SHO-1"}, "SHO-1"),
        ("mcp__shop__view_ticket", {"query": "SHO-1"}, ""),
        ("mcp__jira__create_issue", {"id": "SHO-1"}, None),
        ("TaskGet", {"taskId": "1"}, "1"),
        ("TaskList", {}, None),
        ("mcp__shop__get_prices", {"id": "SHO-1"}, None),
        ("WebFetch", {"url": "https://github.com/ana/shop/issues/14/"}, "14"),
        ("WebFetch", {"url": "https://shop.atlassian.net/browse/SHOP-3"}, "SHOP-3"),
        ("WebFetch", {"url": "https://github.com/ana/shop/issues"}, None),
        ("WebFetch", {"url": "https://github.com/ana/shop/pull/14"}, None),
        ("WebFetch", {"url": 14}, None),
    ],
)
def test_a_tool_or_an_address_of_a_tracker_shows_a_task(tool: str, arguments: dict[str, Any], name: str | None) -> None:
    expected = [] if name is None else [TaskText("task", "Prices must be rounded.", 3, name)]
    assert task_texts(call(tool, **arguments)) == expected


@pytest.mark.spec("S5.6")
def test_a_command_that_shows_several_tasks_is_one_text_for_each() -> None:
    command = "bd show shop-1; echo ===; bd show shop-2"
    text = "○ shop-1 · Cart\nNever round.\n===\n○ shop-2 · Till\nAfter shop-1, always round.\n"
    assert task_texts(call("Bash", text, command=command)) == [
        TaskText("task", "○ shop-1 · Cart\nNever round.\n===\n", 3, "shop-1"),
        TaskText("task", "○ shop-2 · Till\nAfter shop-1, always round.\n", 3, "shop-2"),
    ]
    unknown = "Cart\nTill"
    assert task_texts(call("Bash", unknown, command=command)) == [TaskText("task", unknown, 3, "shop-1 shop-2")]
    other = "○ shop-10 · Cart\n○ shop-2 · Till\n"
    assert task_texts(call("Bash", other, command=command)) == [TaskText("task", other, 3, "shop-1 shop-2")]


@pytest.mark.spec("S5.6")
def test_a_task_in_json_has_its_line_breaks() -> None:
    text = '{"body":"Round:\\r\\n- \\"half\\" to even"}'
    [task] = task_texts(call("Bash", text, command="gh issue view 14 --json body"))
    assert task == TaskText("task", '{"body":"Round:\n- "half" to even"}', 3, "14")
    plain = "Write \\n between the prices."
    assert task_texts(call("Bash", plain, command="bd show 1")) == [TaskText("task", plain, 3, "1")]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("Read", "     1→Must round\n     2→", file_path=SPEC), TaskText("spec", "Must round\n", 3, SPEC)),
        (call("Read", "Must", file_path=SPEC, limit=9), TaskText("spec", "Must", 3, SPEC, is_whole=False)),
        (call("Write", file_path=SPEC, content="Must"), TaskText("spec", "Must", 2, SPEC)),
        (
            call("Edit", file_path=SPEC, old_string="a", new_string="Must"),
            TaskText("spec", "Must", 2, SPEC, is_whole=False),
        ),
        (call("Edit", file_path=SPEC, old_string="a", new_string=""), None),
        (call("Write", "denied", error=True, file_path=SPEC, content="Must"), None),
        (call("Write", None, file_path=SPEC, content="Must"), None),
        (call("Read", "Must", file_path=f"{ROOT}/README.md"), None),
        (
            call("Read", "# Refactoring Plan\nMust", file_path=NOTES),
            TaskText("spec", "# Refactoring Plan\nMust", 3, NOTES),
        ),
        (call("Write", file_path=NOTES, content="# Plan\nMust"), TaskText("spec", "# Plan\nMust", 2, NOTES)),
        (call("Write", file_path=NOTES, content="# Planes\nMust"), None),
        (call("Write", file_path=f"{ROOT}/plane.py", content="# Plan\nMust"), None),
        (call("Edit", file_path=NOTES, old_string="a", new_string="# Plan\nMust"), None),
        (call("Bash", "Exit code 1", error=True, command="bd show shop-14"), None),
        (call("Grep", "Must", pattern="issue", path=SPEC), None),
    ],
)
def test_a_document_that_was_read_or_written_is_a_task_text(made: ToolCall, expected: TaskText | None) -> None:
    assert task_texts(made) == ([] if expected is None else [expected])


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("command", "closed"),
    [
        ("bd close shop-14 shop-15 --reason done", ["shop-14", "shop-15"]),
        ("gh issue close '#14' --comment Rounded", ["14"]),
        ("bd done shop-14 && git push", ["shop-14"]),
        ("tk close a-1; tk close a-2", ["a-1", "a-2"]),
        ("bd update shop-14 --claim", []),
        ("bd show shop-14", []),
        ("echo bd close shop-14", []),
        ("fg close shop-14", []),
    ],
)
def test_a_command_closes_tasks(command: str, closed: list[str]) -> None:
    assert list(closed_tasks(call("Bash", command=command))) == closed
    assert list(closed_tasks(call("Bash", "Exit code 1", error=True, command=command))) == []


@pytest.mark.spec("S5.6")
def test_a_tool_closes_a_task() -> None:
    states = ("completed", "deleted", "in_progress")
    updates = [call("TaskUpdate", taskId="1", status=status) for status in states]
    assert [list(closed_tasks(update)) for update in updates] == [["1"], ["1"], []]
    assert list(closed_tasks(call("TaskUpdate", "No task", error=True, taskId="1", status="completed"))) == []


@pytest.mark.spec("S5.6")
def test_a_plan_is_what_was_presented_to_the_user() -> None:
    assert [
        plan_text(call("ExitPlanMode", plan="Round half to even.")),
        plan_text(call("exit_plan_mode", plan="Round half to even.")),
        plan_text(call("ExitPlanMode", plan=3)),
        plan_text(call("Task", plan="Round half to even.")),
    ] == ["Round half to even.", "Round half to even.", "", ""]


def told(history: History) -> list[tuple[str, str, int]]:
    return [(reviewed.origin, reviewed.text, reviewed.turn.number) for reviewed in reviewed_texts(history.turns)]


@pytest.mark.spec("S5.6")
def test_what_is_said_in_a_session_has_an_origin() -> None:
    history = History()
    history.asks("<command-name>/cart</command-name>", "command")
    history.says("First I look.")
    history.thinks("Half to even?")
    history.calls("AskUserQuestion", 'Answered: "Which currency?"="Francs", "Round?"="Half \\"even\\"". Go on.')
    history.calls("ExitPlanMode", "Approved.", plan="Round to francs.")
    history.calls("Task", "The till rounds too.", prompt="Look at the till")
    history.calls("Task", "Exit", error=True, prompt="Look at the till")
    history.runs("bd show shop-14", "Prices must be rounded.")
    history.says(600 * "x")
    history.says(599 * "y")
    history.says("   ")
    history.says("All prices are rounded.")
    history.compacts("Prices are rounded.\nPlease continue the conversation from there.")
    history.asks("No cents <system-reminder>Mind the budget.</system-reminder>")
    history.asks("[Request interrupted by user]")
    refusal = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse tabs"
    )
    history.calls("Edit", refusal, error=True, file_path=f"{ROOT}/cart.py")
    assert told(history) == [
        ("remark", "First I look.", 1),
        ("answer", "Which currency? Francs", 1),
        ("answer", 'Round? Half \\"even\\"', 1),
        ("plan", "Round to francs.", 1),
        ("task", "Prices must be rounded.", 1),
        ("conclusion", 600 * "x", 1),
        ("remark", 599 * "y", 1),
        ("conclusion", "All prices are rounded.", 1),
        ("summary", "Prices are rounded.\n", 2),
        ("unanswered", "No cents", 3),
        ("rejection", "Use tabs", 4),
    ]


@pytest.mark.spec("S5.6")
def test_of_a_document_nothing_counts_before_it_was_last_read_whole() -> None:
    history = History()
    history.asks("Round")
    history.reads("specs/cart.md", "First")
    history.reads("specs/till.md", "Till")
    history.edits("specs/cart.md", "Edited")
    history.writes("specs/cart.md", "Written")
    history.reads("specs/cart.md", "Part", limit=5)
    history.edits("specs/cart.md", "Edited again")
    assert [text for _, text, _ in told(history)] == ["Round", "Till", "Written", "Part", "Edited again"]


@pytest.mark.spec("S5.6")
def test_tasks_are_known_by_their_ids() -> None:
    history = History()
    history.asks("Round")
    for command, text in (
        ("acli jira workitem view SHOP-3", "Three, as it was"),
        ("acli jira workitem view SHOP-4", "Four"),
        ("acli jira workitem view SHOP-3", "Three, as it is"),
        ("gh issue view", "One without an id"),
        ("gh issue view", "Another without an id"),
    ):
        history.runs(command, text)
    assert [text for _, text, _ in told(history)] == [
        "Round",
        "Four",
        "Three, as it is",
        "One without an id",
        "Another without an id",
    ]


@pytest.mark.spec("S5.6")
def test_a_task_that_was_closed_is_known_wherever_it_was_closed() -> None:
    history = History()
    history.asks("Round")
    history.runs("bd show shop-14", "Fourteen")
    history.runs("bd show shop-15", "Fifteen")
    history.runs("bd close shop-15", "Exit code 1", error=True)
    history.asks("Close it")
    history.runs("bd close shop-14")
    assert [(reviewed.text, reviewed.is_closed) for reviewed in reviewed_texts(history.turns)] == [
        ("Round", False),
        ("Fourteen", True),
        ("Fifteen", False),
        ("Close it", False),
    ]


@pytest.mark.spec("S5.6")
def test_only_answers_that_were_given_are_answers() -> None:
    given = 'Answered: "Round?"="To even"'
    assert [
        answers(call("AskUserQuestion", given)),
        answers(call("AskUserQuestion", given, error=True)),
        answers(call("AskUserQuestion", None)),
        answers(call("Read", given)),
        answers(call("AskUserQuestion", "None.")),
    ] == [[("Round?", "To even")], [], [], [], []]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "path", "is_named"),
    [
        ("`HooksController` was split", "lib/hooks_controller.ex", True),
        ("`ShopWeb.HooksController` was split", "lib/hooks_controller.ex", True),
        ("shop::price_table::round is new", "src/price-table.rs", True),
        ("hooks_controller was split", "lib/HooksController.java", True),
        ("HooksControllers were split", "lib/hooks_controller.ex", False),
        ("The hooks controller was split", "lib/hooks_controller.ex", False),
        ("The controller was split", "lib/controller.ex", False),
        ("`CartUp` is new", "lib/cart_up.ex", False),
    ],
)
def test_a_file_is_named_by_the_module_in_it(text: str, path: str, is_named: bool) -> None:
    assert NamedFiles(text, [path, "README.md"]).has(path) is is_named


@pytest.mark.spec("S5.6")
def test_a_module_names_no_file_if_two_files_have_its_name() -> None:
    files = ["lib/hooks_controller.ex", "test/hooks_controller.ex"]
    asked = NamedFiles("`HooksController` was split", files)
    assert [asked.has(file) for file in files] == [False, False]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    "line",
    [
        "2026-11-01 09:00:00 upload started",
        "[09:00:00] upload started",
        "ERROR upload failed",
        "npm ERR! missing script",
        "warning: unused name",
        "error[E0308]: mismatched types",
        "Caused by: no price",
        '  File "cart.py", line 3, in round',
        "    at round (cart.js:3:1)",
        "src/cart.py:3: unused name",
        "$ make lint",
        "E   assert 1 == 2",
        "@@ -1,2 +1,2 @@",
        '  "price": 3,',
        "drwxr-xr-x 2 ana ana 4096 src",
    ],
)
def test_a_log_that_a_person_pasted_is_no_request(line: str) -> None:
    log = f"It broke\n{line}\n{line}"
    assert is_pasted(log)
    assert list(requests(log)) == []
    assert not is_pasted(line)
    assert list(requests(f"Round the prices\nand the taxes\n{line}")) == [f"Round the prices\nand the taxes\n{line}"]


@pytest.mark.spec("S5.6")
def test_of_a_long_prompt_only_the_log_is_left_out() -> None:
    log = "\n".join(f"2026-11-01 09:00:{second} upload {second} failed" for second in range(10, 30))
    assert list(requests(f"Round all prices to cents.\n\n{log}\n\nAnd tell the till of taxes.")) == [
        "Round all prices to cents.",
        "And tell the till of taxes.",
    ]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "name", "has_it"),
    [
        ("ran go on it", "go", True),
        ("go", "go", True),
        ("see a.go", "go", False),
        ("ago", "go", False),
        ("going", "go", False),
        ("`go`, too", "go", True),
        ("a+b", "a+b", True),
    ],
)
def test_a_name_is_neither_in_a_word_nor_the_end_of_a_file(text: str, name: str, has_it: bool) -> None:
    assert has_name(text, name) is has_it


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3f2ab1c", set()),
        ("at `3f2ab1c` now", {"at", "now"}),
        ("shop-3f2ab1c", {"shop", "shop-3f2ab1c"}),
        ("ana/shop#14", {"ana", "shop", "ana/shop#14"}),
        ("Shop.Cart::add_item", {"Shop", "Cart", "add_item", "Shop.Cart::add_item"}),
        ("a2 $b", {"a2", "$b"}),
    ],
)
def test_a_hash_is_not_cut_to_a_name(text: str, found: set[str]) -> None:
    assert names(text) == found


@pytest.mark.spec("S5.6")
def test_tasks_of_two_repositories_with_one_number_are_two_tasks() -> None:
    history = History()
    history.asks("Look at the issues")
    for repository in ("ana/shop", "ana/till"):
        history.runs(f"gh issue view 14 -R {repository}", f"Never close {repository} at noon")
    history.runs("gh issue close 14 -R ana/till", "closed")
    assert [(one.name, one.is_closed) for one in reviewed_texts(history.turns) if one.origin == "task"] == [
        ("ana/shop#14", False),
        ("ana/till#14", True),
    ]
