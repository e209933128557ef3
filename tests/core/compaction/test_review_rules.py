"""The rules by which a review tells what a segment held and whether a summary names it."""

from __future__ import annotations

import pytest

from memtui_core.compaction.checks.named_files import NamedFiles
from memtui_core.compaction.coverage import Coverage
from memtui_core.compaction.facts.commands import CommandPart, parts_of
from memtui_core.compaction.facts.retention import SummaryMatcher
from memtui_core.compaction.facts.segment import SegmentFact, urls_in
from memtui_core.compaction.outline import outline, summary_body
from memtui_core.compaction.statements.phrases import decisions, is_correction, requests, typed_text
from memtui_core.model import Span
from memtui_core.tools.results.failures import error_line, is_agent_error, rejection_message
from memtui_core.tools.shell.commands import programs_run
from memtui_core.tools.shell.files import ShellFile, files_in


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("command", "texts"),
    [
        ("cd src && pytest -q 2>&1 | tail -5", ["pytest -q"]),
        ("uv run pytest tests/test_a.py -k 'x and y'", ["pytest tests/test_a.py"]),
        ("FOO=1 sudo timeout -s 9 30 make build", ["make build"]),
        ("npm run build; npm ci", ["npm run build", "npm ci"]),
        ('git add -A && git commit -m "Fix it" && git push origin main', ["git commit", "git push"]),
        ("git -C /x/y rebase feature/login", ["git rebase feature/login"]),
        ("git status; git diff; ls -la | grep x; sleep 5", []),
        ("docker compose up -d web-1", ["docker compose up web-1"]),
        ("mix credo --strict 2>&1 | tail -20", ["mix credo --strict"]),
        ("gh pr create --title 'A thing' --body b", ["gh pr create"]),
        ("gh pr view 14; npm view left-pad; cargo --version", []),
        ("npm add left-pad2", ["npm add left-pad2"]),
        ("python tools/load.py --fast data/a.csv", ["python --fast tools/load.py"]),
        ("python - <<'EOF'\nimport os\nos.remove('x')\nEOF\nruff check .", ["ruff check"]),
        ("python3 -c 'print(1)'", []),
        ("bash -c 'cargo build && cargo test'", ["cargo build", "cargo test"]),
        ("for f in a b; do black src/$f.py; done", ["black"]),
        ("mv src/old.py src/new.py && rm -rf build", ["mv src/old.py src/new.py"]),
        ("# terraform apply\nterraform plan", ["terraform plan"]),
        ("go test ./... | tee log.txt", ["go test"]),
        ("make a/b1 c/d2 e/f3 g/h4 i/j5", ["make a/b1 c/d2 e/f3 g/h4 …"]),
        ("cat <<EOF\nmake never", []),
        ("", []),
    ],
)
def test_what_a_command_did(command: str, texts: list[str]) -> None:
    assert [part.text for part in parts_of(programs_run(command))] == texts


@pytest.mark.spec("S5.6")
def test_what_a_command_shows() -> None:
    assert files_in("cd a; cat b.py && sed -n 1,5p c.py; rm d.py") == [
        ShellFile("a/b.py", "shown"),
        ShellFile("a/c.py", "shown"),
        ShellFile("a/d.py", "named"),
    ]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("summary", "kept"),
    [
        ("Ran `pytest`.", {"pytest"}),
        ("All of it was committed and pushed.", {"git commit", "git push"}),
        ("Ran npm run build twice.", {"npm run build"}),
        ("npm was slow; the build of the docs ran.", set()),
        ("Applied the migration of load_users.py with python.", {"python tools/load_users.py"}),
        ("Closed shop-14.3 and 14.4 is open.", {"bd close shop-14.3", "bd close shop-14.4"}),
        ("Nothing.", set()),
    ],
)
def test_a_command_is_kept_when_its_verbs_and_arguments_are_named(summary: str, kept: set[str]) -> None:
    commands = (
        "pytest -q; git commit -m x; git push; npm run build; python tools/load_users.py;"
        "bd close shop-14.3; bd close shop-14.4"
    )
    asked = SummaryMatcher(Coverage(summary, {}))
    facts = [
        SegmentFact("command", part.name, part.name, 0, 1, parts=(part,)) for part in parts_of(programs_run(commands))
    ]
    assert {fact.text for fact in facts if asked.keeps(fact)} == kept


@pytest.mark.spec("S5.6")
def test_a_failed_command_is_kept_when_half_of_its_programs_are() -> None:
    parts = (CommandPart("make", ("lint",), ()), CommandPart("make", ("docs",), ()), CommandPart("tox", (), ()))
    fact = SegmentFact("failed", "f", "f", 0, 1, parts=parts)
    assert [SummaryMatcher(Coverage(text, {})).keeps(fact) for text in ("make lint, tox", "make docs")] == [True, False]


FILES = ("src/a/index.ts", "src/b/index.ts", "lib/pay-desk/mod.rs", "lib/other/mod.rs", "Makefile", "app/[id]/page.tsx")


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("edited /home/ana/shop/src/a/index.ts:12.", {"src/a/index.ts"}),
        ("`b/index.ts` and the Makefile", {"src/b/index.ts", "Makefile"}),
        ("index.ts", set()),
        ("index.ts, and then a/index.ts", {"src/a/index.ts", "src/b/index.ts"}),
        ("a/index.ts and then index.ts", {"src/a/index.ts"}),
        ("- `src/b/`\n  - index.ts", {"src/b/index.ts"}),
        ("- `src/b/`\n- index.ts", set()),
        ("all of pay-desk", {"lib/pay-desk/mod.rs"}),
        ("the other one", set()),
        ("[page](app/[id]/page.tsx)", {"app/[id]/page.tsx"}),
        ("C:\\work\\src\\a\\index.ts", {"src/a/index.ts"}),
        ("reindex.ts, Makefiles, old/page.tsx", set()),
    ],
)
def test_a_file_is_kept_when_its_name_is_no_other_files(text: str, named: set[str]) -> None:
    files = NamedFiles(text, FILES)
    assert {file for file in FILES if files.has(file)} == named


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("kind", "text", "summary", "kept"),
    [
        ("url", "https://a.example/x/", "see http://a.example/x", True),
        ("url", "https://a.example/x#part", "see a.example/x for it", True),
        ("url", "https://a.example/x", "see a.example/xyz", False),
        ("url", "https://github.com/ana/shop/pull/14", "merged #14", True),
        ("url", "https://github.com/ana/shop/pull/14", "merged #145", False),
        ("url", "https://github.com/ana/shop/blob/3f2a/lib/price_table.rb#L9", "`price_table.rb` at 3f2a", True),
        ("url", "https://github.com/ana/shop/blob/3f2a/README.md", "the README.md here", False),
        ("identifier", "OrderController", "in order_controller.rb", True),
        ("identifier", "Shop.Cart.add_item", "`add_item` was renamed", True),
        ("identifier", "retry_upload", "retry_uploads", True),
        ("identifier", "retryUp", "retryUpload", False),
        ("file", "tools/run.sh", "by run.sh", True),
        ("file", "tools/run.sh", "by run.py", False),
        ("error", "httpx.WriteTimeout: The write operation timed out", "`httpx.WriteTimeout` after 10 s", True),
        ("error", "httpx.WriteTimeout: The write operation timed out", "A ReadTimeout of httpx", False),
        ("error", "ValueError: stock is negative", "Stock went negative and raised ValueError.", True),
    ],
)
def test_urls_names_and_errors_are_kept(kind: str, text: str, summary: str, kept: bool) -> None:
    fact = SegmentFact(kind, text, text, 0, 1)  # type: ignore[arg-type]
    assert SummaryMatcher(Coverage(summary, {})).keeps(fact) is kept


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Exit code 1\nrunning\nerror: no field `x`\nmore", "error: no field `x`"),
        ("warning: unused\nCould not compile", "Could not compile"),
        ("<error>Model not found</error>", "Model not found"),
        ("Exit code 2", ""),
        ("Exit code 1\n----\n12\nfirst words", "first words"),
    ],
)
def test_an_error_is_told_by_one_line(text: str, line: str) -> None:
    assert error_line(text) == line


@pytest.mark.spec("S5.6")
def test_the_agents_own_refusals_are_no_errors() -> None:
    refusal = (
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nUse tabs"
    )
    assert (is_agent_error(refusal), rejection_message(refusal)) == (True, "Use tabs")
    assert (is_agent_error("Exit code 1"), rejection_message("Exit code 1")) == (False, "")


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "human"),
    [
        ("Fix it <system-reminder>now</system-reminder>", "Fix it"),
        ("<system-reminder>now</system-reminder>", ""),
        ("<command-name>/clear</command-name>", ""),
        ("[Request interrupted by user]", ""),
        ("Your task is to create a detailed summary of the conversation", ""),
        ("This session is being continued from a previous conversation", ""),
    ],
)
def test_only_a_persons_own_words_are_requests(text: str, human: str) -> None:
    assert typed_text(text) == human


@pytest.mark.spec("S5.6")
def test_requests_leave_out_assent_and_take_long_texts_apart() -> None:
    long = "Intro to the whole plan.\n\n- Round prices to cents\n  everywhere\n- ok\n- Drop the old basket" + " x" * 200
    assert list(requests("ok, go on")) == []
    assert list(requests("ship it")) == ["ship it"]
    assert [text[:20] for text in requests(long)] == [
        "Intro to the whole p",
        "- Round prices to ce",
        "- Drop the old baske",
    ]


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "answer"),
    [("No, keep it.", True), ("I said tabs.", True), ("Now add a test.", False), ("This is still broken", True)],
)
def test_a_correction_objects(text: str, answer: bool) -> None:
    assert is_correction(text) is answer


@pytest.mark.spec("S5.6")
@pytest.mark.parametrize(
    ("text", "by_user", "found"),
    [
        ("Look here. Never write to the live table! Is it slow?", True, ["Never write to the live table!"]),
        ("Don't we need the live table?", True, []),
        ("The parser never returns None for lists.", False, []),
        (
            "I'll use a queue rather than threads for uploads.",
            False,
            ["I'll use a queue rather than threads for uploads."],
        ),
        ("```\nnever do this at all\n```", True, []),
        ("Must not go", True, []),
    ],
)
def test_decisions_are_sentences_that_say_what_shall_be(text: str, by_user: bool, found: list[str]) -> None:
    assert list(decisions(text, by_user)) == found


@pytest.mark.spec("S5.6")
def test_addresses_of_this_machine_and_signs_after_one_are_no_urls() -> None:
    text = "(https://a.example/x_(y)), http://localhost:80/z and https://b.example/q?a=1."
    assert list(urls_in(text)) == ["https://a.example/x_(y)", "https://b.example/q?a=1"]


@pytest.mark.spec("S5.6")
def test_headings_of_other_shapes() -> None:
    text = "# Plan #\n## Steps\n**Bold**\ntext\n```\n# no\n```\n3. **Next**: go\n<analysis>\nGoals:\n"
    assert [(section.level, section.title) for section in outline(text)] == [
        (1, "Plan"), (2, "Steps"), (3, "Bold"), (2, "Next"), (1, "Goals"),
    ]  # fmt: skip
    assert outline(text)[0].span == Span(0, text.index("Goals"))


@pytest.mark.spec("S5.6")
def test_the_end_that_the_program_adds_is_not_the_summary() -> None:
    assert summary_body("Said.\nPlease continue the conversation from there.") == "Said.\n"
