from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memtui_core.errors import MemtuiError
from memtui_core.export.as_json import as_json
from memtui_core.export.contents import Contents
from memtui_core.export.formats import FORMATS, ExportFormat, file_name, format_named, write
from memtui_core.export.html import html
from memtui_core.export.markdown import markdown
from memtui_core.export.markdown_html import code
from memtui_core.index.index import Index
from memtui_core.model import Block, Session, Turn
from memtui_core.text.controls import one_line, plain
from memtui_core.text.markdown.quoting import contained, fence, quote
from support.indexes import build
from support.pages import HOSTILE, Page
from support.transcripts import SESSION, Script

ROOT = "/home/ana/code/shop"
AT = datetime(2026, 11, 20, 14, 2, tzinfo=UTC)
PATCH = [{"oldStart": 7, "oldLines": 2, "newStart": 7, "newLines": 2, "lines": [" def send():", "-    a", "+\tb"]}]


def whole(index: Index, session_id: str = SESSION) -> tuple[Session, list[Turn]]:
    session = index.sessions.find(session_id)
    blocks = index.sessions.blocks(session.key, 1, session.turns)
    return session, [replace(turn, blocks=blocks[turn.number]) for turn in index.sessions.turns(session.key)]


def exported(tmp_path: Path, script: Script) -> tuple[Session, list[Turn]]:
    return whole(build(tmp_path / "data", script.write(tmp_path / "source")))


def one(*blocks: Block, **fields: str) -> tuple[Session, list[Turn]]:
    """A session of one turn with some blocks."""
    session = Session(
        1, "s1", "claude-code", None, None, "shop", ROOT, ROOT, None, None, (), "Hi", None, None, 1, 0, 0, 0
    )
    numbered = tuple(replace(block, seq=number) for number, block in enumerate(blocks))
    turn = Turn(1, 1, 1, 0, 9, "human", 0, "", (), None, None, blocks=numbered)
    return replace(session, **fields), [turn]  # type: ignore[arg-type]


def block(kind: str, text: str, **fields: object) -> Block:
    return Block(0, 0, kind, text, **fields)  # type: ignore[arg-type]


def fences(text: str) -> list[str]:
    """The exact texts of the code fences of a Markdown document."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [token.content.removesuffix("\n") for token in tokens if token.type == "fence"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Session, list[Turn]]:
    script = Script()
    script.user("Retry the upload\nthree times")
    script.thinks("A loop will do.", "m1")
    script.calls("Edit", {"file_path": f"{ROOT}/src/send.py", "old_string": "a", "new_string": "b"}, "t1", "m1")
    script.calls("Bash", {"command": "make test", "description": "Run the tests"}, "t2", "m1")
    script.result("1 failed\nExit code 2", "t2", error=True)
    script.result("changed", "t1", toolUseResult={"structuredPatch": PATCH})
    script.says("It **retries** now: `send()`.")
    script.user("Does `*` match?")
    script.says("Yes.\n\n```py\nx = 1", model="claude-haiku-4-5")
    script.compacts("Uploads are retried.")
    return exported(tmp_path_factory.mktemp("small"), script)


def test_markdown_of_a_session(small: tuple[Session, list[Turn]]) -> None:
    assert (
        markdown(*small)
        == f"""\
# Retry the upload three times

claude-code · shop · main · 2026-11-01 09:00 to 09:01 UTC · claude-opus-4-5 · 30 tokens in, 15 out \
· 3 turns · session {SESSION}

## 1 · You · 2026-11-01 09:00

> Retry the upload\\
> three times

**claude-code** · claude-opus-4-5 · 2 tool calls · ✗ 1 error · 10 tokens

<details>
<summary>Thinking (1 line)</summary>

A loop will do.

</details>

<details>
<summary><code>Edit src/send.py</code> (+1 −1)</summary>

**Changes**

```diff
@@ -7,2 +7,2 @@
 def send():
-    a
+\tb
```

</details>

<details>
<summary>✗ <code>Bash: make test</code> (exit 2)</summary>

**Run the tests**

```bash
make test
```

**Error**

```text
1 failed
Exit code 2
```

</details>

It **retries** now: `send()`.

## 2 · You · 2026-11-01 09:01

```text
Does `*` match?
```

**claude-code** · claude-opus-4-5 · 5 tokens

Yes.

```py
x = 1
```

## 3 · Compaction summary · 2026-11-01 09:01

<details>
<summary>What was said before, summed up (1 line)</summary>

This session is being continued from a previous conversation that ran out of context. Uploads are retried.

</details>
"""
    )


def test_html_of_a_session(small: tuple[Session, list[Turn]]) -> None:
    text = html(*small)
    head, _, body = text.partition("<body>\n")
    page = Page(text)
    page.assert_inert()
    assert head.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert "<title>Retry the upload three times</title>" in head
    assert "default-src &#x27;none&#x27;" in head
    assert "@media (prefers-color-scheme: dark)" in head
    assert "url(" not in head
    assert [value for name, value in page.attributes if name == "id"] == ["turn-1", "turn-2", "turn-3"]
    assert (
        body
        == f"""\
<header>
<h1 dir="auto">Retry the upload three times</h1>
<p class="facts">claude-code · shop · main · 2026-11-01 09:00 to 09:01 UTC · claude-opus-4-5 · 30 tokens in, 15 out \
· 3 turns · session {SESSION}</p>
</header>
<nav><details open>
<summary>3 turns</summary>
<ol>
<li value="1"><a href="#turn-1">Retry the upload three times</a> · 2 tool calls · <span class="failed">✗ 1</span></li>
<li value="2"><a href="#turn-2">Does `*` match?</a></li>
<li value="3"><a href="#turn-3">Compaction summary</a></li>
</ol>
</details></nav>
<main>
<section id="turn-1" class="human">
<h2><a href="#turn-1">1</a> · You · <time datetime="2026-11-01T09:00:00Z">2026-11-01 09:00</time></h2>
<div class="said" dir="auto">Retry the upload
three times</div>
<p class="head"><strong>claude-code</strong> · claude-opus-4-5 · 2 tool calls · ✗ 1 error · 10 tokens</p>
<details class="thinking">
<summary>Thinking (1 line)</summary>
<div>
<p>A loop will do.</p>
</div>
</details>
<details class="work">
<summary><code>Edit src/send.py</code> (+1 −1)</summary>
<h3>Changes</h3>
<pre><code><span class="gu">@@ -7,2 +7,2 @@</span>
<span class="w"> </span>def send():
<span class="gd">-    a</span>
<span class="gi">+	b</span></code></pre>
</details>
<details class="work failed">
<summary>✗ <code>Bash: make test</code> (exit 2)</summary>
<h3>Run the tests</h3>
<pre><code>make<span class="w"> </span><span class="nb">test</span></code></pre>
<h3>Error</h3>
<pre><code>1 failed
Exit code 2</code></pre>
</details>
<div class="answer" dir="auto">
<p>It <strong>retries</strong> now: <code>send()</code>.</p>
</div>
</section>
<section id="turn-2" class="human">
<h2><a href="#turn-2">2</a> · You · <time datetime="2026-11-01T09:01:10Z">2026-11-01 09:01</time></h2>
<div class="said" dir="auto">Does `*` match?</div>
<p class="head"><strong>claude-code</strong> · claude-opus-4-5 · 5 tokens</p>
<div class="answer" dir="auto">
<p>Yes.</p>
<pre><code class="language-py"><span class="n">x</span> <span class="o">=</span> <span class="mi">1</span></code></pre>
</div>
</section>
<section id="turn-3" class="compaction">
<h2><a href="#turn-3">3</a> · Compaction summary · <time datetime="2026-11-01T09:01:40Z">2026-11-01 09:01</time></h2>
<details class="summary">
<summary>What was said before, summed up (1 line)</summary>
<div>
<p>This session is being continued from a previous conversation that ran out of context. Uploads are retried.</p>
</div>
</details>
</section>
</main>
<footer>Made by memtui</footer>
</body>
</html>
"""
    )


def test_json_of_a_turn(small: tuple[Session, list[Turn]]) -> None:
    session, turns = small
    assert json.loads(as_json(session, turns[1:2])) == {
        "session": {
            "session_id": SESSION,
            "agent": "claude-code",
            "project": "shop",
            "root": ROOT,
            "worktree": None,
            "machine": "",
            "branch": "main",
            "version": "2.1.200",
            "models": ["claude-opus-4-5"],
            "title": "Retry the upload three times",
            "agent_title": "",
            "pinned": False,
            "archived": False,
            "tags": [],
            "notes": [],
            "started_at": "2026-11-01T09:00:00Z",
            "ended_at": "2026-11-01T09:01:40Z",
            "turns": 3,
            "tool_calls": 2,
            "input_tokens": 30,
            "output_tokens": 15,
            "compactions": 1,
            "forked_from": None,
        },
        "turns": [
            {
                "session_id": SESSION,
                "turn": 2,
                "line": 7,
                "end_line": 8,
                "kind": "human",
                "role": "turn",
                "started_at": "2026-11-01T09:01:10Z",
                "ended_at": "2026-11-01T09:01:20Z",
                "active_seconds": 10.0,
                "user": "Does `*` match?",
                "tools": [],
                "models": ["claude-opus-4-5"],
                "pinned": False,
                "tags": [],
                "notes": [],
                "input_tokens": 10,
                "output_tokens": 5,
                "blocks": [
                    {
                        "kind": kind,
                        "line": line,
                        "text": text,
                        "tool": None,
                        "tool_id": None,
                        "is_error": False,
                        "at": at,
                    }
                    for kind, line, text, at in [
                        ("user", 7, "Does `*` match?", "2026-11-01T09:01:10Z"),
                        ("text", 8, "Yes.\n\n```py\nx = 1", "2026-11-01T09:01:20Z"),
                    ]
                ],
            }
        ],
    }


def test_tools_and_thinking_can_be_left_out(small: tuple[Session, list[Turn]]) -> None:
    session, turns = small
    for as_format in FORMATS:
        text = as_format.document(session, turns[:1], Contents(thinking=False, tools=False))
        assert ("A loop will do." in text, "make test\n" in text, "1 failed" in text) == (False, False, False)
        assert "It " in text
    document = json.loads(as_json(session, turns, Contents(tools=False)))
    kinds = [[one["kind"] for one in turn["blocks"]] for turn in document["turns"]]
    assert kinds == [["user", "thinking", "text"], ["user", "text"], ["user"]]


def test_what_is_said_between_has_a_head_of_its_own() -> None:
    session, turns = one(
        block("user", "Go"), block("text", "I go."), block("user", "Stop", at=AT), block("text", "Ok.")
    )
    assert markdown(session, turns).partition("## 1 · You\n\n")[2] == (
        "> Go\n\n**claude-code**\n\nI go.\n\n**You** · 2026-11-20 14:02\n\n> Stop\n\n**claude-code**\n\nOk.\n"
    )


@pytest.mark.parametrize(
    ("kind", "heading"),
    [("command", "You"), ("agent", "Prompt by the parent agent"), ("opening", "claude-code")],
)
def test_a_turn_says_who_opened_it(kind: str, heading: str) -> None:
    session, turns = one(block("note", "Set model to opus", tool="command"))
    text = markdown(session, [replace(turns[0], kind=kind, started_at=AT)])  # type: ignore[arg-type]
    assert text.endswith(f"## 1 · {heading} · 2026-11-20 14:02\n\n> **command:** Set model to opus\n")


def test_the_prompt_of_a_parent_agent_is_markdown() -> None:
    session, turns = one(block("user", "- *find* it"))
    assert markdown(session, [replace(turns[0], kind="agent")]).endswith("\n\n- *find* it\n")


def test_a_turn_without_blocks_has_the_text_of_its_head() -> None:
    session, turns = one()
    assert markdown(session, [replace(turns[0], user_text="Go")]).endswith("## 1 · You\n\n> Go\n")


@pytest.mark.parametrize(
    ("call", "result", "expected"),
    [
        (("Read", {"file_path": f"{ROOT}/a.py"}), "x", ("Read a.py", [("Result", "text", "x")])),
        (("Read", {"file_path": "/etc/hosts"}), None, ("Read /etc/hosts</code> (no result", [])),
        (("Write", {"file_path": f"{ROOT}/a.py", "content": "x\n"}), "", ("Write a.py", [("Content", "py", "x")])),
        (
            ("MultiEdit", {"edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}]}),
            "ok",
            ("MultiEdit</code> (+2 −1", [("Changes", "diff", "@@ -1,1 +1,1 @@\n-a\n+b\n@@ -0,0 +1,1 @@\n+c")]),
        ),
        (
            ("apply_patch", {"patchText": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n+z\n*** End Patch"}),
            "ok",
            ("apply_patch a.py</code> (+2 −1", [("Changes", "diff", "*** Begin Patch\n*** Update File: a.py\n@@\n-x")]),
        ),
        (("Bash", {"command": "make > a.py"}), "ok", ("Bash: make &gt; a.py", [("Command", "bash", "make > a.py")])),
        (("WebFetch", {"url": "https://x.example"}), "ok", ("WebFetch: https://x.example", [("Input", "json", None)])),
        (("Bash", {"command": "a\nb", "timeout": 9}), "ok", ("Bash: a", [("Command", "bash", "a\nb")])),
        (("mcp__x__y", {}), "ok", ("mcp__x__y", [("Result", "text", "ok")])),
        (("Read", "no object"), "ok", ("Read", [("Input", "text", '"no object"')])),
    ],
)
def test_tool_calls(
    call: tuple[str, object], result: str | None, expected: tuple[str, list[tuple[str, str, str | None]]]
) -> None:
    name, given_ = call
    blocks = [block("tool_call", json.dumps(given_), tool=name, tool_id="t")]
    blocks += [block("tool_result", result, tool=name, tool_id="t")] if result is not None else []
    text = markdown(*one(*blocks))
    assert f"<code>{expected[0]}" in text
    for label, language, body in expected[1]:
        assert f"**{label}**\n\n```{language}\n{'' if body is None else body + chr(10)}" in text


def test_a_failed_edit_shows_what_was_asked_and_why_it_failed() -> None:
    arguments = {"file_path": "a", "old_string": "x", "new_string": "y"}
    call = block("tool_call", json.dumps(arguments), tool="Edit", tool_id="t")
    text = markdown(*one(call, block("tool_result", "not found", tool="Edit", tool_id="t", is_error=True)))
    assert "✗ <code>Edit a</code> (error)" in text
    assert fences(text) == [json.dumps(arguments, indent=2), "not found"]


def test_a_result_without_its_call_is_told_as_such() -> None:
    text = markdown(*one(block("tool_result", "x", tool="Bash", tool_id="t")))
    assert "<code>Bash</code> (call not in the transcript)" in text


HOSTILE_TEXT = (
    "<script>alert(1)</script> ]]> <!-- <img src=x onerror=alert(1)> [link](javascript:alert(1)) "
    "![pixel](https://evil.example/p.png) \x1b[31mred\x1b[0m\x1b]0;title\x07 \x9b2J \u202eevil \x00\n```\n</details>"
)


def test_hostile_text_is_inert_everywhere() -> None:
    kinds = ["user", "text", "thinking", "image", "note"]
    blocks = [block(kind, HOSTILE_TEXT) for kind in kinds]
    blocks += [block("tool_call", json.dumps({"command": HOSTILE_TEXT}), tool=HOSTILE_TEXT, tool_id="t")]
    blocks += [block("tool_result", HOSTILE_TEXT, tool_id="t"), block("text", HOSTILE_TEXT, is_error=True)]
    session, turns = one(*blocks, title=HOSTILE_TEXT, project=HOSTILE_TEXT, branch=HOSTILE_TEXT, agent=HOSTILE_TEXT)
    page = Page(html(session, turns))
    page.assert_inert()
    assert page.text.count("<script>alert(1)</script>") >= len(kinds)
    text = markdown(session, turns)
    tokens = MarkdownIt("commonmark").parse(text)
    ours = re.compile(r"<details>\n<summary>[^<]*(?:<code>[^<]*</code>[^<]*)?</summary>\n|</details>\n?|<!-- -->\n")
    assert [t.content for t in tokens if t.type == "html_block" and not ours.fullmatch(t.content)] == []
    assert [c.content for t in tokens for c in t.children or () if c.type == "html_inline"] == []
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text + html(session, turns)) is None
    assert (tokens[-1].type, tokens[-1].level) == ("fence", 0)


@given(st.text() | HOSTILE)
def test_any_text_survives_in_a_fence(text: str) -> None:
    shown = plain(text)
    assert fences(f"{fence(shown, 'text')}\n\n# end\n") == [shown]


@given(st.text() | HOSTILE)
def test_what_a_person_typed_is_shown_as_it_was(text: str) -> None:
    session, turns = one(block("user", text))
    document = markdown(session, turns)
    shown = plain(text).strip("\n")
    read = fences(document) or [paragraphs(document)]
    assert read == [shown]


def paragraphs(document: str) -> str:
    """The text of the quotation of a document, as its reader sees it."""
    tokens = MarkdownIt("commonmark").parse(document)
    start = next(i for i, token in enumerate(tokens) if token.type == "blockquote_open")
    return "\n\n".join(
        "".join({"hardbreak": "\n"}.get(child.type, child.content) for child in token.children or ())
        for token in tokens[start:]
        if token.type == "inline"
    )


def test_prose_is_quoted_for_its_lines_wrap_and_the_rest_is_fenced() -> None:
    assert quote("See file a_b.\n\nThen go") == "> See file a_b.\n>\n> Then go"
    for text in ("a  \nb", "*a*", "- a", "<b>", "$a$", "~a~", "[!NOTE]", "    a", "a\\\nb", "&lt;", "x\n\n\ny", "# a"):
        assert quote(text) == f"```text\n{text}\n```"


@given(st.lists(HOSTILE, min_size=1, max_size=4))
def test_no_text_of_an_agent_reaches_over_its_end(texts: list[str]) -> None:
    document = "\n\n".join(part for text in texts for part in (contained(plain(text).strip("\n")), "# mark")) + "\n"
    together = "\n\n".join(contained(plain(text).strip("\n")) for text in texts) + "\n\n# mark\n"
    assert marks(document) >= len(texts)
    assert marks(together) >= 1


def marks(document: str) -> int:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(document)
    html = [token.content for token in tokens if token.type == "html_block"]
    assert set(html) <= {"<!-- -->\n"}
    return sum(
        token.type == "inline" and token.content == "mark" and tokens[i - 1].level == 0
        for i, token in enumerate(tokens)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain `<b>` **text**", "plain `<b>` **text**"),
        ("a <b>c</b> `<d>` <https://x.example>", "a \\<b>c\\</b> `<d>` <https://x.example>"),
        ("\\<b> \\\\<b>", "\\<b> \\\\\\<b>"),
        ("```html\n<b>\n```\n<i>", "```html\n<b>\n```\n\\<i>"),
        ("```py\nx", "```py\nx\n```"),
        ("<!-- hidden", "\\<!-- hidden"),
        ("    <b>", "<!-- -->\n\n    <b>"),
        ("List<T> and a < b", "List\\<T> and a < b"),
    ],
)
def test_an_agents_markdown_stays_as_it_is_but_for_tags_and_open_fences(text: str, expected: str) -> None:
    assert contained(text) == expected


def test_a_diff_that_an_agent_wrote_without_a_fence_is_a_diff_in_html() -> None:
    diff = "--- a/menu.tsx\n+++ b/menu.tsx\n@@ -1,2 +1 @@\n-  Bars3Icon as MenuIcon,\n   HomeIcon,"
    page = Page(html(*one(block("text", f"- apply\n{diff}\n\n- test"))))
    assert diff in page.text
    assert [page.tags.count(tag) for tag in ("ul", "li", "h1", "pre")] == [2, 2, 1, 1]


@given(HOSTILE, HOSTILE)
def test_html_is_inert_whatever_was_said(first: str, second: str) -> None:
    call = block("tool_call", json.dumps({"command": second}), tool=first, tool_id="t")
    blocks = [block("user", first), block("text", first), block("thinking", second), call]
    blocks += [block("tool_result", second, tool_id="t"), block("note", first, tool=second), block("image", second)]
    session, turns = one(*blocks, title=first, project=second)
    page = Page(html(session, turns))
    page.assert_inert()
    assert plain(first).strip("\n") in page.text


@given(HOSTILE, st.sampled_from(["py", "html", "diff", "json", "bash", "md", "js", "no-such", ""]))
@example("\n\n a \n\n", "py")
@example(" a", "diff")
def test_marked_code_is_the_same_text(text: str, language: str) -> None:
    shown = plain(text)
    assert Page(code(shown, language)).text == shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\tb\n", "a\tb\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;https://x.example\x1b\\link\x1b]8;;\x07", "link"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("one\r\ntwo", "one\ntwo"),
        ("ab\bc", "ac"),
        ("a\x07b\x7f", "a␇b␡"),
        ("a\u202eb\u200fc\ufeff", "abc"),
        ("a\u2028b", "a b"),
        ("\x9b2J\ud800", "\ufffd"),
        ("👩‍🚀", "👩‍🚀"),
    ],
)
def test_control_characters_go(text: str, expected: str) -> None:
    assert plain(text) == expected


def test_one_line() -> None:
    assert one_line(" a\n\tb\x1b[0m ") == "a b"
    assert one_line("one two three", 8) == "one two…"


@pytest.mark.parametrize(
    ("fields", "numbers", "expected"),
    [
        ({}, [1], "hi-s1.md"),
        ({"turns": 9}, [3], "hi-s1-turn-3.md"),
        ({"turns": 9}, [3, 4, 5], "hi-s1-turns-3-5.md"),
        ({"title": "Fix: it's  ../../etc\x00 <b>", "session_id": SESSION}, [1], "fix-its-etc-b-11111111.md"),
        ({"title": "日本語 サイト", "session_id": "agent-a0a69b50c7"}, [1], "日本語-サイト-agent-a0a69b50.md"),
        ({"title": "", "session_id": "../../x"}, [1], "session-x.md"),
        ({"title": "word " * 30}, [1], "word-word-word-word-word-word-word-word-s1.md"),
        ({"title": "w" * 99}, [1], f"{'w' * 40}-s1.md"),
    ],
)
def test_file_names(fields: dict[str, str], numbers: list[int], expected: str) -> None:
    session, turns = one(**fields)
    assert file_name(session, [replace(turns[0], number=number) for number in numbers], FORMATS[0]) == expected


def test_a_format_that_is_not_whole_cannot_be_declared() -> None:
    declared = FORMATS[0]._asdict()
    for missing in declared:
        with pytest.raises(TypeError, match=f"missing 1 required positional argument: '{missing}'"):
            ExportFormat(**{name: value for name, value in declared.items() if name != missing})


def test_writing_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "a.b.md"
    assert [write(path, text).name for text in ("1", "2\n", "é")] == ["a.b.md", "a.b-2.md", "a.b-3.md"]
    assert [one.read_bytes() for one in sorted(tmp_path.glob("*.md"))] == [b"2\n", "é".encode(), b"1"]


def test_what_cannot_be_written_whole_is_not_left_behind(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write(tmp_path / "a.md", "\ud800")
    with pytest.raises(MemtuiError, match=r"a\.md cannot be written: No such file or directory\.$"):
        write(tmp_path / "no" / "a.md", "")
    assert list(tmp_path.iterdir()) == []


def checked_markdown(text: str, numbers: list[int]) -> None:
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    heads = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open" and t.level == 0]
    found = [int(match[1]) for head in heads if (match := re.match(r"(\d+) · ", head))]
    assert found == numbers


def checked_html(text: str, numbers: list[int]) -> None:
    page = Page(text)
    page.assert_inert()
    assert [value for name, value in page.attributes if name == "id"] == [f"turn-{number}" for number in numbers]


def checked_json(text: str, numbers: list[int]) -> None:
    assert [turn["turn"] for turn in json.loads(text)["turns"]] == numbers


CHECKS: dict[str, Callable[[str, list[int]], None]] = {
    "markdown": checked_markdown,
    "html": checked_html,
    "json": checked_json,
}


@pytest.mark.parametrize("name", [each.name for each in FORMATS])
def test_every_sample_session_in_every_format(sample_index: Path, name: str) -> None:
    document = format_named(name).document
    index = Index.open(sample_index)
    sessions = index.sessions.all()
    for session in sessions:
        sessions += index.sessions.subagents(session.key)
    for session in sessions:
        _, turns = whole(index, session.session_id)
        CHECKS[name](document(session, turns), [turn.number for turn in turns])
    assert len(sessions) > 20
