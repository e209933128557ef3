"""The tools mem-fix and mem-why: how an error was mended earlier, and what led to a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.agents.mcp.token_limit import QUOTED, ToolAnswer
from memtui.agents.mcp.toolbox import Toolbox
from support.indexes import update
from support.mended_errors import AGAIN, TEST, Work, mended
from support.transcripts import OTHER_SESSION, SESSION, START

WEB = "33333333-3333-4333-8333-333333333333"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop in which an error was mended, and later came up again, and a web site with the same error."""
    folder = tmp_path_factory.mktemp("origin")
    shop, web = folder / "shop", folder / "web"
    (shop / "src").mkdir(parents=True)
    web.mkdir()
    (shop / "src" / "cart.ts").write_text("// mine\nconst total = 0\n")
    first = mended(Work(cwd=str(shop)))
    again = Work(OTHER_SESSION, str(shop), "f")
    again.count = 2000
    again.user("Look at it")
    again.fails()
    other = mended(Work(WEB, str(web), "g"))
    update(folder / "data", *(one.write(folder / "src" / one.prefix) for one in (first, again, other)))
    return folder


@pytest.fixture
def tools(built: Path, monkeypatch: pytest.MonkeyPatch) -> Toolbox:
    """The tools in the folder of the shop, two days later."""
    monkeypatch.chdir(built / "shop")
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    return Toolbox(built / "data", 60)


def test_an_error_has_its_cases_with_what_mended_them(tools: Toolbox) -> None:
    answer = tools.call("mem-fix", {"error": f"> shop@1.0.0 test\n\n{AGAIN}"})
    head, first, *rest = answer.text.split("\n\n", 1)[1].split("\n")
    assert answer.text.startswith("Found 2 of 2 case(s) of this error:\n\n")
    assert head.startswith(f"- {SESSION}:1 · ")
    assert head.endswith(f" · claude · shop · {TEST}")
    assert [first, *rest] == [
        "  Error: src/cart.ts(12,5): error TS2304: Cannot find name 'total'.",
        "  Passed in 11111111:2 after an edit of src/cart.ts in 11111111:1, with 1 other file edited.",
        "    -const sum = 0",
        "    +const total = 0",
        rest[3],
        "  Error: src/cart.ts(12,5): error TS2304: Cannot find name 'total'.",
        "  No later run there is known to have passed.",
    ]
    assert rest[3].startswith(f"- {OTHER_SESSION}:1 · ")
    assert answer.notes_text == f"mem-show reads a turn; the code may have changed since.\n{QUOTED}"


def test_the_project_the_own_session_and_the_limit_narrow_the_cases(tools: Toolbox) -> None:
    def cases(**arguments: object) -> list[str]:
        text = tools.call("mem-fix", {"error": AGAIN, **arguments}).text
        return [line[2:38] for line in text.split("\n") if line.startswith("- ")]

    assert cases() == [SESSION, OTHER_SESSION]
    assert cases(project="all") == [SESSION, OTHER_SESSION, WEB]
    assert cases(project="web") == [WEB]
    assert cases(my_session=OTHER_SESSION) == [SESSION]
    answer = tools.call("mem-fix", {"error": AGAIN, "limit": 1})
    assert answer.notes[-1] == "Left out: 1 cases beyond the limit of 1; ask with a greater limit."


def test_an_error_that_did_not_come_up_is_said_with_where_it_was_looked_for(tools: Toolbox, built: Path) -> None:
    nothing = "This error did not come up in any session, nor a similar one."
    new = "error: nobody has seen this one"
    assert tools.call("mem-fix", {"error": new}) == ToolAnswer(
        nothing, (f'Only the project {built}/shop was searched; project: "all" searches all.',)
    )
    assert tools.call("mem-fix", {"error": new, "project": "all"}) == ToolAnswer(nothing)


def test_a_line_has_its_request_its_edit_and_its_checks(tools: Toolbox, built: Path) -> None:
    whole = f"""{{place}}: const total = 0
Written in {SESSION}:1 · {START:%Y-%m-%d} · Add the total

Request, in {SESSION}:1:
> Add the total

Edit:
    --- a/src/cart.ts
    +++ b/src/cart.ts
    @@ -1,1 +1,1 @@
    -const sum = 0
    +const total = 0

Checks after it:
- passed: npm test · 3 passed in 0.1s"""
    for path in ("src/cart.ts", f"{built}/shop/src/cart.ts"):
        answer = tools.call("mem-why", {"place": f"{path}:2"})
        assert answer.text == whole.format(place=f"{path}:2")
        assert answer.notes_text == f"mem-show reads a turn.\n{QUOTED}"


def test_of_a_line_that_no_session_wrote_nothing_is_told(tools: Toolbox) -> None:
    assert tools.call("mem-why", {"place": "src/cart.ts:1"}) == ToolAnswer("Nothing proves who wrote src/cart.ts:1.")
    assert tools.call("mem-why", {"place": "src/cart.ts:3"}).text == "Why error: src/cart.ts has 2 lines."
    assert tools.call("mem-why", {"place": "src/none.ts:1"}).failed


@pytest.mark.parametrize("tokens", [100, 130, 300, 2000])
@pytest.mark.parametrize(
    ("name", "arguments", "enough"),
    [("mem-fix", {"error": AGAIN, "project": "all"}, 300), ("mem-why", {"place": "src/cart.ts:2"}, 130)],
)
def test_an_answer_keeps_to_its_tokens(
    tools: Toolbox, name: str, arguments: dict[str, str], enough: int, tokens: int
) -> None:
    answer = tools.call(name, {**arguments, "max_tokens": tokens})
    assert not answer.failed
    assert answer.length <= tokens * 4
    assert ("Left out: " in answer.notes_text) is (tokens < enough)
