"""The page that is made of a redacted copy: inert, not too large, and legible everywhere."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from memtui_core.export.redacted.page import MOST_BYTES, redacted_page
from support.copies import block, copy_of
from support.pages import HOSTILE, Page


@given(HOSTILE, st.sampled_from(["user", "text", "thinking", "tool_call", "tool_result", "note", "title"]))
def test_no_text_becomes_a_script_a_handler_or_a_request(text: str, place: str) -> None:
    fields = {"title": text} if place == "title" else {}
    turn = [block("user", "Go")]
    if place == "tool_call":
        turn.append(block("tool_call", json.dumps({"command": text, "file_path": text}), tool=text or None))
    elif place != "title":
        turn.append(block(place, text, tool="shell" if place == "note" else None))
    page = Page(redacted_page(copy_of(turn, options=None, **fields)))
    page.assert_inert()
    assert page.tags.count("meta") == 5


def test_a_page_with_images_of_the_network_loads_nothing() -> None:
    markup = (
        "![logo](http://x.example/a.png) [![CI](https://x.example/b.svg)](https://ci.example) ![r]\n\n"
        '<img src="http://x.example/c.png" srcset="http://x.example/d.png 2x">'
        '<link rel="stylesheet" href="//x.example/e.css">'
        "<style>body { background: url(http://x.example/f.png) } @import 'http://x.example/g.css';</style>"
        '<video poster="http://x.example/h.png"></video>\n\n[r]: http://x.example/i.png\n'
    )
    edit = json.dumps({"file_path": "a.md", "old_string": "", "new_string": markup})
    turn = [
        block("user", markup),
        block("thinking", markup),
        block("tool_call", edit, tool="Edit"),
        block("text", markup),
    ]
    text = redacted_page(copy_of(turn, title=markup))
    page = Page(text)
    page.assert_inert()
    # What a browser loads by itself: an attribute that names it, or the style sheet of the page.
    loads = {"src", "srcset", "poster", "data", "background", "action", "formaction", "ping", "xlink:href"}
    assert [name for name, _ in page.attributes if name in loads] == []
    assert set(page.tags) & {"link", "video", "audio", "source", "picture", "input", "frame", "portal"} == set()
    [styles] = re.findall("<style>(.*?)</style>", text, re.DOTALL)
    assert re.findall(r"url\(|@import|image-set|src\s*:", styles) == []
    [policy] = [value for name, value in page.attributes if name == "content" and "default-src" in value]
    assert "default-src 'none'" in policy
    # They are links with their texts.
    assert '<a href="http://x.example/a.png" rel="noopener noreferrer nofollow">logo</a>' in text


def test_the_page_says_what_was_replaced_and_folds_what_the_agent_did() -> None:
    steps = [block("tool_call", json.dumps({"command": f"make {number}"}), tool="Bash") for number in range(4)]
    turn = [block("user", "Write to a@shop.dev"), block("thinking", "Hm."), *steps, block("text", "Done.")]
    text = redacted_page(copy_of(turn, [block("user", "Thanks"), *steps[:3]]))
    # It also stands in the list of turns.
    assert '<p class="facts">Replaced for privacy: 2× e-mail address.</p>' in text
    assert re.findall('<details class="([a-z]+)">\n<summary>(.*)</summary>', text) == [
        ("steps", "4 tool calls · thinking"),
        ("thinking", "Thinking (1 line)"),
        *(("work", f"<code>Bash: make {number}</code> (no result)") for number in range(4)),
        *(("work", f"<code>Bash: make {number}</code> (no result)") for number in range(3)),
    ]
    assert text.count("<footer>Made by memtui</footer>") == 1
    links = [value for name, value in Page(text).attributes if name == "href"]
    assert links == ["#turn-1", "#turn-2", "#turn-1", "#turn-2"]


def test_results_of_a_long_session_lose_their_middle() -> None:
    result = "\n".join(f"line {number} of the output" for number in range(4_000))
    turns = [
        [
            block("user", f"step {number}"),
            block("tool_call", json.dumps({"command": "make"}), tool="Bash", tool_id="t"),
            block("tool_result", result, tool="Bash", tool_id="t"),
            block("text", f"Done with {number}."),
        ]
        for number in range(500)
    ]
    short, long = redacted_page(copy_of(*turns[:2])), redacted_page(copy_of(*turns))
    assert len(long.encode()) <= MOST_BYTES
    for text in (short, long):
        assert text.count("\nline 0 of the output") + text.count("<code>line 0 of the output") == text.count("<section")
        assert text.count("line 3999 of the output") == text.count("<section")
    cut = [set(map(int, re.findall(r"… (\d+),\d+ characters left out …", text))) for text in (short, long)]
    assert (len(cut[0]), len(cut[1])) == (1, 1)
    assert cut[0] < cut[1] or max(cut[0]) < min(cut[1])
