"""The text of an issue that is made of a redacted copy: what it says first, what it leaves out, whom it notifies."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memtui_core.export.contents import Contents
from memtui_core.export.redacted.copy import CopyOptions, RedactedCopy, redacted_copy
from memtui_core.export.redacted.issue import MOST, issue
from memtui_core.export.redacted.page import redacted_page
from memtui_core.model import Block
from memtui_core.text.markdown.references import without_references
from support.copies import HOME, OWN, ROOT, block, copy_of, session_of
from support.pages import HOSTILE


def calls(number: int, name: str, fields: Mapping[str, object], result: str, *, error: bool = False) -> list[Block]:
    return [
        block("tool_call", json.dumps(fields), tool=name, tool_id=f"t{number}"),
        block("tool_result", result, tool=name, tool_id=f"t{number}", is_error=error),
    ]


def worked() -> list[list[Block]]:
    """A session that edits two files and runs two checks."""
    edit = {"file_path": f"{ROOT}/src/send.py", "old_string": "a\nb", "new_string": "a\nc\nd"}
    write = {"file_path": f"{ROOT}/tests/test_send.py", "content": "one\ntwo\n"}
    return [
        [block("user", "/model opus"), block("text", "Set.")],
        [
            block("user", "Retry the upload, as in #12\n@lena knows"),
            block("thinking", "A loop."),
            *calls(1, "Edit", edit, "edited"),
            *calls(2, "Write", write, "written"),
            *calls(3, "Bash", {"command": "pytest -q"}, "2 passed in 0.1s"),
        ],
        [
            block("user", "And lint it | all"),
            *calls(4, "Bash", {"command": "ruff check ."}, "Found 3 errors.", error=True),
            block("text", "It **retries** now, see https://github.com/acme/shop/pull/7 and `@types/node`."),
        ],
    ]


def test_what_an_issue_says() -> None:
    text = issue(copy_of(*worked()))
    head, _, rest = text.partition("<details>")
    assert (
        head
        == """\
## Hi

claude-code · shop · main · 2026-11-20 14:02 UTC · 3 turns · session s1

### Request

> Retry the upload, as in #\u200b12\\
> @\u200blena knows

Then:

- And lint it \\| all

### What was done

It **retries** now, see https://redirect.github.com/acme/shop/pull/7 and `@types/node`.

### Changes

| file | lines |
|---|---:|
| `src/send.py` | +2 −1 |
| `tests/test_send.py` | +2 |

### Checks

- ✓ `pytest -q`: 2 passed in 0.1s (turn 2)
- ✗ `ruff check .`: Found 3 errors. (turn 3)

"""
    )
    assert rest.startswith(
        "\n<summary>All of it: 3 turns</summary>\n\n## 1 · You · 2026-11-20 14:02\n\n> /model opus\n"
    )
    assert rest.endswith("\n</details>\n\n<sub>Made by memtui. Nothing in this text had to be replaced.</sub>\n")
    without = issue(copy_of(*worked(), options=CopyOptions(Contents(tools=False, thinking=False))))
    assert "### C" not in without
    assert "A loop." not in without


def test_a_command_that_the_agent_answers_is_the_request() -> None:
    session, turns = session_of([block("user", "/docs:improve"), block("text", "Here.")], [block("user", "go")])
    answered = [replace(turns[0], kind="command"), turns[1]]
    head = issue(redacted_copy(session, answered, CopyOptions(), OWN)).partition("<details>")[0]
    assert "### Request\n\n> /docs:improve\n\nThen:\n\n- go\n" in head
    assert "### Request\n\n> go\n\n### What" in issue(redacted_copy(session, turns, CopyOptions(), OWN))


def steps(results: int, count: int = 100) -> RedactedCopy:
    """A session of turns that each think and run a command with a result of so many characters."""
    turns = [
        [block("user", f"step {at}"), block("thinking", "Hm."), *calls(at, "Bash", {"command": "make"}, "x" * results)]
        for at in range(1, count + 1)
    ]
    return copy_of(*turns)


def note_in(text: str) -> list[str]:
    return re.findall(r"\*(Left out, .*)\*", text)


@pytest.mark.parametrize(
    ("results", "count", "left_out", "thoughts"),
    [
        (200, 100, [], 100),
        # Of long results the middle goes first, and a line says how much.
        (1_200, 100, ["Left out, since no more fits: thinking."], 0),
        (40_000, 100, ["Left out, since no more fits: thinking."], 0),
        (40_000, 50, ["Left out, since no more fits: thinking in turns 13–50."], 12),
    ],
)
def test_an_issue_has_at_most_what_github_takes(results: int, count: int, left_out: list[str], thoughts: int) -> None:
    text = issue(steps(results, count))
    assert len(text) <= MOST
    assert note_in(text) == left_out
    assert f"step {count}" in text
    assert (text.count(" characters left out …") == count) == (results > 1_000)
    assert text.count("Hm.") == thoughts


def test_the_finest_pieces_go_first_and_the_room_is_filled() -> None:
    text = issue(steps(600, 200))
    assert note_in(text) == ["Left out, since no more fits: thinking; the results of tool calls in turns 126–200."]
    assert MOST - 2_000 < len(text) <= MOST
    assert text.count("<code>Bash: make</code>") == 200
    assert text.count("… 400 characters left out …") == 125
    many = issue(copy_of(*[[block("user", "go"), block("text", "a " * (300 if at % 2 else 1))] for at in range(400)]))
    assert len(many) <= MOST


def test_an_issue_names_the_turns_for_which_there_is_no_room() -> None:
    turns = [[block("user", f"step {at}"), block("text", "word " * 400)] for at in range(1, 401)]
    text = issue(copy_of(*turns))
    assert MOST - 4_000 < len(text) <= MOST
    [note] = note_in(text)
    last = max(map(int, re.findall(r"^## (\d+) · You", text, re.MULTILINE)))
    assert note == f"Left out, since no more fits: the middle of long texts; turns {last + 1}–400."
    huge = issue(copy_of([block("user", "a " * 90_000), block("text", "b " * 90_000)]))
    assert len(huge) <= MOST
    assert (huge.count(" a…"), huge.count(" b…")) == (1, 1)
    assert note_in(huge) == ["Left out, since no more fits: the middle of long texts."]
    assert huge.count(" characters left out …") == 2


def test_a_turn_with_more_tool_calls_than_fit_keeps_the_first_and_the_last_of_them() -> None:
    many = [one for at in range(1, 2_001) for one in calls(at, "Bash", {"command": f"make step-{at}"}, "x" * 90)]
    text = issue(copy_of([block("user", "go"), block("thinking", "Hm."), *many, block("text", "Done.")]))
    assert MOST - 2_000 < len(text) <= MOST
    steps_in = [int(step) for step in re.findall("<code>Bash: make step-([0-9]+)</code>", text)]
    half = len(steps_in) // 2
    assert half > 250
    assert steps_in == [*range(1, len(steps_in) - half + 1), *range(2_001 - half, 2_001)]
    gone = f"{2_000 - len(steps_in):,}"
    assert note_in(text) == [
        f"Left out, since no more fits: thinking; {gone} of 2,000 tool calls, all but a line of the others."
    ]
    before, note, after = text.partition(f"> **left out:** {gone} tool calls\n")
    assert (before.count("<code>"), note != "", after.count("<code>")) == (len(steps_in) - half, True, half)
    assert "x" * 90 not in text
    assert after.index("Done.") > after.index("step-2000")


def test_a_turn_of_many_long_texts_and_tool_calls_keeps_a_part_of_each() -> None:
    turn = [block("user", "go")]
    for at in range(1, 101):
        turn += [block("text", f"answer-{at} " + "word " * 400), *calls(at, "Bash", {"command": f"make {at}"}, "ok")]
    text = issue(copy_of(turn))
    assert len(text) <= MOST
    assert len(re.findall("<code>Bash: make [0-9]+</code>", text)) == 100
    assert len(set(re.findall("answer-[0-9]+", text))) == 100
    assert note_in(text) == [
        "Left out, since no more fits: all but a line of each tool call; the middle of long texts."
    ]


def test_the_foot_counts_what_stands_in_the_document() -> None:
    result = f"{HOME}/a ~/b acme\n" * 600
    turn = [block("user", "Ask a@shop.dev"), *calls(1, "Bash", {"command": f"cat {HOME}/acme"}, result)]
    copy = copy_of(turn, options=CopyOptions(words=("acme",)), title="Of Acme")
    assert sum(one.kind == "word" for one in copy.redactions) == 602
    for text in (issue(copy), redacted_page(copy)):
        [foot] = re.findall(r"Replaced for privacy: (.*?)\.(?:</|\n)", text)
        body = re.sub("<[^>]*>", "", text).replace("\\", "")
        homes = len(re.findall(r"~/(?:a|\[redacted\])", body))
        told = {
            f"{body.count('[redacted]')}× word",
            f"{homes}× home folder",
            f"{body.count('[e-mail]')}× e-mail address",
        }
        assert set(foot.split(", ")) == told
        assert text.isascii() or not re.search("[\U0010fe00-\U0010feff]", text)


def test_each_turn_says_what_it_lacks() -> None:
    edit = {"file_path": "a.py", "old_string": "a\n" * 2_000, "new_string": "b\n" * 2_000}
    small = [block("user", "look"), *calls(1, "Bash", {"command": "ls"}, "a.py")]
    large = [block("user", "edit"), *(one for at in range(2, 200) for one in calls(at, "Edit", edit, "edited"))]
    assert note_in(issue(copy_of(small, large))) == [
        "Left out, since no more fits: the results and changes of tool calls in turn 2."
    ]


PINGS = re.compile(r"(?<![A-Za-z0-9])@[A-Za-z0-9_]|#[0-9]|\bGH-[0-9]|(?<!redirect\.)github\.com/", re.IGNORECASE)


def texts(markdown: str) -> list[str]:
    """The texts that GitHub looks through for references: no code, and the addresses of links."""
    found = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        if token.type == "html_block":
            found.append(re.sub(r"<code>.*?</code>", "", token.content))
        for child in token.children or ():
            if child.type in {"text", "html_inline"}:
                found.append(child.content)
            elif child.type == "link_open":
                found.append(str(child.attrGet("href")))
    return found


def images(markdown: str) -> int:
    """How many images GitHub would load."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
    children = [child for token in tokens for child in token.children or ()]
    html = [token.content for token in (*tokens, *children) if token.type in {"html_block", "html_inline"}]
    return sum(child.type == "image" for child in children) + sum("<img" in one.lower() for one in html)


REFERENCES = st.lists(
    st.sampled_from(
        [
            "@lena",
            "_@lena_",
            "#12",
            "GH-7",
            "acme/shop#3",
            "https://github.com/acme/shop/issues/5",
            "https://a.dev/x#7",
            "mail@a.dev",
        ]
    )
    | HOSTILE,
    max_size=8,
).map(" ".join)


@given(REFERENCES)
def test_no_text_notifies_anybody(text: str) -> None:
    shown = without_references(text)
    assert [found for found in texts(shown) if PINGS.search(re.sub(r"https?://a\.dev\S*", "", found))] == []
    assert shown.replace("\u200b", "").replace("redirect.github.com", "github.com") == re.sub("\r\n?", "\n", text)


@given(REFERENCES, st.sampled_from(["user", "text", "thinking", "tool_result", "note"]))
def test_no_part_of_a_session_notifies_anybody_or_breaks_out_of_its_place(text: str, kind: str) -> None:
    turn = [
        block("user", "Go"),
        block(kind, text, tool="Bash" if kind == "tool_result" else None),
        block("text", "End"),
    ]
    made = issue(copy_of(turn, title=text))
    assert images(made) == 0
    assert [found for found in texts(made) if PINGS.search(re.sub(r"https?://a\.dev\S*", "", found))] == []
    ours = re.compile(r"<(?:/?details|/?summary|/?code|/?sub)>|<!-- -->")
    html = [token.content for token in MarkdownIt("commonmark").parse(made) if token.type == "html_block"]
    assert [one for one in html if re.search(r"<[a-zA-Z/!?]", ours.sub("", one))] == []
    assert made.endswith("</sub>\n")


IMAGES = st.lists(
    st.sampled_from(
        [
            "![", "!", "[", "]", "](", ")", "(http://x.dev/a.png)", "![a](b.png)", "[![a](b.png)](c)", "\\", "`", "a",
            "\n", " ", "[r]: b.png", "![r]", "<img src=b.png>", "| ", "|-|", "> ", "    ",
        ]
    ),
    max_size=12,
).map("".join)  # fmt: skip


@given(IMAGES)
def test_no_image_of_a_text_is_loaded(text: str) -> None:
    assert images(issue(copy_of([block("user", text), block("text", text), block("thinking", text)]))) == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see ![the logo](http://x.dev/a.png) here", "see [the logo](http://x.dev/a.png) here"),
        ("![](http://x.dev/a.png)", "[image](http://x.dev/a.png)"),
        ("[![CI](https://i.dev/b.svg)](https://ci.dev)", "[CI](https://ci.dev)"),
        ("[![](https://i.dev/b.svg 'x')](https://ci.dev)", "[[image](https://i.dev/b.svg 'x')](https://ci.dev)"),
        ("![logo][1]\n\n[1]: http://x.dev/a.png", "[logo][1]\n\n[1]: http://x.dev/a.png"),
        ("`![x](y)` \\![x](y)", "`![x](y)` \\![x](y)"),
        ("```md\n![x](y)\n```", "```md\n![x](y)\n```"),
        ('<img src="http://x.dev/a.png" alt="logo">', '\\<img src="http://x.dev/a.png" alt="logo">'),
    ],
)
def test_an_image_is_a_link_in_an_issue(text: str, shown: str) -> None:
    made = issue(copy_of([block("user", "Go"), block("text", text)]))
    assert made.count(shown) == 2
    assert images(made) == 0


def test_code_stays_as_it_is() -> None:
    text = "run `@acme/shop` or\n\n```sh\nnpm i @acme/shop #1\n```\n\n    @indented #2\n\n`a\nb` @me \\`@you`"
    assert without_references(text) == text.replace("@me", "@\u200bme").replace("@you", "@\u200byou")
